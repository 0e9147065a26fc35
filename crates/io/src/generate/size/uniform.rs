//! Uniformly distributed radii.

use serde::{Deserialize, Serialize};

use super::{Limits, RadiusSampler, SizeSettings, power_law::power_law};
use crate::generate::GenerateFault;

/// Uniformly distributed radii.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UniformSize(pub Limits);

schema_of!(UniformSize: Limits);

impl UniformSize {
    pub const ABOUT: &str = "Uniformly distributed radii.";
}

impl SizeSettings for UniformSize {
    fn limits(&self) -> Limits {
        self.0.clone()
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        Ok(power_law(0.0, self.limits()))
    }
}
