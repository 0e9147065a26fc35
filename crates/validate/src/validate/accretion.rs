//! `accretion-spheres` and `accretion-polyhedra`: section 3.2 of contact-dynamics-2021.

use rayon::prelude::*;
use rubblepile_core::G;

use super::{
    ValidateRow,
    pile::{MINUTE, PileSetup, Settled, settle},
};
use crate::cases::{Case, CaseError, Options, Rows};

pub struct Spheres;
pub struct Polyhedra;

const SPHERES: &str = "accretion-spheres";
const POLYHEDRA: &str = "accretion-polyhedra";
const PAPER: &str = "contact-dynamics-2021, section 3.2";

const FALLS: &str = "sizes at which the coordination number falls";

/// How far a pile is followed, minutes: the paper's plateau begins at 125.
const MINUTES: u32 = 150;

/// The paper's step is 0.05 s; ten times that gives the same piles (a row of `--full`) in a tenth of the time. Gravity of
/// the large ones is kept for two seconds; the small ones are held to their momentum.
fn plan(side: u32, polyhedra: bool, friction: f64) -> PileSetup {
    let every = if side <= 10 { 1 } else { 4 };
    PileSetup { seed: 1, side, polyhedra, friction, timestep: 0.5, every, tolerance: 1e-2 }
}

/// Everything that both kinds of grains are judged by, for one pile each of several sizes.
fn sizes(
    case: &str,
    sides: &[u32],
    polyhedra: bool,
    rows: &Rows<ValidateRow>,
) -> Result<Vec<Settled>, CaseError> {
    let plans: Vec<PileSetup> = sides.iter().map(|&side| plan(side, polyhedra, 0.0)).collect();
    settle_all(&plans, rows, |plan, settled, rows| {
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
        let fall = fall_time(settled);
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
        let momentum = (now.linear - start.linear).length() / peak_scale(settled, peak.kinetic);
        let angular = (now.angular - start.angular).length()
            / (peak_scale(settled, peak.kinetic) * 0.5 * settled.rest.diameter);
        if plan.every == 1 && n < 5000 {
            push("drift of momentum over m v at the peak", 0.0, momentum, 1e-10, "conservation");
            push("drift of angular momentum over m v R at the peak", 0.0, angular, 1e-10, "conservation");
        }
        Ok(())
    })
}

/// Independent piles side by side, the largest first, and `judge` for each.
fn settle_all(
    plans: &[PileSetup],
    rows: &Rows<ValidateRow>,
    judge: impl Fn(&PileSetup, &mut Settled, &mut Vec<ValidateRow>) -> Result<(), CaseError> + Sync,
) -> Result<Vec<Settled>, CaseError> {
    let mut all = rows.in_order(plans.par_iter().enumerate().rev(), |plan, own| {
        let mut settled = settle(*plan, MINUTES, rows)?;
        judge(plan, &mut settled, own)?;
        Ok(settled)
    })?;
    all.reverse();
    Ok(all)
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

/// Figure 9b: how many sizes have a smaller Z than the one before.
fn sizes_at_which_z_falls(all: &[Settled]) -> f64 {
    all.windows(2).filter(|w| w[1].rest.coordination < w[0].rest.coordination - 0.1).count() as f64
}

/// Z of `n` bodies without friction that have come to rest, each with `freedoms` ways to move. Every body is held, for gravity
/// presses it on others, so there are as many constraints as ways to move, but for the six of the pile as a whole; and no
/// more, for then the forces would not be determined, which takes sizes that fit by chance.
fn isostatic(freedoms: f64, n: f64) -> f64 {
    2.0 * (freedoms * n - 6.0) / n
}

/// Twenty-seven bodies followed until they rest: mean Z over the last tenth of `minutes`.
fn coordination_at_rest(plan: PileSetup, minutes: u32) -> Result<f64, CaseError> {
    let mut pile = plan.make()?;
    let last = minutes / 10;
    pile.advance(f64::from(minutes - last) * MINUTE)?;
    let mut sum = 0.0;
    for minute in minutes - last + 1..=minutes {
        pile.advance(f64::from(minute) * MINUTE)?;
        sum += pile.sample()?.coordination;
    }
    Ok(sum / f64::from(last))
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

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let sides: &[u32] = if options.full { &[5, 8, 10, 15, 20, 30] } else { &[5, 8, 10, 15] };
        let all = sizes(SPHERES, sides, false, rows)?;
        let push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(SPHERES, what, reference, ours, tolerance, source));
        };
        // Half of the tolerance is for reading the figure, half for what the step and the solver make (the validation page).
        for (s, reference) in [(&all[0], 3.5), (&all[all.len() - 1], 5.0)] {
            let what = format!("{} grains: coordination number", s.pile.world.bodies.len());
            push(what, reference, s.rest.coordination, 1.0, "figure 9b");
        }
        push(FALLS.into(), 0.0, sizes_at_which_z_falls(&all), 0.0, "figure 9b");
        let few = PileSetup { tolerance: 1e-6, ..plan(3, false, 0.0) };
        push(
            "27 grains wholly at rest: coordination number".into(),
            isostatic(3.0, 27.0),
            coordination_at_rest(few, 500)?,
            1e-12,
            "as many contacts as ways to move",
        );
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
            let fine =
                settle(PileSetup { timestep: 0.05, every: 10, ..plan(10, false, 0.0) }, MINUTES, rows)?;
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
        let others =
            settle_all(&frictions.map(|friction| plan(15, false, friction)), rows, |_, _, _| Ok(()))?;
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
            rows.note(format!(
                "friction {friction}: Z {:.3}, packing {:.4}",
                settled.rest.coordination, settled.rest.packing
            ));
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
        Ok(())
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

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let sides: &[u32] = if options.full { &[5, 8, 10, 15, 20] } else { &[5, 8, 10, 15] };
        let all = sizes(POLYHEDRA, sides, true, rows)?;
        for s in &all {
            let n = s.pile.world.bodies.len();
            let push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
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
        let push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(POLYHEDRA, what, reference, ours, tolerance, source));
        };
        // The paper's 5 to 7 are of piles that still move: at rest there are nearly 12 (the validation page).
        for s in &all {
            let n = s.pile.world.bodies.len();
            let (least, most) = (5.0 - 1.0, isostatic(6.0, n as f64));
            push(
                format!("{n} grains: coordination number, from the paper's least to that at rest"),
                0.5 * (least + most),
                s.rest.coordination,
                0.5 * (most - least),
                "figure 9b; as many constraints as ways to move",
            );
        }
        push(FALLS.into(), 0.0, sizes_at_which_z_falls(&all), 0.0, "figure 9b");
        let few = PileSetup { timestep: 5.0, tolerance: 1e-4, ..plan(3, true, 0.0) };
        let rest = isostatic(6.0, 27.0);
        push(
            "27 grains after 25 hours: coordination number".into(),
            rest,
            coordination_at_rest(few, 1500)?,
            0.1 * rest,
            "as many constraints as ways to move",
        );
        if options.full {
            let fine = settle(PileSetup { timestep: 0.05, every: 10, ..plan(10, true, 0.0) }, MINUTES, rows)?;
            push(
                "1000 grains at the paper's step: coordination number".into(),
                6.0,
                fine.rest.coordination,
                1.0,
                "figure 9b: 5 to 7",
            );
        }
        let pressure = pressure_against_diameter(&all);
        rows.push(ValidateRow::new(
            POLYHEDRA,
            "exponent of pressure over squared packing against diameter",
            2.0,
            exponent(&pressure),
            0.1,
            "eq. (23), figure 11b",
        ));
        Ok(())
    }
}
