//! `kepler`: two bodies under their own gravity. validation/kepler has the exact solution of the leapfrog.

use glam::DVec3;
use rubblepile_core::{Field, Fields, G, Material, Method, Report, World};
use rubblepile_gravity::{Accuracy, Direct, Tree};
use rubblepile_soft::{Settings, SoftSpheres};

use super::{ValidateRow, wrong_field::wrong_field};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

pub struct Kepler;

const CASE: &str = "kepler";
const MASSES: [f64; 2] = [1e12, 1e10];
const AXIS: f64 = 1000.0;
/// Error asked of the tree, and so of its orbit.
const TREE: f64 = 1e-6;

/// The two bodies at a distance, the second moving across at a relative speed; the centre of mass rests.
fn world(distance: f64, speed: f64, step: f64) -> World {
    let mut world = World::new(step);
    world.materials =
        vec![Material { name: "rock".into(), density: 1.0, stiffness: Some(1e6), ..Material::default() }];
    world.groups = vec!["bodies".into()];
    let total = MASSES[0] + MASSES[1];
    for (mass, radius, sign) in [(MASSES[0], 100.0, -1.0), (MASSES[1], 20.0, 1.0)] {
        let share = sign * (total - mass) / total;
        let row = world.bodies.push_sphere(DVec3::X * share * distance, radius, 1.0, 0, 0);
        world.bodies.velocity[row] = DVec3::Y * share * speed;
        world.bodies.mass[row] = mass;
        world.bodies.inertia[row] = DVec3::splat(0.4 * mass * radius * radius);
    }
    world
}

struct Orbit {
    relative: DVec3,
    speed: DVec3,
}

impl Orbit {
    fn of(world: &World) -> Self {
        let b = &world.bodies;
        let first = b.id.iter().position(|&id| id == 0).unwrap_or(0);
        let second = 1 - first;
        Orbit {
            relative: b.position[second] - b.position[first],
            speed: b.velocity[second] - b.velocity[first],
        }
    }

    /// Energy and angular momentum per reduced mass.
    fn energy(&self) -> f64 {
        0.5 * self.speed.length_squared() - G * (MASSES[0] + MASSES[1]) / self.relative.length()
    }

    fn angular_momentum(&self) -> f64 {
        self.relative.cross(self.speed).z
    }
}

/// `every`: how many steps a force is kept for.
fn every(wrong: &Wrong) -> u64 {
    wrong.factor("every") as u64
}

fn direct(wrong: &Wrong) -> Box<dyn Field> {
    wrong_field(Box::new(Direct::new(G, every(wrong))), wrong)
}

fn tree(wrong: &Wrong) -> Box<dyn Field> {
    wrong_field(Box::new(Tree::new(Accuracy::Error(TREE), every(wrong), G)), wrong)
}

fn mean_motion() -> f64 {
    (G * (MASSES[0] + MASSES[1]) / AXIS.powi(3)).sqrt()
}

const LEAPFROG: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "section 2.1, integration",
    what: "by a leapfrog of second order",
    verdict: Verdict::Reproduced {
        tolerance: "rounding, against the leapfrog's own exact circle; 1e-3 of the error of an ellipse",
    },
};

impl Case for Kepler {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "two bodies in orbit: the leapfrog's own exact circle, and an ellipse"
    }

    fn claims(&self) -> &'static [Claim] {
        &[LEAPFROG]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["gravity", "gravity_on_first", "every"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        circle("direct", direct(wrong), 1000, 10, 1e-12, rows)?;
        circle("direct", direct(wrong), 100, 100, 1e-12, rows)?;
        circle("tree at 1e-6", tree(wrong), 1000, 10, TREE, rows)?;
        // Steps an orbit, largest energy error, angle from pericentre at the end.
        for (steps, energy, angle) in [(500, 4.2934e-4, -0.141400), (1000, 1.0730e-4, -0.035386)] {
            ellipse(steps, energy, angle, wrong, rows)?;
        }
        Ok(())
    }
}

fn circle(
    name: &str,
    field: Box<dyn Field>,
    steps: u64,
    orbits: u64,
    error: f64,
    rows: &Rows<ValidateRow>,
) -> Result<(), CaseError> {
    let w = mean_motion();
    let h = std::f64::consts::TAU / w / steps as f64;
    // Each step turns by phi if the start has v = a sin(phi) / h.
    let phi = 2.0 * (0.5 * w * h).asin();
    let mut world = world(AXIS, AXIS * phi.sin() / h, h);
    let start = Orbit::of(&world);
    let mut method = SoftSpheres::new(Settings::default());
    let mut fields = Fields { list: vec![field] };
    let n = steps * orbits;
    method.advance(&mut world, &mut fields, n as f64 * h, &mut Report::default())?;
    let end = Orbit::of(&world);
    let turned = DVec3::new((n as f64 * phi).cos(), (n as f64 * phi).sin(), 0.0);
    let phase = turned.cross(end.relative).z.atan2(turned.dot(end.relative));
    let momentum = (0..2).map(|k| world.bodies.mass[k] * world.bodies.velocity[k]).sum::<DVec3>().length();
    let scale = MASSES[1] * start.speed.length();
    let label = |what: &str| format!("circle, {name}, {steps} steps an orbit, {orbits} orbits: {what}");
    let push = |what: &str, ours: f64, tolerance: f64| {
        rows.push(LEAPFROG.row(CASE, label(what), 0.0, ours, tolerance));
    };
    push("radius / a - 1", end.relative.length() / AXIS - 1.0, error);
    // The phase adds up what the radius loses, three halves of it an orbit's 2 pi.
    push("phase error, rad", phase, 1e3 * error);
    push("energy error", end.energy() / start.energy() - 1.0, error);
    push("angular momentum error", end.angular_momentum() / start.angular_momentum() - 1.0, error);
    push("momentum", momentum / scale, 0.1 * error);
    Ok(())
}

fn ellipse(
    steps: u64,
    energy: f64,
    angle: f64,
    wrong: &Wrong,
    rows: &Rows<ValidateRow>,
) -> Result<(), CaseError> {
    let (w, e) = (mean_motion(), 0.5);
    let h = std::f64::consts::TAU / w / steps as f64;
    let speed = (G * (MASSES[0] + MASSES[1]) / AXIS * (1.0 + e) / (1.0 - e)).sqrt();
    let mut world = world(AXIS * (1.0 - e), speed, h);
    let start = Orbit::of(&world).energy();
    let mut method = SoftSpheres::new(Settings::default());
    let (mut fields, mut report) = (Fields { list: vec![direct(wrong)] }, Report::default());
    let mut worst = 0.0f64;
    for step in 1..=10 * steps {
        method.advance(&mut world, &mut fields, step as f64 * h, &mut report)?;
        worst = worst.max((Orbit::of(&world).energy() / start - 1.0).abs());
    }
    let r = Orbit::of(&world).relative;
    let label = |what: &str| format!("ellipse, {steps} steps an orbit: {what}");
    // The references are of an independent leapfrog in double precision.
    rows.push(LEAPFROG.row(CASE, label("largest energy error"), energy, worst, 1e-3 * energy));
    let (what, ours) = (label("angle after 10 orbits, rad"), r.y.atan2(r.x));
    rows.push(LEAPFROG.row(CASE, what, angle, ours, 1e-3 * angle.abs()));
    Ok(())
}
