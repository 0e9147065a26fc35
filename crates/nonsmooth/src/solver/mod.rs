//! The three solvers of the contact problem, and their common residual.

mod accelerated;
mod descent;
mod gauss_seidel;
mod momentum;
mod spectral;

pub use gauss_seidel::{residual, sweeps};

use crate::{Settings, Solver, problem::ContactProblem};

/// The result of a solve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Convergence {
    pub iterations: u32,
    /// How large the velocities are that contacts leave wrong ([`crate::relax`]), as a share of those that the step's forces and
    /// impacts bring (`ContactProblem::load`): root mean squares over the masses.
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

#[cfg(test)]
mod tests;
