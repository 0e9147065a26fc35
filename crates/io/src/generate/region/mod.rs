//! Regions of space that grains are placed in. Each is one file with its settings, their check and its geometry.

use std::fmt;

use glam::DVec3;
use rubblepile_core::{
    Domain, Rng,
    settings::{Check, join},
};

choices! {
    /// A region of space.
    RegionTable: RegionSettings {
        cuboid: Box(BoxRegion),
        sphere: Sphere(SphereRegion),
        cylinder: Cylinder(CylinderRegion),
    }
}

pub use cylinder::CylinderVolume;

/// The settings of a region.
pub trait RegionSettings {
    /// Adds what is wrong with them; `at` is the path of their table.
    fn check(&self, c: &mut Check, at: &str);

    /// The region; checked before.
    fn region(&self) -> Box<dyn Region>;
}

/// Where grains may be.
pub trait Region: fmt::Debug {
    fn volume(&self) -> f64;

    fn centre(&self) -> DVec3;

    /// Lower and upper corner of the box around it.
    fn bounds(&self) -> (DVec3, DVec3);

    /// Whether a sphere lies inside, to rounding: a part in 1e12 of the region's size.
    fn holds(&self, x: DVec3, r: f64) -> bool;

    /// Whether there is a place for a sphere of radius `r`.
    fn has_room(&self, r: f64, domain: &Domain) -> bool;

    /// A position, uniformly distributed, at which a sphere of radius `r` does not stick out. There must be room for it.
    fn draw(&self, r: f64, domain: &Domain, rng: &mut Rng) -> DVec3;

    /// Whether a drawn position is free of what the region itself holds, such as uneven ground.
    fn is_free(&self, _x: DVec3, _r: f64) -> bool {
        true
    }

    /// Whether its sides are along the axes: a lattice then sits in the middle of what is free.
    fn is_box(&self) -> bool {
        false
    }

    /// The part of it within a distance from its centre, for a region that a lattice fills from the centre outwards and not
    /// from below.
    fn around_centre(&self, _distance: f64) -> Option<Box<dyn Region>> {
        None
    }
}

/// Adds what is wrong with a `region`; `at` is its path.
pub fn check(region: &RegionTable, c: &mut Check, at: &str) {
    region.settings().check(c, &join(at, &region.key()));
}
