//! How often.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::Time;

/// How often something is measured or written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
}
