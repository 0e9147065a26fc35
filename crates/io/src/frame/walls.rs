//! The walls of a frame: surfaces in the world, as they are at its time.

use rubblepile_core::{Wall, wall::PlacedSurface};
use serde::{Deserialize, Serialize};

use super::WallStyle;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameWall {
    pub name: String,
    pub surface: PlacedSurface,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// From 0, opaque, to 1, not seen.
    pub transparency: f64,
}

impl FrameWall {
    /// A wall at a time, with the default appearance.
    pub fn of(wall: &Wall, time: f64) -> Self {
        let surface = wall.surface.placed(&wall.pose(time));
        let WallStyle { colour, transparency } = WallStyle::default();
        FrameWall { name: wall.name.clone(), surface, colour, transparency }
    }
}
