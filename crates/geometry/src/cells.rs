//! Cells by hashing (asteroid-surface-2024, section 2.2): only cells that hold a body are stored, so that memory
//! grows with the bodies and not with the space they fly in.
//!
//! Bodies of different size live in different levels: a level's cells are twice as large as those of the level
//! below, and each body is in the finest level whose cells are no smaller than its diameter and the margin. Two
//! bodies that are near are then in neighbouring cells of the coarser one's level, whatever the sizes.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::Domain;

/// Bits of a cell's coordinate in its key. Coordinates wrap around past 2^20: far cells may share a key, which
/// costs a distance that is then found too long.
const BITS: u32 = 20;
const MASK: i64 = (1 << BITS) - 1;
/// Levels that fit into a key.
const MOST_LEVELS: usize = 16;

#[derive(Debug, Clone)]
struct Level {
    /// Size of a cell along each axis, and how many there are along periodic axes (0: open).
    size: DVec3,
    count: [i64; 3],
}

/// The bodies by cell.
#[derive(Debug)]
pub struct HierarchicalGrid {
    levels: Vec<Level>,
    level: Vec<u8>,
    origin: DVec3,
    /// Bodies sorted by the key of their cell.
    member: Vec<u32>,
    /// Open addressing: key and range of members; an empty slot has an empty range.
    table: Vec<(u64, u32, u32)>,
    shift: u32,
}

impl HierarchicalGrid {
    /// Puts every body into its cell. `margin` is how far two surfaces may be apart and still count as near.
    pub fn new(position: &[DVec3], radius: &[f64], margin: f64, domain: &Domain) -> Self {
        let smallest = radius.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = radius.iter().copied().fold(0.0, f64::max);
        let levels = make_levels(smallest, largest, margin, domain);
        let origin = match *domain {
            Domain::Open => DVec3::ZERO,
            Domain::Periodic { min, .. } => min,
        };
        let mut cells = HierarchicalGrid {
            level: radius.iter().map(|&r| level_of(r, smallest, levels.len())).collect(),
            levels,
            origin,
            member: Vec::new(),
            table: Vec::new(),
            shift: 0,
        };
        let mut keyed: Vec<(u64, u32)> = (0..position.len())
            .into_par_iter()
            .map(|k| {
                let level = cells.level[k] as usize;
                (cells.key(level, cells.cell(level, position[k])), k as u32)
            })
            .collect();
        keyed.par_sort_unstable();
        cells.fill(&keyed);
        cells
    }

    fn fill(&mut self, keyed: &[(u64, u32)]) {
        let filled = 1 + keyed.windows(2).filter(|p| p[0].0 != p[1].0).count();
        let capacity = (2 * filled).next_power_of_two();
        self.shift = 64 - capacity.trailing_zeros();
        self.table = vec![(0, 0, 0); capacity];
        self.member = keyed.iter().map(|&(_, k)| k).collect();
        let mut start = 0;
        while start < keyed.len() {
            let key = keyed[start].0;
            let end = start + keyed[start..].iter().take_while(|e| e.0 == key).count();
            let mut slot = self.slot(key);
            while self.table[slot].2 > self.table[slot].1 {
                slot = (slot + 1) & (capacity - 1);
            }
            self.table[slot] = (key, start as u32, end as u32);
            start = end;
        }
    }

    fn slot(&self, key: u64) -> usize {
        if self.shift == 64 { 0 } else { (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize }
    }

    fn cell(&self, level: usize, x: DVec3) -> [i64; 3] {
        let l = &self.levels[level];
        let c = ((x - self.origin) / l.size).floor();
        std::array::from_fn(|k| {
            let c = c[k] as i64;
            if l.count[k] > 0 { c.rem_euclid(l.count[k]) } else { c }
        })
    }

    fn key(&self, level: usize, c: [i64; 3]) -> u64 {
        let part = |x: i64, n: i64| (if n > 0 { x } else { x & MASK }) as u64;
        let n = self.levels[level].count;
        (level as u64) << (3 * BITS)
            | part(c[0], n[0]) << (2 * BITS)
            | part(c[1], n[1]) << BITS
            | part(c[2], n[2])
    }

    fn members(&self, key: u64) -> &[u32] {
        let mut slot = self.slot(key);
        loop {
            let (k, start, end) = self.table[slot];
            if start == end {
                return &[];
            }
            if k == key {
                return &self.member[start as usize..end as usize];
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    /// Calls `found` with the bodies near body `k` that it is up to `k` to find: those of coarser levels, and those
    /// of its own level in one half of the cells about it (the other half finds `k`). Where a periodic box is
    /// too small for halves, pairs of one level are met from both sides and the lower row keeps them.
    #[inline(always)]
    pub fn about(&self, k: usize, x: DVec3, mut found: impl FnMut(u32)) {
        let own = self.level[k] as usize;
        for level in own..self.levels.len() {
            let c = self.cell(level, x);
            let n = self.levels[level].count;
            let halves = level == own && n.iter().all(|&n| n == 0 || n > 2);
            let (rx, ry, rz) = (reach(n[0]), reach(n[1]), reach(n[2]));
            let step = |axis: usize, d: i64| {
                let s = c[axis].wrapping_add(d);
                if n[axis] == 0 {
                    s
                } else if s < 0 {
                    s + n[axis]
                } else if s >= n[axis] {
                    s - n[axis]
                } else {
                    s
                }
            };
            for dx in rx.0..=rx.1 {
                for dy in ry.0..=ry.1 {
                    for dz in rz.0..=rz.1 {
                        let side = 9 * dx + 3 * dy + dz;
                        if halves && side < 0 {
                            continue;
                        }
                        let key = self.key(level, [step(0, dx), step(1, dy), step(2, dz)]);
                        // Within its own cell, and without halves, the lower row keeps the pair.
                        let once = level == own && (side == 0 || !halves);
                        for &j in self.members(key) {
                            if !once || j as usize > k {
                                found(j);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Cells to search along an axis that has `n` of them (0: open). With fewer than three, each only once.
fn reach(n: i64) -> (i64, i64) {
    match n {
        1 => (0, 0),
        2 => (0, 1),
        _ => (-1, 1),
    }
}

fn level_of(radius: f64, smallest: f64, levels: usize) -> u8 {
    // Level l holds radii up to 2^(l+1) times the smallest: doubling up is exact, a logarithm is not.
    let mut limit = 2.0 * smallest;
    let mut l = 0;
    while radius > limit && l + 1 < levels {
        limit *= 2.0;
        l += 1;
    }
    l as u8
}

fn make_levels(smallest: f64, largest: f64, margin: f64, domain: &Domain) -> Vec<Level> {
    let period = domain.period();
    let mut levels = Vec::new();
    let mut radius = smallest;
    loop {
        // The last level takes all that is left.
        let last = 2.0 * radius >= largest || levels.len() + 1 == MOST_LEVELS;
        let r = if last { largest } else { 2.0 * radius };
        let edge = 2.0 * r + margin;
        let mut size = DVec3::splat(edge);
        let mut count = [0i64; 3];
        for axis in 0..3 {
            if period[axis].is_finite() {
                count[axis] = ((period[axis] / edge).floor() as i64).clamp(1, MASK);
                size[axis] = period[axis] / count[axis] as f64;
            }
        }
        levels.push(Level { size, count });
        if last {
            return levels;
        }
        radius *= 2.0;
    }
}
