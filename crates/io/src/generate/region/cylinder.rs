//! A cylinder.

use glam::DVec3;
use rubblepile_core::{
    Domain, Rng,
    settings::{Check, Length, LengthKind, NumberKind, Vector},
    wall::shapes::{origin, z_axis},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Region, RegionSettings};

/// A cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderRegion {
    /// Middle of its axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Its length.
    pub length: Length,
}

impl CylinderRegion {
    pub const ABOUT: &str = "A cylinder.";
}

impl RegionSettings for CylinderRegion {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.axis, at, "axis");
        c.positive(self.radius, at, "radius");
        c.positive(self.length, at, "length");
    }

    fn region(&self) -> Box<dyn Region> {
        Box::new(CylinderVolume {
            centre: self.centre.0,
            axis: self.axis.0.normalize_or(DVec3::Z),
            radius: self.radius.0,
            length: self.length.0,
        })
    }
}

/// `axis` is a unit vector; half of `length` is on either side of `centre`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CylinderVolume {
    pub centre: DVec3,
    pub axis: DVec3,
    pub radius: f64,
    pub length: f64,
}

impl Region for CylinderVolume {
    fn volume(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius * self.length
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let CylinderVolume { centre, axis, radius, length } = *self;
        // A disk of radius r across the axis a reaches r sqrt(1 - a_k^2) along k.
        let across = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
        let half = 0.5 * length * axis.abs() + radius * across;
        (centre - half, centre + half)
    }

    fn holds(&self, x: DVec3, r: f64) -> bool {
        let CylinderVolume { centre, axis, radius, length } = *self;
        let d = x - centre;
        let along = d.dot(axis);
        let across = (d - along * axis).length();
        let slack = 1e-12 * radius.max(length);
        across + r <= radius + slack && along.abs() + r <= 0.5 * length + slack
    }

    fn has_room(&self, r: f64, _domain: &Domain) -> bool {
        self.radius - r >= 0.0 && self.length - 2.0 * r >= 0.0
    }

    fn draw(&self, r: f64, _domain: &Domain, rng: &mut Rng) -> DVec3 {
        let (u, v) = self.axis.any_orthonormal_pair();
        let rho = (self.radius - r) * rng.uniform().sqrt();
        let phi = rng.range(0.0, std::f64::consts::TAU);
        let along = (self.length - 2.0 * r) * (rng.uniform() - 0.5);
        self.centre + rho * (phi.cos() * u + phi.sin() * v) + along * self.axis
    }
}
