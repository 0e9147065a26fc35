//! `aggregation`: the case study of nbody-polyhedra-2017 (section 3.2, Tables 1-3; section 4).

use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Report, Rng, World, run::Engine};
use rubblepile_probe::{Aggregate, Envelope, aggregates, touching::pairs};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    scenario::simulation,
};

pub struct Aggregation;

const CASE: &str = "aggregation";
const PAPER: &str = "nbody-polyhedra-2017";
const SCENARIO: &str = include_str!("../../scenarios/aggregation.toml");
const HOUR: f64 = 3600.0;

/// The largest values of Table 2: speed, spin, and rotation of the cloud.
const FASTEST: [f64; 3] = [0.15, 1e-2, 5e-5];

/// Parts of the largest values at which the period is evaluated. A rotation of a fifth of the largest already makes an
/// aggregate that can turn no faster.
const PARTS: [[f64; 3]; 3] = [[0.2, 0.4, 0.8], [0.2, 0.4, 0.8], [0.02, 0.06, 0.2]];

/// The result of a cloud.
struct CloudResult {
    bodies: usize,
    aggregate: Option<Aggregate>,
    porosity: f64,
    /// Part of the first touches that fell between 5 and 10 hours.
    between: f64,
}

/// One run of the campaign with the initial motions as parts of [`FASTEST`].
fn run(seed: u64, parts: [f64; 3], hours: u32, log: &Rows<ValidateRow>) -> Result<CloudResult, CaseError> {
    let start = Instant::now();
    let [speed, spin, rotation] = std::array::from_fn(|k| parts[k] * FASTEST[k]);
    let sets = [format!("run.seed={seed}")];
    let Engine { mut world, mut method, mut fields, .. } =
        simulation("scenarios/aggregation.toml", SCENARIO, &sets)?;
    set_in_motion(&mut world, seed, speed, spin, rotation);
    let mut report = Report::default();
    let mut met = std::collections::BTreeMap::new();
    for quarter in 1..=4 * hours {
        let time = 0.25 * HOUR * f64::from(quarter);
        method.advance(&mut world, &mut fields, time, &mut report)?;
        for pair in pairs(&world, &method.contacts(&world)?)? {
            let id = |row: u32| world.bodies.id[row as usize];
            if let Some(partner) = pair.partner_row {
                let (a, b) = (id(pair.row), id(partner));
                met.entry((a.min(b), a.max(b))).or_insert(time);
            }
        }
    }
    let contacts = method.contacts(&world)?;
    let aggregate = aggregates(&world, &contacts)?.into_iter().next();
    let porosity = match &aggregate {
        Some(a) => Envelope::of_rows(&world, &a.rows, None)?.porosity(),
        None => f64::NAN,
    };
    let inside = met.values().filter(|&&t| (5.0 * HOUR..=10.0 * HOUR).contains(&t)).count();
    let bodies = aggregate.as_ref().map_or(0, |a| a.rows.len());
    log.note(format!(
        "seed {seed}, v {speed} m/s, w {spin} rad/s, W {rotation} rad/s: {bodies} bodies, porosity {porosity:.3}, elongation \
         {:.2}, period {:.1} h; {:.1} s",
        aggregate.as_ref().map_or(f64::NAN, |a| a.elongation),
        aggregate.as_ref().map_or(f64::NAN, |a| a.rotation_period() / HOUR),
        start.elapsed().as_secs_f64()
    ));
    Ok(CloudResult { bodies, aggregate, porosity, between: inside as f64 / met.len().max(1) as f64 })
}

/// Random directions of one speed and one spin, and a rotation of the cloud about z (section 3.2).
fn set_in_motion(world: &mut World, seed: u64, speed: f64, spin: f64, rotation: f64) {
    let mut rng = Rng::stream(seed, CASE);
    let b = &mut world.bodies;
    for k in 0..b.len() {
        b.velocity[k] = speed * rng.direction() + (rotation * DVec3::Z).cross(b.position[k]);
        b.spin[k] = spin * rng.direction();
    }
}

impl Case for Aggregation {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "two hundred boulders fall together: size, porosity, elongation and rotation of the aggregate"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (seeds, fast) = if options.full { (5, 3) } else { (2, 1) };
        // At rest; faster than Table 2 allows; each motion at parts of its largest value.
        let mut plans: Vec<(u64, [f64; 3])> = (1..=seeds).map(|seed| (seed, [0.0; 3])).collect();
        for seed in 1..=fast {
            plans.push((seed, [4.0 / 3.0, 0.0, 0.0]));
            plans.push((seed, [0.0, 0.0, 4.0 / 3.0]));
        }
        for k in 0..3 {
            for part in PARTS[k] {
                let mut parts = [0.0; 3];
                parts[k] = part;
                plans.push((1, parts));
            }
        }
        let row = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            ValidateRow::new(CASE, what, reference, ours, tolerance, format!("{PAPER}, {source}"))
        };
        let outcomes = rows.in_order(plans.par_iter().enumerate(), |&(seed, parts), own| {
            let found = run(seed, parts, 40, rows)?;
            let mut push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
                own.push(row(what, reference, ours, tolerance, source));
            };
            let fast = parts.iter().position(|part| *part > 1.0);
            if parts == [0.0; 3] {
                let elongation = found.aggregate.as_ref().map_or(f64::NAN, |a| a.elongation);
                let what = |what: &str| format!("at rest, seed {seed}: {what}");
                push(what("bodies in the aggregate"), 193.0, found.bodies as f64, 10.0, "section 4.1");
                push(what("porosity"), 0.37, found.porosity, 0.05, "section 4.2: 34 to 40 %");
                push(what("inertial elongation"), 1.925, elongation, 0.8, "section 4.2: 1.15 to 2.7");
                push(what("first touches between 5 and 10 h"), 0.75, found.between, 0.25, "section 4.1");
            } else if let Some(k) = fast {
                let motion = if k == 0 { "speed 0.2 m/s" } else { "rotation 6.7e-5 rad/s" };
                let what = format!("{motion}, seed {seed}: part of the bodies in one aggregate");
                push(what, 0.0, found.bodies as f64 / 200.0, 0.25, "Table 2");
            }
            Ok(found)
        })?;
        let mut outcomes = outcomes.into_iter().skip((seeds + 2 * fast) as usize);
        // Figure 6: the period falls as each of the motions grows. Without any it is infinite: what does not turn at the
        // start cannot turn in the end.
        for (motion, own) in ["speed", "spin", "rotation"].into_iter().zip(PARTS) {
            let mut last = f64::INFINITY;
            for part in own {
                let period = outcomes
                    .next()
                    .ok_or("a run is missing")?
                    .aggregate
                    .map_or(f64::NAN, |a| a.rotation_period() / HOUR);
                if last.is_finite() {
                    let what = format!("{motion} at {part} of its largest: period over that before");
                    rows.push(row(what, 0.5, period / last, 0.5, "figure 6"));
                }
                last = period;
            }
        }
        Ok(())
    }
}
