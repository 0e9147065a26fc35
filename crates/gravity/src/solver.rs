//! The tree from bodies to accelerations: bounds, build, a first estimate of the accelerations, the walk.
//!
//! Everything here is a function of positions and masses alone: buffers are kept from call to call, values are not.
//! So a run that is restarted finds the same bits.

use glam::DVec3;
use rayon::prelude::*;

use crate::{
    cells::TreeCells,
    direct::{direct_sample, rms_relative_error},
    expansion::{Expansion, Order2, Order4, Order5, Order6},
    near::Out,
    simd::Real,
    topology::{BLOCK, LEAF, NONE},
    walk::{Acceptance, Walk},
};

/// Bodies a thread works on at a time.
const CHUNK: usize = 4096;
/// The estimate walks with this opening angle: it must be cheap, and a few per cent are good enough.
const ESTIMATE_OPENING: f64 = 0.9;
/// Accelerations below this fraction of their geometric mean are taken to be this fraction: between two equal masses
/// the field vanishes, and no error relative to nothing can be asked for.
const LEAST: f64 = 1e-4;
/// Bodies on which the error is measured, and how often the walk may be repeated when it is too large.
const SAMPLE: usize = 48;
const REPEATS: usize = 4;

/// Parameters of the walk, which [`crate::Tree`] derives from its accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Order of the expansions: 4, 5 or 6 (in double precision always 6).
    pub order: usize,
    /// (radius + radius) / distance at which nodes may act as a whole.
    pub opening: f64,
    /// Largest radius of a target over the distance.
    pub reach: f64,
    /// Largest error of one interaction as a fraction of the acceleration; `None`: the opening angle decides alone.
    pub tolerance: Option<f64>,
    /// The rms relative error that is checked on a sample of bodies; the walk is repeated with less tolerance where
    /// it is larger. `None`: no check.
    pub target: Option<f64>,
    /// Double precision throughout.
    pub double: bool,
    /// In single precision, pairs nearer than this fraction of the extent of their leaves are summed in double.
    pub close: f64,
}

#[derive(Default)]
struct Buffers<S> {
    cells: TreeCells<S>,
    out: Vec<Out<S>>,
    estimate: Vec<S>,
    tolerance: Vec<S>,
}

/// Keeps its memory from call to call, and nothing else.
#[derive(Default)]
pub struct TreeSolver {
    single: Buffers<f32>,
    double: Buffers<f64>,
}

impl TreeSolver {
    /// Adds the acceleration sum_j constant m_j d / |d|^3 of every body to `out`.
    pub fn accelerate(
        &mut self,
        positions: &[DVec3],
        masses: &[f64],
        constant: f64,
        settings: &Settings,
        out: &mut [DVec3],
    ) {
        let each = |value: &mut DVec3, gradient: DVec3, _: f64| *value += gradient * constant;
        self.solve::<DVec3, false>(positions, masses, settings, out, each);
    }

    /// The potential sum_j m_j / |d| of every body; multiply by -constant.
    pub fn potential(&mut self, positions: &[DVec3], masses: &[f64], settings: &Settings) -> Vec<f64> {
        let mut out = vec![0.0; positions.len()];
        let each = |value: &mut f64, _: DVec3, potential: f64| *value = potential;
        self.solve::<f64, true>(positions, masses, settings, &mut out, each);
        out
    }

    fn solve<T: Send, const POTENTIAL: bool>(
        &mut self,
        positions: &[DVec3],
        masses: &[f64],
        settings: &Settings,
        out: &mut [T],
        each: impl Fn(&mut T, DVec3, f64) + Sync,
    ) {
        let total: f64 = masses.iter().sum();
        // One body alone feels nothing; nor do bodies without mass. Not-a-numbers end here too.
        if positions.len() < 2 || !(total > 0.0 && total.is_finite()) {
            return;
        }
        let (b, d, p, m, s) = (&mut self.single, &mut self.double, positions, masses, settings);
        match (s.double, s.order) {
            (false, ..=4) => b.solve::<Order4, T, POTENTIAL>(p, m, total, s, out, each),
            (false, 5) => b.solve::<Order5, T, POTENTIAL>(p, m, total, s, out, each),
            (false, _) => b.solve::<Order6, T, POTENTIAL>(p, m, total, s, out, each),
            (true, _) => d.solve::<Order6, T, POTENTIAL>(p, m, total, s, out, each),
        }
    }
}

