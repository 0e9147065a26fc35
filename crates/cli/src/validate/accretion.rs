//! `accretion-spheres` and `accretion-polyhedra`: section 3.2 of contact-dynamics-2021.

use rayon::prelude::*;
use rubblepile_core::G;

use super::{
    ValidateRow,
    pile::{Plan, Settled, settle},
};
use crate::cases::{Case, CaseError, Options};

pub struct Spheres;
pub struct Polyhedra;

const SPHERES: &str = "accretion-spheres";
const POLYHEDRA: &str = "accretion-polyhedra";
const PAPER: &str = "contact-dynamics-2021, section 3.2";

/// How far a pile is followed, minutes: the paper's plateau begins at 125.
const MINUTES: u32 = 150;

/// The paper's step is 0.05 s; ten times that gives the same piles (a row of `--full`) in a tenth of the time. Gravity of
/// the large ones is kept for two seconds; the small ones are held to their momentum.
fn plan(side: u32, polyhedra: bool, friction: f64) -> Plan {
    Plan { seed: 1, side, polyhedra, friction, timestep: 0.5, every: if side <= 10 { 1 } else { 4 } }
}

/// Everything that both kinds of grains are judged by, for one pile each of several sizes.
fn sizes(case: &str, sides: &[u32], polyhedra: bool) -> Result<(Vec<ValidateRow>, Vec<Settled>), CaseError> {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    let plans: Vec<Plan> = sides.iter().map(|&side| plan(side, polyhedra, 0.0)).collect();
    for (plan, mut settled) in plans.iter().zip(settle_all(&plans)?) {
        let start = plan.make()?.momenta();
        let n = plan.grains();
        let mut push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(
                case,
                format!("{n} grains: {what}"),
                reference,
                ours,
                tolerance,
                source,
            ));
        };
        let peak = settled
            .samples
            .iter()
            .max_by(|a, b| a.kinetic.total_cmp(&b.kinetic))
            .copied()
            .unwrap_or_default();
        let fall = fall_time(&settled);
        if n >= 1000 {
            push(
                "peak of kinetic energy, min",
                fall / 60.0,
                peak.time / 60.0,
                0.2 * fall / 60.0,
                "free fall of a ball",
            );
        }
        push(
            "kinetic energy after 125 min over the peak",
            0.0,
            settled.rest.kinetic / peak.kinetic,
            0.05,
            PAPER,
        );
        push(
            "deepest overlap over radius after 125 min",
            0.0,
            settled.rest.overlap,
            1e-3,
            "the method's own bound",
        );
        // The virial of a pile at rest: the contacts bear what gravity pulls, 3 P V = -U.
        let volume = std::f64::consts::PI / 6.0 * settled.rest.diameter.powi(3);
        let potential = settled.pile.fields.potential_energy(&settled.pile.world)?;
        let virial = 3.0 * settled.rest.pressure * volume / -potential;
        push("3 P V over potential energy", 1.0, virial, 0.05, "virial theorem; eqs (19), (20)");
        let now = settled.pile.momenta();
        let momentum = (now.linear - start.linear).length() / peak_scale(&settled, peak.kinetic);
        let angular = (now.angular - start.angular).length()
            / (peak_scale(&settled, peak.kinetic) * 0.5 * settled.rest.diameter);
        if plan.every == 1 && n < 5000 {
            push("drift of momentum over m v at the peak", 0.0, momentum, 1e-10, "conservation");
            push("drift of angular momentum over m v R at the peak", 0.0, angular, 1e-10, "conservation");
        }
        all.push(settled);
    }
    Ok((rows, all))
}

/// Independent piles side by side, the largest first.
fn settle_all(plans: &[Plan]) -> Result<Vec<Settled>, CaseError> {
    let settled: Result<Vec<_>, _> = plans.par_iter().rev().map(|&plan| settle(plan, MINUTES)).collect();
    settled.map(|mut all| {
        all.reverse();
        all
    })
}

