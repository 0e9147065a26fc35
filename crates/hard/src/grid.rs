//! Cells in which grains look for each other: no smaller than the largest grain, so that only neighbours can touch.
//!
//! Along an open axis the row of cells is bent to a circle: cells far apart share a place, which costs a look at a grain
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

/// Where a grain is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Cell, as if space went on forever.
    cell: [i32; 3],
    /// The same on the circle.
    bent: [i32; 3],
}

#[derive(Debug)]
pub struct Grid {
    origin: DVec3,
    size: DVec3,
    count: [i32; 3],
    place: Vec<Place>,
    /// First grain of a cell; the grain after and before each in its cell.
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

/// A step into a neighbouring cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    pub axis: u8,
    pub up: bool,
}

impl Grid {
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
        let extent = (high - low).max(DVec3::splat(diameter));
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
        let mut grid = Grid {
            origin: low,
            size,
            count,
            head: vec![NONE; cells(&count)],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            place: Vec::with_capacity(n),
        };
        for (k, x) in position.enumerate() {
            let at = (x - low) / size;
            let cell = [at.x.floor() as i32, at.y.floor() as i32, at.z.floor() as i32];
            let bent = std::array::from_fn(|a| cell[a].rem_euclid(count[a]));
            grid.place.push(Place { cell, bent });
            grid.link(k as u32);
        }
        grid
    }

    fn index(&self, bent: [i32; 3]) -> usize {
        ((bent[2] * self.count[1] + bent[1]) * self.count[0] + bent[0]) as usize
    }

    fn link(&mut self, k: u32) {
        let index = self.index(self.place[k as usize].bent);
        let next = self.head[index];
        self.next[k as usize] = next;
        self.previous[k as usize] = NONE;
        if next != NONE {
            self.previous[next as usize] = k;
        }
        self.head[index] = k;
    }

    /// Takes a grain out.
    pub fn unlink(&mut self, k: u32) {
        let (next, previous) = (self.next[k as usize], self.previous[k as usize]);
        if previous == NONE {
            let index = self.index(self.place[k as usize].bent);
            self.head[index] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// When a grain that is at `x` leaves its cell, from now on, and where to.
    pub fn crossing(&self, k: u32, x: DVec3, v: DVec3) -> (f64, Crossing) {
        let cell = self.place[k as usize].cell;
        let mut first = (f64::INFINITY, Crossing { axis: 0, up: true });
        for axis in 0..3 {
            if v[axis] == 0.0 {
                continue;
            }
            let up = v[axis] > 0.0;
            let face = self.origin[axis] + self.size[axis] * f64::from(cell[axis] + i32::from(up));
            let t = ((face - x[axis]) / v[axis]).max(0.0);
            if t < first.0 {
                first = (t, Crossing { axis: axis as u8, up });
            }
        }
        first
    }

    /// Moves a grain to the next cell.
    pub fn cross(&mut self, k: u32, crossing: Crossing) {
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
    pub fn around(&self, k: u32, mut found: impl FnMut(u32)) {
        let b = self.place[k as usize].bent;
        for z in -1..=1 {
            let z = around(b[2] + z, self.count[2]);
            for y in -1..=1 {
                let y = around(b[1] + y, self.count[1]);
                let row = (z * self.count[1] + y) * self.count[0];
                for x in -1..=1 {
                    let mut j = self.head[(row + around(b[0] + x, self.count[0])) as usize];
                    while j != NONE {
                        found(j);
                        j = self.next[j as usize];
                    }
                }
            }
        }
    }

    /// Asks for where a grain is.
    #[inline]
    pub fn ask_for_place(&self, k: u32) {
        prefetch(&self.place, k as usize);
    }

    /// Asks for the cells around a grain.
    #[inline]
    pub fn ask_for_cells(&self, k: u32) {
        let b = self.place[k as usize].bent;
        for z in -1..=1 {
            let z = around(b[2] + z, self.count[2]);
            for y in -1..=1 {
                let y = around(b[1] + y, self.count[1]);
                prefetch(&self.head, ((z * self.count[1] + y) * self.count[0] + b[0]) as usize);
            }
        }
    }

    /// The grains in the nine cells that have come near by a crossing.
    pub fn ahead(&self, k: u32, crossing: Crossing, mut found: impl FnMut(u32)) {
        let axis = crossing.axis as usize;
        let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut b = self.place[k as usize].bent;
        b[axis] = around(b[axis] + if crossing.up { 1 } else { -1 }, self.count[axis]);
        let (bp, bq) = (b[p], b[q]);
        for i in -1..=1 {
            b[p] = around(bp + i, self.count[p]);
            for j in -1..=1 {
                b[q] = around(bq + j, self.count[q]);
                let mut other = self.head[self.index(b)];
                while other != NONE {
                    found(other);
                    other = self.next[other as usize];
                }
            }
        }
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
