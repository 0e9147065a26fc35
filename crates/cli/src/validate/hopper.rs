//! `hopper`: how many beads stay on the plate (section 3.1 of asteroid-surface-2024). validation/hopper says what the text
//! leaves open: the container's size is not known, so the judge is another program with the same set-up.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Report, Result, World,
    run::{Control, Wish},
};

use super::ValidateRow;
use crate::{
    assemble,
    cases::{Case, CaseError, Options},
};

pub struct Hopper;

const SCENARIO: &str = include_str!("../../../../scenarios/hopper.toml");
const REPOSE: &str = include_str!("../../../../validation/hopper/repose.toml");
/// Half the width of the plate, m.
const PLATE: f64 = 0.075;

/// What one run left.
struct Left {
    on_plate: usize,
    left_out: usize,
    right_out: usize,
    /// Kinetic energy a bead of those on the plate, J.
    energy: f64,
}

/// Nobody watches and nothing is saved.
struct Alone;

impl Control for Alone {
    fn tick(&mut self, _: &World, _: f64, _: &Report) -> Wish {
        Wish::GoOn
    }
    fn save(&mut self, _: &World, _: &Report) -> Result<()> {
        Ok(())
    }
}

/// Runs a scenario to its end without output.
fn to_the_end(name: &str, text: &str, sets: &[String]) -> std::result::Result<World, CaseError> {
    let mut simulation = assemble::in_memory(name, text, sets)
        .map_err(|f| f.report().map_or_else(|| "no report".into(), |r| format!("{r:?}")))?;
    simulation.run(&mut Alone)?;
    Ok(simulation.world)
}

/// Slope of the heap on a plate of half width 15 d, degrees: straight lines through the highest bead of each column of
/// width d, between 15 and 85 % of the half plate, mean of both sides.
fn repose(seed: u64) -> std::result::Result<f64, CaseError> {
    let world = to_the_end("validation/hopper/repose.toml", REPOSE, &[format!("run.seed={seed}")])?;
    let (half, d) = (0.15, 0.01);
    let slope = |sign: f64| {
        let mut points = Vec::new();
        for column in 0..15 {
            let x = d * (f64::from(column) + 0.5);
            let inside = |p: &&DVec3| p.z > 0.0 && (sign * p.x - x).abs() <= 0.5 * d;
            let top = world.bodies.position.iter().filter(inside).map(|p| p.z).fold(0.0, f64::max);
            if (0.15 * half..=0.85 * half).contains(&x) && top > 0.0 {
                points.push((x, top));
            }
        }
        let n = points.len() as f64;
        let (sx, sy) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        let (sxx, sxy) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 * p.0, s.1 + p.0 * p.1));
        -(n * sxy - sx * sy) / (n * sxx - sx * sx)
    };
    Ok(0.5 * (slope(1.0).atan() + slope(-1.0).atan()).to_degrees())
}

fn run(seed: u64, full: bool) -> std::result::Result<Left, CaseError> {
    let mut sets = vec![format!("run.seed={seed}")];
    if full {
        // The paper's step, 1e-6 s, is 1/50 of a contact of this stiffness.
        sets.push("material[0].stiffness=2.61e6".into());
    }
    let world = to_the_end("scenarios/hopper.toml", SCENARIO, &sets)?;
    let b = &world.bodies;
    let place = |x: DVec3| x.z > 0.0 && x.x.abs() <= PLATE;
    let on: Vec<usize> = (0..b.len()).filter(|&k| place(b.position[k])).collect();
    let energy: f64 = on.iter().map(|&k| 0.5 * b.mass[k] * b.velocity[k].length_squared()).sum();
    let side = |right: bool| {
        (0..b.len()).filter(|&k| !place(b.position[k]) && (b.position[k].x > 0.0) == right).count()
    };
    Ok(Left {
        on_plate: on.len(),
        left_out: side(false),
        right_out: side(true),
        energy: energy / on.len().max(1) as f64,
    })
}

impl Case for Hopper {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "hopper"
    }

    fn about(&self) -> &'static str {
        "1154 beads run out beside a plate: how many stay (three seeds; a few minutes)"
    }

    fn run(&self, options: &Options) -> std::result::Result<Vec<ValidateRow>, CaseError> {
        let left: std::result::Result<Vec<Left>, CaseError> =
            [11u64, 12, 13].into_par_iter().map(|seed| run(seed, options.full)).collect();
        let left = left?;
        let counts: Vec<String> = left.iter().map(|l| l.on_plate.to_string()).collect();
        let mean = left.iter().map(|l| l.on_plate as f64).sum::<f64>() / left.len() as f64;
        let moving = left.iter().map(|l| l.energy).fold(0.0, f64::max);
        let uneven = left
            .iter()
            .map(|l| (l.left_out as f64 - l.right_out as f64).abs() / (l.left_out + l.right_out) as f64)
            .fold(0.0, f64::max);
        let case = "hopper";
        let mut rows = vec![
            ValidateRow::new(
                case,
                format!("beads left on a plate of 15 d ({})", counts.join(", ")),
                91.7,
                mean,
                8.0,
                "LAMMPS, same law and container (93, 92, 90); experiment 128 +- 3 in a container of unknown size",
            ),
            ValidateRow::new(case, "kinetic energy a bead left, J", 0.0, moving, 1e-9, "at rest"),
            ValidateRow::new(case, "left and right, difference over sum", 0.0, uneven, 0.1, "symmetry"),
        ];
        if options.full {
            let angles: std::result::Result<Vec<f64>, CaseError> =
                [11u64, 12, 13].into_par_iter().map(repose).collect();
            let mean = angles?.iter().sum::<f64>() / 3.0;
            rows.push(ValidateRow::new(
                case,
                "angle of repose on a plate of 30 d, degrees",
                27.4,
                mean,
                3.0,
                "Zhou et al. 2002, experiment with glass beads",
            ));
        }
        Ok(rows)
    }
}
