//! Adds a wall.

use super::{Act, ActSettings, ActionContext, Outcome};
use crate::{Result, Wall, World, settings::Check, wall::WallTable};

/// Puts in this wall, whose motion starts then.
#[derive(Debug, Clone, PartialEq)]
pub struct AddWall {
    pub wall: Box<Wall>,
}

crate::archive_struct!(AddWall { wall });

impl ActSettings for WallTable {
    type Action = AddWall;

    /// The walls of all events are checked together, before the events.
    fn check(&self, _: &mut Check, _: &str) {}

    fn action(&self, builder: &mut ActionContext) -> AddWall {
        let id = builder.next_wall;
        builder.next_wall += 1;
        AddWall { wall: Box::new(self.wall(id, builder.materials)) }
    }
}

impl Act for AddWall {
    const ONCE: bool = true;

    fn check(&self, _: &mut Check, _: &str) {}

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let since = world.time();
        world.walls.push(Wall { since, ..(*self.wall).clone() });
        Ok(Outcome::Continue)
    }
}
