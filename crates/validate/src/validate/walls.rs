//! `walls`: hard spheres and walls. validation/walls/README.md has the theory; letters below are its sections.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Fields, Material, Measure, Method, Report, Rng, Surface, Wall, WallMotion, WallResponse, World,
    wall::{Cylinder, Disk, Plane},
};
use rubblepile_gravity::Uniform;
use rubblepile_hard::{HardSpheres, Settings};
use rubblepile_nonsmooth::ContactDynamics;
use rubblepile_soft::SoftSpheres;

use super::{
    ValidateRow,
    methods::{ContactMethod, KINDS},
};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper},
    workload::march::{Approach, Primitive, Verdict},
};

pub struct Walls;

const CASE: &str = "walls";
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Rounding of a place, over the radius: positions of ten radii have 1e-15, and a few operations each.
const ROUNDING: f64 = 1e-12;
/// Gap over the radius at which a touch that is followed step by step counts as reached (`geometry/src/meeting/moving.rs`).
const FOLLOWED: f64 = 1e-9;

impl Case for Walls {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "hard spheres and walls: times of touch, small tests of the paper, sticky and absorbing walls"
    }

    fn claims(&self) -> &'static [Claim] {
        static CLAIMS: [Claim; 7] = [TIMES, RESPONSE, OVERLAP, SMALL, STICKY, ABSORBING, STUCK];
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["gravity", "tilt", "radius", "time", "tube", "disk", "restitution", "rise"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        cut_tube(wrong, rows)?;
        upright_ring(wrong, rows)?;
        shaken_disk(wrong, rows, if options.full { 10.0 } else { 2.0 })?;
        times_of_touch(wrong, rows, if options.full { 100_000 } else { 10_000 });
        for kind in KINDS {
            sticky(kind, wrong, rows)?;
            absorbing(kind, wrong, rows)?;
        }
        stuck(wrong, rows)?;
        Ok(())
    }
}

const PAPER: Paper = Paper::HardSphere2011;

const TIMES: Claim = PAPER.reproduced(
    "figures 1-3, eqs (1)-(3), (5), (9)-(24)",
    "times of collision with planes, disks, cylinders, rings, lines and points",
    "none: where a collision is found the gap is within 1e-6 of the radius, which a march along the path can tell",
);
const RESPONSE: Claim = PAPER.reproduced(
    "eqs (6)-(8), (25)",
    "the response of a wall: normal, slip, rolling",
    "rounding for energy; one flight at the rest speed for the time of a swing",
);
const OVERLAP: Claim = PAPER.reproduced(
    "section 2.3",
    "overlaps many orders of magnitude smaller than the radius",
    "rounding, 1e-12; 1e-9 at walls in motion, whose touch is followed to that",
);
const SMALL: Claim = PAPER.reproduced(
    "section 3, small tests",
    "a cylinder cut by an inclined plane, a sphere balanced on a vertical ring, hundreds of spheres on an oscillating disk",
    "the paper gives no numbers: nothing gets out, conservation, a pendulum's time",
);
const STICKY: Claim = PAPER.reproduced(
    "section 2.1, sticky walls",
    "what touches one is held rigidly",
    "rounding, against free fall",
);
const ABSORBING: Claim = PAPER.reproduced(
    "section 2.1, absorbing walls",
    "what touches one is removed",
    "rounding, against free fall",
);
const STUCK: Claim = PAPER.reproduced(
    "section 2.1, stuck particles",
    "what hits a stuck particle bounces as off an infinite mass, with the particles' restitution",
    "rounding, against eqs (6) and (7)",
);

/// A row that judges a claim of the paper.
fn judge(rows: &Rows<ValidateRow>, claim: &Claim, what: String, reference: f64, ours: f64, tolerance: f64) {
    rows.push(claim.row(CASE, what, reference, ours, tolerance));
}

fn world(wrong: &Wrong, timestep: f64, normal: f64, tangential: f64) -> World {
    let normal = normal * wrong.factor("restitution");
    let mut world = World::new(timestep);
    world.groups = vec!["grains".into()];
    world.materials = vec![Material {
        name: "grain".into(),
        density: DENSITY,
        restitution_normal: normal,
        restitution_tangential: tangential,
        stiffness: Some(1e5),
        ..Material::default()
    }];
    world
}

/// `gravity` is a factor on it and `tilt` - 1 its angle to the side, rad.
fn falling(wrong: &Wrong) -> Fields {
    let down = DVec3::new(0.0, (wrong.factor("tilt") - 1.0).sin(), -1.0);
    Fields { list: vec![Box::new(Uniform { acceleration: wrong.factor("gravity") * GRAVITY * down })] }
}

