//! Non-smooth Gauss-Seidel: eq. (8) of contact-dynamics-2021, contact by contact with the solution of Table 1. Sweeps go
//! to and fro through the colours, which carries a load through a pile in either direction; see `momentum.rs` for what speeds
//! them up.

use crate::{
    batch::{Batch, LeverArms, Rolling},
    colours::{Direction, Leader, Slices},
    problem::{ContactProblem, with_points},
    relax::{Pass, Relax, Roll, Sums, Visit},
    solver::momentum::Momentum,
};

/// Sweeps before the first evaluation of the residual, and between two evaluations: whole pairs.
const FIRST: u32 = 4;
const EVERY: u32 = 8;

/// The residual has fallen if it is below the last lowest by `FALL`, and it has risen if it is above by `RISE`. Momentum is restrained
/// when it has risen at so many evaluations without having fallen: where contacts slide, momentum can lead in circles. While a load is
/// on its way through a deep pile, the residual neither falls nor rises.
const FALL: f64 = 0.9;
const RISE: f64 = 1.2;
const PATIENCE: u32 = 16;

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
        let (mut lowest, mut risen) = (left, 0);
        while left > self.tolerance && done < self.most {
            let next = (done + EVERY).min(self.most);
            while done < next {
                let (ahead, back) = (Pass::Ahead(momentum.stride()), Pass::Back(momentum.stride()));
                team.rows(ahead);
                team.sweep(ahead, Direction::Forwards);
                team.sweep(back, Direction::Backwards);
                momentum.advance(gather(team, back));
                done += 2;
            }
            left = misfit(team, load);
            if left < FALL * lowest {
                (lowest, risen) = (left, 0);
            } else if left > RISE * lowest {
                risen += 1;
            }
            if risen == PATIENCE {
                momentum.restrain();
                (lowest, risen) = (left, 0);
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
