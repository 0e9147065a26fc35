//! `free-rotation`: figure 4 of contact-dynamics-2021, energy of polyhedra that rotate freely (a) and that collide
//! elastically (b). validation/free-rotation/README.md has what is judged and why.

use glam::{DQuat, DVec3};
use rubblepile_core::{Fields, G, Rng, World};
use rubblepile_geometry::solid::{random_polyhedron, scaled};
use rubblepile_gravity::Direct;
use rubblepile_nonsmooth::Settings;
use rubblepile_probe::momentum::Momenta;

use super::{
    ValidateRow,
    rigid::{self, Run},
    wrong_field::wrong_field,
};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper},
};

pub struct FreeRotation;

const CASE: &str = "free-rotation";
const PAPER: Paper = Paper::ContactDynamics2021;

const FREE: Claim = PAPER.reproduced(
    "figure 4(a)",
    "the error of the energy of one polyhedron that rotates freely for 150 min grows with the step and the spin",
    "0 to rounding, 1e-9: ours is a rule that conserves energy and angular momentum at any step, better than the paper's",
);
const BOUND: Claim = PAPER.reproduced(
    "section 3.1, step",
    "less than 1 % of error at 0.05 s and 0.05 rad/s",
    "1e-4, a hundredth of the paper's bound",
);
const COLLIDING: Claim = PAPER.reproduced(
    "figure 4(b)",
    "largest error of the energy while two rotating polyhedra collide without loss",
    "1e-4: the text has no number, so a hundredth of that of figure 4(a)",
);
const SPINS: [f64; 3] = [0.005, 0.05, 0.5];
const STEPS: [f64; 6] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0];
/// 150 minutes.
const END: f64 = 9000.0;
const LOOKS: u32 = 150;
const RADIUS: f64 = 5.0;
/// Of the energy and the angular momentum of one body, over 1.8 million half steps: see the page.
const ROUNDING: f64 = 1e-9;

/// One polyhedron that spins about all its axes of inertia.
fn tumbler(spin: f64, step: f64) -> World {
    let mut world = rigid::world(step, 0.0, 0.0);
    let polyhedron = scaled(&random_polyhedron(20, &mut Rng::stream(2, CASE)), RADIUS);
    let row = rigid::add_solid(&mut world, polyhedron, DVec3::ZERO, DQuat::IDENTITY);
    world.bodies.spin[row] = DVec3::splat(spin);
    world
}

/// Largest relative errors of the energy and of the angular momentum over 150 minutes.
fn turn(spin: f64, step: f64, wrong: &Wrong) -> Result<(f64, f64), CaseError> {
    let mut run = Run::new(tumbler(spin, step), Fields::default(), Settings::default());
    let drag = wrong.factor("spin");
    let (energy, before) = (run.energy()?, Momenta::of(&run.world.bodies).angular);
    let mut worst = (0.0f64, 0.0f64);
    for k in 1..=LOOKS {
        run.until(END * f64::from(k) / f64::from(LOOKS))?;
        if k == LOOKS / 2 {
            run.world.bodies.spin[0] *= drag;
        }
        let now = Momenta::of(&run.world.bodies).angular;
        worst.0 = worst.0.max((run.energy()? / energy - 1.0).abs());
        worst.1 = worst.1.max((now - before).length() / before.length());
    }
    Ok(worst)
}

/// Spin in the body's axes after `end`, by our method.
fn spin_after(spin: f64, step: f64, end: f64) -> Result<DVec3, CaseError> {
    let mut run = Run::new(tumbler(spin, step), Fields::default(), Settings::default());
    run.until(end)?;
    let b = &run.world.bodies;
    Ok(b.orientation[0].inverse() * b.spin[0])
}

