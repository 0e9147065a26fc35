//! A point: a cylinder without radius and length.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cylinder, shapes::*};
use crate::settings::{Check, quantity::*};

/// A point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointShape {
    /// Its position.
    pub at: Vector<LengthKind>,
}

impl ShapeSettings for PointShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.at, at, "at");
    }

    fn surface(&self) -> Surface {
        Cylinder { centre: self.at.0, axis: DVec3::Z, radius: 0.0, length: Some(0.0) }.into()
    }
}
