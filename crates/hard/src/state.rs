//! The state that hard spheres keep in the world: grains held by walls, and counts so far.

use glam::DVec3;
use rubblepile_core::{Part, World, archive_struct};

/// A body that is held by a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Id of the body.
    pub body: u64,
    /// Id of the wall.
    pub wall: u32,
    /// In the wall's frame.
    pub place: DVec3,
}

/// Total exchange of a wall with grains.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WallTally {
    pub wall: u32,
    pub collisions: u64,
    /// Of all impulses on the wall, kg m/s.
    pub impulse: DVec3,
    /// Energy that grains have lost to it, or got from it (negative), J.
    pub energy: f64,
    /// Grains that were absorbed, their mass and their momentum.
    pub absorbed: u64,
    pub absorbed_mass: f64,
    pub absorbed_momentum: DVec3,
}

archive_struct!(Held { body, wall, place });
archive_struct!(WallTally { wall, collisions, impulse, energy, absorbed, absorbed_mass, absorbed_momentum });

/// The part of a world that belongs to hard spheres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HardState {
    /// Bodies that walls hold.
    pub held: Vec<Held>,
    /// Collisions of grains with each other so far.
    pub grain_collisions: u64,
    /// Total exchange of the walls with grains.
    pub wall_tallies: Vec<WallTally>,
}

archive_struct!(HardState { held, grain_collisions, wall_tallies });

impl Part for HardState {
    fn method(&self) -> &'static str {
        "hard"
    }

    fn wall_removed(&mut self, wall: u32) {
        self.held.retain(|h| h.wall != wall);
    }
}

impl HardState {
    /// The exchange of the wall of this id, to add to.
    pub fn tally_of(&mut self, wall: u32) -> &mut WallTally {
        let k = match self.wall_tallies.iter().position(|t| t.wall == wall) {
            Some(k) => k,
            None => {
                self.wall_tallies.push(WallTally { wall, ..WallTally::default() });
                self.wall_tallies.len() - 1
            }
        };
        &mut self.wall_tallies[k]
    }
}

/// Bodies that walls hold; none in a world that is another method's.
pub fn held(world: &World) -> &[Held] {
    world.part::<HardState>().map_or(&[], |state| &state.held)
}
