//! A polygon.

use glam::DVec2;
use rubblepile_core::settings::{Check, Length, LengthKind, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_POINTS, OutlineContext, OutlineSettings, Outlines};
use crate::generate::GenerateError;

/// A polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolygonOutline {
    /// Its vertices in order, clockwise or counter-clockwise.
    pub points: Vec<[Length; 2]>,
}

impl PolygonOutline {
    pub const ABOUT: &str = "A polygon.";
}

impl OutlineSettings for PolygonOutline {
    fn check(&self, c: &mut Check, at: &str) {
        let n = self.points.len();
        c.check((3..=MOST_POINTS).contains(&n), at, "points", || {
            format!("an outline has between 3 and {MOST_POINTS} points, not {n}")
        });
        for [x, y] in &self.points {
            c.modest(Vector::<LengthKind>::new(x.0, y.0, 0.0), at, "points");
        }
    }

    fn outlines(&self, _context: &OutlineContext, _at: &str) -> Result<Outlines, GenerateError> {
        Ok(Outlines::One(self.points.iter().map(|p| DVec2::from_array(p.map(|x| x.0))).collect()))
    }
}
