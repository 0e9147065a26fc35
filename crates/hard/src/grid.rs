//! Cell grid of the broad phase: cells no smaller than the largest grain, so that only neighbours can touch.
//!
//! Along an open axis the row of cells is bent to a circle: cells far apart share a place, which costs a test of a grain
//! that is too far away. Along a periodic axis the circle is the box.

use glam::DVec3;
use rubblepile_core::{Domain, simd::prefetch};

const NONE: u32 = u32::MAX;
/// Size of a cell over the distance of grains, where they are far apart: half as many grains as cells. The best of 0.6, 0.8,
/// 1, 1.15 and 1.3 for gases of 10,000 and 100,000 spheres.
const SPARSE: f64 = 0.8;
/// Cells to a grain, at most.
const MOST_CELLS: usize = 4;
/// A periodic box has at least so many cells along an axis: with less, a neighbour could be meant in two images.
pub const FEWEST_PERIODIC: i32 = 4;

/// Grains that a cell has room for. Others are found one from the other, which only crowds of small grains need.
const ROOM: usize = 3;

/// The cell of a grain. Never in two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct CellPlace {
    /// Cell, as if space went on forever.
    cell: [i32; 3],
    /// The same on the circle.
    bent: [i32; 3],
    /// The next of those that its cell has no room for.
    next: u32,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
struct Cell {
    /// Grains, those that are there first.
    grains: [u32; ROOM],
    /// The first of those that there is no room for.
    more: u32,
}

impl Cell {
    const EMPTY: Cell = Cell { grains: [NONE; ROOM], more: NONE };
}

#[derive(Debug)]
pub struct CellGrid {
    origin: DVec3,
    size: DVec3,
    count: [i32; 3],
    place: Vec<CellPlace>,
    cells: Vec<Cell>,
}

/// A step into a neighbouring cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellCrossing {
    pub axis: u8,
    pub up: bool,
}

/// How wide values lie, but for a few: that one grain has flown far away must not put all others into one cell.
fn spread(mut values: Vec<f64>) -> f64 {
    const FEW: f64 = 0.05;
    let few = (FEW * values.len() as f64) as usize;
    if values.is_empty() {
        return 0.0;
    }
    let last = values.len() - 1;
    let high = *values.select_nth_unstable_by(last - few, f64::total_cmp).1;
    let low = *values.select_nth_unstable_by(few, f64::total_cmp).1;
    (high - low) * (last as f64 / (last - 2 * few).max(1) as f64)
}

impl CellGrid {
    /// Cells for grains of a largest diameter, all of them put into theirs.
    pub fn new(
        position: impl ExactSizeIterator<Item = DVec3> + Clone,
        diameter: f64,
        domain: &Domain,
    ) -> Self {
        let n = position.len();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for x in position.clone() {
            low = low.min(x);
            high = high.max(x);
        }
        let period = domain.period();
        if let Domain::Periodic { min, max, axes } = *domain {
            for k in 0..3 {
                if axes[k] {
                    (low[k], high[k]) = (min[k], max[k]);
                }
            }
        }
        let mut extent = high - low;
        for k in (0..3).filter(|&k| period[k].is_infinite()) {
            extent[k] = spread(position.clone().map(|x| x[k]).collect());
        }
        let extent = extent.max(DVec3::splat(diameter));
        let each = (extent.x * extent.y * extent.z / n.max(1) as f64).cbrt();
        let target = (1.0001 * diameter).max(SPARSE * each);
        let mut count: [i32; 3] = std::array::from_fn(|k| ((extent[k] / target).min(1e6) as i32).max(1));
        let periodic: [bool; 3] = std::array::from_fn(|k| period[k].is_finite());
        for k in 0..3 {
            if periodic[k] {
                count[k] = count[k].max(FEWEST_PERIODIC);
            }
        }
        let cells = |count: &[i32; 3]| count.iter().map(|&c| c as usize).product::<usize>();
        while cells(&count) > MOST_CELLS * n + 64 {
            // Along a periodic axis cells must fill the box: they get larger there.
            let Some(k) =
                (0..3).filter(|&k| !periodic[k] || count[k] >= 2 * FEWEST_PERIODIC).max_by_key(|&k| count[k])
            else {
                break;
            };
            count[k] /= 2;
        }
        let size = DVec3::from_array(std::array::from_fn(|k| {
            if periodic[k] { period[k] / f64::from(count[k]) } else { target }
        }));
        let mut grid = CellGrid {
            origin: low,
            size,
            count,
            cells: vec![Cell::EMPTY; cells(&count)],
            place: Vec::with_capacity(n),
        };
        for (k, x) in position.enumerate() {
            let at = (x - low) / size;
            let cell = [at.x.floor() as i32, at.y.floor() as i32, at.z.floor() as i32];
            let bent = std::array::from_fn(|a| cell[a].rem_euclid(count[a]));
            grid.place.push(CellPlace { cell, bent, next: NONE });
            grid.link(k as u32);
        }
        grid
    }

