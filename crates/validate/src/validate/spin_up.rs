//! `spin-up`: section 3.3 of contact-dynamics-2021. A settled pile of cohesive spheres is spun up.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{World, event::SetMaterial};

use super::{
    ValidateRow,
    pile::{Pile, PileSetup, settle},
};
use crate::cases::{Case, CaseError, Options, Rows};

pub struct SpinUp;

const CASE: &str = "spin-up";
const PAPER: &str = "contact-dynamics-2021, section 3.3, figure 14";
const MINUTE: f64 = 60.0;

/// The result of a pile.
struct Fate {
    /// Minutes from the first spin until the longest and the shortest semi-axis differ by three mean diameters.
    parted: f64,
    /// Shortest over mean of the other two semi-axes at that time, and how different those two were.
    flattening: f64,
    roundness: f64,
    overlap: f64,
}

fn plan(seed: u64, side: u32) -> PileSetup {
    PileSetup { seed, side, polyhedra: false, friction: 0.0, timestep: 0.5, every: 4, tolerance: 1e-2 }
}

/// A settled pile is given cohesion and turned.
fn spin_up(
    plan: PileSetup,
    settled: &World,
    force: f64,
    most: u32,
    log: &Rows<ValidateRow>,
) -> Result<Fate, CaseError> {
    let mut pile = Pile { world: settled.clone(), ..plan.make()? };
    let material = settled.materials[0].name.clone();
    pile.change(&SetMaterial { material, key: "cohesion_force".into(), value: force.into() }.into())?;
    pile.add_spin(2.7e-4 * DVec3::Z)?;
    let start = pile.world.time();
    let radii = &pile.world.bodies.radius;
    let three = 3.0 * 2.0 * radii.iter().sum::<f64>() / radii.len() as f64;
    let mut overlap = 0.0f64;
    for minute in 1..=most {
        if minute > 1 && (minute - 1) % 50 == 0 {
            pile.add_spin(9e-5 * DVec3::Z)?;
        }
        pile.advance(start + f64::from(minute) * MINUTE)?;
        if minute % 2 == 0 {
            overlap = overlap.max(pile.sample()?.overlap);
            let axes = semi_axes(&pile.world)?;
            if axes.x - axes.z > three {
                let flattening = axes.z / (0.5 * (axes.x + axes.y));
                log.note(format!(
                    "seed {}, cohesion {force} N: parted at {minute} min, semi-axes {axes:.1}",
                    plan.seed
                ));
                return Ok(Fate {
                    parted: f64::from(minute),
                    flattening,
                    roundness: axes.y / axes.x,
                    overlap,
                });
            }
        }
    }
    Err(format!("the pile with cohesion {force} N has not parted in {most} minutes").into())
}

/// Semi-axes, longest first, of the ellipsoid with the moments and the mass of all bodies together: figure 14 follows
/// them past the point where the pile comes apart.
fn semi_axes(world: &rubblepile_core::World) -> Result<DVec3, CaseError> {
    use rubblepile_probe::{Cluster, aggregate::equivalent_axes};
    let b = &world.bodies;
    let rows: Vec<u32> = (0..b.len() as u32).collect();
    let cluster = Cluster::of(world, rows, b.position.clone());
    let whole = rubblepile_probe::Aggregate::of(world, &cluster, &[], &[])?;
    Ok(equivalent_axes(whole.moments, whole.mass))
}

impl Case for SpinUp {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "a cohesive pile is spun up: it flattens, and breaks up later the stronger it is"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (side, forces, seeds): (u32, &[f64], u64) =
            if options.full { (15, &[1.0, 10.0, 100.0, 1000.0], 3) } else { (8, &[1.0, 1000.0], 1) };
        let settled: Vec<World> = (1..=seeds)
            .into_par_iter()
            .map(|seed| Ok(settle(plan(seed, side), 150, rows)?.pile.world))
            .collect::<Result<_, CaseError>>()?;
        // Every cohesion on one pile, and the weakest on others: by how much piles scatter that differ in their grains.
        let runs: Vec<(u64, f64)> =
            forces.iter().map(|&force| (1, force)).chain((2..=seeds).map(|seed| (seed, forces[0]))).collect();
        let row = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            ValidateRow::new(CASE, what, reference, ours, tolerance, source)
        };
        let fates =
            rows.in_order(runs.par_iter().enumerate().map(|(k, run)| (k, (k, run))), |(k, run), own| {
                let &(seed, force) = run;
                let fate = spin_up(plan(seed, side), &settled[seed as usize - 1], force, 900, rows)?;
                if k >= forces.len() {
                    return Ok(fate);
                }
                let mut push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
                    own.push(row(what, reference, ours, tolerance, source));
                };
                if options.full {
                    let paper = match force {
                        1.0 => Some(290.0),
                        1000.0 => Some(354.0),
                        _ => None,
                    };
                    if let Some(paper) = paper {
                        push(
                            format!("{force} N: semi-axes part, min"),
                            paper,
                            fate.parted,
                            0.15 * paper,
                            PAPER,
                        );
                    }
                }
                // Shorter along the axis of the spin than across it, and round seen along it.
                push(
                    format!("{force} N: shortest over the other semi-axes"),
                    0.5,
                    fate.flattening,
                    0.35,
                    "figure 13",
                );
                push(format!("{force} N: ratio of the other two"), 1.0, fate.roundness, 0.35, "figure 13");
                push(
                    format!("{force} N: deepest overlap over radius"),
                    0.0,
                    fate.overlap,
                    1e-3,
                    "the method's own bound",
                );
                Ok(fate)
            })?;
        let weakest = fates[forces.len()..].iter().chain([&fates[0]]).map(|fate| fate.parted);
        let scatter = weakest.clone().fold(0.0, f64::max) - weakest.fold(f64::INFINITY, f64::min);
        let times: Vec<f64> = fates[..forces.len()].iter().map(|fate| fate.parted).collect();
        let earlier = times.windows(2).map(|t| t[0] - t[1]).fold(0.0, f64::max);
        let what = "most minutes by which a stronger cohesion parts earlier";
        rows.push(row(what.into(), 0.0, earlier, scatter, PAPER));
        // A smaller pile is held by its cohesion for longer: the paper's number is for its own size.
        if options.full {
            let gain = times[times.len() - 1] - times[0];
            let what = "minutes later with the strongest than with the weakest";
            rows.push(row(what.into(), 64.0, gain, 60.0, PAPER));
        }
        Ok(())
    }
}
