//! What the user chooses of deformable grains, and what is chosen where nothing is said.

use rubblepile_core::World;

use crate::{
    grains,
    law::{self, Law, LawError, Plane},
    shape,
    step::{self, Scheme},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub scheme: Scheme,
    pub law: law::Kind,
    pub plane: Plane,
    pub shape_functions: shape::Kind,
    /// Residual over the forces that balance in it, at which Newton-Raphson is done.
    pub residual: f64,
    /// Largest distance of what touches, m; `None`: from the spacing of nodes.
    pub gap: Option<f64>,
    /// k_0 of eq. (21), Pa/m; `None`: from moduli and the spacing of nodes.
    pub contact_stiffness: Option<f64>,
    /// By how much it grows from one augmentation to the next.
    pub stiffness_growth: f64,
    /// Most iterations of a Newton-Raphson loop, and most augmentations of a sub-step.
    pub iterations: u32,
    pub augmentations: u32,
    /// How far from each other nodes and outlines are watched, m; `None`: from the spacing of nodes.
    pub watch_distance: Option<f64>,
    /// Rayleigh's α, 1/s, and β, s, of eq. (24).
    pub mass_damping: f64,
    pub stiffness_damping: f64,
    /// Time of a viscous stress that leaves rigid motion alone, s.
    pub viscous_damping: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            scheme: Scheme::Composite,
            law: law::Kind::SaintVenantKirchhoff,
            plane: Plane::Strain,
            shape_functions: shape::Kind::Radial,
            residual: 1e-10,
            gap: None,
            contact_stiffness: None,
            stiffness_growth: 2.0,
            iterations: 20,
            augmentations: 400,
            watch_distance: None,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            viscous_damping: 0.0,
        }
    }
}

/// Contact stiffness over modulus by spacing: Table I of meshfree-2016 has 17 and 19.
const STIFFNESS: f64 = 20.0;
/// Gap over spacing: Table I has 6e-12 and 5e-7.
const GAP: f64 = 1e-6;
/// Below this part of what the next augmentation brings a loop of Newton-Raphson ends.
const SLACK: f64 = 0.03;
/// By how much nodes move, over their distance, before a grain's tangent is made anew.
const STALE: f64 = 1e-3;

impl Settings {
    /// The elastic law of a material; without a modulus there is none.
    pub fn law_of(&self, young: Option<f64>, poisson: f64) -> Result<Law, LawError> {
        Law::new(self.law, self.plane, young.unwrap_or(f64::NAN), poisson)
    }

    /// The numbers of the solver. They depend on grains as they were made, so that a restart finds the same.
    pub fn resolve(&self, world: &World) -> step::Settings {
        let (mut finest, mut coarsest, mut stiffest) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        for grain in grains(world) {
            let spacing = grain.reference.spacing();
            (finest, coarsest) = (finest.min(spacing), coarsest.max(spacing));
            let young = world.materials[grain.material as usize].young.unwrap_or(0.0);
            stiffest = stiffest.max(young / spacing);
        }
        step::Settings {
            scheme: self.scheme,
            residual: self.residual,
            gap: self.gap.unwrap_or(GAP * finest),
            stiffness: self.contact_stiffness.unwrap_or(STIFFNESS * stiffest),
            growth: self.stiffness_growth,
            slack: SLACK,
            stale: STALE,
            newton: self.iterations as usize,
            augmentations: self.augmentations as usize,
            reach: self.watch_distance.unwrap_or(coarsest),
        }
    }
}
