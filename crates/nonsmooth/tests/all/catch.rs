//! Sticky and absorbing walls.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Fields, Rng, Surface, Wall, WallMotion, WallResponse, World,
    wall::{Cylinder, Plane},
};
use rubblepile_geometry::solid;
use rubblepile_nonsmooth::Settings;

use crate::common::{add, fall, material, run, world};

const STEP: f64 = 1e-4;
const DENSITY: f64 = 2000.0;

fn tight() -> Settings {
    Settings { tolerance: 1e-9.into(), iterations: 2000, unsolved_steps: 0, ..Settings::default() }
}

fn gravity() -> Fields {
    fall(-9.81 * DVec3::Z)
}

fn floor(touch: WallResponse) -> Wall {
    let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    Wall { touch, ..Wall::new(3, "floor", 0, plane) }
}

#[test]
fn what_touches_a_sticky_wall_goes_with_it_and_others_bounce_from_it() {
    let mut w = world(STEP, material(0.3, 0.5));
    let tube = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
    let mut drum = Wall { touch: WallResponse::Stick, ..Wall::new(7, "drum", 0, tube) };
    drum.motion = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate: 2.0 };
    w.walls.push(drum);
    let row = w.bodies.push_sphere(DVec3::new(0.5, 0.0, 0.0), 0.1, DENSITY, 0, 0);
    w.bodies.velocity[row] = DVec3::X;
    run(&mut w, &mut Fields::default(), &tight(), 0.9);
    let expected = 0.9 * DVec3::new(1f64.cos(), 0.0, -1f64.sin());
    assert!(w.bodies.position[0].distance(expected) < 3.0 * STEP, "{} {expected}", w.bodies.position[0]);
    assert!((w.bodies.position[0].length() - 0.9).abs() < 1e-12);
    assert_eq!((w.bodies.spin[0], w.caught.held.len()), (2.0 * DVec3::Y, 1));

    // On a wall at rest another grain comes back with half its speed, as from a wall.
    let now = w.time();
    w.walls[0].set_motion(WallMotion::None, now);
    let toward = w.bodies.position[0].normalize();
    let row = w.bodies.push_sphere(DVec3::ZERO, 0.1, DENSITY, 0, 0);
    w.bodies.velocity[row] = toward;
    run(&mut w, &mut Fields::default(), &tight(), 1.8);
    let other = w.bodies.id.iter().position(|&id| id == row as u64).expect("there");
    let back = -w.bodies.velocity[other].dot(toward);
    assert!((back - 0.5).abs() < 1e-9, "{back}");
    assert_eq!(w.bodies.velocity[1 - other], DVec3::ZERO);
}

#[test]
fn a_rock_that_a_rising_floor_catches_rises_and_turns_no_more() {
    let mut w = world(STEP, material(0.3, 0.5));
    let mut floor = floor(WallResponse::Stick);
    floor.motion = WallMotion::Translation { velocity: 0.5 * DVec3::Z };
    w.walls.push(floor);
    let tilted = DQuat::from_rotation_x(0.3);
    let k = add(&mut w, solid::block(DVec3::new(0.4, 0.3, 0.2)), DVec3::Z, tilted);
    w.bodies.velocity[k] = DVec3::new(0.3, 0.0, -2.0);
    let mass = w.bodies.mass[k];
    run(&mut w, &mut Fields::default(), &tight(), 0.5);
    let expected = mass * DVec3::new(0.3, 0.0, -2.5);
    assert!((w.caught.tallies[0].impulse - expected).length() < 1e-9 * mass, "{:?}", w.caught);
    assert_eq!((w.bodies.velocity[k], w.bodies.spin[k]), (0.5 * DVec3::Z, DVec3::ZERO));
    // Its lowest edge is on the floor.
    let lowest = 0.15 * 0.3f64.sin() + 0.1 * 0.3f64.cos();
    assert!(
        (w.bodies.position[k].z - 0.25 - lowest).abs() < 1e-12,
        "{}",
        w.bodies.position[k].z - 0.25 - lowest
    );
    assert!(w.bodies.orientation[k].dot(tilted).abs() > 1.0 - 1e-12);
}

