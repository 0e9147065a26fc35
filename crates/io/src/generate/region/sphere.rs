//! A sphere, filled from its centre outwards.

use glam::DVec3;
use rubblepile_core::{
    Domain, Rng,
    settings::{Check, Length, LengthKind, Quantity, Vector},
    wall::shapes::origin,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Region, RegionSettings};

/// A sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereRegion {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its radius.
    pub radius: Length,
}

impl SphereRegion {
    pub const ABOUT: &str = "A sphere.";
}

impl RegionSettings for SphereRegion {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.positive(self.radius, at, "radius");
    }

    fn region(&self) -> Box<dyn Region> {
        Box::new(self.clone())
    }
}

impl Region for SphereRegion {
    fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius.0.powi(3)
    }

    fn centre(&self) -> DVec3 {
        self.centre.0
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.centre.0 - self.radius.0, self.centre.0 + self.radius.0)
    }

    fn holds(&self, x: DVec3, r: f64) -> bool {
        x.distance(self.centre.0) + r <= self.radius.0 * (1.0 + 1e-12)
    }

    fn has_room(&self, r: f64, _domain: &Domain) -> bool {
        self.radius.0 - r >= 0.0
    }

    fn draw(&self, r: f64, _domain: &Domain, rng: &mut Rng) -> DVec3 {
        let direction = rng.direction();
        self.centre.0 + (self.radius.0 - r) * rng.uniform().cbrt() * direction
    }

    fn around_centre(&self, distance: f64) -> Option<Box<dyn Region>> {
        let radius = Quantity::new(self.radius.0.min(distance));
        Some(Box::new(SphereRegion { radius, ..self.clone() }))
    }
}
