//! How fast self-gravity is at a target error.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec3;
use rubblepile_core::{Actions, Field, World};
use rubblepile_gravity::{Accuracy, Tree, direct_sample, rms_relative_error};

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::gravity,
};

pub struct SelfGravity;

/// Bodies on which the error is measured.
const SAMPLE: usize = 1000;

/// `n` bodies in the unit sphere with a mass of 1 in all.
pub fn world(kind: &str, n: usize) -> Result<World, CaseError> {
    let position = match kind {
        "uniform" => gravity::uniform(n),
        "rubble" => gravity::rubble(n),
        other => return Err(format!("there is no kind `{other}`: uniform or rubble").into()),
    };
    let mut world = World::new(1.0);
    for x in position {
        let row = world.bodies.push_sphere(x, 1e-6, 1.0, 0, 0);
        world.bodies.mass[row] = 1.0 / n as f64;
    }
    Ok(world)
}

/// The rms of |da| / |a| on evenly spaced bodies.
pub fn measured_error(world: &World, found: &[DVec3]) -> f64 {
    let n = world.bodies.len();
    let sample = SAMPLE.min(n);
    let rows: Vec<usize> = (0..sample).map(|k| k * n / sample).collect();
    let exact = direct_sample(&world.bodies.position, &world.bodies.mass, &rows, 1.0);
    let found: Vec<DVec3> = rows.iter().map(|&k| found[k]).collect();
    rms_relative_error(&found, &exact)
}

impl Case for SelfGravity {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "tree"
    }

    fn about(&self) -> &'static str {
        "tree build and accelerations (--n, --kind uniform|rubble, --error; prints the measured rms error)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let n = options.n.unwrap_or(100_000);
        let kinds = options.kind.as_deref().map_or(vec!["uniform", "rubble"], |k| vec![k]);
        let errors = options.error.map_or(vec![1e-3, 1e-4], |e| vec![e]);
        for kind in kinds {
            let mut world = world(kind, n)?;
            for &error in &errors {
                let mut tree = Tree::new(Accuracy::Error(error), 1, 1.0);
                let mut seconds = f64::INFINITY;
                // The first evaluation has no accelerations to judge errors by; a run has them from then on.
                world.rates.field.clear();
                for _ in 0..if n > 300_000 { 4 } else { 8 } {
                    let mut found = vec![DVec3::ZERO; n];
                    let start = Instant::now();
                    tree.act(&world, &mut Actions::on_bodies(&mut found))?;
                    seconds = seconds.min(start.elapsed().as_secs_f64());
                    world.rates.field = found;
                }
                rows.push(BenchRow {
                    case: "tree".into(),
                    size: n as u64,
                    threads: rayon::current_num_threads(),
                    seconds,
                    rate: n as f64 / seconds,
                    unit: "bodies/s".into(),
                    phases: BTreeMap::from([
                        ("target".into(), error),
                        ("rms error".into(), measured_error(&world, &world.rates.field)),
                        (format!("kind {kind}"), 1.0),
                    ]),
                });
            }
        }
        Ok(())
    }
}
