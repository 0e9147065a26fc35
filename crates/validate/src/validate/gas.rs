//! `enskog` and `haff`: kinetic theory of a gas of hard spheres.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Fields, Method, Report, World};
use rubblepile_gravity::Uniform;
use rubblepile_hard::{HardSpheres, Settings};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper, Verdict},
    workload::gas::equal_spheres,
};

pub struct Enskog;
pub struct Haff;

const ENSKOG: &str = "enskog";
const HAFF: &str = "haff";

const PAIRS: Claim = Claim {
    paper: Paper::HardSphere2011,
    item: "section 2.1, eqs (1)-(3)",
    what: "no collision of two particles is missed",
    verdict: Verdict::Reproduced { tolerance: "1 %: Enskog's rate is good to half a per cent" },
};
const CONSERVED: Claim = Claim {
    paper: Paper::HardSphere2011,
    item: "section 2.1, impulses",
    what: "collisions of smooth elastic spheres conserve energy and momentum",
    verdict: Verdict::Reproduced {
        tolerance: "1e-12: rounding, 1e-16 per collision, ten million collisions",
    },
};
const LOSS: Claim = Claim {
    paper: Paper::HardSphere2011,
    item: "section 2.1, eq. (4)",
    what: "a collision takes 1 - ε_n² of the energy along the normal",
    verdict: Verdict::Reproduced {
        tolerance: "3 %: a cooling gas is not exactly Maxwellian, a per cent here",
    },
};

/// Collisions of one sphere in a unit of time, for unit diameter, mass and temperature: Enskog's, with the contact value of
/// Carnahan and Starling.
pub fn rate(n: usize, fraction: f64) -> f64 {
    let density = n as f64 / (n as f64 * std::f64::consts::PI / 6.0 / fraction);
    let contact = (1.0 - 0.5 * fraction) / (1.0 - fraction).powi(3);
    4.0 * std::f64::consts::PI.sqrt() * density * contact
}

/// Runs for a time in drifts of about ten collisions per sphere; gives the number of collisions.
pub fn run(world: &mut World, duration: f64, rate: f64) -> Result<u64, CaseError> {
    run_in(&mut Fields::default(), world, duration, rate)
}

fn run_in(fields: &mut Fields, world: &mut World, duration: f64, rate: f64) -> Result<u64, CaseError> {
    let drifts = (duration * rate / 10.0).ceil().max(1.0);
    world.clock.set_timestep(duration / drifts);
    let mut report = Report::default();
    let until = world.time() + duration;
    HardSpheres::new(Settings { rest_speed: 0.0.into(), ..Settings::default() }).advance(
        world,
        fields,
        until,
        &mut report,
    )?;
    Ok(report.counts.iter().find(|c| c.0 == "collisions of grains").map_or(0, |c| c.1))
}

fn temperature(world: &World) -> f64 {
    world.bodies.kinetic_energy().0 / (1.5 * world.bodies.len() as f64)
}

impl Case for Enskog {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        ENSKOG
    }

    fn about(&self) -> &'static str {
        "an elastic gas of hard spheres: rate of collisions, energy and momentum over ten million of them"
    }

    fn claims(&self) -> &'static [Claim] {
        static CLAIMS: [Claim; 2] = [PAIRS, CONSERVED];
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["fraction", "restitution", "field"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (n, events) = if options.full { (10_000, 1e7) } else { (4000, 1e6) };
        rows.in_order([0.1, 0.3, 0.45].into_par_iter().enumerate(), |fraction, own| {
            let wrong = &options.wrong;
            let mut world = equal_spheres(n, fraction * wrong.factor("fraction"), (1.0, 1.0), 1);
            let expected = rate(n, fraction);
            let field = DVec3::Z * (wrong.factor("field") - 1.0);
            let mut fields = Fields { list: vec![Box::new(Uniform { acceleration: field })] };
            // The lattice melts.
            run(&mut world, 60.0 / expected, expected)?;
            world.materials[0].restitution_normal *= wrong.factor("restitution");
            let momentum = |w: &World| w.bodies.velocity.iter().sum::<DVec3>();
            let (energy, before) = (temperature(&world), momentum(&world));
            let duration = 2.0 * events / (n as f64 * expected);
            let collisions = run_in(&mut fields, &mut world, duration, expected)?;
            let drift = (temperature(&world) / energy - 1.0).abs();
            let lost = (momentum(&world) - before).length() / (n as f64);
            let ratio = 2.0 * collisions as f64 / (n as f64 * duration) / expected;
            let mut push = |claim: &Claim, what: &str, reference: f64, ours: f64, tolerance: f64| {
                let what = format!("volume fraction {fraction}: {what}");
                own.push(claim.row(ENSKOG, what, reference, ours, tolerance));
            };
            push(&PAIRS, "collisions over Enskog's rate", 1.0, ratio, 0.01);
            push(&CONSERVED, "change of the energy", 0.0, drift, 1e-12);
            push(&CONSERVED, "change of the momentum, over m v each", 0.0, lost, 1e-12);
            Ok(())
        })?;
        Ok(())
    }
}

impl Case for Haff {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        HAFF
    }

    fn about(&self) -> &'static str {
        "an inelastic gas cools: temperature over time"
    }

    fn claims(&self) -> &'static [Claim] {
        static CLAIMS: [Claim; 1] = [LOSS];
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["restitution"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let n = if options.full { 100_000 } else { 20_000 };
        let (fraction, e) = (0.1, 0.95);
        let mut world = equal_spheres(n, fraction, (1.0, 1.0), 2);
        let omega = rate(n, fraction);
        run(&mut world, 60.0 / omega, omega)?;
        world.materials[0].restitution_normal = e * options.wrong.factor("restitution");
        let start = temperature(&world);
        // Each collision takes (1 - e^2) k T: dT/dt = -(1 - e^2) omega T / 3, and omega goes as the root of T.
        let tau = 6.0 / ((1.0 - e * e) * omega * start.sqrt());
        let mut time = 0.0;
        for t in [0.5, 1.0, 2.0, 4.0] {
            run(&mut world, (t - time) * tau, omega / (1.0 + time))?;
            time = t;
            let expected = (1.0f64 + t).powi(-2);
            let what = format!("temperature after {t} times of cooling, over the first");
            let ours = temperature(&world) / start;
            rows.push(LOSS.row(HAFF, what, expected, ours, 0.03 * expected));
        }
        Ok(())
    }
}
