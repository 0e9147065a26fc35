//! `slide-roll` and `slope`: one sphere on a plane under gravity. validation/slide-roll and validation/slope have the
//! derivations.

use std::f64::consts::PI;

use glam::DVec3;
use rubblepile_core::{Fields, Material, Measure, Method, Report, Surface, Wall, World, wall::Plane};
use rubblepile_gravity::Uniform;
use rubblepile_soft::{Settings, SoftSpheres};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

pub struct SlideRoll;
pub struct Slope;

const RADIUS: f64 = 0.05;
const DENSITY: f64 = 2500.0;
const STIFFNESS: f64 = 1e6;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 2e-5;

/// One sphere on the plane z = 0, pressed in by its weight.
struct OnPlane {
    world: World,
    method: SoftSpheres,
    fields: Fields,
    report: Report,
}

impl OnPlane {
    /// `slope` is the tangent of the angle by which gravity is tilted towards x.
    fn new(material: Material, slope: f64, wrong: &Wrong) -> Self {
        let mut world = World::new(STEP);
        world.materials = vec![Material {
            name: "sphere".into(),
            density: DENSITY,
            stiffness: Some(STIFFNESS),
            friction_sliding: wrong.factor("friction") * material.friction_sliding,
            friction_rolling: wrong.factor("rolling") * material.friction_rolling,
            ..material
        }];
        world.groups = vec!["sphere".into()];
        let angle = slope.atan();
        let mass = 4.0 / 3.0 * PI * RADIUS.powi(3) * DENSITY;
        let height = RADIUS - mass * GRAVITY * angle.cos() / STIFFNESS;
        world.bodies.push_sphere(DVec3::Z * height, RADIUS, DENSITY, 0, 0);
        let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
        world.walls.push(Wall::new(0, "plane", 0, plane));
        let acceleration = wrong.factor("gravity") * GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
        OnPlane {
            world,
            method: SoftSpheres::new(Settings::default()),
            fields: Fields { list: vec![Box::new(Uniform { acceleration })] },
            report: Report::new(Measure::ALL),
        }
    }

    fn run(&mut self, until: f64) -> Result<(), CaseError> {
        self.method.advance(&mut self.world, &mut self.fields, until, &mut self.report)?;
        Ok(())
    }

    /// Kinetic, elastic, and gravitational as it should be, J.
    fn mechanical_energy(&mut self, slope: f64) -> Result<f64, CaseError> {
        let elastic: f64 = self.method.contacts(&self.world)?.iter().map(|c| c.elastic).sum();
        let (b, angle) = (&self.world.bodies, slope.atan());
        let (translation, rotation) = b.kinetic_energy();
        let down = DVec3::new(angle.sin(), 0.0, -angle.cos());
        Ok(translation + rotation + elastic - b.mass[0] * GRAVITY * down.dot(b.position[0]))
    }

    /// Speed along x and R times the spin.
    fn motion(&self) -> (f64, f64) {
        (self.world.bodies.velocity[0].x, RADIUS * self.world.bodies.spin[0].y)
    }

    /// Acceleration and R times the spin's, least squares over the second half of one second.
    fn accelerations(&mut self) -> Result<(f64, f64), CaseError> {
        let (mut n, mut t, mut tt) = (0.0, 0.0, 0.0);
        let mut sums = [[0.0; 2]; 2];
        for k in 0..=100 {
            let time = 0.5 + 0.005 * f64::from(k);
            self.run(time)?;
            let (v, w) = self.motion();
            n += 1.0;
            t += time;
            tt += time * time;
            for (sum, y) in sums.iter_mut().zip([v, w]) {
                sum[0] += y;
                sum[1] += y * time;
            }
        }
        let slope = |s: [f64; 2]| (n * s[1] - t * s[0]) / (n * tt - t * t);
        Ok((slope(sums[0]), slope(sums[1])))
    }
}

