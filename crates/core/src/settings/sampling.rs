//! Sampling intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::Time;

/// Interval of measurements or output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
}