    fn index(&self, bent: [i32; 3]) -> usize {
        ((bent[2] * self.count[1] + bent[1]) * self.count[0] + bent[0]) as usize
    }

    fn link(&mut self, k: u32) {
        let index = self.index(self.place[k as usize].bent);
        let cell = &mut self.cells[index];
        match cell.grains.iter_mut().find(|g| **g == NONE) {
            Some(free) => *free = k,
            None => {
                self.place[k as usize].next = cell.more;
                cell.more = k;
            }
        }
    }

    /// Takes a grain out.
    pub fn unlink(&mut self, k: u32) {
        let index = self.index(self.place[k as usize].bent);
        let cell = &mut self.cells[index];
        let after = self.place[k as usize].next;
        if let Some(slot) = cell.grains.iter().position(|&g| g == k) {
            // The last one takes its place: of those without room, if there are any.
            let last = if cell.more != NONE {
                let last = cell.more;
                cell.more = self.place[last as usize].next;
                last
            } else {
                let filled = cell.grains.iter().rposition(|&g| g != NONE).unwrap_or(slot);
                std::mem::replace(&mut cell.grains[filled], NONE)
            };
            if last != k {
                cell.grains[slot] = last;
            }
        } else if cell.more == k {
            cell.more = after;
        } else {
            let mut before = cell.more;
            while before != NONE {
                let next = self.place[before as usize].next;
                if next == k {
                    self.place[before as usize].next = after;
                    return;
                }
                before = next;
            }
        }
    }

    /// When a grain that is at `x` leaves its cell, from now on, and where to.
    pub fn crossing(&self, k: u32, x: DVec3, v: DVec3) -> (f64, CellCrossing) {
        let cell = self.place[k as usize].cell;
        let mut first = (f64::INFINITY, CellCrossing { axis: 0, up: true });
        for axis in 0..3 {
            if v[axis] == 0.0 {
                continue;
            }
            let up = v[axis] > 0.0;
            let face = self.origin[axis] + self.size[axis] * f64::from(cell[axis] + i32::from(up));
            let t = ((face - x[axis]) / v[axis]).max(0.0);
            if t < first.0 {
                first = (t, CellCrossing { axis: axis as u8, up });
            }
        }
        first
    }

    /// Moves a grain to the next cell.
    pub fn cross(&mut self, k: u32, crossing: CellCrossing) {
        self.unlink(k);
        let axis = crossing.axis as usize;
        let count = self.count[axis];
        let place = &mut self.place[k as usize];
        let step = if crossing.up { 1 } else { -1 };
        place.cell[axis] += step;
        place.bent[axis] = around(place.bent[axis] + step, count);
        self.link(k);
    }

    /// All grains in the cells around that of `k` and in its own, `k` itself too.
    pub fn around<'a>(&self, k: u32, found: &'a mut Vec<u32>) -> &'a [u32] {
        let b = self.place[k as usize].bent;
        let mut found = FoundGrains::new(found);
        for z in -1..=1 {
            let z = around(b[2] + z, self.count[2]);
            for y in -1..=1 {
                let y = around(b[1] + y, self.count[1]);
                let row = (z * self.count[1] + y) * self.count[0];
                for x in -1..=1 {
                    self.collect((row + around(b[0] + x, self.count[0])) as usize, &mut found);
                }
            }
        }
        found.all()
    }

    /// The grains in the nine cells that have come near by a crossing.
    pub fn ahead<'a>(&self, k: u32, crossing: CellCrossing, found: &'a mut Vec<u32>) -> &'a [u32] {
        let axis = crossing.axis as usize;
        let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut b = self.place[k as usize].bent;
        b[axis] = around(b[axis] + if crossing.up { 1 } else { -1 }, self.count[axis]);
        let (bp, bq) = (b[p], b[q]);
        let mut found = FoundGrains::new(found);
        for i in -1..=1 {
            b[p] = around(bp + i, self.count[p]);
            for j in -1..=1 {
                b[q] = around(bq + j, self.count[q]);
                self.collect(self.index(b), &mut found);
            }
        }
        found.all()
    }

    #[inline(always)]
    fn collect(&self, cell: usize, found: &mut FoundGrains) {
        let cell = &self.cells[cell];
        for k in cell.grains {
            found.take(k);
        }
        let mut more = cell.more;
        while more != NONE {
            found.crowd(more);
            more = self.place[more as usize].next;
        }
    }

    /// Asks for where a grain is.
    #[inline]
    pub fn prefetch_place(&self, k: u32) {
        prefetch(&self.place, k as usize);
    }

    /// Asks for the cells around a grain.
    #[inline]
    pub fn prefetch_cells(&self, k: u32) {
        let b = self.place[k as usize].bent;
        for z in -1..=1 {
            let z = around(b[2] + z, self.count[2]);
            for y in -1..=1 {
                let y = around(b[1] + y, self.count[1]);
                let middle = ((z * self.count[1] + y) * self.count[0] + b[0]) as usize;
                prefetch(&self.cells, middle.saturating_sub(1));
                prefetch(&self.cells, middle + 1);
            }
        }
    }
}

