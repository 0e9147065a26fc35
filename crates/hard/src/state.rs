//! The state that hard spheres keep in the world: counts so far. What walls hold and have taken is the world's.

use rubblepile_core::{Part, archive_struct};

/// The part of a world that belongs to hard spheres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HardState {
    /// Collisions of grains with each other so far.
    pub grain_collisions: u64,
}

archive_struct!(HardState { grain_collisions });

impl Part for HardState {
    fn method(&self) -> &'static str {
        "hard"
    }
}
