//! The three solvers of the contact problem, and their common residual.

mod accelerated;
mod descent;
mod gauss_seidel;
mod momentum;
mod spectral;

pub use gauss_seidel::sweeps;
pub use momentum::Trail;

use crate::{
    Settings, Solver,
    batch::Eight,
    kernel::Residual,
    problem::{ContactProblem, with_points},
};

/// The result of a solve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Convergence {
    pub iterations: u32,
    /// See [`residual`].
    pub residual: f64,
    pub solved: bool,
}

/// Solves the problem as far as the settings ask; the velocities in `problem.rows` are then those of the solution.
pub fn solve(problem: &mut ContactProblem, settings: &Settings) -> Convergence {
    if problem.contacts == 0 {
        return Convergence { solved: true, ..Convergence::default() };
    }
    let (tolerance, most) = (settings.tolerance.0, settings.iterations);
    let (iterations, residual) = match settings.solver {
        Solver::GaussSeidel => gauss_seidel::solve(problem, tolerance, most),
        Solver::AcceleratedGradient => descent::solve(problem, tolerance, most, accelerated::stretch),
        Solver::SpectralGradient => descent::solve(problem, tolerance, most, spectral::stretch),
    };
    Convergence { iterations, residual, solved: residual <= tolerance }
}

/// Root mean square over the contacts of how far each is from being solved (see [`Residual`]), over the load of the
/// problem. The same for all solvers. Rolling resistance is not in it.
pub fn residual(problem: &mut ContactProblem) -> f64 {
    let mut squares: Vec<Eight> = vec![[0.0; 8]; problem.colours.batches()];
    with_points!(&mut problem.points, batches =>
        problem.colours.work(&Residual, &mut problem.rows, batches, &mut squares, &[false]));
    let sum: f64 = squares.iter().map(|s| s.iter().sum::<f64>()).sum();
    let rms = (sum / problem.contacts as f64).sqrt();
    // Nothing to stop and nothing that pushes: any velocity left would be an error without a measure.
    if rms == 0.0 { 0.0 } else { rms / problem.load.max(f64::MIN_POSITIVE) }
}

#[cfg(test)]
mod tests;
