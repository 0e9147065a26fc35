//! Neighbour lists for short drifts, kept over many of them.
//!
//! Which pairs are listed beyond those that can meet makes no difference to what happens: a run that is resumed, and finds
//! its lists again, continues as it would have.

use glam::DVec3;
use rubblepile_core::World;
use rubblepile_geometry::neighbours::{PairList, find_pairs};

/// How far grains may go, beyond the leash of one drift, before lists are made again; over the mean radius.
const SLACK: f64 = 0.15;
/// Longest leash for which lists are worth it, over the mean radius. Past it grains get to see more neighbours than cells
/// would show them.
const LONGEST_LEASH: f64 = 0.3;
/// The leash over what the fastest grain flies in a drift: collisions make some faster.
const LEASH_OVER_FLIGHT: f64 = 2.0;

#[derive(Debug, Default)]
pub struct Lists {
    /// Every pair once, and under both of its rows.
    once: PairList,
    start: Vec<u32>,
    near: Vec<u32>,
    /// Walls that a grain may get to: bit k stands for wall k, the last one for all from there on.
    walls: Vec<u64>,
    /// Where each grain was when the lists were made, and how far it may be from there.
    found_at: Vec<DVec3>,
    reach: f64,
}

impl Lists {
    /// How far a grain may get from its place in a drift of length `h`; `None` if lists are not worth it. Depends on nothing
    /// but the world.
    pub fn leash(world: &World, h: f64) -> Option<f64> {
        let b = &world.bodies;
        let fastest = b.velocity.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        let mean = b.radius.iter().sum::<f64>() / b.len() as f64;
        let leash = LEASH_OVER_FLIGHT * fastest * h;
        (leash <= LONGEST_LEASH * mean).then_some(leash)
    }

    /// Rebuilds the lists, unless they are still valid for a drift in which no grain moves farther than `leash`.
    pub fn prepare(&mut self, world: &World, leash: f64) {
        let b = &world.bodies;
        if self.found_at.len() == b.len() {
            let moved = b.position.iter().zip(&self.found_at).map(|(x, y)| x.distance_squared(*y));
            if moved.fold(0.0, f64::max).sqrt() + leash <= self.reach {
                return;
            }
        }
        let mean = b.radius.iter().sum::<f64>() / b.len() as f64;
        self.reach = leash + SLACK * mean;
        self.once = find_pairs(&b.position, &b.radius, 2.0 * self.reach, &world.domain);
        self.found_at.clone_from(&b.position);
        self.find_walls(world);
        self.start.clear();
        self.start.resize(b.len() + 1, 0);
        for row in 0..b.len() {
            self.start[row + 1] += self.once.of(row).len() as u32;
            for &j in self.once.of(row) {
                self.start[j as usize + 1] += 1;
            }
        }
        for row in 0..b.len() {
            self.start[row + 1] += self.start[row];
        }
        let mut next = self.start.clone();
        self.near.resize(2 * self.once.partner.len(), 0);
        for row in 0..b.len() {
            for &j in self.once.of(row) {
                for (a, b) in [(row as u32, j), (j, row as u32)] {
                    let slot = &mut next[a as usize];
                    self.near[*slot as usize] = b;
                    *slot += 1;
                }
            }
        }
    }

    /// Notes the walls that each grain may get to.
    fn find_walls(&mut self, world: &World) {
        let b = &world.bodies;
        self.walls.clear();
        self.walls.resize(b.len(), 0);
        for (which, wall) in world.walls.iter().enumerate() {
            let bit = 1u64 << which.min(63);
            if !wall.keeps_its_place() {
                self.walls.iter_mut().for_each(|w| *w |= bit);
                continue;
            }
            let pose = wall.pose(world.time());
            for row in 0..b.len() {
                let far = |face| {
                    let near = wall.surface.nearest_at(face, &pose, b.position[row]);
                    near.distance > b.radius[row] + self.reach
                };
                if !(0..wall.surface.faces()).all(far) {
                    self.walls[row] |= bit;
                }
            }
        }
    }

    /// Whether a grain may get to any wall.
    pub fn touches_walls(&self, row: usize) -> bool {
        self.walls[row] != 0
    }

    /// Whether a grain may get to a wall.
    pub fn may_touch(&self, row: usize, which: usize) -> bool {
        self.walls[row] & (1 << which.min(63)) != 0
    }

    /// Rows have changed: what is listed means nothing any more.
    pub fn forget(&mut self) {
        self.found_at.clear();
    }

    /// Neighbours of a row.
    pub fn of(&self, row: u32) -> &[u32] {
        &self.near[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }

    /// Those of its neighbours that have higher rows.
    pub fn above(&self, row: u32) -> &[u32] {
        self.once.of(row as usize)
    }
}
