//! A thin wire: a cylinder without radius.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cylinder, shapes::*};
use crate::settings::{Check, quantity::*};

/// A thin wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineShape {
    /// Its middle.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its direction, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its length. Default: infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
}

impl ShapeSettings for LineShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.axis, at, "axis");
        if let Some(length) = self.length {
            c.positive(length, at, "length");
        }
    }

    fn surface(&self) -> Surface {
        let (centre, axis) = (self.centre.0, unit(self.axis));
        Cylinder { centre, axis, radius: 0.0, length: self.length.map(|l| l.0) }.into()
    }
}