fn advance(world: &mut World, fields: &mut Fields, until: f64) -> Result<(), CaseError> {
    HardSpheres::new(Settings::default()).advance(world, fields, until, &mut Report::new(Measure::ALL))?;
    Ok(())
}

fn energy(world: &World, fields: &mut Fields) -> Result<f64, CaseError> {
    let (moving, turning) = world.bodies.kinetic_energy();
    Ok(moving + turning + fields.potential_energy(world)?)
}

/// Runs and looks every hundredth of a second; gives the deepest overlap with a wall, over the radius, and how far the
/// balance of energy is from closed, over all that was exchanged.
fn watch(
    wrong: &Wrong,
    world: &mut World,
    radius: f64,
    until: f64,
    mut look: impl FnMut(&World),
) -> Result<(f64, f64), CaseError> {
    let mut fields = falling(wrong);
    let mut nominal = falling(&Wrong::default());
    let (start, mut deepest) = (energy(world, &mut nominal)?, 0.0f64);
    let looks = (until / 0.01).round() as u32;
    for k in 1..=looks {
        advance(world, &mut fields, until * f64::from(k) / f64::from(looks))?;
        for wall in &world.walls {
            let pose = wall.pose(world.time());
            for x in &world.bodies.position {
                let gap = wall.surface.nearest_at(0, &pose, *x).distance - radius;
                deepest = deepest.max(-gap / radius);
            }
        }
        look(world);
    }
    let (end, lost) = (energy(world, &mut nominal)?, world.dissipation);
    let exchanged = start.abs() + lost.total().abs() + lost.wall_work.abs();
    Ok((deepest, (end - start + lost.total() - lost.wall_work).abs() / exchanged))
}

/// A: sixty grains dropped into a tube that an inclined plane cuts.
fn cut_tube(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let radius = 0.05;
    let mut world = world(wrong, 2e-4, 0.7, 0.5);
    let normal = DVec3::new(1.0, 0.0, 1.0).normalize();
    world.walls.push(Wall::new(0, "plane", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal })));
    let wide = 0.5 * wrong.factor("tube");
    let tube =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: wide, length: None });
    world.walls.push(Wall::new(1, "tube", 0, tube));
    let mut rng = Rng::new(4);
    for k in 0..60 {
        let (sin, cos) = rng.range(0.0, TAU).sin_cos();
        let place = DVec3::new(0.25 * cos, 0.25 * sin, 1.0 + 0.15 * f64::from(k));
        world.bodies.push_sphere(place, radius * wrong.factor("radius"), DENSITY, 0, 0);
    }
    let (deepest, balance) = watch(wrong, &mut world, radius, 3.0, |_| {})?;
    let b = &world.bodies;
    let inside = |x: &&DVec3| x.dot(normal) > 0.0 && x.truncate().length() < 0.5;
    let left = b.position.iter().filter(inside).count() as f64;
    let low = b.position.iter().filter(|x| x.x > 0.0).count() as f64;
    let what = |what: &str| format!("A, tube cut by a plane: {what}");
    judge(rows, &SMALL, what("grains in it after 3 s"), 60.0, left, 0.0);
    judge(rows, &SMALL, what("grains in its lower half"), 60.0, low, 0.0);
    judge(rows, &OVERLAP, what("deepest overlap over radius"), 0.0, deepest, ROUNDING);
    judge(rows, &RESPONSE, what("balance of energy"), 0.0, balance, 1e-12);
    Ok(())
}

/// Time in which a pendulum gets from an angle to its lowest point, in sqrt(l / g): K(sin(angle / 2)), by the
/// arithmetic-geometric mean.
fn quarter_swing(amplitude: f64) -> f64 {
    let (mut a, mut g) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    0.5 * PI / a
}

