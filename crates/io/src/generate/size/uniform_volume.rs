//! Uniform by volume, as in contact-dynamics-2021, section 3.1: every interval of sizes of one width holds the same volume, so
//! that numbers go as the inverse third power of the size.

use serde::{Deserialize, Serialize};

use super::{Limits, RadiusSampler, SizeSettings, power_law::power_law};
use crate::generate::GenerateFault;

/// Radii that are uniformly distributed by volume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UniformVolumeSize(pub Limits);

schema_of!(UniformVolumeSize: Limits);

impl UniformVolumeSize {
    pub const ABOUT: &str =
        "Uniformly distributed by volume: intervals of radii of equal width hold equal volumes of grains.";
}

impl SizeSettings for UniformVolumeSize {
    fn limits(&self) -> Limits {
        self.0.clone()
    }

    fn sampler(&self) -> Result<RadiusSampler, GenerateFault> {
        Ok(power_law(3.0, self.limits()))
    }
}
