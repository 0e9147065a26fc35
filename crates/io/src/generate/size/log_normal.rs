//! Radii whose logarithm is normally distributed.

use rubblepile_core::settings::{Check, Length, Number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limits, RadiusSampler, SizeSettings, bell::Bell};
use crate::generate::GenerateFault;

/// Log-normal distribution of radii, cut at `min` and `max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormalSize {
    /// Median radius before the cut.
    pub median: Length,
    /// Standard deviation of the natural logarithm of the radius.
    pub sigma: Number,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

impl LogNormalSize {
    pub const ABOUT: &str = "Log-normal distribution.";
}

impl SizeSettings for LogNormalSize {
    fn limits(&self) -> Limits {
        Limits { min: self.min, max: self.max }
    }

    fn check(&self, c: &mut Check, at: &str) {
        c.positive(self.median, at, "median");
        c.positive(self.sigma, at, "sigma");
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        let (median, sigma, limits) = (self.median.0, self.sigma.0, self.limits());
        let bell = Bell::new((limits.min.0 / median).ln() / sigma, (limits.max.0 / median).ln() / sigma)?;
        Ok(Box::new(move |rng| limits.clamp(median * (sigma * bell.draw(rng)).exp())))
    }
}
