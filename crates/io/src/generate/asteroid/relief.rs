//! Craters, boulders and roughness of a surface that is made.

use rubblepile_core::settings::{Check, Length};
use rubblepile_geometry::mesh::make::Relief;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Relief of a generated surface, from the seed of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReliefTable {
    /// Craters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub craters: Option<Spots>,
    /// Boulders that are part of the surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boulders: Option<Spots>,
    /// Root mean square height of a self-similar roughness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<Length>,
}

/// Craters or boulders: the cumulative number falls with the square of the size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spots {
    /// Their number.
    pub count: u64,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

impl ReliefTable {
    /// Adds what is wrong with it; `at` is its path.
    pub fn check(&self, c: &mut Check, at: &str) {
        for (name, spots) in [("craters", &self.craters), ("boulders", &self.boulders)] {
            let Some(s) = spots else { continue };
            let at = format!("{at}.{name}");
            c.positive(s.min, &at, "min");
            c.positive(s.max, &at, "max");
            c.check(s.min.0 <= s.max.0, &at, "min", || "`min` must not be above `max`".into());
            c.check(s.count <= 1_000_000, &at, "count", || "at most a million are allowed".into());
        }
        if let Some(roughness) = self.roughness {
            c.not_negative(roughness, at, "roughness");
        }
    }

    pub(super) fn relief(&self) -> Relief {
        let spots =
            |s: &Option<Spots>| s.as_ref().map_or((0, [1.0; 2]), |s| (s.count as u32, [s.min.0, s.max.0]));
        let ((craters, crater_radius), (boulders, boulder_radius)) =
            (spots(&self.craters), spots(&self.boulders));
        let roughness = self.roughness.map_or(0.0, |r| r.0);
        Relief { craters, crater_radius, boulders, boulder_radius, roughness }
    }
}
