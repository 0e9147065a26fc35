//! Non-smooth Gauss-Seidel: eq. (8) of contact-dynamics-2021, contact by contact with the solution of Table 1. Sweeps go
//! to and fro through the colours, which carries a load through a pile in either direction.

use crate::{
    kernel::Solve,
    problem::{Problem, with_points},
    solver::residual,
};

/// Sweeps before the first look at the residual, and between two looks.
const FIRST: u32 = 4;
const EVERY: u32 = 8;

pub fn solve(problem: &mut Problem, tolerance: f64, most: u32) -> (u32, f64) {
    let mut done = 0;
    let mut look = FIRST.min(most);
    loop {
        while done < look {
            sweep(problem, done % 2 == 1);
            done += 1;
        }
        let left = residual(problem);
        if left <= tolerance || done >= most {
            return (done, left);
        }
        look = (done + EVERY).min(most);
    }
}

pub fn sweep(problem: &mut Problem, backwards: bool) {
    let Problem { colours, rows, points, rolling, .. } = problem;
    if rolling.is_empty() {
        let mut nothing = vec![(); colours.batches()];
        with_points!(points, batches => colours.work(&Solve, rows, batches, &mut nothing, backwards));
    } else {
        with_points!(points, batches => colours.work(&Solve, rows, batches, rolling, backwards));
    }
}
