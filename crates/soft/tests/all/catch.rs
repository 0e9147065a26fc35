//! Sticky and absorbing walls.

use glam::DVec3;
use rubblepile_core::{
    Extent, Fields, Material, Measure, Method, Report, Rng, Surface, Wall, WallMotion, WallResponse, World,
    wall::{Cylinder, Plane},
};
use rubblepile_gravity::Uniform;
use rubblepile_soft::{Settings, SoftSpheres};

const STEP: f64 = 2e-5;

fn world(e: f64) -> World {
    let mut world = World::new(STEP);
    world.materials = vec![Material {
        name: "rock".into(),
        density: 1000.0,
        restitution_normal: e,
        restitution_tangential: 0.5,
        stiffness: Some(1e5),
        ..Material::default()
    }];
    world.groups = vec!["all".into()];
    world
}

fn gravity() -> Fields {
    Fields { list: vec![Box::new(Uniform { acceleration: -9.81 * DVec3::Z })] }
}

/// Runs with a new method: nothing but the world is carried on.
fn run(world: &mut World, fields: &mut Fields, until: f64) {
    let mut method = SoftSpheres::new(Settings::default());
    method.advance(world, fields, until, &mut Report::new(Measure::ALL)).expect("a run");
    method.sync(world, Extent::Whole).expect("a world");
}

fn floor(touch: WallResponse) -> Wall {
    let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    Wall { touch, ..Wall::new(3, "floor", 0, plane) }
}

