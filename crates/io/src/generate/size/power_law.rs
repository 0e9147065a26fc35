//! Power laws, drawn by inverting their integral.

use rubblepile_core::settings::{Check, Length, Number, join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limits, RadiusSampler, SizeSettings};
use crate::generate::GenerateFault;

/// Power law: the number of grains in an interval of radii goes as radius to the power of `-exponent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerLawSize {
    /// The exponent of the differential distribution: 3.5 for a collisional cascade.
    pub exponent: Number,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

impl PowerLawSize {
    pub const ABOUT: &str = "Power law.";
}

impl SizeSettings for PowerLawSize {
    fn limits(&self) -> Limits {
        Limits { min: self.min, max: self.max }
    }

    fn check(&self, c: &mut Check, at: &str) {
        if self.exponent.0.abs() > 30.0 {
            c.add(join(at, "exponent"), format!("an exponent of {} is beyond use", self.exponent.0));
        }
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        Ok(power_law(self.exponent.0, self.limits()))
    }
}

/// Radii whose number goes as r^-p.
pub fn power_law(p: f64, limits: Limits) -> RadiusSampler {
    Box::new(move |rng| {
        // Inverse of the integral of r^-p from min to r, over that to max, with q = 1 - p; in units of the smallest radius,
        // so that no power leaves the range of numbers.
        let (min, max) = (limits.min.0, limits.max.0);
        let (q, top, u) = (1.0 - p, max / min, rng.uniform());
        let r = if q.abs() < 1e-9 {
            min * top.powf(u)
        } else {
            min * (1.0 + u * (top.powf(q) - 1.0)).powf(1.0 / q)
        };
        limits.clamp(r)
    })
}
