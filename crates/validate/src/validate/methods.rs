//! `methods`: the same bouncing ball and the same drum by soft spheres, contact dynamics and hard spheres.
//! validation/methods/README.md says by how much they may differ, and why.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Fields, Material, Method, Report, Rng, Surface, Wall, WallMotion, World,
    wall::{Cylinder, Plane, Rectangle},
};
use rubblepile_gravity::Uniform;
use rubblepile_hard::HardSpheres;
use rubblepile_nonsmooth::ContactDynamics;
use rubblepile_soft::{STEPS_PER_CONTACT, SoftSpheres, shortest_contact_time};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

pub struct Methods;

const CASE: &str = "methods";
/// Standard errors that two means may be apart.
const SURE: f64 = 3.0;

const SAME: Claim = Claim {
    paper: Paper::HardSphere2011,
    item: "section 4, soft and hard",
    what: "soft and hard spheres give equivalent results in dilute flows; in a tumbler they meet dense ones",
    verdict: Verdict::Reproduced {
        tolerance: "the overlap of soft and the tremble of hard spheres, three standard errors",
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContactMethod {
    Soft,
    Nonsmooth,
    Hard,
}

pub(super) const KINDS: [ContactMethod; 3] =
    [ContactMethod::Soft, ContactMethod::Nonsmooth, ContactMethod::Hard];

impl ContactMethod {
    pub(super) fn name(self) -> &'static str {
        match self {
            ContactMethod::Soft => "soft spheres",
            ContactMethod::Nonsmooth => "contact dynamics",
            ContactMethod::Hard => "hard spheres",
        }
    }
}

/// A world under gravity along -z and what moves it.
struct Run {
    world: World,
    fields: Fields,
    method: Box<dyn Method>,
}

impl Run {
    /// Soft spheres take the step that their stiffness asks for, the others the one given.
    fn new(kind: ContactMethod, mut world: World, gravity: f64, step: f64) -> Result<Self, CaseError> {
        let settings = rubblepile_soft::Settings::default();
        let shortest = shortest_contact_time(&world, &settings).ok_or("no contact time")?.seconds;
        world.clock.set_timestep(if kind == ContactMethod::Soft {
            shortest / STEPS_PER_CONTACT
        } else {
            step
        });
        let method: Box<dyn Method> = match kind {
            ContactMethod::Soft => Box::new(SoftSpheres::new(settings)),
            ContactMethod::Nonsmooth => Box::new(ContactDynamics::new(rubblepile_nonsmooth::Settings {
                tolerance: 1e-4.into(),
                iterations: 1000,
                unsolved_steps: 0,
                ..rubblepile_nonsmooth::Settings::default()
            })),
            ContactMethod::Hard => Box::new(HardSpheres::new(rubblepile_hard::Settings::default())),
        };
        let fields = Fields { list: vec![Box::new(Uniform { acceleration: -gravity * DVec3::Z })] };
        Ok(Run { world, fields, method })
    }

    fn until(&mut self, time: f64) -> Result<(), CaseError> {
        self.method.advance(&mut self.world, &mut self.fields, time, &mut Report::default())?;
        Ok(())
    }
}

/// Smooth spheres: friction and tangential restitution, which are not the same thing, are left out.
fn smooth(density: f64, restitution: f64, stiffness: f64) -> World {
    let mut world = World::new(1.0);
    world.materials = vec![Material {
        name: "smooth".into(),
        density,
        restitution_normal: restitution,
        restitution_tangential: 1.0,
        friction_sliding: 0.0,
        stiffness: Some(stiffness),
        ..Material::default()
    }];
    world.groups = vec!["spheres".into()];
    world
}

/// A ball dropped from 1 m: how high it rises, when it has come down to a height that is next to nothing, and where it rests.
fn ball(kind: ContactMethod, e: f64, wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (gravity, radius, density, stiffness, step) = (9.81, 0.1, 2000.0, 2e7, 1e-4);
    let mut world = smooth(density, e * wrong.factor("restitution"), stiffness);
    world.walls.push(Wall::new(
        0,
        "floor",
        0,
        Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }),
    ));
    world.bodies.push_sphere(DVec3::Z * (1.0 + radius), radius * wrong.factor("radius"), density, 0, 0);
    let weight = world.bodies.mass[0] * gravity;
    let mut run = Run::new(kind, world, gravity * wrong.factor("gravity"), step)?;
    let contact = run.world.clock.timestep * STEPS_PER_CONTACT;
    // How long a bounce takes, and how far from the floor a ball at rest may be: pressed into it by its weight;
    // as far as the solver leaves it; trembling with the rest speed, 10 g h.
    let (bounce, afloat) = match kind {
        ContactMethod::Soft => (contact, 2.0 * weight / stiffness),
        ContactMethod::Nonsmooth => (step, 1e-3 * radius),
        ContactMethod::Hard => (0.0, 50.0 * gravity * step * step),
    };
    let fall = (2.0 / gravity).sqrt();
    let energy_height = |run: &Run| {
        let (x, v) = (run.world.bodies.position[0].z - radius, run.world.bodies.velocity[0].z);
        x + 0.5 * v * v / gravity
    };
    let (mut touch, mut height_error, mut time_error) = (fall, 1e-9, 1e-9);
    let last = if e < 0.7 { 7 } else { 30 };
    // Newton: e^2 of the height before; the sum of the flights.
    let row = |what: String, reference: f64, ours: f64, tolerance: f64| {
        let what = format!("ball, restitution {e}, {}: {what}", kind.name());
        rows.push(SAME.row(CASE, what, reference, ours, tolerance));
    };
    for k in 1..=last {
        // Speeds are uncertain by g times the length of a bounce, places by v times it, times by itself and by the speed.
        let (down, up) = (gravity * fall * e.powi(k - 1), gravity * fall * e.powi(k));
        height_error = e * e * height_error + (e * e + 0.5 * (1.0 + e)) * down * bounce;
        time_error += bounce + 2.0 * height_error / up;
        let rise = fall * e.powi(k);
        if k <= 4 {
            run.until(touch + rise)?;
            row(format!("height of bounce {k}, m"), e.powi(2 * k), energy_height(&run), height_error);
        }
        touch += 2.0 * rise;
    }
    // Between the heights of the last bounce and of the next one.
    let low = e.powi(2 * last + 1);
    let mut rests = f64::NAN;
    while run.world.time() < 1.2 * touch {
        let until = run.world.time() + 1e-3;
        run.until(until)?;
        // In flight alone: in a contact some of the energy is in the spring.
        let free = run.world.bodies.position[0].z >= radius;
        if energy_height(&run) > low && free {
            rests = run.world.time();
        }
    }
    let what = format!("time after which bounces are below bounce {last}, s");
    row(what, touch, rests, time_error + 1e-3);
    let height = run.world.bodies.position[0].z - radius;
    row("height at rest, m".into(), 0.0, height, afloat);
    Ok(())
}

