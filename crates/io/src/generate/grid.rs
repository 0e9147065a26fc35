//! Spheres of any sizes, findable by place: one hashed grid of cells for every factor of two in size, so that a
//! boulder among dust costs nothing extra. Periodic boxes are understood.
//!
//! For making and checking grains at the start, when one is added after the other. The methods have neighbour searches of
//! their own: `geometry/src/cells.rs` sorts all bodies at once, and `hard/src/grid.rs` says when a grain crosses into the next cell.

use std::ops::ControlFlow;

use glam::DVec3;
use rubblepile_core::Domain;

const NONE: u32 = u32::MAX;

/// One size class.
#[derive(Debug, Clone)]
struct Level {
    cell: f64,
    largest: f64,
    heads: Vec<u32>,
    /// Number of spheres of this class, linked through `Entry::next`.
    count: usize,
    first: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    position: DVec3,
    radius: f64,
    cell: [i64; 3],
    next: u32,
    key: u32,
}

#[derive(Debug, Clone)]
pub struct SphereGrid {
    domain: Domain,
    /// Radius that the classes are counted from.
    unit: f64,
    levels: Vec<(i32, Level)>,
    entries: Vec<Entry>,
}

fn cell_of(x: DVec3, size: f64) -> [i64; 3] {
    // The casts saturate: far out, everything is in one cell.
    [(x.x / size).floor() as i64, (x.y / size).floor() as i64, (x.z / size).floor() as i64]
}

