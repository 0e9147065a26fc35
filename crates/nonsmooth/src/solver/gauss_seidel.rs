//! Non-smooth Gauss-Seidel: eq. (8) of contact-dynamics-2021, contact by contact with the solution of Table 1. Sweeps go
//! to and fro through the colours, which carries a load through a pile in either direction; see `momentum.rs` for what speeds
//! them up.

use crate::{
    batch::{Batch, LeverArms, Rolling},
    colours::{Direction, Leader, Slices},
    problem::{ContactProblem, with_points},
    relax::{Limit, Pass, Relax, Roll, Sums, Visit},
    solver::momentum::Momentum,
};

/// Sweeps before the first evaluation of the residual, and between two evaluations: whole pairs.
const FIRST: u32 = 4;
const EVERY: u32 = 8;

/// Momentum is restrained when impulses have turned back before so many evaluations of the residual, and it has not fallen by this
/// factor. Where sliding spreads, momentum may never turn back and lead in circles: after so many evaluations in vain, sweeps go on
/// without.
const PROGRESS: f64 = 0.9;
const PATIENCE: u32 = 3;
const IN_VAIN: u32 = 24;

/// What leads the threads through sweeps.
type Sweeper<'t, 'a, A, R> = Leader<'t, 'a, Batch<A>, Visit<R>, Relax>;

/// Number of sweeps and the residual that they leave.
pub fn solve(problem: &mut ContactProblem, tolerance: f64, most: u32) -> (u32, f64) {
    with_team(problem, Solve { tolerance, most })
}

/// Some sweeps without momentum.
pub fn sweeps(problem: &mut ContactProblem, count: u32) {
    with_team(problem, Sweeps(count));
}

/// See [`super::Convergence`].
pub fn residual(problem: &mut ContactProblem) -> f64 {
    with_team(problem, Residual)
}

/// What is done with a team, whatever the kind of contacts.
trait Task {
    type Output;
    /// Whether it moves impulses ahead, for which the velocities of the last pair of sweeps are kept.
    const MOMENTUM: bool;
    fn run<A: LeverArms, R: Roll>(self, team: &mut Sweeper<A, R>, load: f64) -> Self::Output;
}

fn with_team<T: Task>(problem: &mut ContactProblem, task: T) -> T::Output {
    let ContactProblem { colours, rows, points, rolling, load, .. } = problem;
    let mut last = if T::MOMENTUM { rows.clone() } else { Vec::new() };
    with_points!(points, data => {
        if rolling.is_empty() {
            let mut extra: Vec<Visit<()>> = data.iter().map(|b| Visit::new(b.impulse, ())).collect();
            let slices = Slices { rows, spare: &mut last, data, extra: &mut extra };
            colours.team(&Relax, slices, |team| task.run(team, *load))
        } else {
            let of = |(b, r): (&Batch<_>, &Rolling)| Visit::new(b.impulse, r.clone());
            let mut extra: Vec<Visit<Rolling>> = data.iter().zip(&*rolling).map(of).collect();
            let slices = Slices { rows, spare: &mut last, data, extra: &mut extra };
            let output = colours.team(&Relax, slices, |team| task.run(team, *load));
            rolling.iter_mut().zip(extra).for_each(|(rolling, visit)| *rolling = visit.rolling);
            output
        }
    })
}

struct Solve {
    tolerance: f64,
    most: u32,
}

impl Task for Solve {
    type Output = (u32, f64);
    const MOMENTUM: bool = true;

    fn run<A: LeverArms, R: Roll>(self, team: &mut Sweeper<A, R>, load: f64) -> (u32, f64) {
        let mut done = FIRST.min(self.most);
        plain(team, 0, done);
        let mut left = misfit(team, load);
        let mut momentum = Momentum::default();
        let (mut limit, mut best, mut idle) = (Limit::Coulomb, left, 0);
        let (mut least, mut in_vain) = (left, 0);
        while left > self.tolerance && done < self.most {
            let next = (done + EVERY).min(self.most);
            if in_vain >= IN_VAIN {
                plain(team, done, next - done);
                done = next;
            }
            while done < next {
                let ahead = Pass::Ahead(momentum.part(), limit);
                team.rows(ahead);
                team.sweep(ahead, Direction::Forwards);
                team.sweep(Pass::Back(limit), Direction::Backwards);
                momentum.advance(gather(team, Pass::Back(limit)));
                done += 2;
            }
            left = misfit(team, load);
            if left < PROGRESS * best {
                (best, idle) = (left, 0);
            } else if momentum.has_turned() {
                idle += 1;
            }
            if left < PROGRESS * least {
                least = left;
                in_vain = if in_vain < IN_VAIN { 0 } else { in_vain };
            } else {
                in_vain += 1;
            }
            if idle == PATIENCE {
                // Less momentum, and friction that follows the normal impulses more slowly.
                momentum.restrain();
                limit = Limit::Mean;
                (best, idle) = (left.min(2.0 * best), 0);
            }
        }
        (done, left)
    }
}

struct Sweeps(u32);

impl Task for Sweeps {
    type Output = ();
    const MOMENTUM: bool = false;

    fn run<A: LeverArms, R: Roll>(self, team: &mut Sweeper<A, R>, _: f64) {
        plain(team, 0, self.0);
    }
}

struct Residual;

impl Task for Residual {
    type Output = f64;
    const MOMENTUM: bool = false;

    fn run<A: LeverArms, R: Roll>(self, team: &mut Sweeper<A, R>, load: f64) -> f64 {
        misfit(team, load)
    }
}

/// Some sweeps, after `done` others: odd ones go backwards.
fn plain<A: LeverArms, R: Roll>(team: &mut Sweeper<A, R>, done: u32, count: u32) {
    for k in done..done + count {
        team.sweep(Pass::Plain, if k % 2 == 1 { Direction::Backwards } else { Direction::Forwards });
    }
}

fn gather<A: LeverArms, R: Roll>(team: &mut Sweeper<A, R>, pass: Pass) -> Sums {
    team.extras(pass);
    team.gathered().map(|v| v.gathered).sum()
}

fn misfit<A: LeverArms, R: Roll>(team: &mut Sweeper<A, R>, load: f64) -> f64 {
    team.sweep(Pass::Misfit, Direction::Forwards);
    let misfit = gather(team, Pass::Misfit).misfit;
    // Nothing to stop and nothing that pushes: any velocity left would be an error without a measure.
    if misfit == 0.0 { 0.0 } else { (misfit / load.max(f64::MIN_POSITIVE)).sqrt() }
}
