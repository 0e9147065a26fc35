//! `solvers`: the three solvers of contact dynamics on the same problems. validation/solvers/README.md says what can
//! be the same and what cannot.

use glam::DVec3;
use rubblepile_core::World;
use rubblepile_nonsmooth::{ContactDynamics, Settings, Solver, internals::IsolatedProblem};

use super::{ValidateRow, settled};
use crate::{
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper},
};

pub struct Solvers;

const CASE: &str = "solvers";

const METHOD: Claim = Paper::ContactDynamics2021.reproduced(
    "tables 1 and 2, eqs (8), (12), (13)",
    "block Gauss-Seidel over contacts solves the contact problem",
    "a hundred times the residual: what the softest mode of six layers can hide; two other solvers find the same velocities",
);
/// With rolling friction.
const ONE_SLIPS: &str = "one wedged sphere of 294 slips in the solutions of all three solvers; whether it could rest is not known";
const STEP: f64 = 0.01;
const REACH: f64 = 5e-4;
/// How much softer than one contact the softest way is in which a bed can move: a residual leaves so much more open.
const SOFTEST: f64 = 100.0;
/// Of g h: velocities further apart belong to two solutions, not to one that is not exact.
const ANOTHER: f64 = 0.01;
const ALL: [(Solver, &str); 3] = [
    (Solver::GaussSeidel, "Gauss-Seidel"),
    (Solver::AcceleratedGradient, "accelerated gradient"),
    (Solver::SpectralGradient, "spectral gradient"),
];

/// One settled bed as a problem of one step from rest.
fn problem(world: &World, [friction, rolling]: [f64; 2]) -> Result<(IsolatedProblem, f64), CaseError> {
    let mut world = world.clone();
    world.clock.set_timestep(STEP);
    let material = &mut world.materials[0];
    (material.friction_sliding, material.friction_rolling, material.friction_twisting) =
        (friction, rolling, rolling);
    material.shape = 1.0;
    world.materials[0].restitution_normal = 0.0;
    world.bodies.velocity.iter_mut().for_each(|v| *v = DVec3::ZERO);
    world.bodies.spin.iter_mut().for_each(|w| *w = DVec3::ZERO);
    let weight = STEP * world.bodies.total_mass();
    Ok((IsolatedProblem::new(world, -DVec3::Z, REACH)?, weight))
}

/// Velocities of the surfaces by spin, as vectors along the spin.
fn turning(world: &World, spins: &[DVec3]) -> Vec<DVec3> {
    spins.iter().zip(&world.bodies.radius).map(|(w, r)| *w * *r).collect()
}

/// How far velocities are apart, over the speed that gravity gives in the step: the root mean square over all bodies that
/// are less than `another` apart, and the part that is more. Coulomb's law lets a wedged grain hold or slip, both rightly.
fn apart(a: &[DVec3], b: &[DVec3], another: f64) -> (f64, f64) {
    let all = a.iter().zip(b).map(|(a, b)| (*a - *b).length_squared() / (STEP * STEP));
    let same: Vec<f64> = all.filter(|square| *square < another * another).collect();
    let rms = (same.iter().sum::<f64>() / same.len().max(1) as f64).sqrt();
    (rms, 1.0 - same.len() as f64 / a.len().max(1) as f64)
}

fn compare(
    rows: &Rows<ValidateRow>,
    label: &str,
    world: &World,
    coefficients: [f64; 2],
    tolerance: f64,
) -> Result<(), CaseError> {
    let [friction, rolling] = coefficients;
    let (mut problem, weight) = problem(world, coefficients)?;
    let rolls = if rolling > 0.0 { format!(", rolling {rolling}") } else { String::new() };
    let mut first: Option<(Vec<DVec3>, Vec<DVec3>, f64)> = None;
    for (solver, name) in ALL {
        problem.restart();
        let settings =
            Settings { solver, tolerance: tolerance.into(), iterations: 200_000, ..Settings::default() };
        let outcome = problem.solve(&settings);
        let what = |what: &str| format!("{label}, friction {friction}{rolls}, {name}: {what}");
        let source = "the same problem, solved three ways";
        rows.push(ValidateRow::new(CASE, what("residual"), 0.0, outcome.residual, tolerance, source));
        let (velocities, turns) = (problem.velocities(), turning(world, &problem.spins()));
        let floor = problem.on_walls() / weight;
        let quantity = what("floor impulse over weight");
        let allowed = SOFTEST * tolerance;
        match &first {
            None => {
                // Without friction nothing stands: only what friction holds must press with all its weight.
                if friction > 0.0 {
                    let statics = ValidateRow::new(CASE, quantity, 1.0, floor, allowed, "statics");
                    rows.push(if rolling > 0.0 { statics.red(ONE_SLIPS) } else { statics });
                }
                if rolling > 0.0 {
                    let moving = velocities.iter().filter(|v| v.length() > ANOTHER * STEP).count();
                    let (part, quantity) =
                        (moving as f64 / velocities.len() as f64, what("part of grains that move"));
                    rows.push(ValidateRow::new(CASE, quantity, 0.0, part, 0.01, "Coulomb: not unique"));
                }
                first = Some((velocities, turns, floor));
            }
            Some((reference, turned, load)) => {
                rows.push(ValidateRow::new(CASE, quantity, *load, floor, allowed, source));
                // Without friction the velocities are unique: none is left out.
                let another = if friction > 0.0 { ANOTHER } else { f64::INFINITY };
                let (rms, others) = apart(reference, &velocities, another);
                rows.push(ValidateRow::new(CASE, what("velocities apart"), 0.0, rms, allowed, source));
                if rolling > 0.0 {
                    let (rms, _) = apart(turned, &turns, another);
                    rows.push(ValidateRow::new(CASE, what("spins apart"), 0.0, rms, allowed, source));
                }
                if friction > 0.0 {
                    let quantity = what("part of grains with another solution");
                    rows.push(ValidateRow::new(CASE, quantity, 0.0, others, 0.01, "Coulomb: not unique"));
                }
            }
        }
    }
    Ok(())
}

impl Case for Solvers {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "Gauss-Seidel, accelerated and spectral gradient on the same beds of spheres and of boulders"
    }

    fn claims(&self) -> &'static [Claim] {
        &[METHOD]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (side, layers) = if options.full { (16, 8) } else { (8, 6) };
        let quiet = Settings { unsolved_steps: 0, ..Settings::default() };
        let mut spheres = settled::spheres(side, layers, 1, 0.5, 0.0);
        settled::settle(&mut spheres, &mut ContactDynamics::new(quiet.clone()), 5e-3, 30.0)?;
        let mut boulders = settled::boulders(side / 2, layers, 1, 0.5);
        settled::settle(&mut boulders, &mut ContactDynamics::new(quiet), 5e-3, 30.0)?;
        for (label, world) in [("spheres", &spheres), ("boulders", &boulders)] {
            compare(rows, label, world, [0.0, 0.0], 1e-6)?;
            compare(rows, label, world, [0.5, 0.0], 1e-5)?;
            compare(rows, label, world, [0.5, 0.1], 1e-5)?;
        }
        Ok(())
    }
}