#[test]
fn what_touches_an_absorbing_wall_is_gone_and_counted() {
    let mut w = world(STEP, material(0.3, 0.9));
    w.walls.push(floor(WallResponse::Absorb));
    let mut rng = Rng::new(2);
    for k in 0..20 {
        let x = DVec3::new(f64::from(k % 5), f64::from(k / 5), 0.0) * 0.5 + rng.range(0.5, 6.0) * DVec3::Z;
        match k % 2 {
            0 => w.bodies.push_sphere(x, 0.1, DENSITY, 0, 0),
            _ => add(&mut w, solid::block(DVec3::splat(0.2)), x, DQuat::IDENTITY),
        };
    }
    let heights: Vec<(f64, f64)> =
        w.bodies.position.iter().zip(&w.bodies.mass).map(|(x, m)| (x.z - 0.1, *m)).collect();
    let mut fields = gravity();
    run(&mut w, &mut fields, &tight(), 0.7);
    let fallen: Vec<&(f64, f64)> = heights.iter().filter(|h| h.0 < 0.5 * 9.81 * 0.49).collect();
    assert!(fallen.len() > 3 && fallen.len() < 20);
    let tally = w.caught.tallies[0];
    assert_eq!((w.bodies.len(), tally.wall, tally.absorbed), (20 - fallen.len(), 3, fallen.len() as u64));
    let mass: f64 = fallen.iter().map(|h| h.1).sum();
    assert!((tally.absorbed_mass - mass).abs() < 1e-9);
    // Late by up to a step each.
    let momentum: f64 = fallen.iter().map(|h| -h.1 * (2.0 * 9.81 * h.0).sqrt()).sum();
    let late = tally.absorbed_momentum.z - momentum;
    assert!(late.abs() < 1.01 * mass * 9.81 * STEP, "{late}");
    run(&mut w, &mut fields, &tight(), 1.5);
    assert!(w.bodies.is_empty());
    run(&mut w, &mut fields, &tight(), 1.6);
}

/// Grains in a long drum that turns and holds what touches it. Between plates rigid grains would be wedged with no way out.
fn shaken() -> World {
    let mut w = world(1e-3, material(0.4, 0.3));
    let drum = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
    w.walls.push(Wall { touch: WallResponse::Stick, ..Wall::new(0, "drum", 0, drum) });
    w.walls[0].set_motion(WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate: 2.0 }, 0.0);
    let mut rng = Rng::new(4);
    for k in 0..60 {
        let x = DVec3::new(f64::from(k % 6) - 2.5, f64::from(k / 6 % 2) - 0.5, f64::from(k / 12) - 2.0);
        let row = w.bodies.push_sphere(0.25 * x, rng.range(0.08, 0.11), DENSITY, 0, 0);
        w.bodies.velocity[row] = 0.3 * rng.direction();
        w.bodies.spin[row] = rng.direction();
    }
    w
}

#[test]
fn energy_is_accounted_for_when_walls_catch_and_carry_what_they_hold() {
    let mut fields = gravity();
    let mut balance = |w: &World| {
        let (moving, turning) = w.bodies.kinetic_energy();
        let potential = fields.potential_energy(w).expect("energy");
        moving + turning + potential + w.dissipation.total() - w.dissipation.wall_work
    };
    let mut w = shaken();
    let before = balance(&w);
    run(&mut w, &mut gravity(), &tight(), 1.0);
    assert!(
        w.caught.held.len() > 10 && (60.0..1e4).contains(&w.dissipation.wall_work),
        "{:?}",
        w.dissipation
    );
    let off = (balance(&w) - before).abs() / w.dissipation.wall_work;
    assert!(off < 5e-3, "{off} {:?}", w.dissipation);
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
    run(&mut once, &mut gravity(), &tight(), 0.4);
    let mut cut = make();
    for k in 1..=13 {
        run(&mut cut, &mut gravity(), &tight(), 0.4 * f64::from(k) / 13.0);
    }
    assert!(once.bodies.len() < 50 && once.caught.held.len() > 3, "{:?}", once.caught);
    assert!(once == cut);
}
