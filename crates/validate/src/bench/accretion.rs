//! Time per step by phase while a pile accretes: figure 12 of contact-dynamics-2021. Piles fall together at a step of 1 s for
//! `MINUTES` minutes, by when most of the energy is gone and nearly all contacts are there; then steps of the paper's 0.05 s are
//! timed, with gravity taken every step as in the paper.

use std::{collections::BTreeMap, time::Instant};

use rubblepile_core::{Measure, Report, method::edit};
use rubblepile_nonsmooth::NonsmoothState;

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    validate::pile::{Pile, PileSetup},
};

pub struct Accretion;

const MINUTES: f64 = 40.0;
const STEP: f64 = 0.05;

fn row(side: u32, polyhedra: bool) -> Result<BenchRow, CaseError> {
    let mut pile =
        PileSetup { seed: 1, side, polyhedra, friction: 0.0, timestep: 1.0, every: 1, tolerance: 1e-2 }
            .make(&Wrong::default())?;
    pile.advance(60.0 * MINUTES)?;
    edit(pile.method.as_mut(), &mut pile.world, |world| {
        world.clock.set_timestep(STEP);
        // Impulses are forces times the step, which was 1 s.
        let contacts = &mut world.part_or_default::<NonsmoothState>().contacts;
        contacts.iter_mut().for_each(|c| c.impulse *= STEP);
        Ok::<_, rubblepile_core::Error>(())
    })?;
    let steps = (200_000 / side.pow(3)).clamp(20, 400);
    let run = |pile: &mut Pile| {
        let until = pile.world.time() + f64::from(steps) * STEP;
        pile.advance(until)
    };
    run(&mut pile)?;
    pile.report = Report::new(Measure::ALL);
    let start = Instant::now();
    run(&mut pile)?;
    let seconds = start.elapsed().as_secs_f64();
    let ms = 1e3 / f64::from(steps);
    let mut phases: BTreeMap<String, f64> = pile
        .report
        .phases
        .iter()
        .map(|(name, spent)| (format!("{name}, ms a step"), ms * spent.as_secs_f64()))
        .collect();
    for (name, count) in &pile.report.counts {
        if matches!(*name, "solver iterations" | "contact updates") {
            phases.insert(format!("{name} a step"), *count as f64 / f64::from(steps));
        }
    }
    phases.insert(
        "hours for the paper's 150,000 steps".into(),
        150_000.0 * seconds / f64::from(steps) / 3600.0,
    );
    Ok(BenchRow {
        case: if polyhedra { "accretion-step, polyhedra".into() } else { "accretion-step, spheres".into() },
        size: u64::from(side.pow(3)),
        threads: rayon::current_num_threads(),
        seconds,
        rate: f64::from(steps) / seconds,
        unit: "steps/s".into(),
        phases,
    })
}

impl Case for Accretion {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "accretion-step"
    }

    fn about(&self) -> &'static str {
        "time per step by phase in an accreting pile (--n, rounded to a cube; --kind spheres|polyhedra)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let sides = match options.n {
            Some(n) => vec![((n as f64).cbrt().round() as u32).max(2)],
            None => vec![5, 8, 10, 15],
        };
        let kinds: &[bool] = match options.kind.as_deref() {
            None => &[false, true],
            Some("spheres") => &[false],
            Some("polyhedra") => &[true],
            Some(other) => return Err(format!("--kind {other}: there are spheres and polyhedra").into()),
        };
        for &polyhedra in kinds {
            for &side in &sides {
                rows.push(row(side, polyhedra)?);
            }
        }
        Ok(())
    }
}