/// Grains that are being found. Places without one are written too, and then over: whether there is one is not to be guessed.
struct FoundGrains<'a> {
    list: &'a mut Vec<u32>,
    count: usize,
}

impl<'a> FoundGrains<'a> {
    /// Places in 27 cells.
    const MOST: usize = 27 * ROOM;

    fn new(list: &'a mut Vec<u32>) -> Self {
        if list.len() < Self::MOST {
            list.resize(Self::MOST, NONE);
        }
        FoundGrains { list, count: 0 }
    }

    #[inline(always)]
    fn take(&mut self, k: u32) {
        self.list[self.count] = k;
        self.count += usize::from(k != NONE);
    }

    /// Takes one more than cells have room for.
    #[cold]
    fn crowd(&mut self, k: u32) {
        self.take(k);
        if self.list.len() < self.count + Self::MOST {
            self.list.resize(self.count + Self::MOST, NONE);
        }
    }

    fn all(self) -> &'a [u32] {
        &self.list[..self.count]
    }
}

/// One step along a circle of cells.
fn around(k: i32, count: i32) -> i32 {
    if k < 0 {
        k + count
    } else if k >= count {
        k - count
    } else {
        k
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn one_that_is_far_away_does_not_crowd_the_others() {
        let mut rng = Rng::new(9);
        let mut position: Vec<DVec3> =
            (0..1000).map(|_| 20.0 * DVec3::new(rng.uniform(), rng.uniform(), rng.uniform())).collect();
        let most = |position: &[DVec3]| {
            let grid = CellGrid::new(position.iter().copied(), 0.5, &Domain::Open);
            (0..1000).map(|k| grid.around(k, &mut Vec::new()).len()).max().unwrap()
        };
        let together = most(&position);
        position.push(DVec3::new(3.5e4, -2e4, 7.0));
        assert!(together < 60 && most(&position) < 60, "{together} {}", most(&position));
    }

    #[test]
    fn cells_hold_whom_they_should_however_many_they_are() {
        let mut rng = Rng::new(8);
        // Six to a cell, most of them without room.
        let n = 6 * 64;
        let domain = Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(4.0), axes: [true; 3] };
        let position: Vec<DVec3> =
            (0..n).map(|_| 4.0 * DVec3::new(rng.uniform(), rng.uniform(), rng.uniform())).collect();
        let mut grid = CellGrid::new(position.iter().copied(), 0.99, &domain);
        let mut found = Vec::new();
        let mut gone = vec![false; n];
        for step in 0..3000 {
            let k = (rng.uniform() * n as f64) as usize;
            if gone[k] {
                continue;
            }
            let crossing = CellCrossing { axis: (step % 3) as u8, up: rng.uniform() < 0.5 };
            grid.cross(k as u32, crossing);
            let near = |j: usize, reach: &dyn Fn(usize, i32) -> bool| {
                let (a, b) = (grid.place[k].bent, grid.place[j].bent);
                !gone[j] && (0..3).all(|axis| reach(axis, (b[axis] - a[axis]).rem_euclid(4)))
            };
            let of = |reach: &dyn Fn(usize, i32) -> bool| -> Vec<u32> {
                (0..n as u32).filter(|&j| near(j as usize, reach)).collect()
            };
            let mut all = grid.around(k as u32, &mut found).to_vec();
            all.sort_unstable();
            assert_eq!(all, of(&|_, d| d != 2));
            let mut ahead = grid.ahead(k as u32, crossing, &mut found).to_vec();
            ahead.sort_unstable();
            let front = if crossing.up { 1 } else { 3 };
            assert_eq!(ahead, of(&|axis, d| if axis == step % 3 { d == front } else { d != 2 }));
            if step % 20 == 0 {
                grid.unlink(k as u32);
                gone[k] = true;
            }
        }
    }
}
