//! How fast deformable grains are solved: sand that begins to fall together in a box.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec2;
use rubblepile_meshfree::step::{Stepper, Times};

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::deformable::sand_box,
};

pub struct Compaction;

/// Steps of 0.2 s (meshfree-2016, Table I): the first grains have met by then.
const STEPS: usize = 30;
const TIMESTEP: f64 = 0.2;

impl Case for Compaction {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "compaction"
    }

    fn about(&self) -> &'static str {
        "deformable sand settles: Newton-Raphson iterations (--n grains, default 25)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let (mut sample, settings) = sand_box(options.n.unwrap_or(25).max(1), 1)?;
        let n = sample.nodes();
        let mut stepper = Stepper::new(settings);
        let mut state = stepper.start(&sample, vec![DVec2::ZERO; n], vec![DVec2::ZERO; n])?;
        let (start, mut iterations, mut times) = (Instant::now(), 0, Times::default());
        for _ in 0..STEPS {
            let (next, effort) = stepper.advance(&mut sample, &state, TIMESTEP, |_, _| {})?;
            state = next;
            iterations += effort.newton;
            times += effort.times;
        }
        let seconds = start.elapsed().as_secs_f64();
        rows.push(BenchRow {
            case: self.name().into(),
            size: sample.grains.len() as u64,
            threads: rayon::current_num_threads(),
            seconds,
            rate: iterations as f64 / seconds,
            unit: "iterations/s".into(),
            phases: BTreeMap::from(
                [
                    ("nodes", n as f64),
                    ("steps", STEPS as f64),
                    ("search", times.search.as_secs_f64()),
                    ("forces", times.forces.as_secs_f64()),
                    ("tangents", times.tangents.as_secs_f64()),
                    ("solution", times.solution.as_secs_f64()),
                ]
                .map(|(name, value)| (name.to_string(), value)),
            ),
        });
        Ok(())
    }
}
