//! Normally distributed radii.

use rubblepile_core::settings::{Check, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limits, RadiusSampler, SizeSettings, bell::Bell};
use crate::generate::GenerateFault;

/// Normal distribution of radii, cut at `min` and `max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalSize {
    /// Mean radius before the cut.
    pub mean: Length,
    /// Standard deviation before the cut.
    pub deviation: Length,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

impl NormalSize {
    pub const ABOUT: &str = "Normal distribution.";
}

impl SizeSettings for NormalSize {
    fn limits(&self) -> Limits {
        Limits { min: self.min, max: self.max }
    }

    fn check(&self, c: &mut Check, at: &str) {
        c.positive(self.mean, at, "mean");
        c.positive(self.deviation, at, "deviation");
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        let (mean, deviation, limits) = (self.mean.0, self.deviation.0, self.limits());
        let bell = Bell::new((limits.min.0 - mean) / deviation, (limits.max.0 - mean) / deviation)?;
        Ok(Box::new(move |rng| limits.clamp(mean + deviation * bell.draw(rng))))
    }
}
