//! A thin hoop: a cylinder without length.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cylinder, shapes::*};
use crate::settings::{Check, quantity::*};

/// A thin hoop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
}

impl ShapeSettings for RingShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.axis, at, "axis");
        c.positive(self.radius, at, "radius");
    }

    fn surface(&self) -> Surface {
        let (centre, axis) = (self.centre.0, unit(self.axis));
        Cylinder { centre, axis, radius: self.radius.0, length: Some(0.0) }.into()
    }
}
