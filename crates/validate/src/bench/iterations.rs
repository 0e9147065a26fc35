//! How many iterations each solver of contact dynamics takes, against the number of grains and against their sizes. Iterations are the
//! same on every machine.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec3;
use rubblepile_core::{Rng, World};
use rubblepile_nonsmooth::{ContactDynamics, Settings, Solver, internals::IsolatedProblem};

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    validate::settled,
};

/// One step from rest on settled beds, from a cold start to the default tolerance.
pub struct Iterations;

/// Beds of equal spheres: layers, and spheres along a side.
const SIDES: [usize; 4] = [10, 16, 25, 32];
/// Largest over smallest diameter of beds of `MIXED` spheres, with as many in each octave.
const RATIOS: [f64; 5] = [1.0, 3.0, 10.0, 30.0, 100.0];
const MIXED: usize = 2000;
/// Share of the volume that is filled at first.
const LOOSE: f64 = 0.3;

const STEP: f64 = 0.01;
/// Pairs nearer than this, over the largest diameter, are in contact.
const REACH: f64 = 5e-4;
const MOST: u32 = 10_000;

const SOLVERS: [(Solver, &str); 3] = [
    (Solver::GaussSeidel, "gauss-seidel"),
    (Solver::AcceleratedGradient, "accelerated-gradient"),
    (Solver::SpectralGradient, "spectral-gradient"),
];

/// Spheres with diameters from `1 / ratio` to 1, placed at random from the largest to the smallest, about to fall.
fn mixed(ratio: f64) -> Result<World, CaseError> {
    let mut rng = Rng::stream(1, "mixed bed");
    let mut radii: Vec<f64> = (0..MIXED).map(|_| 0.5 * ratio.powf(-rng.range(0.0, 1.0))).collect();
    radii.sort_by(|a, b| b.total_cmp(a));
    let volume: f64 = radii.iter().map(|r| 4.19 * r.powi(3)).sum();
    let side = (volume / LOOSE).cbrt().ceil().max(4.0);
    let height = (volume / LOOSE / (side * side)).max(2.0);
    let mut world = settled::empty(side, 0.5, 0.0);
    for radius in radii {
        let free = |x: DVec3, world: &World| {
            let b = &world.bodies;
            (0..b.len()).all(|k| world.domain.shortest(b.position[k] - x).length() > b.radius[k] + radius)
        };
        let mut place = || {
            DVec3::new(
                rng.range(0.0, side),
                rng.range(0.0, side),
                rng.range(radius, (height - radius).max(1.0)),
            )
        };
        let place = (0..100_000).map(|_| place()).find(|x| free(*x, &world));
        let place = place.ok_or("a mixed bed has no room for a sphere")?;
        world.bodies.push_sphere(place, radius, settled::DENSITY, 0, 0);
    }
    Ok(world)
}

fn row(mut world: World, ratio: f64, step: f64, end: f64) -> Result<BenchRow, CaseError> {
    let loose =
        Settings { tolerance: 1e-2.into(), iterations: 200, unsolved_steps: 0, ..Settings::default() };
    settled::settle(&mut world, &mut ContactDynamics::new(loose), step, end)?;
    world.clock.set_timestep(STEP);
    world.bodies.velocity.fill(DVec3::ZERO);
    world.bodies.spin.fill(DVec3::ZERO);
    let bodies = world.bodies.len();
    let mut problem = IsolatedProblem::new(world, -DVec3::Z, REACH)?;
    let mut phases =
        BTreeMap::from([("contacts".into(), problem.contacts() as f64), ("size ratio".into(), ratio)]);
    let (mut seconds, mut updates) = (0.0, 0.0);
    for (solver, name) in SOLVERS {
        problem.restart();
        let start = Instant::now();
        let outcome = problem.solve(&Settings { solver, iterations: MOST, ..Settings::default() });
        phases.insert(format!("{name}, iterations"), f64::from(outcome.iterations));
        if !outcome.solved {
            phases.insert(format!("{name}, residual"), outcome.residual);
        }
        if solver == Solver::GaussSeidel {
            seconds = start.elapsed().as_secs_f64();
            updates = f64::from(outcome.iterations) * problem.contacts() as f64;
        }
    }
    Ok(BenchRow {
        case: "contact-iterations".into(),
        size: bodies as u64,
        threads: rayon::current_num_threads(),
        seconds,
        rate: updates / seconds,
        unit: "contact updates/s".into(),
        phases,
    })
}

impl Case for Iterations {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "contact-iterations"
    }

    fn about(&self) -> &'static str {
        "iterations of each contact solver to 1e-3 from a cold start (--kind sizes|ratios, --n: up to so many grains)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let (sizes, ratios) = match options.kind.as_deref() {
            None => (true, true),
            Some("sizes") => (true, false),
            Some("ratios") => (false, true),
            Some(other) => return Err(format!("--kind {other}: there are sizes and ratios").into()),
        };
        let most = options.n.unwrap_or(usize::MAX);
        for side in SIDES.into_iter().filter(|side| sizes && side.pow(3) <= most) {
            // The lattice has one sphere less along a side.
            let layers = side.pow(3).div_ceil((side - 1).pow(2));
            rows.push(row(settled::spheres(side, layers, 1, 0.5, 0.0), 1.0, 0.01, 15.0)?);
        }
        for ratio in RATIOS.into_iter().filter(|_| ratios && MIXED <= most) {
            rows.push(row(mixed(ratio)?, ratio, 0.004, 8.0)?);
        }
        Ok(())
    }
}
