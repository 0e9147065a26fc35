//! Stresses and contacts of deformable grains, made on request. The grains themselves belong to the method.

use glam::DVec2;

/// Stresses, strains and contact forces of deformable grains: of all nodes, grain by grain, and of every grain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deformation {
    /// Cauchy stress xx, yy, xy, Pa.
    pub stress: Vec<[f64; 3]>,
    /// Green-Lagrange strain xx, yy, xy.
    pub strain: Vec<[f64; 3]>,
    /// Contact force on a node from other grains and walls, N per metre of depth.
    pub contact_force: Vec<DVec2>,
    pub touching: Vec<bool>,
    pub grains: Vec<GrainState>,
    /// Largest distance of what touches, m.
    pub largest_gap: f64,
    /// Largest pressure of a contact, Pa.
    pub largest_pressure: f64,
}

/// A deformable grain as a whole. Masses, momenta and energies are per metre of depth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GrainState {
    /// kg/m
    pub mass: f64,
    /// As it is now, m^2.
    pub area: f64,
    /// Centre of mass, m.
    pub centre: DVec2,
    /// By how much it has turned since it was made, rad, from -pi to pi.
    pub orientation: f64,
    /// kg/s
    pub momentum: DVec2,
    /// About the origin, kg m/s.
    pub angular_momentum: f64,
    /// J/m
    pub kinetic: f64,
    /// J/m
    pub elastic: f64,
    /// Cauchy stress xx, yy, xy, the mean over its area, Pa.
    pub stress: [f64; 3],
}