/// B: a sphere balanced on the inner edge of an upright ring slides, or rolls, to and fro like a pendulum.
fn upright_ring(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (ring, radius, amplitude, step) = (1.0, 0.2, 0.3f64, 1e-4);
    // Without friction as a point; with one that stops all slip, 2/5 of its mass turns with it.
    for (how, tangential, inertia) in [("slides", 1.0, 1.0), ("rolls", 0.0, 1.4)] {
        let mut world = world(wrong, step, 0.5, tangential);
        let surface = Surface::Cylinder(Cylinder {
            centre: DVec3::ZERO,
            axis: DVec3::Y,
            radius: ring,
            length: Some(0.0),
        });
        world.walls.push(Wall::new(0, "ring", 0, surface));
        let length = ring - radius;
        let start = length * DVec3::new(amplitude.sin(), 0.0, -amplitude.cos());
        world.bodies.push_sphere(start, radius, DENSITY, 0, 0);
        let expected = quarter_swing(amplitude) * (inertia * length / GRAVITY).sqrt();
        let mut fields = falling(wrong);
        let (mut passed, mut aside) = (f64::NAN, 0.0f64);
        while world.time() < 1.5 * expected && passed.is_nan() {
            let before = world.bodies.position[0].x;
            let until = world.time() + step;
            advance(&mut world, &mut fields, until)?;
            let x = world.bodies.position[0];
            aside = aside.max(x.y.abs());
            if x.x <= 0.0 {
                passed = world.time() - step * x.x / (x.x - before);
            }
        }
        let what = |what: &str| format!("B, sphere that {how} on an upright ring: {what}");
        // It trembles with the rest speed 10 g h: what happens at a bounce is late by no more than a flight, 20 h.
        judge(rows, &RESPONSE, what("time to the lowest point, s"), expected, passed, 20.0 * step);
        judge(rows, &SMALL, what("out of its plane, over radius"), 0.0, aside / radius, ROUNDING);
    }
    Ok(())
}

/// C: three hundred grains on a disk that swings in a tube.
fn shaken_disk(wrong: &Wrong, rows: &Rows<ValidateRow>, seconds: f64) -> Result<(), CaseError> {
    let (restitution, amplitude, frequency, radius) = (0.8, 0.02, 10.0, 0.03);
    let mut world = world(wrong, 2e-4, restitution, 0.5);
    let surface = Surface::Disk(Disk {
        centre: DVec3::ZERO,
        normal: DVec3::Z,
        radius: 0.499 * wrong.factor("disk"),
        hole: 0.0,
    });
    let mut disk = Wall::new(0, "disk", 0, surface);
    disk.motion = WallMotion::Oscillation { amplitude: amplitude * DVec3::Z, frequency, phase: 0.0 };
    world.walls.push(disk);
    let wide = 0.5 * wrong.factor("tube");
    let tube =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: wide, length: None });
    world.walls.push(Wall::new(1, "tube", 0, tube));
    for k in 0..300 {
        let (layer, j) = (k / 16, k % 16);
        let place = DVec3::new(0.15 * f64::from(j % 4) - 0.22, 0.15 * f64::from(j / 4) - 0.22, 0.1);
        world.bodies.push_sphere(
            place + 0.1 * f64::from(layer) * DVec3::Z,
            radius * wrong.factor("radius"),
            DENSITY,
            0,
            0,
        );
    }
    let mut outside = 0;
    let (deepest, balance) = watch(wrong, &mut world, radius, seconds, |world| {
        let floor = world.walls[0].pose(world.time()).translation.z;
        for x in &world.bodies.position {
            outside += u32::from(x.z < floor || x.truncate().length() > 0.5);
        }
    })?;
    let what = |what: &str| format!("C, 300 on a swinging disk: {what}");
    judge(rows, &SMALL, what("grains below it or out of the tube"), 0.0, f64::from(outside), 0.0);
    judge(rows, &OVERLAP, what("deepest overlap over radius"), 0.0, deepest, FOLLOWED);
    judge(rows, &RESPONSE, what("balance of energy"), 0.0, balance, 1e-12);
    Ok(())
}

/// D: times of touch against a march in steps of 1e-6 of the radius.
fn times_of_touch(wrong: &Wrong, rows: &Rows<ValidateRow>, approaches: u32) {
    for primitive in Primitive::ALL {
        for (state, moves) in [("at rest", false), ("moving", true)] {
            let name = primitive.name();
            let judged: Vec<Verdict> = (0..approaches / 2)
                .into_par_iter()
                .map(|k| {
                    let mut rng = Rng::stream(u64::from(k), &format!("{name} {state}"));
                    let approach = Approach::random(primitive, moves, &mut rng);
                    let verdict = approach.judge_wrong(wrong.factor("radius"), wrong.factor("time") - 1.0);
                    if matches!(verdict, Verdict::Missed | Verdict::False) {
                        rows.note(format!("{verdict:?}: {approach:?}"));
                    }
                    verdict
                })
                .collect();
            let count = |like: &dyn Fn(&Verdict) -> bool| judged.iter().filter(|v| like(v)).count() as f64;
            let late = judged.iter().filter_map(|v| match v {
                Verdict::Meets { late } => Some(late.abs()),
                _ => None,
            });
            let latest = late.clone().fold(0.0, f64::max);
            rows.note(format!(
                "{name} {state}: {} touches (within {latest:.1e} radius / speed), {} grazes, {} passes",
                late.count(),
                count(&|v| *v == Verdict::Grazes),
                count(&|v| *v == Verdict::Passes)
            ));
            let what = |what: &str| format!("D, {name} {state}: {what}");
            judge(rows, &TIMES, what("missed"), 0.0, count(&|v| *v == Verdict::Missed), 0.0);
            judge(rows, &TIMES, what("false"), 0.0, count(&|v| *v == Verdict::False), 0.0);
        }
    }
}

