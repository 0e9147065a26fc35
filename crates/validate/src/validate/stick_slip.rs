//! `stick-slip`: rigid bodies that stick, slide, stack, bounce, roll and stand, against theory, under contact
//! dynamics. validation/stick-slip/README.md has the theory; letters below are its sections.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use rubblepile_core::{Fields, Method, World};
use rubblepile_geometry::solid;
use rubblepile_nonsmooth::Settings;

use super::{
    ValidateRow,
    rigid::{self, GRAVITY, Run, tight},
};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper},
};

pub struct StickSlip;

const CASE: &str = "stick-slip";
const PAPER: Paper = Paper::ContactDynamics2021;

const CLAIMS: [Claim; 3] = [
    PAPER.reproduced(
        "eqs (9), (10)",
        "Signorini's condition, Newton's restitution",
        "exact in discrete steps: the solver's 1e-9, and what a bounce in the middle of a step leaves open",
    ),
    PAPER.reproduced("eq. (11), figure 2", "Coulomb's law: sticks within the cone, slides on it", "as above"),
    PAPER.reproduced(
        "figure 3",
        "a face on a face is held by three points, an edge on a face by two, so that forces of blocks are right",
        "1e-4 of the load on each of ten boxes, whose faces touch in four corners",
    ),
];

impl Case for StickSlip {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "rigid bodies: block on a slope, stack, bounces, sliding to rolling, Painleve's rod, an arch"
    }

    fn claims(&self) -> &'static [Claim] {
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["friction", "restitution", "gravity", "step"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        slope(wrong, rows)?;
        stack(wrong, rows)?;
        bounces(wrong, rows)?;
        rolling(wrong, rows)?;
        rod(wrong, rows)?;
        arch(wrong, rows)?;
        Ok(())
    }
}

fn row(rows: &Rows<ValidateRow>, what: String, reference: f64, ours: f64, tolerance: f64, source: &str) {
    rows.push(ValidateRow::new(CASE, what, reference, ours, tolerance, source));
}

/// With what is to be wrong.
fn world(wrong: &Wrong, timestep: f64, friction: f64, restitution: f64) -> World {
    let restitution = restitution * wrong.factor("restitution");
    rigid::world(timestep * wrong.factor("step"), friction * wrong.factor("friction"), restitution)
}

fn falling(wrong: &Wrong, gravity: DVec3) -> Fields {
    rigid::falling(gravity * wrong.factor("gravity"))
}

/// A: a block sticks below the angle of friction and slides above it.
fn slope(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let source = "Coulomb: sticks below tan = mu, else a = g (sin - mu cos)";
    for mu in [0.2, 0.4, 0.6, 0.8f64] {
        for part in [0.5, 0.99, 1.01, 1.5] {
            let (sin, cos) = (part * mu).atan().sin_cos();
            let mut world = world(wrong, 0.01, mu, 0.0);
            rigid::add_floor(&mut world);
            let block = solid::block(DVec3::new(1.0, 0.8, 0.5));
            rigid::add_solid(&mut world, block, DVec3::new(0.0, 0.0, 0.25), DQuat::IDENTITY);
            let mut run = Run::new(world, falling(wrong, GRAVITY * DVec3::new(sin, 0.0, -cos)), tight());
            run.until(1.0)?;
            let v = run.velocity(0);
            let label = format!("A, mu {mu}, tan {part} mu:");
            if part < 1.0 {
                row(rows, format!("{label} speed after 1 s, m/s"), 0.0, v.length(), 1e-8, source);
            } else {
                let a = GRAVITY * (sin - mu * cos);
                let ours = v.x / run.world.time();
                row(rows, format!("{label} acceleration, m/s2"), a, ours, 1e-6 * a, source);
            }
        }
    }
    Ok(())
}