/// Mass times the typical speed at the peak.
fn peak_scale(settled: &Settled, kinetic: f64) -> f64 {
    let b = &settled.pile.world.bodies;
    (2.0 * kinetic * b.len() as f64 * b.total_mass()).sqrt()
}

/// Time in which a homogeneous ball as dense as the grid falls together to a dense random packing, where its inside stops.
fn fall_time(settled: &Settled) -> f64 {
    const DENSE: f64 = 0.6;
    let b = &settled.pile.world.bodies;
    let grid = b.total_mass() / (1000.0 * b.len() as f64);
    let solid: f64 =
        (0..b.len()).map(|k| settled.pile.world.volume(k)).sum::<f64>() / (1000.0 * b.len() as f64);
    let x: f64 = (solid / DENSE).cbrt().min(1.0);
    let unit = (3.0 / (8.0 * std::f64::consts::PI * G * grid)).sqrt();
    unit * (x.sqrt().acos() + (x * (1.0 - x)).sqrt())
}

/// Figure 9b: Z of the smallest and of the largest pile, and that it rises in between. Without friction a pile still trembles
/// after 125 minutes, and how many contacts bear something at a moment depends on the step and on how well it is solved (the
/// validation pages have numbers), which the paper does not say: half of the tolerance is for that, half for reading the figure.
fn rows_of_coordination(
    all: &[Settled],
    smallest: f64,
    largest: f64,
    push: &mut impl FnMut(String, f64, f64, f64, &str),
) {
    let z: Vec<f64> = all.iter().map(|s| s.rest.coordination).collect();
    let ends = [(0, smallest), (all.len() - 1, largest)];
    for (k, reference) in ends {
        let what = format!("{} grains: coordination number", all[k].pile.world.bodies.len());
        push(what, reference, z[k], 1.0, "figure 9b");
    }
    let falling = z.windows(2).filter(|w| w[1] < w[0] - 0.1).count();
    push("sizes at which the coordination number falls".into(), 0.0, falling as f64, 0.0, "figure 9b");
}

/// Slope of log y against log x.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in points {
        let (x, y) = (x.ln(), y.ln());
        (sx, sy, sxx, sxy) = (sx + x, sy + y, sxx + x * x, sxy + x * y);
    }
    (n * sxy - sx * sy) / (n * sxx - sx * sx)
}

/// Eq. (23) has P ~ rho^2 D^2 with rho the density of the enclosing sphere, which small piles fill less than large ones.
fn pressure_against_diameter(all: &[Settled]) -> Vec<(f64, f64)> {
    all.iter().map(|s| (s.rest.diameter, s.rest.pressure / s.rest.packing.powi(2))).collect()
}

/// Pressure over that of a homogeneous ball of the pile's mass and size: one line for all shapes.
fn on_the_line(s: &Settled) -> f64 {
    let mass = s.pile.world.bodies.total_mass();
    let radius = 0.5 * s.rest.diameter;
    // 3 P V = 3 G M^2 / 5 R
    let expected = 3.0 * G * mass * mass / (20.0 * std::f64::consts::PI * radius.powi(4));
    s.rest.pressure / expected
}