#[test]
fn what_touches_a_sticky_wall_goes_with_it_and_others_bounce_from_it() {
    let mut w = world(0.5);
    let tube = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
    let mut drum = Wall { touch: WallResponse::Stick, ..Wall::new(7, "drum", 0, tube) };
    drum.motion = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate: 2.0 };
    w.walls.push(drum);
    let row = w.bodies.push_sphere(DVec3::new(0.5, 0.0, 0.0), 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::X;
    run(&mut w, &mut Fields::default(), 0.9);
    // It touches after 0.4 s, at the angle 0, and turns by 2 rad/s from there, to the step in which it is caught.
    let expected = 0.9 * DVec3::new(1f64.cos(), 0.0, -1f64.sin());
    assert!(w.bodies.position[0].distance(expected) < 3.0 * STEP, "{} {expected}", w.bodies.position[0]);
    assert!((w.bodies.position[0].length() - 0.9).abs() < 1e-12);
    assert_eq!((w.bodies.spin[0], w.caught.held.len()), (2.0 * DVec3::Y, 1));

    // On a wall at rest another grain comes back with half its speed, as from a wall.
    let now = w.time();
    w.walls[0].set_motion(WallMotion::None, now);
    let mut w = World { clock: rubblepile_core::Clock::new(STEP), ..w };
    w.bodies.velocity[0] = DVec3::ZERO;
    w.bodies.spin[0] = DVec3::ZERO;
    let toward = w.bodies.position[0].normalize();
    let row = w.bodies.push_sphere(DVec3::ZERO, 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = toward;
    w.rates = Default::default();
    run(&mut w, &mut Fields::default(), 0.9);
    let other = w.bodies.id.iter().position(|&id| id == row as u64).expect("there");
    let back = -w.bodies.velocity[other].dot(toward);
    // A contact ends within a step.
    assert!((back - 0.5).abs() < 1e-3, "{back}");
    assert_eq!(w.bodies.velocity[1 - other], DVec3::ZERO);
}

#[test]
fn what_a_sticky_wall_catches_leaves_its_momentum_with_it() {
    let mut w = world(0.5);
    let mut floor = floor(WallResponse::Stick);
    floor.motion = WallMotion::Translation { velocity: 0.5 * DVec3::Z };
    w.walls.push(floor);
    let row = w.bodies.push_sphere(DVec3::new(0.0, 0.0, 1.1), 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::new(0.3, 0.0, -2.0);
    let mass = w.bodies.mass[0];
    run(&mut w, &mut Fields::default(), 0.5);
    let expected = mass * DVec3::new(0.3, 0.0, -2.5);
    assert!((w.caught.tallies[0].impulse - expected).length() < 1e-12 * mass);
    assert!((w.bodies.position[0].z - 0.1 - 0.25).abs() < 1e-12);
}

#[test]
fn what_touches_an_absorbing_wall_is_gone_and_counted() {
    let mut w = world(0.9);
    w.walls.push(floor(WallResponse::Absorb));
    let mut rng = Rng::new(2);
    for k in 0..20 {
        let x = DVec3::new(f64::from(k % 5), f64::from(k / 5), 0.0) * 0.5 + rng.range(0.5, 6.0) * DVec3::Z;
        w.bodies.push_sphere(x, 0.1, 1000.0, 0, 0);
    }
    let mass = w.bodies.mass[0];
    let heights: Vec<f64> = w.bodies.position.iter().map(|x| x.z - 0.1).collect();
    let mut fields = gravity();
    run(&mut w, &mut fields, 0.7);
    let fallen = |z: &&f64| **z < 0.5 * 9.81 * 0.49;
    let count = heights.iter().filter(fallen).count();
    assert!(count > 3 && count < 20);
    let tally = w.caught.tallies[0];
    assert_eq!((w.bodies.len(), tally.wall, tally.absorbed), (20 - count, 3, count as u64));
    assert!((tally.absorbed_mass - count as f64 * mass).abs() < 1e-9);
    // Late by up to a step each.
    let momentum: f64 = heights.iter().filter(fallen).map(|z| -mass * (2.0 * 9.81 * z).sqrt()).sum();
    let late = tally.absorbed_momentum.z - momentum;
    assert!(late.abs() < count as f64 * mass * 9.81 * STEP, "{late}");
    run(&mut w, &mut fields, 1.5);
    assert!(w.bodies.is_empty());
    run(&mut w, &mut fields, 1.6);
}

/// Grains in a drum that turns, holds what touches it, and loses some through an absorbing lid.
fn shaken() -> World {
    let mut w = world(0.7);
    let drum = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
    w.walls.push(Wall { touch: WallResponse::Stick, ..Wall::new(0, "drum", 0, drum) });
    for (k, y) in [-0.3, 0.3].into_iter().enumerate() {
        let plane = Surface::Plane(Plane { point: y * DVec3::Y, normal: DVec3::Y });
        w.walls.push(Wall::new(k as u32 + 1, "side", 0, plane));
    }
    w.walls[0].set_motion(WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate: 2.0 }, 0.0);
    let mut rng = Rng::new(4);
    for k in 0..60 {
        let x = DVec3::new(f64::from(k % 6) - 2.5, f64::from(k / 6 % 2) - 0.5, f64::from(k / 12) - 2.0);
        let row = w.bodies.push_sphere(0.25 * x, rng.range(0.08, 0.11), 1000.0, 0, 0);
        w.bodies.velocity[row] = 0.3 * rng.direction();
        w.bodies.spin[row] = rng.direction();
    }
    w
}

#[test]
fn energy_is_accounted_for_when_walls_catch_and_carry_what_they_hold() {
    let mut fields = gravity();
    let mut balance = |w: &World| {
        let elastic: f64 = SoftSpheres::new(Settings::default())
            .contacts(w)
            .expect("contacts")
            .iter()
            .map(|c| c.elastic)
            .sum();
        let (moving, turning) = w.bodies.kinetic_energy();
        let potential = fields.potential_energy(w).expect("energy");
        moving + turning + potential + elastic + w.dissipation.total() - w.dissipation.wall_work
    };
    let mut w = shaken();
    let before = balance(&w);
    run(&mut w, &mut gravity(), 1.0);
    assert!(w.caught.held.len() > 10 && w.dissipation.wall_work > 30.0, "{:?}", w.dissipation);
    let off = (balance(&w) - before).abs() / w.dissipation.wall_work;
    assert!(off < 2e-3, "{off} {:?}", w.dissipation);
}

#[test]
fn a_run_that_is_cut_gives_the_same_bits_while_walls_hold_and_absorb() {
    let make = || {
        let mut w = shaken();
        let lid = Surface::Plane(Plane { point: 0.4 * DVec3::X, normal: DVec3::X });
        w.walls.push(Wall { touch: WallResponse::Absorb, ..Wall::new(5, "sink", 0, lid) });
        w
    };
    let mut once = make();
    run(&mut once, &mut gravity(), 0.4);
    let mut cut = make();
    for k in 1..=13 {
        run(&mut cut, &mut gravity(), 0.4 * f64::from(k) / 13.0);
    }
    assert!(once.bodies.len() < 50 && once.caught.held.len() > 3, "{:?}", once.caught);
    assert!(once == cut);
}
