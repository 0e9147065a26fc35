//! Removes a wall. Bodies that it holds are released.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome, wall_index};
use crate::{Result, World, settings::Check};

// In a scenario just the name. No doc comment: that of the key counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct RemoveWall {
    pub name: String,
}

crate::archive_struct!(RemoveWall { name });

impl Act for RemoveWall {
    const ONCE: bool = true;

    fn check(&self, c: &mut Check, at: &str) {
        c.wall(&self.name, at);
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let k = wall_index(world, &self.name)?;
        let gone = world.walls.remove(k).id;
        world.caught.held.retain(|h| h.wall != gone);
        Ok(Outcome::Continue)
    }
}