/// B: ten boxes, each turned against the one below, stand and press on each other by what lies above.
fn stack(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let count = 10;
    let mut world = world(wrong, 5e-3, 0.5, 0.0);
    rigid::add_floor(&mut world);
    for k in 0..count {
        let turn = DQuat::from_rotation_z(0.3 * k as f64);
        let place = DVec3::new(0.0, 0.0, 0.25 + 0.5 * k as f64);
        rigid::add_solid(&mut world, solid::block(DVec3::new(1.0, 1.0, 0.5)), place, turn);
    }
    let (before, weight) = (world.bodies.position.clone(), world.bodies.mass[0] * GRAVITY);
    // Face on face ten times over is slow to solve from a cold start: the first steps take all of these.
    let settings = Settings { iterations: 20_000, ..tight() };
    let mut run = Run::new(world, falling(wrong, DVec3::new(0.0, 0.0, -GRAVITY)), settings);
    run.until(2.0)?;
    let moved = (0..count).map(|k| (run.position(k) - before[k]).length()).fold(0.0, f64::max);
    row(rows, "B, stack of ten: largest move after 2 s, m".into(), 0.0, moved, 1e-6, "statics");
    // The force through the lower face of each box is the weight from it upwards.
    let mut through = vec![0.0; count];
    for c in run.method.contacts(&run.world)? {
        let partner = c.partner_row.map(|k| run.world.bodies.id[k as usize]);
        let upper = partner.map_or(c.body, |p| p.max(c.body)) as usize;
        let up = if partner.is_some_and(|p| p > c.body) { -c.force.z } else { c.force.z };
        through[upper] += up;
    }
    for k in [0, 5, 9] {
        let expected = (count - k) as f64;
        let what = format!("B, stack of ten: force under box {} over a box's weight", k + 1);
        row(rows, what, expected, through[k] / weight, 1e-4 * expected, "statics");
    }
    Ok(())
}

/// C: the tops of the bounces of a ball dropped from 1 m.
fn bounces(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (radius, step) = (0.1, 1e-4);
    for e in [0.5, 0.8, 1.0f64] {
        let mut world = world(wrong, step, 0.3, e);
        rigid::add_floor(&mut world);
        rigid::add_sphere(&mut world, DVec3::Z * (1.0 + radius), radius);
        let mut run = Run::new(world, falling(wrong, DVec3::new(0.0, 0.0, -GRAVITY)), tight());
        let hit = (2.0 / GRAVITY).sqrt();
        let (mut touch, mut uncertain) = (hit, 0.0);
        for bounce in 1..=4 {
            let rise = hit * e.powi(bounce);
            // Looked at for a while about the time of the top, which the errors of the bounces before it shift.
            let mut top = 0.0f64;
            for k in 0..=40 {
                run.until(touch + rise * (0.8 + 0.01 * f64::from(k)))?;
                top = top.max(run.position(0).z - radius);
            }
            touch += 2.0 * rise;
            // A bounce happens in the middle of a step: its speed is uncertain by g h and its height by (1 + e) v h / 2.
            let way = GRAVITY * hit * e.powi(bounce - 1) * step;
            uncertain = e * e * uncertain + (e * e + 0.5 * (1.0 + e)) * way;
            let what = format!("C, restitution {e}, bounce {bounce}: height, m");
            row(rows, what, e.powi(2 * bounce), top, uncertain, "Newton: e^2 of the height before");
        }
    }
    Ok(())
}

/// D: a sphere that slides comes to roll at 5/7 of its speed.
fn rolling(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    for mu in [0.1, 0.2, 0.5] {
        let mut world = world(wrong, 1e-3, mu, 0.0);
        rigid::add_floor(&mut world);
        let k = rigid::add_sphere(&mut world, DVec3::Z * 0.1, 0.1);
        world.bodies.velocity[k].x = 1.0;
        let mut run = Run::new(world, falling(wrong, DVec3::new(0.0, 0.0, -GRAVITY)), tight());
        let rolls = 2.0 / (7.0 * mu * GRAVITY);
        run.until(0.5 * rolls)?;
        let sliding = 1.0 - mu * GRAVITY * run.world.time();
        let what = |what: &str| format!("D, mu {mu}: {what}");
        let source = "Coulomb: v - mu g t, then 5/7 v";
        row(rows, what("speed while sliding, m/s"), sliding, run.velocity(0).x, 1e-9, source);
        run.until(2.0 * rolls)?;
        row(rows, what("speed when rolling, m/s"), 5.0 / 7.0, run.velocity(0).x, 1e-9, source);
        let spin = run.world.bodies.spin[0].y;
        row(rows, what("spin when rolling, rad/s"), 50.0 / 7.0, spin, 1e-8, source);
    }
    Ok(())
}

