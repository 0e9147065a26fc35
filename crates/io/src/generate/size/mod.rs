//! How large grains are: distributions of radii, all cut at a smallest and a largest radius. Each is one file with its
//! settings, their check and its sampler.

use rubblepile_core::{
    Rng,
    settings::{Check, Length, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GenerateFault;

mod bell;
#[cfg(test)]
mod tests;

choices! {
    /// How radii are distributed, always between `min` and `max`.
    Size: SizeSettings {
        uniform: Uniform(UniformSize),
        uniform_volume: UniformVolume(UniformVolumeSize),
        normal: Normal(NormalSize),
        log_normal: LogNormal(LogNormalSize),
        power_law: PowerLaw(PowerLawSize),
    }
}

/// The settings of a distribution of radii.
pub trait SizeSettings {
    fn limits(&self) -> Limits;

    /// Adds what is wrong with them, besides their limits; `at` is the path of their table.
    fn check(&self, _c: &mut Check, _at: &str) {}

    /// Draws radii, m. An error if nothing of the distribution is between its limits.
    fn sampler(&self) -> Result<RadiusSampler, GenerateFault>;

    /// No grain is larger, m.
    fn largest(&self) -> f64 {
        self.limits().max.0
    }
}

/// Draws a radius, m.
pub type RadiusSampler = Box<dyn Fn(&mut Rng) -> f64>;

/// Smallest and largest radius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

impl Limits {
    /// Clamped without the panic of `f64::clamp`; what is not a number becomes the smallest.
    fn clamp(&self, r: f64) -> f64 {
        if r >= self.min.0 { r.min(self.max.0) } else { self.min.0 }
    }
}

/// One radius for all.
impl SizeSettings for Length {
    fn limits(&self) -> Limits {
        Limits { min: *self, max: *self }
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        let radius = self.0;
        Ok(Box::new(move |_| radius))
    }
}

/// Adds what is wrong with a `size`; `at` is its path.
pub fn check(size: &Size, c: &mut Check, at: &str) {
    let at = join(at, &size.key());
    let (before, size) = (c.problems.len(), size.settings());
    let Limits { min, max } = size.limits();
    c.positive(min, &at, "min");
    c.positive(max, &at, "max");
    check_not_tiny(c, min, &at, "min");
    if min.0 > max.0 {
        let message = format!("`min` must not be above `max`; they are {} and {}", min.0, max.0);
        c.add(join(&at, "min"), message);
    }
    size.check(c, &at);
    if c.problems.len() == before
        && let Err(fault) = size.sampler()
    {
        c.problems.push(fault.at(at));
    }
}

/// Mass goes with the third power of the radius: below this it leaves the range of numbers.
pub fn check_not_tiny(c: &mut Check, radius: Length, at: &str, key: &str) {
    let r = radius.0;
    c.check(!(r > 0.0 && r < 1e-30), at, key, || format!("`{key}` is absurdly small: {r:e}"));
}