/// The drum: radius in diameters, its half width, lifters and how far they stand out.
const DRUM: f64 = 5.0;
const HALF_WIDTH: f64 = 2.5;
const LIFTERS: u32 = 12;
const LIFTER: f64 = 0.7;
const GRAINS: usize = 200;
/// omega^2 R / g
const FROUDE: f64 = 0.1;
const STIFFNESS: f64 = 1e4;
/// Of contact dynamics and hard spheres, over sqrt(d / g).
const STEP: f64 = 5e-3;

/// Half a drum of smooth spheres of diameters 1 +- 5 %, with lifters that turn with it. Units: diameter, mass, gravity.
fn drum(seed: u64, wrong: &Wrong) -> World {
    let density = 6.0 / PI;
    let mut world = smooth(density, 0.5, STIFFNESS);
    let rate = (FROUDE / DRUM).sqrt() * wrong.factor("rate");
    let turns = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate };
    let tube =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: DRUM, length: None });
    let mut walls = vec![("drum", tube)];
    for k in 0..LIFTERS {
        let angle = TAU * f64::from(k) / f64::from(LIFTERS);
        let out = DVec3::new(angle.cos(), 0.0, angle.sin());
        let (half_u, half_v) = (0.5 * LIFTER * out, 2.0 * HALF_WIDTH * DVec3::Y);
        walls.push((
            "lifter",
            Surface::Rectangle(Rectangle { centre: (DRUM - 0.5 * LIFTER) * out, half_u, half_v }),
        ));
    }
    for side in [-1.0, 1.0] {
        walls.push((
            "end",
            Surface::Plane(Plane { point: side * HALF_WIDTH * DVec3::Y, normal: -side * DVec3::Y }),
        ));
    }
    for (id, (name, surface)) in walls.into_iter().enumerate() {
        let mut wall = Wall::new(id as u32, name, 0, surface);
        if name != "end" {
            wall.motion = turns;
        }
        world.walls.push(wall);
    }
    let mut rng = Rng::stream(seed, "drum");
    let across = (2.0 * DRUM / 1.07) as i32;
    'full: for layer in 0..across {
        for (i, j) in (0..across).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let place = DVec3::new(f64::from(i), f64::from(j), f64::from(layer)) * 1.07
                - DVec3::new(0.535 * f64::from(across - 1), 1.605, 0.535 * f64::from(across - 1));
            let radius = 0.5 * rng.range(0.95, 1.05);
            if place.x.hypot(place.z) + radius < DRUM - LIFTER {
                let row = world.bodies.push_sphere(place, radius, density, 0, 0);
                world.bodies.velocity[row] = 0.1 * rng.direction();
            }
            if world.bodies.len() == GRAINS {
                break 'full;
            }
        }
    }
    world
}