impl Case for SlideRoll {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "slide-roll"
    }

    fn about(&self) -> &'static str {
        "a sphere that slides until it rolls: 5/7 of its speed is left"
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["friction", "speed"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let case = "slide-roll";
        let source = "elementary mechanics";
        let material = Material { friction_sliding: 0.3, ..Material::default() };

        let mut sphere = OnPlane::new(material.clone(), 0.0, wrong);
        sphere.world.bodies.velocity[0].x = wrong.factor("speed");
        let (mut rolling, mut speed, mut spin, mut count) = (None, 0.0, 0.0, 0.0);
        for step in 1..=10_000 {
            sphere.run(f64::from(step) * STEP)?;
            let (v, w) = sphere.motion();
            if rolling.is_none() && v - w < 1e-3 {
                rolling = Some((sphere.world.time(), sphere.world.bodies.position[0].x));
            }
            if step > 7500 {
                (speed, spin, count) = (speed + v, spin + w, count + 1.0);
            }
        }
        let (time, distance) = rolling.ok_or("the sphere never rolled")?;
        let (t, d) = (2.0 / (7.0 * 0.3 * GRAVITY), 12.0 / (49.0 * 0.3 * GRAVITY));
        let mass = sphere.world.bodies.mass[0];
        let heat = sphere.world.dissipation.total();
        rows.push(ValidateRow::new(case, "final speed, m/s", 5.0 / 7.0, speed / count, 5e-4, source));
        rows.push(ValidateRow::new(
            case,
            "radius times final spin, m/s",
            5.0 / 7.0,
            spin / count,
            5e-4,
            source,
        ));
        rows.push(ValidateRow::new(case, "time until rolling, s", t, time, 2e-3 * t, source));
        rows.push(ValidateRow::new(case, "distance until rolling, m", d, distance, 2e-3 * d, source));
        rows.push(ValidateRow::new(case, "heat, J", mass / 7.0, heat, 2e-3 * mass / 7.0, source));

        let mut sphere = OnPlane::new(material, 0.0, wrong);
        sphere.world.bodies.velocity[0].x = wrong.factor("speed");
        sphere.world.bodies.spin[0].y = -2.5 / RADIUS;
        sphere.run(0.5)?;
        rows.push(ValidateRow::new(
            case,
            "back-spin of 5/2: final speed, m/s",
            0.0,
            sphere.motion().0,
            5e-4,
            source,
        ));
        Ok(())
    }
}

const SLIDING_AND_ROLLING: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "eqs (1)-(3), tables 1 and 2",
    what: "a sphere on a slope: friction, rolling torque and its limit",
    verdict: Verdict::Reproduced { tolerance: "1e-3 of g sin t: overlap over radius; the angles to 5e-4" },
};
const HEAT: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "section 2.1, dissipation",
    what: "the contact law takes energy: heat by cause adds up to what is lost",
    verdict: Verdict::Reproduced { tolerance: "1e-3 of what gravity gives: the step" },
};
const TWISTING: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "eq. (2)",
    what: "twisting torque and its limit",
    verdict: Verdict::Reproduced { tolerance: "1e-3: the step, against a constant torque" },
};

