//! `soft-nonsmooth`: the same beds settled by soft spheres and by contact dynamics. validation/soft-nonsmooth/README.md
//! says by how much they may differ.

use rayon::prelude::*;
use rubblepile_core::World;
use rubblepile_nonsmooth::{ContactDynamics, Settings};
use rubblepile_soft::{STEPS_PER_CONTACT, SoftSpheres, shortest_contact_time};

use super::{
    ValidateRow,
    settled::{self, Bed},
};
use crate::cases::{Case, CaseError, Options, Rows};

pub struct SoftNonsmooth;

const CASE: &str = "soft-nonsmooth";
const FRICTION: f64 = 0.5;
const RESTITUTION: f64 = 0.3;
const STIFFNESS: f64 = 2e4;
const END: f64 = 30.0;
/// Gap at which rigid spheres touch: what the solver leaves of a contact.
const TOUCH: f64 = 1e-5;
/// Standard errors that two means may be apart.
const SURE: f64 = 3.0;
const SOURCE: &str = "the other method; overlap and scatter allowed for";

fn soft(mut world: World) -> Result<World, CaseError> {
    world.materials[0].stiffness = Some(STIFFNESS);
    let settings = rubblepile_soft::Settings::default();
    let shortest = shortest_contact_time(&world, &settings).ok_or("no contact time")?;
    let step = shortest.seconds / STEPS_PER_CONTACT;
    settled::settle(&mut world, &mut SoftSpheres::new(settings), step, END)?;
    Ok(world)
}

fn rigid(mut world: World) -> Result<World, CaseError> {
    let settings =
        Settings { tolerance: 1e-3.into(), iterations: 300, unsolved_steps: 0, ..Settings::default() };
    settled::settle(&mut world, &mut ContactDynamics::new(settings), 5e-3, END)?;
    Ok(world)
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}

impl Case for SoftNonsmooth {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "the same beds settled by soft spheres and by contact dynamics: packing fraction, coordination number"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (side, layers, seeds) = if options.full { (12, 16, 8) } else { (9, 16, 4) };
        let mut packing = [Vec::new(), Vec::new()];
        let (mut kinetic, mut overlap) = ([0.0f64; 2], Vec::new());
        let (mut soft_contacts, mut touching, mut within_overlap) = (Vec::new(), Vec::new(), Vec::new());
        let settle = |seed: u64| -> Result<[World; 2], CaseError> {
            let start = settled::spheres(side, layers, seed, FRICTION, RESTITUTION);
            Ok([soft(start.clone())?, rigid(start)?])
        };
        // A bed is too small for several threads; several beds are not.
        let seeds: Vec<u64> = (1..=seeds).collect();
        let all = seeds.into_par_iter().map(settle).collect::<Result<Vec<_>, _>>()?;
        for worlds in all {
            let beds = [Bed::of(&worlds[0])?, Bed::of(&worlds[1])?];
            for k in 0..2 {
                packing[k].push(beds[k].packing);
                kinetic[k] = kinetic[k].max(beds[k].kinetic);
            }
            overlap.push(beds[0].overlap);
            soft_contacts.push(settled::coordination(&worlds[0], 0.0));
            touching.push(settled::coordination(&worlds[1], TOUCH));
            within_overlap.push(settled::coordination(&worlds[1], beds[0].overlap));
        }
        let push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(CASE, what, reference, ours, tolerance, source));
        };
        for (k, name) in ["soft", "contact dynamics"].into_iter().enumerate() {
            push(&format!("{name}: kinetic energy a grain, m g d"), 0.0, kinetic[k], 1e-4, "settled");
        }
        let (depth, _) = mean(&overlap);
        let [(s, s_error), (r, r_error)] = [mean(&packing[0]), mean(&packing[1])];
        push("standard error of packing fractions", 0.0, s_error.hypot(r_error), 5e-3, "scatter");
        // Between no effect of the overlap and all lengths shorter by it.
        let denser = 3.0 * depth * s;
        let tolerance = 0.5 * denser + SURE * s_error.hypot(r_error);
        push("packing fraction, contact dynamics", s - 0.5 * denser, r, tolerance, SOURCE);
        let [soft, low, high] = [mean(&soft_contacts), mean(&touching), mean(&within_overlap)];
        let error = soft.1.hypot(low.1.max(high.1));
        push("standard error of coordination numbers", 0.0, error, 0.1, "scatter");
        // The overlap brings into touch what rigid spheres keep apart by less than it.
        let (middle, half) = (0.5 * (low.0 + high.0), 0.5 * (high.0 - low.0));
        push("coordination number, soft", middle, soft.0, half + SURE * error, SOURCE);
        push("what the overlap can add to it", 0.0, high.0 - low.0, 0.5, "gaps of the rigid beds");
        Ok(())
    }
}