impl Case for Spheres {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        SPHERES
    }

    fn about(&self) -> &'static str {
        "spheres fall together: energy, coordination, packing and pressure of the pile"
    }

    fn run(&self, options: &Options) -> Result<Vec<ValidateRow>, CaseError> {
        let sides: &[u32] = if options.full { &[5, 8, 10, 15, 20, 30] } else { &[5, 8, 10, 15] };
        let (mut rows, all) = sizes(SPHERES, sides, false)?;
        let mut push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(SPHERES, what, reference, ours, tolerance, source));
        };
        rows_of_coordination(&all, 3.5, 5.0, &mut push);
        let pressure = pressure_against_diameter(&all);
        push(
            "exponent of pressure over squared packing against diameter".into(),
            2.0,
            exponent(&pressure),
            0.1,
            "eq. (23), figure 11b",
        );
        for s in &all {
            let n = s.pile.world.bodies.len();
            push(
                format!("{n} grains: pressure over that of a homogeneous ball"),
                1.0,
                on_the_line(s),
                0.2,
                "figure 11b",
            );
        }
        if options.full {
            // The same pile at the paper's own step.
            let fine = settle(Plan { timestep: 0.05, every: 10, ..plan(10, false, 0.0) }, MINUTES)?;
            let coarse = all.iter().find(|s| s.pile.world.bodies.len() == 1000).ok_or("no pile of 1,000")?;
            let (z, phi) = (fine.rest.coordination, fine.rest.packing);
            push(
                "1000 grains: coordination at 0.5 s".into(),
                z,
                coarse.rest.coordination,
                0.2,
                "ours at 0.05 s",
            );
            push(
                "1000 grains: packing fraction at 0.5 s".into(),
                phi,
                coarse.rest.packing,
                0.02,
                "ours at 0.05 s",
            );
        }
        // Figures 9b and 10b, insets: 3,375 spheres.
        let frictions = [0.1, 0.2, 0.4, 0.6, 0.8];
        let others = settle_all(&frictions.map(|friction| plan(15, false, friction)))?;
        let smooth = all.iter().find(|s| s.pile.world.bodies.len() == 3375).ok_or("no pile of 3,375")?;
        let mut series = Vec::new();
        for (friction, settled) in std::iter::once((0.0, smooth)).chain(frictions.into_iter().zip(&others)) {
            let reference = match friction {
                0.0 => Some((6.0, 1.5)),
                0.8 => Some((4.0, 0.5)),
                _ => None,
            };
            if let Some((reference, tolerance)) = reference {
                let what = format!("friction {friction}: coordination number");
                push(what, reference, settled.rest.coordination, tolerance, "figure 9b, inset");
            }
            eprintln!(
                "friction {friction}: Z {:.3}, packing {:.4}",
                settled.rest.coordination, settled.rest.packing
            );
            series.push((friction, settled.rest));
        }
        let phi = |mu: f64| series.iter().find(|s| s.0 == mu).map_or(f64::NAN, |s| s.1.packing);
        let late = (phi(0.8) - phi(0.4)) / (phi(0.4) - phi(0.0));
        push(
            "change of packing from friction 0.4 to 0.8 over that from 0 to 0.4".into(),
            0.0,
            late,
            0.35,
            "figure 10b, inset",
        );
        Ok(rows)
    }
}

impl Case for Polyhedra {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        POLYHEDRA
    }

    fn about(&self) -> &'static str {
        "polyhedra fall together: energy, coordination and pressure of the pile"
    }

    fn run(&self, options: &Options) -> Result<Vec<ValidateRow>, CaseError> {
        let sides: &[u32] = if options.full { &[5, 8, 10, 15, 20] } else { &[5, 8, 10, 15] };
        let (mut rows, all) = sizes(POLYHEDRA, sides, true)?;
        for s in &all {
            let n = s.pile.world.bodies.len();
            let mut push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
                let what = format!("{n} grains: {what}");
                rows.push(ValidateRow::new(POLYHEDRA, what, reference, ours, tolerance, source));
            };
            push(
                "pressure over that of a homogeneous ball",
                1.0,
                on_the_line(s),
                0.2,
                "figure 11b: one line with spheres",
            );
        }
        let mut push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(POLYHEDRA, what, reference, ours, tolerance, source));
        };
        rows_of_coordination(&all, 5.0, 7.0, &mut push);
        let pressure = pressure_against_diameter(&all);
        rows.push(ValidateRow::new(
            POLYHEDRA,
            "exponent of pressure over squared packing against diameter",
            2.0,
            exponent(&pressure),
            0.1,
            "eq. (23), figure 11b",
        ));
        Ok(rows)
    }
}
