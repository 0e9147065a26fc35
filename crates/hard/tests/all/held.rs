//! Grains that walls hold: what bounces from them, and the energy that goes through them.

use crate::common::{energy, gravity, state, world};
use glam::DVec3;
use rubblepile_core::{
    Fields, Measure, Method, Report, Rng, Surface, Wall, WallMotion, WallResponse, World,
    wall::{Cylinder, Plane},
};
use rubblepile_hard::{HardSpheres, Settings};

fn run(w: &mut World, fields: &mut Fields, until: f64, curvilinear: bool) {
    let settings = Settings { curvilinear, ..Settings::default() };
    HardSpheres::new(settings).advance(w, fields, until, &mut Report::new(Measure::ALL)).expect("a run");
}

/// A sticky floor with a bead on it.
fn bead_on_a_floor(timestep: f64) -> World {
    let mut w = world(timestep, 1.0, 1.0);
    let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    w.walls.push(Wall { touch: WallResponse::Stick, ..Wall::new(0, "floor", 0, floor) });
    w.bodies.push_sphere(0.1 * DVec3::Z, 0.1, 1000.0, 0, 0);
    w
}

#[test]
fn on_true_paths_a_ball_bounces_from_what_is_held_as_it_should_at_any_step() {
    let off = |curvilinear: bool| {
        let mut w = bead_on_a_floor(7e-3);
        w.bodies.push_sphere(DVec3::Z, 0.1, 1000.0, 0, 0);
        let mut fields = gravity(-9.81 * DVec3::Z);
        run(&mut w, &mut fields, 49.0, curvilinear);
        assert!(state(&w).grain_collisions > 30, "{}", state(&w).grain_collisions);
        // It falls by 0.7 m, from 1 m, again and again.
        let fall = (2.0 * 0.7 / 9.81f64).sqrt();
        let since_top = (w.time() + fall) % (2.0 * fall) - fall;
        let expected = 1.0 - 0.5 * 9.81 * since_top * since_top;
        w.bodies.position.iter().map(|x| (x.z - expected).abs()).fold(f64::INFINITY, f64::min)
    };
    assert!(off(true) < 1e-9, "{}", off(true));
    // On chords the place of a bounce is off by what a step falls.
    assert!((1e-5..0.1).contains(&off(false)), "{}", off(false));
}

#[test]
fn on_true_paths_a_turning_wall_hits_where_it_does_at_small_steps() {
    // An arm of 1 m with a bead at its end, one turn a second, hits a bead at rest after 0.2 of a turn.
    let end = |timestep: f64, curvilinear: bool| {
        let mut w = world(timestep, 1.0, 1.0);
        let point =
            Surface::Cylinder(Cylinder { centre: DVec3::X, axis: DVec3::Z, radius: 0.0, length: Some(0.0) });
        w.walls.push(Wall { touch: WallResponse::Stick, ..Wall::new(0, "arm", 0, point) });
        w.bodies.push_sphere(1.1 * DVec3::X, 0.1, 1000.0, 0, 0);
        let (sin, cos) = (0.4 * std::f64::consts::PI).sin_cos();
        w.bodies.push_sphere(1.15 * DVec3::new(cos, sin, 0.0), 0.1, 1000.0, 0, 0);
        let turn = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Z, rate: std::f64::consts::TAU };
        w.walls[0].set_motion(turn, 0.0);
        run(&mut w, &mut Fields::default(), 0.3, curvilinear);
        assert_eq!(state(&w).grain_collisions, 1);
        (0..2).find(|&k| w.bodies.id[k] == 1).map(|k| w.bodies.velocity[k]).expect("the bead")
    };
    let exact = end(1e-4, true);
    assert!(exact.length() > 1.0);
    assert!(end(0.1, true).distance(exact) < 1e-7, "{} {exact}", end(0.1, true));
    assert!(end(1e-4, false).distance(exact) < 1e-2);
    assert!(end(0.1, false).distance(exact) > 1e-2, "{} {exact}", end(0.1, false));
}

#[test]
fn energy_is_accounted_for_when_walls_catch_carry_and_swing_what_they_hold() {
    for curvilinear in [false, true] {
        let mut w = world(1e-4, 0.7, 0.5);
        let drum =
            Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
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
        let mut fields = gravity(-9.81 * DVec3::Z);
        let balance = |w: &World, fields: &mut Fields| {
            energy(w, fields) + w.dissipation.total() - w.dissipation.wall_work
        };
        let before = balance(&w, &mut fields);
        run(&mut w, &mut fields, 3.0, curvilinear);
        assert!(
            w.caught.held.len() > 10 && w.dissipation.wall_work > 100.0,
            "{} {:?}",
            w.caught.held.len(),
            w.dissipation
        );
        let off = (balance(&w, &mut fields) - before).abs() / w.dissipation.wall_work;
        assert!(off < if curvilinear { 1e-9 } else { 1e-3 }, "{off} {:?}", w.dissipation);
    }
}
