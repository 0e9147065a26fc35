//! A block of grains on a slope: stuck together they slide as one, at the friction angle of the plane.

use glam::DVec3;
use rubblepile_core::{Fields, Material, Method, PairOverride, Report, Surface, Wall, World, wall::Plane};
use rubblepile_gravity::Uniform;
use rubblepile_soft::{STEPS_PER_CONTACT, Settings, SoftSpheres, shortest_contact_time};

use super::ValidateRow;
use crate::cases::{CaseError, Rows, Wrong};

const GRAVITY: f64 = 9.81;
/// Friction of the plane.
const MU: f64 = 0.5;
const RADIUS: f64 = 0.01;

/// Three layers of a hexagonal packing that cohesion and rolling resistance hold together.
fn block(tan: f64, speed: f64, wrong: &Wrong) -> (World, Fields) {
    let grain = Material {
        name: "grain".into(),
        density: 2500.0,
        friction_sliding: 1.0,
        friction_rolling: 1.0,
        friction_twisting: 1.0,
        shape: 1.0,
        cohesion: 2e4,
        stiffness: Some(2e5),
        ..Material::default()
    };
    let plane = Material { name: "plane".into(), ..grain.clone() };
    let mut world = World::new(1.0);
    world.materials = vec![grain, plane];
    world.pairs = vec![PairOverride {
        a: 0,
        b: 1,
        friction_sliding: Some(wrong.factor("friction") * MU),
        friction_rolling: Some(0.0),
        friction_twisting: Some(0.0),
        cohesion: Some(0.0),
        ..PairOverride::default()
    }];
    world.groups = vec!["block".into()];
    // Spaced so that cohesion is in balance with the overlap it makes: 4 c beta R_e^2 = k_N delta.
    let overlap = 4.0 * 2e4 * (0.5 * RADIUS).powi(2) / 2e5;
    let d = 2.0 * RADIUS - overlap;
    for layer in 0..3 {
        for j in 0..6 {
            for i in 0..6 {
                let shift = if layer == 1 { DVec3::new(0.5, 3f64.sqrt() / 6.0, 0.0) } else { DVec3::ZERO };
                let flat =
                    DVec3::new(f64::from(i) + 0.5 * f64::from(j % 2), 3f64.sqrt() / 2.0 * f64::from(j), 0.0);
                let z = RADIUS + d * (2.0f64 / 3.0).sqrt() * f64::from(layer);
                let row = world.bodies.push_sphere(d * (flat + shift) + DVec3::Z * z, RADIUS, 2500.0, 0, 0);
                world.bodies.velocity[row].x = speed;
            }
        }
    }
    world.walls =
        vec![Wall::new(0, "plane", 1, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }))];
    let angle = tan.atan();
    let acceleration = wrong.factor("gravity") * GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
    (world, Fields { list: vec![Box::new(Uniform { acceleration })] })
}

/// Speed of the block's centre at the two ends of the second half of one second.
fn run(tan: f64, speed: f64, wrong: &Wrong) -> Result<(f64, f64), CaseError> {
    let (mut world, mut fields) = block(tan, speed, wrong);
    let settings = Settings::default();
    let shortest = shortest_contact_time(&world, &settings).ok_or("no contact time")?;
    world.clock.timestep = shortest.seconds / STEPS_PER_CONTACT;
    let mut method = SoftSpheres::new(settings);
    let mut report = Report::default();
    method.advance(&mut world, &mut fields, 0.5, &mut report)?;
    let (half, time) = (world.bodies.centre_of_mass().1.x, world.time());
    method.advance(&mut world, &mut fields, 1.0, &mut report)?;
    let end = world.bodies.centre_of_mass().1.x;
    Ok((end, (end - half) / (world.time() - time)))
}

pub fn rows(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let source = "Coulomb: tan = mu_S; a = g (sin - mu_S cos)";
    let (speed, _) = run(0.45, 0.0, wrong)?;
    rows.push(ValidateRow::new(
        "slope",
        "block of 108 grains at tan 0.45: speed, m/s",
        0.0,
        speed,
        1e-5,
        source,
    ));
    let exact = |tan: f64| GRAVITY * (tan.atan().sin() - MU * tan.atan().cos());
    let (_, a) = run(0.6, 0.0, wrong)?;
    let expected = exact(0.6);
    rows.push(ValidateRow::new(
        "slope",
        "block of 108 grains at tan 0.6: acceleration, m/s2",
        expected,
        a,
        1e-2 * expected,
        source,
    ));
    let (below, above) = (run(0.48, 1.0, wrong)?.1, run(0.52, 1.0, wrong)?.1);
    let zero = 0.48 - 0.04 * below / (above - below);
    rows.push(ValidateRow::new(
        "slope",
        "block of 108 grains: friction angle, tangent",
        MU,
        zero,
        1e-3,
        source,
    ));
    Ok(())
}
