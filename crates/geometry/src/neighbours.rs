//! The neighbour list: pairs that touch or soon may.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Domain,
    simd::{Kernel, Lanes, dispatch},
};

use crate::cells::HierarchicalGrid;

/// Rows a task: fixed, so that the list does not depend on the number of threads.
const BLOCK: usize = 1024;

/// Every near pair once, under its lower row: the partners of row `i` are `partner[start[i]..start[i + 1]]`, all
/// above `i`, rising. The order depends on the rows alone, not on how the list was found: sums over contacts
/// that follow it are the same whenever it was last made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairList {
    pub start: Vec<u32>,
    pub partner: Vec<u32>,
}

impl PairList {
    pub fn of(&self, row: usize) -> &[u32] {
        &self.partner[self.start[row] as usize..self.start[row + 1] as usize]
    }
}

/// Finds all pairs whose surfaces are less than `margin` apart.
pub fn find_pairs(position: &[DVec3], radius: &[f64], margin: f64, domain: &Domain) -> PairList {
    let n = position.len();
    if n == 0 {
        return PairList { start: vec![0], partner: Vec::new() };
    }
    let cells = HierarchicalGrid::new(position, radius, margin, domain);
    let period = domain.period().to_array().map(|l| if l.is_finite() { l } else { 0.0 });
    let search = Search {
        position,
        radius,
        margin,
        cells: &cells,
        period,
        inverse: period.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 }),
    };
    let blocks: Vec<Vec<(u32, u32)>> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|b| dispatch(SearchRows { search: &search, rows: b * BLOCK..((b + 1) * BLOCK).min(n) }))
        .collect();
    by_row(n, &blocks)
}

struct Search<'a> {
    position: &'a [DVec3],
    radius: &'a [f64],
    margin: f64,
    cells: &'a HierarchicalGrid,
    /// Period along each axis and its inverse; 0 where open.
    period: [f64; 3],
    inverse: [f64; 3],
}

/// The search from some rows: a kernel only so that it is compiled for the processor at hand.
struct SearchRows<'a> {
    search: &'a Search<'a>,
    rows: std::ops::Range<usize>,
}

impl Kernel for SearchRows<'_> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let s = self.search;
        let periodic = s.period != [0.0; 3];
        let mut found = Vec::with_capacity(6 * BLOCK);
        for i in self.rows {
            let (x, r) = (s.position[i], s.radius[i] + s.margin);
            s.cells.about(i, x, |j| {
                let ju = j as usize;
                let mut d = s.position[ju] - x;
                if periodic {
                    for k in 0..3 {
                        d[k] -= s.period[k] * (d[k] * s.inverse[k]).round_ties_even();
                    }
                }
                let reach = r + s.radius[ju];
                if d.length_squared() < reach * reach {
                    found.push(if ju > i { (i as u32, j) } else { (j, i as u32) });
                }
            });
        }
        found
    }
}

/// Sorts the pairs by row.
fn by_row(n: usize, blocks: &[Vec<(u32, u32)>]) -> PairList {
    let mut start = vec![0u32; n + 1];
    for &(i, _) in blocks.iter().flatten() {
        start[i as usize + 1] += 1;
    }
    for k in 0..n {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut partner = vec![0u32; start[n] as usize];
    for &(i, j) in blocks.iter().flatten() {
        let slot = &mut next[i as usize];
        partner[*slot as usize] = j;
        *slot += 1;
    }
    for k in 0..n {
        partner[start[k] as usize..start[k + 1] as usize].sort_unstable();
    }
    PairList { start, partner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    fn by_force(position: &[DVec3], radius: &[f64], margin: f64, domain: &Domain) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for i in 0..position.len() {
            for j in i + 1..position.len() {
                let d = domain.shortest(position[j] - position[i]).length_squared();
                let reach = radius[i] + margin + radius[j];
                if d < reach * reach {
                    all.push((i as u32, j as u32));
                }
            }
        }
        all
    }

    fn listed(list: &PairList) -> Vec<(u32, u32)> {
        (0..list.start.len() - 1).flat_map(|i| list.of(i).iter().map(move |&j| (i as u32, j))).collect()
    }

    #[test]
    fn finds_what_all_pairs_finds() {
        let mut rng = Rng::new(11);
        let open = Domain::Open;
        let periodic = |axes| Domain::Periodic { min: DVec3::splat(-3.0), max: DVec3::splat(4.0), axes };
        for domain in [open, periodic([true; 3]), periodic([true, false, true])] {
            for ratio in [1.0f64, 1.7, 20.0] {
                let n = 400;
                let position: Vec<DVec3> = (0..n)
                    .map(|_| DVec3::from_array(std::array::from_fn(|_| rng.range(-3.0, 4.0))))
                    .collect();
                let radius: Vec<f64> = (0..n).map(|_| 0.9 / ratio.powf(rng.uniform())).collect();
                let list = find_pairs(&position, &radius, 0.05, &domain);
                let expected = by_force(&position, &radius, 0.05, &domain);
                assert!(expected.len() > 20);
                assert_eq!(listed(&list), expected, "{domain:?} {ratio}");
            }
        }
    }

    #[test]
    fn bodies_far_away_cost_nothing_and_never_pair_wrongly() {
        let mut position = vec![DVec3::ZERO, DVec3::X, DVec3::splat(1e300), DVec3::splat(-1e30)];
        // Cells 2^20 apart share a key: they must not become pairs.
        position.push(DVec3::new(f64::from(1 << 20) * 2.1, 0.0, 0.0));
        let list = find_pairs(&position, &[1.0; 5], 0.1, &Domain::Open);
        assert_eq!(listed(&list), [(0, 1)]);
    }

    #[test]
    fn the_order_does_not_depend_on_threads_or_margin() {
        let mut rng = Rng::new(2);
        let position: Vec<DVec3> =
            (0..5000).map(|_| 10.0 * DVec3::new(rng.uniform(), rng.uniform(), rng.uniform())).collect();
        let radius = vec![0.3; 5000];
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| find_pairs(&position, &radius, 0.1, &Domain::Open))
        };
        let one = run(1);
        assert_eq!(one, run(4));
        let wide: Vec<_> = listed(&find_pairs(&position, &radius, 0.2, &Domain::Open));
        let kept: Vec<_> = wide.into_iter().filter(|p| one.of(p.0 as usize).contains(&p.1)).collect();
        assert_eq!(kept, listed(&one));
    }
}