/// The same from Euler's equations `I dw/dt = (I w) x w` by the Runge-Kutta rule of fourth order.
fn exact_spin_after(spin: f64, end: f64, wrong: &Wrong) -> DVec3 {
    let inertia = tumbler(spin, 1.0).bodies.inertia[0] * DVec3::new(wrong.factor("inertia"), 1.0, 1.0);
    let rate = |w: DVec3| (inertia * w).cross(w) / inertia;
    let steps = 100_000;
    let h = end / f64::from(steps);
    let mut w = DVec3::splat(spin);
    for _ in 0..steps {
        let a = rate(w);
        let b = rate(w + 0.5 * h * a);
        let c = rate(w + 0.5 * h * b);
        let d = rate(w + h * c);
        w += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    w
}

/// What was seen of two bodies that collide.
struct Collision {
    energy: f64,
    momentum: f64,
    angular: f64,
    /// Largest change of a velocity, m/s.
    pushed: f64,
}

/// Two polyhedra that fall and drift towards each other, turning; no friction, no loss.
fn collide(spin: f64, step: f64, wrong: &Wrong) -> Result<Collision, CaseError> {
    let mut world = rigid::world(step, 0.0, wrong.factor("restitution"));
    let mut rng = Rng::stream(6, CASE);
    for side in [-1.0, 1.0] {
        let polyhedron = scaled(&random_polyhedron(20, &mut rng), RADIUS);
        let place = DVec3::new(6.0 * side, 0.2 * side, 0.0);
        let row = rigid::add_solid(&mut world, polyhedron, place, DQuat::IDENTITY);
        world.bodies.velocity[row] = wrong.factor("velocity") * DVec3::new(-0.01 * side, 0.0, 0.0);
        world.bodies.spin[row] = spin * DVec3::new(1.0, side, 1.0);
    }
    let fields = Fields { list: vec![wrong_field(Box::new(Direct::new(G, 1)), wrong)] };
    let mut run = Run::new(world, fields, rigid::tight());
    let (before, energy, v) = (Momenta::of(&run.world.bodies), run.energy()?, run.velocity(0));
    let mut seen = Collision { energy: 0.0, momentum: 0.0, angular: 0.0, pushed: 0.0 };
    for k in 1..=LOOKS {
        run.until(END * f64::from(k) / f64::from(LOOKS))?;
        if k == LOOKS / 2 {
            run.world.bodies.spin[0] *= wrong.factor("spin");
        }
        let now = Momenta::of(&run.world.bodies);
        seen.energy = seen.energy.max((run.energy()? / energy - 1.0).abs());
        seen.momentum = seen.momentum.max((now.linear - before.linear).length() / now.linear_scale);
        seen.angular = seen.angular.max((now.angular - before.angular).length() / now.angular_scale);
        seen.pushed = seen.pushed.max((run.velocity(0) - v).length());
    }
    Ok(seen)
}

impl Case for FreeRotation {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "a polyhedron rotates freely, two collide elastically: energy and angular momentum over 150 minutes"
    }

    fn claims(&self) -> &'static [Claim] {
        &[FREE, BOUND, COLLIDING]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["spin", "inertia", "restitution", "velocity", "gravity", "gravity_on_first"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let shortest = if options.full { 0.0 } else { 0.05 };
        for spin in SPINS {
            for step in STEPS.into_iter().filter(|s| *s >= shortest) {
                let (energy, angular) = turn(spin, step, wrong)?;
                let label = |what: &str| format!("4a, {spin} rad/s, {step} s: {what}");
                if (spin, step) == (0.05, 0.05) {
                    rows.push(BOUND.row(CASE, label("error of energy"), 0.0, energy, 1e-4));
                }
                let quantity = label("error of energy, rounding");
                rows.push(FREE.row(CASE, quantity, 0.0, energy, ROUNDING));
                let quantity = label("error of angular momentum");
                rows.push(FREE.row(CASE, quantity, 0.0, angular, ROUNDING));
            }
        }
        phase(wrong, rows)?;
        collisions(wrong, rows, shortest)?;
        Ok(())
    }
}

/// That it is not only conserved but right: the spin after a time, and how its error falls with the step.
fn phase(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (spin, end) = (0.05, 600.0);
    let exact = exact_spin_after(spin, end, wrong);
    let error = |step: f64| Ok((spin_after(spin, step, end)? - exact).length() / exact.length());
    let errors = [0.2, 0.1, 0.05].map(error).into_iter().collect::<Result<Vec<f64>, CaseError>>()?;
    let source = "Euler's equations by Runge-Kutta";
    let quantity = "spin after 600 s, 0.05 rad/s, 0.05 s: error";
    rows.push(ValidateRow::new(CASE, quantity, 0.0, errors[2], 1e-4, source));
    for (pair, steps) in errors.windows(2).zip(["0.2 s over 0.1 s", "0.1 s over 0.05 s"]) {
        let quantity = format!("spin after 600 s: error at {steps}");
        rows.push(ValidateRow::new(CASE, quantity, 4.0, pair[0] / pair[1], 0.1, "second order"));
    }
    Ok(())
}

fn collisions(wrong: &Wrong, rows: &Rows<ValidateRow>, shortest: f64) -> Result<(), CaseError> {
    for spin in SPINS {
        // Only where a body turns by little in a step does a contact found at its middle mean anything.
        for step in STEPS.into_iter().filter(|s| *s >= shortest && spin * *s <= 0.25) {
            let seen = collide(spin, step, wrong)?;
            let label = |what: &str| format!("4b, {spin} rad/s, {step} s: {what}");
            let push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
                rows.push(ValidateRow::new(CASE, label(what), reference, ours, tolerance, source));
            };
            push("collided", 1.0, f64::from(u8::from(seen.pushed > 1e-3)), 0.0, "set-up");
            rows.push(COLLIDING.row(CASE, label("largest error of energy"), 0.0, seen.energy, 1e-4));
            push("error of momentum", 0.0, seen.momentum, 1e-12, "conservation");
            push("error of angular momentum", 0.0, seen.angular, 1e-9, "conservation");
        }
    }
    Ok(())
}