/// Cells along x get neighbouring buckets: looking at a row of them then costs one fetch from memory.
fn hash(cell: [i64; 3]) -> u64 {
    let mut h = (cell[1] as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h = (h ^ (h >> 32) ^ cell[2] as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (h ^ (h >> 32)).wrapping_add(cell[0] as u64)
}

impl SphereGrid {
    /// `unit`: a radius of the order of those to come.
    pub fn new(domain: Domain, unit: f64) -> Self {
        SphereGrid { domain, unit: unit.max(f64::MIN_POSITIVE), levels: Vec::new(), entries: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a sphere under a key of the caller's.
    pub fn insert(&mut self, position: DVec3, radius: f64, key: u32) {
        let position = self.domain.wrap(position);
        let class = (radius / self.unit).log2().ceil() as i32;
        let index = match self.levels.iter().position(|(c, _)| *c == class) {
            Some(index) => index,
            None => {
                let largest = self.unit * 2f64.powi(class);
                let level = Level {
                    cell: 2.0 * largest,
                    largest: 0.0,
                    heads: vec![NONE; 64],
                    count: 0,
                    first: Vec::new(),
                };
                self.levels.push((class, level));
                self.levels.len() - 1
            }
        };
        let level = &mut self.levels[index].1;
        let cell = cell_of(position, level.cell);
        let slot = self.entries.len() as u32;
        level.largest = level.largest.max(radius);
        level.count += 1;
        level.first.push(slot);
        self.entries.push(Entry { position, radius, cell, next: NONE, key });
        if level.count > level.heads.len() {
            let size = level.heads.len() * 4;
            level.heads = vec![NONE; size];
            for &k in &level.first {
                let bucket = hash(self.entries[k as usize].cell) as usize & (size - 1);
                self.entries[k as usize].next = level.heads[bucket];
                level.heads[bucket] = k;
            }
        } else {
            let bucket = hash(cell) as usize & (level.heads.len() - 1);
            self.entries[slot as usize].next = level.heads[bucket];
            level.heads[bucket] = slot;
        }
    }

    /// Calls `found(key, gap)` for every sphere whose surface is nearer than `margin` to that of the given one;
    /// the gap is negative for an overlap. Stops when told to.
    pub fn near(
        &self,
        position: DVec3,
        radius: f64,
        margin: f64,
        mut found: impl FnMut(u32, f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let position = self.domain.wrap(position);
        for (_, level) in &self.levels {
            let reach = radius + level.largest + margin;
            for image in images(&self.domain, position, reach).iter() {
                self.near_in(level, *image, radius, margin, reach, &mut found)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn near_in(
        &self,
        level: &Level,
        x: DVec3,
        radius: f64,
        margin: f64,
        reach: f64,
        found: &mut impl FnMut(u32, f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut test = |e: &Entry| {
            let sum = radius + e.radius;
            let limit = sum + margin;
            let d2 = e.position.distance_squared(x);
            if d2 < limit * limit { found(e.key, d2.sqrt() - sum) } else { ControlFlow::Continue(()) }
        };
        let (low, high) = (cell_of(x - reach, level.cell), cell_of(x + reach, level.cell));
        let cells: f64 = (0..3).map(|k| high[k] as f64 - low[k] as f64 + 1.0).product();
        if cells > 27.0 && cells > level.count as f64 {
            // A boulder asks among dust: looking at every grain is shorter than at every cell.
            return level.first.iter().try_for_each(|&k| test(&self.entries[k as usize]));
        }
        let mask = level.heads.len() - 1;
        for k in low[2]..=high[2] {
            for j in low[1]..=high[1] {
                for i in low[0]..=high[0] {
                    let cell = [i, j, k];
                    let mut next = level.heads[hash(cell) as usize & mask];
                    while next != NONE {
                        let e = &self.entries[next as usize];
                        if e.cell == cell {
                            test(e)?;
                        }
                        next = e.next;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether something is nearer than `margin`.
    pub fn is_taken(&self, position: DVec3, radius: f64, margin: f64) -> bool {
        self.near(position, radius, margin, |_, _| ControlFlow::Break(())).is_break()
    }
}

/// The position and those of its periodic images that reach into the box.
fn images(domain: &Domain, x: DVec3, reach: f64) -> Images {
    let mut images = Images { list: [x; 27], len: 1 };
    if let Domain::Periodic { min, max, axes } = *domain {
        for k in (0..3).filter(|&k| axes[k]) {
            let period = max[k] - min[k];
            let before = images.len;
            for (wanted, shift) in [(x[k] - reach < min[k], period), (x[k] + reach > max[k], -period)] {
                for i in 0..before * usize::from(wanted) {
                    let mut image = images.list[i];
                    image[k] += shift;
                    images.list[images.len] = image;
                    images.len += 1;
                }
            }
        }
    }
    images
}

struct Images {
    list: [DVec3; 27],
    len: usize,
}

impl Images {
    fn iter(&self) -> impl Iterator<Item = &DVec3> {
        self.list[..self.len].iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    /// Against looking at every pair, sizes over a factor of 100, open and periodic.
    #[test]
    fn finds_what_looking_at_every_pair_finds() {
        let periodic =
            Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(10.0), axes: [true, false, true] };
        for domain in [Domain::Open, periodic] {
            let mut rng = Rng::stream(1, "grid");
            let spheres: Vec<(DVec3, f64)> = (0..400)
                .map(|_| {
                    let x = DVec3::new(rng.uniform(), rng.uniform(), rng.uniform()) * 10.0;
                    (x, 0.01 * 100f64.powf(rng.uniform()))
                })
                .collect();
            let mut grid = SphereGrid::new(domain, 0.01);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for (k, &(x, r)) in spheres.iter().enumerate() {
                let _ = grid.near(x, r, 0.05, |key, gap| {
                    a.push((k as u32, key, (gap * 1e9).round() as i64));
                    ControlFlow::Continue(())
                });
                for (j, &(y, s)) in spheres[..k].iter().enumerate() {
                    let gap = domain.shortest(x - y).length() - r - s;
                    if gap < 0.05 {
                        b.push((k as u32, j as u32, (gap * 1e9).round() as i64));
                    }
                }
                grid.insert(x, r, k as u32);
            }
            a.sort_unstable();
            b.sort_unstable();
            assert!(b.len() > 100);
            assert_eq!(a, b);
        }
    }
}
