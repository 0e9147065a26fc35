//! Rectangular blocks.

use glam::{DQuat, DVec3};
use rubblepile_core::settings::{Check, LengthKind, Vector};
use rubblepile_geometry::solid::{self, OrientedSolid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangular block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShape {
    /// Lengths of its edges.
    pub size: Vector<LengthKind>,
}

impl BlockShape {
    /// Adds what is wrong with it; `at` is its path.
    pub(super) fn check(&self, c: &mut Check, at: &str) {
        let (least, most) = (self.size.0.min_element(), self.size.0.max_element());
        c.check(least > 0.0, at, "size", || "every edge of a block must be longer than 0".into());
        c.modest(self.size, at, "size");
        c.check(least >= 1e-6 * most, at, "size", || "the block is too thin to compute with".into());
    }

    pub(super) fn solid(&self) -> OrientedSolid {
        OrientedSolid { solid: solid::block(self.size.0), centre: DVec3::ZERO, orientation: DQuat::IDENTITY }
    }
}