/// Means of a run after its first turn, and their errors: slope of the surface in degrees, and the centre of mass, to the
/// side on which the drum rises and down from the axis.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    mean: [f64; 3],
    error: [f64; 3],
}

fn turn(
    kind: ContactMethod,
    turns: u32,
    seed: u64,
    wrong: &Wrong,
    log: &Rows<ValidateRow>,
) -> Result<Flow, CaseError> {
    // Soft spheres are what the others are compared with.
    let right = Wrong::default();
    let wrong = if kind == ContactMethod::Soft { &right } else { wrong };
    let mut run = Run::new(kind, drum(seed, wrong), 1.0, STEP)?;
    let period = TAU / (FROUDE / DRUM).sqrt();
    run.until(period)?;
    // A block is a quarter of a turn: three lifters pass.
    let (looks, blocks) = (30, 4 * (turns - 1));
    let mut found: Vec<[f64; 3]> = Vec::new();
    for block in 0..blocks {
        let mut centre = DVec3::ZERO;
        for k in 1..=looks {
            run.until(period * (1.0 + 0.25 * (f64::from(block) + f64::from(k) / f64::from(looks))))?;
            let b = &run.world.bodies;
            let sum: DVec3 = b.position.iter().zip(&b.mass).map(|(x, m)| *m * *x).sum();
            centre += sum / b.total_mass() / f64::from(looks);
        }
        // The drum turns from z to x, and at its lowest point towards -x.
        let (side, down) = (-centre.x, -centre.z);
        found.push([side.atan2(down).to_degrees(), side, down]);
    }
    let n = f64::from(blocks);
    let mut flow = Flow::default();
    for q in 0..3 {
        let mean = found.iter().map(|f| f[q]).sum::<f64>() / n;
        let variance = found.iter().map(|f| (f[q] - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (flow.mean[q], flow.error[q]) = (mean, (variance / n).sqrt());
    }
    log.note(format!("drum, {}: {:.3?} +- {:.3?}", kind.name(), flow.mean, flow.error));
    Ok(flow)
}

fn drums(turns: u32, wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let flows =
        KINDS.par_iter().map(|&kind| turn(kind, turns, 1, wrong, rows)).collect::<Result<Vec<_>, _>>()?;
    // What the methods differ by on purpose, in the depth of the bed: see the page.
    let depth = DRUM;
    let overlap = (1.0 / STIFFNESS).sqrt() * depth;
    let tremble = 50.0 * STEP * STEP * depth;
    let soft = flows[0];
    let apart = overlap.max(tremble);
    for (flow, kind) in flows.iter().zip(KINDS).skip(1) {
        let lean = (apart / soft.mean[2]).to_degrees();
        for (q, (what, systematic)) in [
            ("slope of the surface, degrees", lean),
            ("centre of mass to the side, diameters", apart),
            ("centre of mass below the axis, diameters", apart),
        ]
        .into_iter()
        .enumerate()
        {
            let tolerance = systematic + SURE * soft.error[q].hypot(flow.error[q]);
            let what = format!("drum, {}: {what}", kind.name());
            rows.push(SAME.row(CASE, what, soft.mean[q], flow.mean[q], tolerance));
        }
    }
    Ok(())
}

impl Case for Methods {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "the same bouncing ball and the same drum by soft spheres, contact dynamics and hard spheres"
    }

    fn claims(&self) -> &'static [Claim] {
        static CLAIMS: [Claim; 1] = [SAME];
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["gravity", "restitution", "radius", "rate"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        for e in [0.5, 0.9] {
            for kind in KINDS {
                ball(kind, e, &options.wrong, rows)?;
            }
        }
        drums(if options.full { 12 } else { 3 }, &options.wrong, rows)?;
        Ok(())
    }
}