/// Steps of methods that look at the end of each for what has got into a wall, s.
const STEP: f64 = 1e-4;

/// Advances by a method; gives how late it finds that a grain touches a wall.
fn advance_by(
    kind: ContactMethod,
    world: &mut World,
    fields: &mut Fields,
    until: f64,
) -> Result<f64, CaseError> {
    let mut method: Box<dyn Method> = match kind {
        ContactMethod::Soft => Box::new(SoftSpheres::new(rubblepile_soft::Settings::default())),
        ContactMethod::Nonsmooth => Box::new(ContactDynamics::new(rubblepile_nonsmooth::Settings::default())),
        ContactMethod::Hard => Box::new(HardSpheres::new(Settings::default())),
    };
    let late = if kind == ContactMethod::Hard { 0.0 } else { STEP };
    if late > 0.0 {
        world.clock.set_timestep(late);
    }
    method.advance(world, fields, until, &mut Report::new(Measure::ALL))?;
    Ok(late)
}

/// Radius of the grains that fall on sticky and absorbing floors.
const GRAIN: f64 = 0.1;

/// Grains in a row at random heights above a floor that rises, with random speeds; no two meet.
fn rain(wrong: &Wrong, touch: WallResponse, rise: f64) -> World {
    let mut world = world(wrong, 1e-2, 0.9, 1.0);
    let mut floor = Wall::new(3, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }));
    floor.touch = touch;
    floor.motion = WallMotion::Translation { velocity: rise * wrong.factor("rise") * DVec3::Z };
    world.walls.push(floor);
    let mut rng = Rng::new(2);
    for k in 0..200 {
        let place = DVec3::new(0.5 * f64::from(k % 20), 0.5 * f64::from(k / 20), 0.1 + rng.range(0.5, 6.0));
        let row = world.bodies.push_sphere(place, GRAIN * wrong.factor("radius"), DENSITY, 0, 0);
        world.bodies.velocity[row].z = rng.range(-2.0, 2.0);
    }
    world
}

/// Mass and velocity of the grains that reach the floor in a time, at the moment they do.
fn landings(world: &World, rise: f64, until: f64) -> Vec<(f64, f64)> {
    let b = &world.bodies;
    (0..b.len())
        .filter_map(|k| {
            let (height, speed) = (b.position[k].z - GRAIN, b.velocity[k].z - rise);
            // height + speed t - g t^2 / 2 = 0
            let t = (speed + (speed * speed + 2.0 * GRAVITY * height).sqrt()) / GRAVITY;
            (t < until).then_some((b.mass[k], b.velocity[k].z - GRAVITY * t))
        })
        .collect()
}

/// E: a sticky floor that rises.
fn sticky(kind: ContactMethod, wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (rise, until) = (0.3, 0.7);
    let mut world = rain(wrong, WallResponse::Stick, rise);
    let expected = landings(&world, rise, until);
    let impulse: f64 = expected.iter().map(|(m, v)| m * (v - rise)).sum();
    let late = advance_by(kind, &mut world, &mut falling(wrong), until)?;
    let floor = rise * world.time();
    let held: Vec<usize> = (0..world.bodies.len())
        .filter(|&k| world.caught.held.iter().any(|h| h.body == world.bodies.id[k]))
        .collect();
    let b = &world.bodies;
    let off = held.iter().map(|&k| (b.position[k].z - floor - GRAIN).abs()).fold(0.0, f64::max);
    let differs = held.iter().map(|&k| (b.velocity[k] - rise * DVec3::Z).length()).fold(0.0, f64::max);
    let taken = world.caught.tallies.first().map_or(f64::NAN, |t| t.impulse.z);
    let what = |what: &str| format!("E, sticky floor that rises, {}: {what}", kind.name());
    judge(rows, &STICKY, what("grains held"), expected.len() as f64, held.len() as f64, 0.0);
    judge(rows, &STICKY, what("height of the held above it, m"), 0.0, off, 0.1 * ROUNDING);
    judge(rows, &STICKY, what("velocity of the held against it, m/s"), 0.0, differs, ROUNDING);
    let label = what("impulse on the wall, sum of m (v - V), kg m/s");
    // Each falls for up to a step more.
    let tolerance = 1e-9 * impulse.abs() + late * GRAVITY * expected.iter().map(|e| e.0).sum::<f64>();
    judge(rows, &STICKY, label, impulse, taken, tolerance);
    Ok(())
}

