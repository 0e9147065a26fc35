//! Nesterov's momentum for Gauss-Seidel: a pair of sweeps, to and fro, starts from a point ahead of the last impulses, in the
//! direction of the last change.
//!
//! A load is carried through a pile of `d` layers in about `d` pairs of sweeps instead of `d^2`. Coulomb's law is not the
//! minimum of anything, so momentum that has grown for long can drive the impulses away from the solution: some of it is taken
//! back when pairs of sweeps change more and more, and it begins anew when a change turns back (O'Donoghue and Candes 2015).

use rayon::prelude::*;
use rubblepile_core::simd::LANES;

use crate::{
    batch::Eight3,
    kernel::{Shift, ShiftTorque},
    problem::{ContactBatches, ContactProblem, with_points},
};

/// Momentum is taken back when so many pairs of sweeps in a row changed more than the one before, by this factor of t. Of 1/2,
/// 0.7 and 0.8, and of 1 to 4 pairs, these solve the settled bed of `bench contact-n1` best.
const LONGEST_GROWTH: u32 = 2;
const SLOWDOWN: f64 = 0.7;

/// Batches that are summed up at once: sums do not depend on the number of threads.
const BATCHES_PER_SUM: usize = 128;

/// Where eight contacts have been.
#[derive(Clone, Copy)]
pub struct Trail {
    /// Impulses after the last pair of sweeps.
    pub last: Eight3,
    /// Impulses that this pair started from.
    pub start: Eight3,
}

/// Momentum of one solve.
pub struct Momentum {
    trails: Vec<Trail>,
    /// Nesterov's t: the momentum is `(t - 1) / t'`.
    t: f64,
    /// Square of the last change by a pair of sweeps, and how often in a row it has grown.
    change: f64,
    grown: u32,
}

impl Momentum {
    /// Before the first pair of sweeps.
    pub fn new(problem: &ContactProblem) -> Self {
        let trails = with_points!(&problem.points, batches =>
            batches.iter().map(|b| Trail { last: b.impulse, start: b.impulse }).collect());
        Momentum { trails, t: 1.0, change: 0.0, grown: 0 }
    }

    /// Between two pairs of sweeps: moves the impulses ahead.
    pub fn advance(&mut self, problem: &mut ContactProblem) {
        let (change, turned) = self.compare(&problem.points);
        self.grown = if self.change > 0.0 && change > self.change { self.grown + 1 } else { 0 };
        self.change = change;
        if turned > 0.0 {
            self.t = 1.0;
            self.grown = 0;
        } else if self.grown == LONGEST_GROWTH {
            self.t = (SLOWDOWN * self.t).max(1.0);
            self.grown = 0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let ahead = (self.t - 1.0) / next;
        self.t = next;
        let ContactProblem { colours, rows, points, rolling, .. } = problem;
        with_points!(points, batches => {
            colours.work(&Shift(ahead), rows, batches, &mut self.trails, &[false]);
            if !rolling.is_empty() {
                colours.work(&ShiftTorque(ahead), rows, batches, rolling, &[false]);
            }
        });
    }

    /// How far the last pair of sweeps went, squared, and whether it turned back (above zero): both as energies.
    fn compare(&self, points: &ContactBatches) -> (f64, f64) {
        let sums: Vec<(f64, f64)> = with_points!(points, batches => batches
            .par_chunks(BATCHES_PER_SUM)
            .zip(self.trails.par_chunks(BATCHES_PER_SUM))
            .map(|(batches, trails)| {
                let (mut change, mut turned) = ([0.0; LANES], [0.0; LANES]);
                for (batch, trail) in batches.iter().zip(trails) {
                    for axis in 0..3 {
                        for k in 0..LANES {
                            let now = batch.impulse[axis][k];
                            let d = now - trail.start[axis][k];
                            change[k] += d * d / batch.inverse_normal[k];
                            turned[k] -= d * (now - trail.last[axis][k]) / batch.inverse_normal[k];
                        }
                    }
                }
                (change.iter().sum(), turned.iter().sum())
            })
            .collect());
        sums.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
    }
}
