//! How walls are drawn. It belongs to output: no step depends on it, and a world does not know it.

use std::collections::BTreeMap;

use rubblepile_core::{
    archive::{Archive, ArchiveReader, ArchiveWriter, Read, Write},
    wall::{Colour, TRANSPARENCY},
};

/// The appearance of a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallStyle {
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// From 0, opaque, to 1, invisible.
    pub transparency: f64,
}

impl Default for WallStyle {
    /// A translucent grey: most walls enclose what is to be seen.
    fn default() -> Self {
        WallStyle { colour: Colour::default().0, transparency: TRANSPARENCY }
    }
}

/// Appearances of all walls of a run by id, including those that events will add. Others have the default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WallStyles(BTreeMap<u32, WallStyle>);

impl WallStyles {
    pub fn of(&self, wall: u32) -> WallStyle {
        self.0.get(&wall).copied().unwrap_or_default()
    }
}

impl FromIterator<(u32, WallStyle)> for WallStyles {
    fn from_iter<T: IntoIterator<Item = (u32, WallStyle)>>(wall_styles: T) -> Self {
        WallStyles(wall_styles.into_iter().collect())
    }
}

rubblepile_core::archive_struct!(WallStyle { colour, transparency });

/// A wall's id and its look.
struct StyleEntry {
    wall: u32,
    look: WallStyle,
}

rubblepile_core::archive_struct!(StyleEntry { wall, look });

impl Archive for WallStyles {
    const LEAST: usize = 8;

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        let list: Vec<StyleEntry> = self.0.iter().map(|(&wall, &look)| StyleEntry { wall, look }).collect();
        Archive::write(&list, to)
    }

    fn read(from: &mut ArchiveReader) -> Read<Self> {
        Ok(Vec::<StyleEntry>::read(from)?.into_iter().map(|e| (e.wall, e.look)).collect())
    }
}