impl<S: Real> Buffers<S> {
    fn solve<E: Expansion, T: Send, const POTENTIAL: bool>(
        &mut self,
        positions: &[DVec3],
        masses: &[f64],
        total: f64,
        settings: &Settings,
        out: &mut [T],
        each: impl Fn(&mut T, DVec3, f64) + Sync,
    ) {
        self.cells.build::<E>(positions, masses, bounds(positions), total);
        let acceptance =
            Acceptance { opening: settings.opening, reach: settings.reach, close: settings.close };
        self.tolerance.clear();
        self.out.resize(self.cells.leaves.len(), Out::default());
        if let Some(tolerance) = settings.tolerance {
            self.estimate(positions, masses, tolerance);
        }
        for _ in 0..=REPEATS {
            let walk = Walk { cells: &self.cells, positions, masses, acceptance, tolerance: &self.tolerance };
            walk.evaluate::<E, POTENTIAL>(&mut self.out);
            let excess = match settings.target {
                Some(target) if !POTENTIAL => self.sampled_error(positions, masses) / target,
                _ => 0.0,
            };
            // A sample is not the whole: leave a margin. (Not a number ends the loop too.)
            if excess.is_nan() || excess <= 0.85 {
                break;
            }
            // The error is about in proportion to the tolerance.
            let factor = S::of((0.6 / excess).max(0.01).powi(2));
            for tolerance in &mut self.tolerance {
                *tolerance = *tolerance * factor;
            }
        }
        let scale = self.cells.scale;
        let (force, energy) = (scale.mass / scale.length.powi(2), scale.mass / scale.length);
        for (items, o) in self.cells.items.chunks(LEAF).zip(&self.out) {
            for (k, item) in items.iter().enumerate() {
                let gradient = DVec3::new(o.x[k].wide(), o.y[k].wide(), o.z[k].wide()) * force;
                each(&mut out[item.row as usize], gradient, o.potential[k].wide() * energy);
            }
        }
    }

    /// The rms relative error of some bodies, evenly spread over the leaves, against the direct sum.
    fn sampled_error(&self, positions: &[DVec3], masses: &[f64]) -> f64 {
        let n = self.cells.items.len();
        let places: Vec<usize> = (0..SAMPLE.min(n)).map(|k| (2 * k + 1) * n / (2 * SAMPLE.min(n))).collect();
        let rows: Vec<usize> = places.iter().map(|&k| self.cells.items[k].row as usize).collect();
        let scale = self.cells.scale;
        let exact = direct_sample(positions, masses, &rows, scale.length.powi(2) / scale.mass);
        let found = places.iter().map(|&k| {
            let (o, lane) = (&self.out[k / LEAF], k % LEAF);
            DVec3::new(o.x[lane].wide(), o.y[lane].wide(), o.z[lane].wide())
        });
        rms_relative_error(&found.collect::<Vec<_>>(), &exact)
    }

    /// Fills `tolerance`: the square of `fraction` times the acceleration, a node. A node's acceleration is the
    /// least of its leaves: the error of an expansion is largest at its rim, where the acceleration often is least.
    fn estimate(&mut self, positions: &[DVec3], masses: &[f64], fraction: f64) {
        self.estimate.resize(self.cells.leaves.len(), S::default());
        let acceptance = Acceptance { opening: ESTIMATE_OPENING, reach: ESTIMATE_OPENING, close: 0.0 };
        let walk = Walk { cells: &self.cells, positions, masses, acceptance, tolerance: &[] };
        walk.estimate::<Order2>(&mut self.estimate);
        let n = self.estimate.len() as f64;
        let logarithm = |a: &S| a.wide().max(f64::MIN_POSITIVE).ln();
        let least = (2.0 * (LEAST.ln() + self.estimate.iter().map(logarithm).sum::<f64>() / n)).exp();
        let nodes = &self.cells.topology.nodes;
        self.tolerance.resize(nodes.len(), S::default());
        for k in (0..nodes.len()).rev() {
            let node = nodes[k];
            let square = if node.leaves == 0 {
                0.0
            } else if node.children == NONE {
                fraction * fraction * self.estimate[node.first as usize].wide().powi(2).max(least)
            } else {
                let first = node.children as usize * BLOCK;
                let kids = (first..first + BLOCK).filter(|&j| nodes[j].leaves > 0);
                kids.map(|j| self.tolerance[j].wide()).fold(f64::INFINITY, f64::min)
            };
            self.tolerance[k] = S::of(square);
        }
    }
}

/// Corners of the box of all positions.
pub fn bounds(positions: &[DVec3]) -> (DVec3, DVec3) {
    let empty = || (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let join = |a: (DVec3, DVec3), b: (DVec3, DVec3)| (a.0.min(b.0), a.1.max(b.1));
    positions
        .par_chunks(CHUNK)
        .map(|part| part.iter().fold(empty(), |b, &x| (b.0.min(x), b.1.max(x))))
        .reduce(empty, join)
}