/// E: Painleve's rod slides on its end, at frictions where rigid bodies have a continuous motion and where not.
fn rod(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    for mu in [0.5, 2.0] {
        let mut world = world(wrong, 1e-3, mu, 0.0);
        rigid::add_floor(&mut world);
        let rod = solid::block(DVec3::new(2.0, 0.1, 0.1));
        let slanted = DQuat::from_rotation_arc(DVec3::X, DVec3::new(0.6, 0.0, 0.8));
        let k = rigid::add_solid(&mut world, rod, DVec3::Z * 0.9, slanted);
        world.bodies.velocity[k] = DVec3::new(3.0, 0.0, -1.0);
        // What it costs to lift the rod by half of its way in a step: see the page.
        let lift = world.bodies.mass[k] * GRAVITY * 0.5 * 1e-3 * world.bodies.velocity[k].length();
        let mut run = Run::new(world, falling(wrong, DVec3::new(0.0, 0.0, -GRAVITY)), tight());
        let (start, mut gained) = (run.energy()?, 0.0);
        let (lift, mut before) = (lift / start, start);
        for k in 1..=400 {
            run.until(0.01 * f64::from(k))?;
            let now = run.energy()?;
            gained += (now - before).max(0.0) / start;
            before = now;
        }
        let what = |what: &str| format!("E, rod, mu {mu}: {what}");
        row(rows, what("sum of gains of energy, over energy"), 0.0, gained, lift, "friction takes energy");
        row(rows, what("height at the end, m"), 0.05, run.position(0).z, 1e-4, "it lies on a side");
        row(rows, what("speed at the end, m/s"), 0.0, run.velocity(0).length(), 1e-6, "it rests");
    }
    Ok(())
}

/// F: nine wedges make half a circle that stands on friction alone.
fn arch(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (inner, outer, depth, count) = (2.0, 2.8, 1.0, 9);
    for mu in [0.6, 0.02] {
        let mut world = world(wrong, 2e-3, mu, 0.0);
        rigid::add_floor(&mut world);
        for k in 0..count {
            let mut corners = Vec::new();
            for a in [k, k + 1].map(|k| PI * f64::from(k) / f64::from(count)) {
                for r in [inner, outer] {
                    corners.extend([-0.5, 0.5].map(|y| DVec3::new(r * a.cos(), y * depth, r * a.sin())));
                }
            }
            let made = solid::from_points(&corners)?;
            rigid::add_solid(&mut world, made.solid, made.centre, made.orientation);
        }
        let keystone = count as usize / 2;
        let (before, weight) = (world.bodies.position[keystone].z, world.bodies.total_mass() * GRAVITY);
        let settings =
            Settings { tolerance: 1e-4.into(), iterations: 1000, unsolved_steps: 0, ..Settings::default() };
        let mut run = Run::new(world, falling(wrong, DVec3::new(0.0, 0.0, -GRAVITY)), settings);
        run.until(2.0)?;
        let sunk = before - run.position(keystone).z;
        let what = |what: &str| format!("F, arch, mu {mu}: {what}");
        if mu > 0.5 {
            row(rows, what("keystone sunk after 2 s, m"), 0.0, sunk, 1e-3, "it stands");
            let contacts = run.method.contacts(&run.world)?;
            let floor: f64 = contacts.iter().filter(|c| c.partner_row.is_none()).map(|c| c.force.z).sum();
            row(rows, what("force on the floor over weight"), 1.0, floor / weight, 1e-3, "statics");
        } else {
            // Anything from a metre below to the floor is fallen.
            let lies = f64::from(u8::from(sunk > 1.0));
            row(rows, what("keystone sunk by more than 1 m after 2 s"), 1.0, lies, 0.0, "it falls");
        }
    }
    Ok(())
}
