//! Puts bodies in the order of the leaves: halves along the longest side of their box, again and again.
//!
//! Positions are first rounded to 32 bits a coordinate. Bodies are compared by that number, then by row, so there is
//! one right answer, whatever the order of work, the number of threads or the standard library's way to select.

use glam::DVec3;
use rayon::prelude::*;

use crate::topology::{LEAF, left_leaves};

/// A body's place on the grid, and its row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Item {
    pub cell: [u32; 3],
    pub row: u32,
}

/// Below this many bodies a half is not given to another thread.
const SERIAL: usize = 4096;
/// Rows filled at a time.
const CHUNK: usize = 4096;

/// Fills `items` with the bodies in the order of the leaves. `low` and `extent` bound the positions.
pub fn sort(positions: &[DVec3], low: DVec3, extent: f64, items: &mut Vec<Item>) {
    // A little less than 2^32, so that rounding cannot carry past it; the cast saturates anyway.
    let scale = if extent > 0.0 { 4.294_967_0e9 / extent } else { 0.0 };
    items.resize(positions.len(), Item::default());
    items.par_chunks_mut(CHUNK).zip(positions.par_chunks(CHUNK)).enumerate().for_each(|(c, (items, x))| {
        for (k, (item, x)) in items.iter_mut().zip(x).enumerate() {
            let cell = (*x - low) * scale;
            item.cell = [cell.x as u32, cell.y as u32, cell.z as u32];
            item.row = (c * CHUNK + k) as u32;
        }
    });
    halve(items, positions.len().div_ceil(LEAF));
}

fn halve(items: &mut [Item], leaves: usize) {
    if leaves <= 1 {
        items.sort_unstable_by_key(|item| item.row);
        return;
    }
    let (mut low, mut high) = ([u32::MAX; 4], [0; 4]);
    for item in items.iter() {
        let v = [item.cell[0], item.cell[1], item.cell[2], 0];
        for k in 0..4 {
            low[k] = low[k].min(v[k]);
            high[k] = high[k].max(v[k]);
        }
    }
    let side = [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
    let axis = if side[0] >= side[1] && side[0] >= side[2] { 0 } else { 1 + usize::from(side[2] > side[1]) };
    let left = left_leaves(leaves);
    let middle = left * LEAF;
    let key = |item: &Item| (u64::from(item.cell[axis]) << 32) | u64::from(item.row);
    items.select_nth_unstable_by_key(middle, key);
    let (a, b) = items.split_at_mut(middle);
    if a.len() > SERIAL {
        rayon::join(|| halve(a, left), || halve(b, leaves - left));
    } else {
        halve(a, left);
        halve(b, leaves - left);
    }
}