/// F: an absorbing floor that rises.
fn absorbing(kind: ContactMethod, wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (rise, until) = (0.3, 0.7);
    let mut world = rain(wrong, WallResponse::Absorb, rise);
    let (expected, before) = (landings(&world, rise, until), world.bodies.len());
    let mass: f64 = expected.iter().map(|e| e.0).sum();
    let momentum: f64 = expected.iter().map(|(m, v)| m * v).sum();
    let late = advance_by(kind, &mut world, &mut falling(wrong), until)?;
    let tally = world.caught.tallies.first().copied().unwrap_or_default();
    let left = before - expected.len();
    let what = |what: &str| format!("F, absorbing floor that rises, {}: {what}", kind.name());
    judge(rows, &ABSORBING, what("grains taken"), expected.len() as f64, tally.absorbed as f64, 0.0);
    judge(rows, &ABSORBING, what("grains left"), left as f64, world.bodies.len() as f64, 0.0);
    judge(rows, &ABSORBING, what("mass taken, kg"), mass, tally.absorbed_mass, 1e-12 * mass);
    let (label, ours) = (what("momentum taken, sum of m v, kg m/s"), tally.absorbed_momentum.z);
    judge(rows, &ABSORBING, label, momentum, ours, 1e-9 * momentum.abs() + late * GRAVITY * mass);
    Ok(())
}

/// G: a grain hits another one beside its top, which a floor holds that rises.
fn stuck(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (e, slip, rise) = (0.7, 0.4, 0.3);
    let mut world = world(wrong, 1e-3, e, slip);
    let mut floor = Wall::new(0, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }));
    floor.touch = WallResponse::Stick;
    floor.motion = WallMotion::Translation { velocity: rise * wrong.factor("rise") * DVec3::Z };
    world.walls.push(floor);
    world.bodies.push_sphere(GRAIN * DVec3::Z, GRAIN, DENSITY, 0, 0);
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let (velocity, spin) = (DVec3::new(0.2, -0.1, -1.0), DVec3::new(1.0, 2.0, 3.0));
    // It touches after 0.1 s.
    let there = (GRAIN + 0.1 * rise) * DVec3::Z + 2.0 * GRAIN * normal;
    let row = world.bodies.push_sphere(there - 0.1 * velocity, GRAIN, DENSITY, 0, 0);
    (world.bodies.velocity[row], world.bodies.spin[row]) = (velocity, spin);
    // Eqs (6) and (7), with s from the centre to the point of contact.
    let arm = -GRAIN * normal;
    let u = velocity - rise * DVec3::Z + spin.cross(arm);
    let (along, across) = (u.dot(normal) * normal, u - u.dot(normal) * normal);
    let expected_velocity = velocity - (1.0 + e) * along - 2.0 / 7.0 * (1.0 - slip) * across;
    let expected_spin = spin - 5.0 / 7.0 / (GRAIN * GRAIN) * (1.0 - slip) * arm.cross(u);
    advance(&mut world, &mut Fields::default(), 0.15)?;
    let b = &world.bodies;
    let what = |what: &str| format!("G, grain on a stuck grain: {what}");
    let off = (b.velocity[1] - expected_velocity).length();
    judge(rows, &STUCK, what("difference of the velocity, m/s"), 0.0, off, ROUNDING);
    let off = (b.spin[1] - expected_spin).length();
    judge(rows, &STUCK, what("difference of the spin, rad/s"), 0.0, off, 10.0 * ROUNDING);
    let off = (b.position[0] - (GRAIN + 0.15 * rise) * DVec3::Z).length();
    judge(rows, &STUCK, what("displacement of the stuck grain, m"), 0.0, off, ROUNDING);
    Ok(())
}
