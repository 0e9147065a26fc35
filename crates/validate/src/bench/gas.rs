//! How fast hard spheres collide: a gas in a periodic cube.

use std::{collections::BTreeMap, time::Instant};

use rubblepile_core::{Fields, Method, Report};
use rubblepile_hard::{HardSpheres, Settings};

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::gas::equal_spheres,
};

pub struct Gas;

/// Collisions that are timed, about: so many, and so many of each sphere.
const COLLISIONS: f64 = 4e5;
const COLLISIONS_EACH: f64 = 20.0;

fn one(n: usize, fraction: f64, restitution: f64) -> Result<BenchRow, CaseError> {
    let mut world = equal_spheres(n, fraction, (restitution, 1.0), 1);
    let mut method = HardSpheres::new(Settings { rest_speed: 0.0.into(), ..Settings::default() });
    // About ten collisions each: the lattice is gone.
    let contact = (1.0 - 0.5 * fraction) / (1.0 - fraction).powi(3);
    let rate = 24.0 / std::f64::consts::PI.sqrt() * fraction * contact;
    let mut run = |time: f64| -> Result<(f64, Report), CaseError> {
        let mut report = Report::default();
        world.clock.set_timestep(time);
        let until = world.time() + time;
        let start = Instant::now();
        method.advance(&mut world, &mut Fields::default(), until, &mut report)?;
        Ok((start.elapsed().as_secs_f64(), report))
    };
    run(10.0 / rate)?;
    let mut best: Option<BenchRow> = None;
    for _ in 0..3 {
        let (seconds, report) = run((2.0 * COLLISIONS / n as f64).max(COLLISIONS_EACH) / rate)?;
        let count = |what: &str| report.counts.iter().find(|c| c.0 == what).map_or(0, |c| c.1) as f64;
        let collisions = count("collisions of grains");
        let row = BenchRow {
            case: "gas".into(),
            size: n as u64,
            threads: 1,
            seconds,
            rate: collisions / seconds,
            unit: "collisions/s".into(),
            phases: BTreeMap::from([
                ("fraction".into(), fraction),
                ("restitution".into(), restitution),
                ("collisions".into(), collisions),
                ("cells crossed".into(), count("crossings of cells")),
            ]),
        };
        if best.as_ref().is_none_or(|b| row.rate > b.rate) {
            best = Some(row);
        }
    }
    best.ok_or_else(|| "nothing was timed".into())
}

impl Case for Gas {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "gas"
    }

    fn about(&self) -> &'static str {
        "hard spheres in a periodic cube (--n, default 10,000 and 100,000; --fraction, default 0.1, 0.3 and 0.5; --restitution, default 1 and 0.9)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let sizes = options.n.map_or(vec![10_000, 100_000], |n| vec![n.max(500)]);
        // Above that they do not fit in by chance, and below none meet.
        if let Some(wrong) = options.fraction.filter(|f| !(1e-3..=0.55).contains(f)) {
            return Err(format!("--fraction must be from 0.001 to 0.55, not {wrong}").into());
        }
        if let Some(wrong) = options.restitution.filter(|e| !(0.0..=1.0).contains(e)) {
            return Err(format!("--restitution must be from 0 to 1, not {wrong}").into());
        }
        let fractions = options.fraction.map_or(vec![0.1, 0.3, 0.5], |f| vec![f]);
        for n in sizes {
            for restitution in options.restitution.map_or(vec![1.0, 0.9], |e| vec![e]) {
                for &fraction in &fractions {
                    rows.push(one(n, fraction, restitution)?);
                }
            }
        }
        Ok(())
    }
}
