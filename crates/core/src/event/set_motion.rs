//! Changes the motion of a wall.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome, wall_index};
use crate::{
    Result, World,
    settings::{Check, join},
    wall::MotionTable,
};

/// Changes the motion of a wall, from its current position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetMotion {
    /// Name of the wall.
    pub wall: String,
    /// The new motion; `"none"` stops the wall.
    pub motion: MotionTable,
}

crate::archive_struct!(SetMotion { wall, motion });

impl Act for SetMotion {
    fn check(&self, c: &mut Check, at: &str) {
        c.wall(&self.wall, &join(at, "wall"));
        self.motion.check(c, &join(at, "motion"));
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let k = wall_index(world, &self.wall)?;
        let time = world.time();
        let wall = &mut world.walls[k];
        wall.set_motion(self.motion.motion(&wall.surface), time);
        Ok(Outcome::Continue)
    }
}
