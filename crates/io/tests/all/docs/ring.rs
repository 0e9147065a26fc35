//! Grains evenly spaced on a circle.

use std::f64::consts::TAU;

use glam::DVec3;
use rubblepile_core::{
    settings::{Check, Length, LengthKind, NumberKind, Vector},
    wall::shapes::{origin, z_axis},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{GenerateError, GenerateFault, GrainTable};

/// Grains evenly spaced on a circle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingPlace {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
}

impl RingPlace {
    pub const ABOUT: &str = "Evenly spaced on a circle.";
}

impl PlaceSettings for RingPlace {
    fn check(&self, c: &mut Check, count: GroupCount, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.axis, at, "axis");
        c.positive(self.radius, at, "radius");
        count.require(c);
    }

    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError> {
        let (n, radius, largest) = (context.count.unwrap_or(0), self.radius.0, context.largest());
        let step = TAU / n as f64;
        if n > 1 && radius * (0.5 * step).sin() < largest {
            let message = format!("{n} grains of radius {largest} m do not fit on the ring");
            return Err(GenerateFault::new(message, "make the ring larger, or take fewer grains")
                .at(at)
                .into());
        }
        let (u, v) = self.axis.0.normalize_or(DVec3::Z).any_orthonormal_pair();
        let point = |angle: f64| self.centre.0 + radius * (angle.cos() * u + angle.sin() * v);
        let position = (0..n).map(|k| point(step * k as f64)).collect();
        Ok(GrainTable { position, ..Default::default() })
    }
}
