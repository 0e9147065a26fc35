//! `collapse-conservation`: a cloud falls together; momentum, angular momentum and energy are accounted for.

use glam::DVec3;
use rubblepile_core::{Fields, G, Material, Measure, Method, Report, Rng, World};
use rubblepile_gravity::{Accuracy, Direct, Tree};
use rubblepile_probe::momentum::Momenta;
use rubblepile_soft::{STEPS_PER_CONTACT, Settings, SoftSpheres, shortest_contact_time};

use super::{ValidateRow, wrong_field::wrong_field};
use crate::cases::{Case, CaseError, Options, Rows, Wrong};

pub struct Collapse;

const CASE: &str = "collapse-conservation";
const RADIUS: f64 = 10.0;
const DENSITY: f64 = 3000.0;

/// `n` grains at random in a sphere that they fill to `filling`, in slow rotation.
fn cloud(n: usize, filling: f64, cohesion: f64, wrong: &Wrong) -> (World, f64) {
    let mut world = World::new(1.0);
    world.materials = vec![Material {
        name: "rock".into(),
        density: DENSITY,
        restitution_normal: 0.55 * wrong.factor("restitution"),
        restitution_tangential: 0.55 * wrong.factor("restitution"),
        friction_sliding: 0.55,
        friction_rolling: 1.05,
        friction_twisting: 1.3,
        shape: 0.5,
        cohesion,
        ..Material::default()
    }];
    world.groups = vec!["cloud".into()];
    let size = RADIUS * (n as f64 / filling).cbrt();
    let bulk = filling * DENSITY;
    let omega = DVec3::Z * 0.3 * (4.0 / 3.0 * std::f64::consts::PI * G * bulk).sqrt();
    let mut rng = Rng::stream(1, CASE);
    while world.bodies.len() < n {
        let x = (size - RADIUS) * rng.uniform().cbrt() * rng.direction();
        if world.bodies.position.iter().all(|y| (x - *y).length() > 2.0 * RADIUS) {
            let row = world.bodies.push_sphere(x, RADIUS, DENSITY, 0, 0);
            let push = 1e-3 * DVec3::new(rng.normal(), rng.normal(), rng.normal());
            world.bodies.velocity[row] = omega.cross(x) + push;
        }
    }
    let drift = world.bodies.centre_of_mass().1;
    for v in &mut world.bodies.velocity {
        *v -= drift;
    }
    let fall = (3.0 * std::f64::consts::PI / (32.0 * G * bulk)).sqrt();
    (world, fall)
}

/// The worst of each drift.
struct Worst {
    momentum: f64,
    angular: f64,
    balance: f64,
    least_heat: f64,
}

/// Runs for `times` free-fall times and gives the worst of each drift.
fn run(
    (mut world, fall): (World, f64),
    times: f64,
    steps_per_contact: f64,
    mut fields: Fields,
) -> Result<Worst, CaseError> {
    let settings = Settings { max_speed: Some(0.1.into()), ..Settings::default() };
    let shortest = shortest_contact_time(&world, &settings).ok_or("no contact time")?;
    world.clock.timestep = shortest.seconds / steps_per_contact;
    let mut method = SoftSpheres::new(settings);
    let mut report = Report::new(Measure::ALL);
    let start = Momenta::of(&world.bodies);
    let potential = fields.potential_energy(&world)?;
    let (t, r) = world.bodies.kinetic_energy();
    let energy = t + r + potential;
    let mut worst = Worst { momentum: 0.0, angular: 0.0, balance: 0.0, least_heat: f64::INFINITY };
    let mut heat = [0.0; 4];
    for k in 1..=20 {
        method.advance(&mut world, &mut fields, times * fall * f64::from(k) / 20.0, &mut report)?;
        let now = Momenta::of(&world.bodies);
        let moved = (now.linear - start.linear).length() / now.linear_scale;
        let turned = (now.angular - start.angular).length() / now.angular_scale;
        let (t, r) = world.bodies.kinetic_energy();
        let elastic: f64 = method.contacts(&world)?.iter().map(|c| c.elastic).sum();
        let balance = t + r + fields.potential_energy(&world)? + elastic + world.dissipation.total();
        worst.momentum = worst.momentum.max(moved);
        worst.angular = worst.angular.max(turned);
        worst.balance = worst.balance.max((balance - energy).abs() / potential.abs());
        let d = world.dissipation;
        let next = [d.normal, d.sliding, d.rolling, d.twisting];
        for (a, b) in next.iter().zip(heat) {
            worst.least_heat = worst.least_heat.min(a - b);
        }
        heat = next;
    }
    Ok(worst)
}

impl Case for Collapse {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "a cloud falls together: momentum, angular momentum and energy are accounted for"
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["gravity", "gravity_on_first", "restitution"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (n, filling, times) = if options.full { (3000, 0.05, 4.0) } else { (300, 0.2, 1.5) };
        let wrong = &options.wrong;
        let direct = || Fields { list: vec![wrong_field(Box::new(Direct::new(G, 1)), wrong)] };
        let push = |what: String, ours: f64, tolerance: f64| {
            rows.push(ValidateRow::new(CASE, what, 0.0, ours, tolerance, "conservation laws"));
        };
        for cohesion in [0.0, 100.0] {
            let label = |what: &str| format!("{n} grains, cohesion {cohesion} Pa: {what}");
            let worst = run(cloud(n, filling, cohesion, wrong), times, STEPS_PER_CONTACT, direct())?;
            push(label("drift of momentum"), worst.momentum, 1e-12);
            push(label("drift of angular momentum"), worst.angular, 1e-12);
            push(label("energy balance over potential energy"), worst.balance, 1e-3);
            push(label("heat taken back, J"), worst.least_heat.min(0.0), 0.0);
        }
        // The tree's forces are not pairs: its drift is within the error asked for, no less.
        let tree = Box::new(Tree::new(Accuracy::Error(1e-3), 1, G));
        let tree = Fields { list: vec![wrong_field(tree, wrong)] };
        let worst = run(cloud(n, filling, 0.0, wrong), times, STEPS_PER_CONTACT, tree)?;
        push(format!("{n} grains, tree at 1e-3: drift of momentum"), worst.momentum, 1e-3);
        push(format!("{n} grains, tree at 1e-3: energy balance over potential energy"), worst.balance, 1e-3);
        Ok(())
    }
}