impl Case for Slope {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "slope"
    }

    fn about(&self) -> &'static str {
        "a sphere, and a bed of grains, on a slope: rest, rolling, sliding, and the angle between them"
    }

    fn claims(&self) -> &'static [Claim] {
        &[SLIDING_AND_ROLLING, TWISTING, HEAT]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["friction", "rolling", "twisting", "gravity"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        // mu_S, mu_R, beta, tangent of the slope, acceleration, R times the spin's: both 0 for rest.
        for (what, mu, mu_r, beta, tan, a, alpha) in [
            ("held by friction and rolling resistance", 0.5, 1.05, 0.8, 0.40, 0.0, 0.0),
            ("slides, rolling resisted", 0.5, 1.05, 0.8, 0.60, 0.841201, 0.280400),
            ("held by rolling resistance", 0.5, 1.05, 0.2, 0.15, 0.0, 0.0),
            ("rolls against resistance", 0.5, 1.05, 0.2, 0.25, 0.271917, 0.271917),
            ("rolls freely", 0.5, 0.0, 0.0, 0.25, 1.699482, 1.699482),
            ("slides and turns", 0.1, 0.0, 0.0, 0.50, 3.509732, 2.193583),
            ("slides and turns, resisted", 0.2, 0.5, 0.2, 0.60, 3.364802, 2.103001),
        ] {
            let mut sphere = OnPlane::new(material(mu, mu_r, beta), tan, wrong);
            let before = sphere.mechanical_energy(tan)?;
            let (ours, turning) = sphere.accelerations()?;
            let tolerance = 1e-3 * GRAVITY * tan.atan().sin();
            let push = |quantity: &str, reference: f64, ours: f64| {
                let quantity = format!("{what}: {quantity}, m/s2");
                rows.push(SLIDING_AND_ROLLING.row("slope", quantity, reference, ours, tolerance));
            };
            push("acceleration", a, ours);
            push("R dw/dt", alpha, turning);
            if a > 0.0 {
                let lost = before - sphere.mechanical_energy(tan)?;
                let b = &sphere.world.bodies;
                let released = b.mass[0] * GRAVITY * tan.atan().sin() * b.position[0].x;
                let off = (sphere.world.dissipation.total() - lost) / released;
                let what =
                    format!("{what}: heat less the energy that is lost, over the energy that gravity gives");
                rows.push(HEAT.row("slope", what, 0.0, off, 1e-3));
            }
        }
        for (what, mu, mu_r, beta, limit) in [
            ("friction angle, tangent", 0.5, 1.05, 0.8, 0.5),
            ("rolling angle, tangent", 0.5, 1.05, 0.2, 0.21),
        ] {
            // Already under way, as theory has it turn: what stops below the limit goes on above it.
            let turning = if mu_r * beta > mu { 1.0 / 3.0 } else { 1.0 };
            let at = |tan: f64| {
                let mut sphere = OnPlane::new(material(mu, mu_r, beta), tan, wrong);
                sphere.world.bodies.velocity[0].x = 1.0;
                sphere.world.bodies.spin[0].y = turning / RADIUS;
                sphere.accelerations().map(|a| a.0)
            };
            let (below, above) = (at(limit - 0.01)?, at(limit + 0.01)?);
            let ours = limit - 0.01 - 0.02 * below / (above - below);
            // mu_S, or mu_R beta.
            rows.push(SLIDING_AND_ROLLING.row("slope", what, limit, ours, 5e-4));
        }
        twisting(wrong, rows)?;
        super::bed::rows(wrong, rows)?;
        Ok(())
    }
}

/// A sphere that spins about the normal: the torque at its limit, mu_T beta R mu_S N, slows it down evenly.
fn twisting(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (mu, mu_t, beta) = (0.5, 1.3, 0.2);
    let twisting = Material { friction_twisting: wrong.factor("twisting") * mu_t, ..material(mu, 0.0, beta) };
    let mut sphere = OnPlane::new(twisting, 0.0, wrong);
    sphere.world.bodies.spin[0].z = 100.0;
    sphere.run(0.1)?;
    let (time, spin) = (sphere.world.time(), sphere.world.bodies.spin[0].z);
    sphere.run(0.5)?;
    let ours = (spin - sphere.world.bodies.spin[0].z) / (sphere.world.time() - time);
    let expected = mu_t * beta * mu * GRAVITY / (0.4 * RADIUS);
    let what = "spins about the normal: slows down, rad/s2";
    rows.push(TWISTING.row("slope", what, expected, ours, 1e-3 * expected));
    Ok(())
}

fn material(mu: f64, mu_r: f64, beta: f64) -> Material {
    Material { friction_sliding: mu, friction_rolling: mu_r, shape: beta, ..Material::default() }
}
