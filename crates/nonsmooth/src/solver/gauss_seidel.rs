//! Non-smooth Gauss-Seidel: eq. (8) of contact-dynamics-2021, contact by contact with the solution of Table 1. Sweeps go
//! to and fro through the colours, which carries a load through a pile in either direction; see `momentum.rs` for what speeds
//! them up.

use crate::{
    kernel::Solve,
    problem::{ContactProblem, with_points},
    solver::{momentum::Momentum, residual},
};

/// Sweeps before the first evaluation of the residual, and between two evaluations: whole pairs.
const FIRST: u32 = 4;
const EVERY: u32 = 8;

pub fn solve(problem: &mut ContactProblem, tolerance: f64, most: u32) -> (u32, f64) {
    let mut done = FIRST.min(most);
    sweeps(problem, 0, done);
    let mut left = residual(problem);
    if left <= tolerance || done >= most {
        return (done, left);
    }
    let mut momentum = Momentum::new(problem);
    loop {
        let next = (done + EVERY).min(most);
        while done < next {
            momentum.advance(problem);
            let pair = 2.min(next - done);
            sweeps(problem, done, pair);
            done += pair;
        }
        left = residual(problem);
        if left <= tolerance || done >= most {
            return (done, left);
        }
    }
}

/// Some sweeps, after `done` others: odd ones go backwards.
pub fn sweeps(problem: &mut ContactProblem, done: u32, count: u32) {
    let passes: Vec<bool> = (done..done + count).map(|k| k % 2 == 1).collect();
    let ContactProblem { colours, rows, points, rolling, .. } = problem;
    if rolling.is_empty() {
        let mut nothing = vec![(); colours.batches()];
        with_points!(points, batches => colours.work(&Solve, rows, batches, &mut nothing, &passes));
    } else {
        with_points!(points, batches => colours.work(&Solve, rows, batches, rolling, &passes));
    }
}
