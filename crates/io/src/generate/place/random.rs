//! Grains at random in a region, by random sequential insertion (`insertion.rs`).

use rubblepile_core::{
    settings::{Check, Length, join},
    wall::shapes::no_length,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{GenerateError, GrainTable, region, region::RegionTable};

/// Random positions in a region; grains do not stick out of it (except where it spans a periodic box).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPlace {
    /// The region.
    pub region: RegionTable,
    /// Smallest gap between grains.
    #[serde(default = "no_length")]
    pub gap: Length,
}

impl RandomPlace {
    pub const ABOUT: &str = "At random, without overlaps with each other and with the groups before.";
}

impl PlaceSettings for RandomPlace {
    fn check(&self, c: &mut Check, count: GroupCount, at: &str) {
        region::check(&self.region, c, &join(at, "region"));
        c.not_negative(self.gap, at, "gap");
        count.require(c);
    }

    fn avoids_others(&self) -> bool {
        true
    }

    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError> {
        let radius = context.radii(context.count.unwrap_or(0) as usize)?;
        let region = self.region.settings().region();
        let position = context.insert(region.as_ref(), &radius, self.gap.0).map_err(|fault| fault.at(at))?;
        Ok(GrainTable { position, radius: Some(radius), ..Default::default() })
    }
}
