//! `aggregation`: the case of study of nbody-polyhedra-2017 (section 3.2, Tables 1-3; section 4).

use std::time::Instant;

use glam::DVec3;
use rubblepile_core::{Report, Rng, World, run::Simulation};
use rubblepile_probe::{Aggregate, Envelope, aggregates, touching::pairs};

use super::ValidateRow;
use crate::{
    assemble,
    cases::{Case, CaseError, Options},
};

pub struct Aggregation;

const CASE: &str = "aggregation";
const PAPER: &str = "nbody-polyhedra-2017";
const SCENARIO: &str = include_str!("../../../../scenarios/aggregation.toml");
const HOUR: f64 = 3600.0;

/// The largest values of Table 2: speed, spin, and rotation of the cloud.
const FASTEST: [f64; 3] = [0.15, 1e-2, 5e-5];

/// What came of a cloud.
struct Outcome {
    bodies: usize,
    aggregate: Option<Aggregate>,
    porosity: f64,
    /// Part of the first touches that fell between 5 and 10 hours.
    between: f64,
}

/// One run of the campaign with the initial motions as parts of [`FASTEST`].
fn run(seed: u64, parts: [f64; 3], hours: u32) -> Result<Outcome, CaseError> {
    let start = Instant::now();
    let [speed, spin, rotation] = std::array::from_fn(|k| parts[k] * FASTEST[k]);
    let sets = [format!("run.seed={seed}")];
    let Simulation { mut world, mut method, mut fields, .. } =
        assemble::in_memory("scenarios/aggregation.toml", SCENARIO, &sets).map_err(|e| format!("{e:?}"))?;
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
    eprintln!(
        "seed {seed}, v {speed} m/s, w {spin} rad/s, W {rotation} rad/s: {bodies} bodies, porosity {porosity:.3}, elongation \
         {:.2}, period {:.1} h; {:.1} s",
        aggregate.as_ref().map_or(f64::NAN, |a| a.elongation),
        aggregate.as_ref().map_or(f64::NAN, |a| a.rotation_period() / HOUR),
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome { bodies, aggregate, porosity, between: inside as f64 / met.len().max(1) as f64 })
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
        "two hundred boulders fall together: how many, how porous, how long, how fast they turn"
    }

    fn run(&self, options: &Options) -> Result<Vec<ValidateRow>, CaseError> {
        let seeds = if options.full { 1..=5 } else { 1..=2 };
        let mut rows = Vec::new();
        let mut push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(CASE, what, reference, ours, tolerance, format!("{PAPER}, {source}")));
        };
        for seed in seeds.clone() {
            let still = run(seed, [0.0; 3], 40)?;
            push(
                format!("at rest, seed {seed}: bodies in the aggregate"),
                193.0,
                still.bodies as f64,
                10.0,
                "section 4.1",
            );
            push(
                format!("at rest, seed {seed}: porosity"),
                0.37,
                still.porosity,
                0.05,
                "section 4.2: 34 to 40 %",
            );
            let elongation = still.aggregate.as_ref().map_or(f64::NAN, |a| a.elongation);
            push(
                format!("at rest, seed {seed}: elongation"),
                1.925,
                elongation,
                0.775,
                "section 4.2: 1.15 to 2.7",
            );
            push(
                format!("at rest, seed {seed}: first touches between 5 and 10 h"),
                0.75,
                still.between,
                0.25,
                "section 4.1",
            );
        }
        // Table 2: beyond these no aggregate forms.
        let count = if options.full { 3 } else { 1 };
        for (k, what) in ["speed 0.2 m/s", "", "rotation 6.7e-5 rad/s"].into_iter().enumerate() {
            if what.is_empty() {
                continue;
            }
            for seed in 1..=count {
                let mut parts = [0.0; 3];
                parts[k] = 4.0 / 3.0;
                let fast = run(seed, parts, 40)?;
                push(
                    format!("{what}, seed {seed}: part of the bodies in the aggregate"),
                    0.0,
                    fast.bodies as f64 / 200.0,
                    0.25,
                    "Table 2",
                );
            }
        }
        // Figure 6: the period falls as each of the motions grows.
        for (k, what) in ["speed", "spin", "rotation"].into_iter().enumerate() {
            let mut periods = Vec::new();
            for part in [0.0, 0.3, 0.6] {
                let mut parts = [0.0; 3];
                parts[k] = part;
                let period = run(1, parts, 40)?.aggregate.map_or(f64::NAN, |a| a.rotation_period() / HOUR);
                periods.push(period);
            }
            push(
                format!("period with {what} at 0.3 over that at rest"),
                0.0,
                periods[1] / periods[0],
                1.0,
                "figure 6",
            );
            push(
                format!("period with {what} at 0.6 over that at 0.3"),
                0.5,
                periods[2] / periods[1],
                0.5,
                "figure 6",
            );
        }
        Ok(rows)
    }
}
