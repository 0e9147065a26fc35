//! Grains by group, as the measurements of flows and gases take them.
//!
//! A grain that a wall holds is a part of the wall: it has no height, temperature or surface of its own.

use std::collections::HashSet;

use rubblepile_core::World;

/// Whether each row is free: no wall holds it.
pub(crate) fn free(world: &World) -> Vec<bool> {
    let bound: HashSet<u64> = world.caught.held.iter().map(|h| h.body).collect();
    world.bodies.id.iter().map(|id| !bound.contains(id)).collect()
}

/// The free grains of each of these groups, by row. A name that no group has stands for no grain.
pub(crate) fn rows_of(world: &World, names: &[String]) -> Vec<Vec<usize>> {
    let free = free(world);
    let group = &world.bodies.group;
    let rows = |name| match world.groups.iter().position(|g| g == name) {
        Some(k) => (0..group.len()).filter(|&i| free[i] && group[i] as usize == k).collect(),
        None => Vec::new(),
    };
    names.iter().map(rows).collect()
}
