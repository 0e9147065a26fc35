//! An ellipse.

use glam::DVec2;
use rubblepile_core::settings::{Check, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutlineContext, OutlineSettings, Outlines, round};
use crate::generate::GenerateError;

/// An ellipse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipseOutline {
    /// Its semi-axes along x and y.
    pub semi_axes: [Length; 2],
}

impl EllipseOutline {
    pub const ABOUT: &str = "An ellipse.";
}

impl OutlineSettings for EllipseOutline {
    fn check(&self, c: &mut Check, at: &str) {
        for axis in self.semi_axes {
            c.positive(axis, at, "semi_axes");
        }
    }

    fn extent(&self) -> Option<(f64, f64)> {
        let [a, b] = self.semi_axes.map(|x| x.0);
        Some((std::f64::consts::PI * a * b, 4.0 * (a + b)))
    }

    fn outlines(&self, _context: &OutlineContext, _at: &str) -> Result<Outlines, GenerateError> {
        Ok(round(DVec2::from_array(self.semi_axes.map(|x| x.0))))
    }
}
