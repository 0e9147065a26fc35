//! A disc.

use std::f64::consts::{PI, TAU};

use glam::DVec2;
use rubblepile_core::settings::{Check, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutlineContext, OutlineSettings, Outlines, round};
use crate::generate::GenerateError;

/// A disc.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscOutline {
    /// Its radius.
    pub radius: Length,
}

impl DiscOutline {
    pub const ABOUT: &str = "A disc.";
}

impl OutlineSettings for DiscOutline {
    fn check(&self, c: &mut Check, at: &str) {
        c.positive(self.radius, at, "radius");
    }

    fn extent(&self) -> Option<(f64, f64)> {
        let r = self.radius.0;
        Some((PI * r * r, TAU * r))
    }

    fn outlines(&self, _context: &OutlineContext, _at: &str) -> Result<Outlines, GenerateError> {
        Ok(round(DVec2::splat(self.radius.0)))
    }
}
