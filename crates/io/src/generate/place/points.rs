//! Grains at given points.

use rubblepile_core::settings::{Check, LengthKind, Vector, join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{GenerateError, GrainTable};
use rubblepile_core::settings::Checked;

/// Given points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// One position per grain.
    pub positions: Vec<Vector<LengthKind>>,
}

impl Points {
    pub const ABOUT: &str = "At given points.";
}

impl PlaceSettings for Points {
    fn check(&self, c: &mut Check, count: GroupCount, at: &str) {
        let here = self.positions.len();
        if here == 0 {
            c.add(join(at, "positions"), "there are no positions");
        }
        if let Some(n) = count.given.filter(|n| *n != here as u64) {
            c.add(count.path(), format!("`count` is {n}, but there are {here} positions"));
        }
        for (k, x) in self.positions.iter().enumerate() {
            c.modest(*x, at, &format!("positions[{k}]"));
            if c.problems.len() > 20 {
                return;
            }
        }
    }

    fn at_most(&self, _count: Option<u64>, _at: &str) -> Checked<u64> {
        Ok(self.positions.len() as u64)
    }

    fn grains(&self, _context: &mut PlaceContext, _at: &str) -> Result<GrainTable, GenerateError> {
        Ok(GrainTable { position: self.positions.iter().map(|x| x.0).collect(), ..Default::default() })
    }
}
