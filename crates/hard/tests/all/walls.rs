//! Grains and walls: what a bounce keeps, what rests, and what cannot get out.

use crate::common::{advance, energy, gravity, state, world};
use glam::DVec3;
use rubblepile_core::{
    Fields, Measure, Method, Report, Rng, Surface, Wall, WallMotion, WallResponse, World,
    event::RemoveWall,
    wall::{Cuboid, Cylinder, Disk, Plane},
};
use rubblepile_hard::{HardSpheres, Settings};

#[test]
fn a_ball_that_bounces_keeps_its_energy_for_ever_and_loses_what_it_should() {
    let mut w = world(1e-3, 1.0, 1.0);
    w.walls.push(Wall::new(0, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z })));
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 1.1), 0.1, 1000.0, 0, 0);
    let mut fields = gravity(-9.81 * DVec3::Z);
    let before = energy(&w, &mut fields);
    let report = advance(&mut w, &mut fields, 100.0);
    let bounces = report.counts.iter().find(|c| c.0 == "collisions with walls").expect("bounces").1;
    // A fall through a metre and back takes 2 sqrt(2 / 9.81) s.
    assert!((110..=111).contains(&bounces), "{bounces}");
    let drift = energy(&w, &mut fields) / before - 1.0;
    assert!(drift.abs() < 1e-11, "{drift}");

    // With a restitution of 0.8 it rises to 0.64 of its height.
    let mut w = world(1e-3, 0.8, 1.0);
    w.walls.push(Wall::new(0, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z })));
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 1.1), 0.1, 1000.0, 0, 0);
    let mut highest = 0.0f64;
    let mut t = 0.0;
    while t < 0.9 {
        t += 1e-3;
        advance(&mut w, &mut fields, t);
        if w.bodies.velocity[0].z > 0.0 {
            highest = highest.max(w.bodies.position[0].z - 0.1);
        }
    }
    assert!((highest - 0.64).abs() < 1e-4, "{highest}");
}

#[test]
fn a_grain_at_rest_on_a_floor_neither_sinks_nor_stops_the_clock() {
    let mut w = world(1e-3, 0.5, 0.5);
    w.walls.push(Wall::new(0, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z })));
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 0.1), 0.1, 1000.0, 0, 0);
    w.bodies.push_sphere(DVec3::new(0.02, 0.01, 0.9), 0.1, 1000.0, 0, 0);
    let mut fields = gravity(-9.81 * DVec3::Z);
    let report = advance(&mut w, &mut fields, 60.0);
    let b = &w.bodies;
    for k in 0..2 {
        let height = b.position[k].z - 0.1;
        // Trembling with the rest speed, 10 g h = 0.1 m/s, lifts by half a millimetre.
        assert!(height > -1e-12 && height < 2e-3, "{height}");
        assert!(b.velocity[k].z.abs() < 0.15);
    }
    assert!(report.counts.iter().any(|c| c.0 == "collisions below the rest speed" && c.1 > 1000));
}

#[test]
fn sixty_grains_in_a_cylinder_cut_by_an_inclined_plane_stay_in_it() {
    let mut w = world(2e-4, 0.7, 0.5);
    let normal = DVec3::new(1.0, 0.0, 1.0).normalize();
    w.walls.push(Wall::new(0, "plane", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal })));
    let tube = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: 0.5, length: None });
    w.walls.push(Wall::new(1, "tube", 0, tube));
    let mut rng = Rng::new(4);
    for k in 0..60 {
        let turn = rng.range(0.0, std::f64::consts::TAU);
        let x = DVec3::new(0.25 * turn.cos(), 0.25 * turn.sin(), 1.0 + 0.15 * f64::from(k));
        w.bodies.push_sphere(x, 0.05, 1000.0, 0, 0);
    }
    let mut fields = gravity(-9.81 * DVec3::Z);
    advance(&mut w, &mut fields, 3.0);
    let b = &w.bodies;
    for k in 0..b.len() {
        let x = b.position[k];
        assert!(x.dot(normal) > 0.05 - 1e-9 && x.truncate().length() < 0.45 + 1e-9, "{x}");
    }
    // They have slid down to the low side.
    let mean = b.position.iter().map(|x| x.x).sum::<f64>() / 60.0;
    assert!(mean > 0.2, "{mean}");
}

#[test]
fn a_sphere_balanced_on_the_inner_edge_of_an_upright_ring_stays_in_its_plane() {
    let mut w = world(1e-3, 0.5, 1.0);
    let ring =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: Some(0.0) });
    w.walls.push(Wall::new(0, "ring", 0, ring));
    // Off the lowest point by 0.3 rad: it slides to and fro like a pendulum of length 0.8.
    let at = |angle: f64| 0.8 * DVec3::new(angle.sin(), 0.0, -angle.cos());
    w.bodies.push_sphere(at(0.3), 0.2, 1000.0, 0, 0);
    let mut fields = gravity(-9.81 * DVec3::Z);
    let period = std::f64::consts::TAU * (0.8f64 / 9.81).sqrt() * (1.0 + 0.3f64.powi(2) / 16.0);
    // After a quarter of a period it is at the bottom.
    advance(&mut w, &mut fields, 0.25 * period);
    let x = w.bodies.position[0];
    assert!(x.x.abs() < 0.02, "{x}");
    assert!(x.y.abs() < 1e-9 && (x.length() - 0.8).abs() < 5e-3, "{x}");
}

#[test]
fn hundreds_on_a_disk_that_swings_in_a_tube_stay_above_it() {
    let mut w = world(2e-4, 0.8, 0.5);
    let mut disk = Wall::new(
        0,
        "disk",
        0,
        Surface::Disk(Disk { centre: DVec3::ZERO, normal: DVec3::Z, radius: 0.499, hole: 0.0 }),
    );
    disk.motion = WallMotion::Oscillation { amplitude: 0.02 * DVec3::Z, frequency: 10.0, phase: 0.0 };
    w.walls.push(disk);
    let tube = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: 0.5, length: None });
    w.walls.push(Wall::new(1, "tube", 0, tube));
    for k in 0..300 {
        let (layer, j) = (k / 16, k % 16);
        let place = DVec3::new(0.15 * f64::from(j % 4) - 0.22, 0.15 * f64::from(j / 4) - 0.22, 0.1);
        w.bodies.push_sphere(place + 0.1 * f64::from(layer) * DVec3::Z, 0.03, 1000.0, 0, 0);
    }
    let mut fields = gravity(-9.81 * DVec3::Z);
    advance(&mut w, &mut fields, 1.0);
    let floor = w.walls[0].pose(w.time()).translation.z;
    for x in &w.bodies.position {
        assert!(x.z - floor > 0.03 - 1e-8 && x.truncate().length() < 0.47 + 1e-9, "{x} {floor}");
    }
    assert!(w.bodies.velocity.iter().map(|v| v.length_squared()).sum::<f64>() > 1.0);
}

#[test]
fn a_stop_and_a_start_change_nothing() {
    let make = || {
        let mut w = world(1e-3, 0.9, 0.3);
        w.walls.push(Wall::new(0, "box", 0, Surface::Box(Cuboid { min: DVec3::ZERO, max: DVec3::ONE })));
        let mut rng = Rng::new(9);
        for k in 0..64 {
            let x = DVec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16)) * 0.24
                + DVec3::splat(0.13);
            let row = w.bodies.push_sphere(x, 0.05, 1000.0, 0, 0);
            w.bodies.velocity[row] = rng.direction();
        }
        w
    };
    let mut once = make();
    advance(&mut once, &mut gravity(-DVec3::Z), 2.0);
    let mut twice = make();
    advance(&mut twice, &mut gravity(-DVec3::Z), 0.7);
    advance(&mut twice, &mut gravity(-DVec3::Z), 2.0);
    assert_eq!(once, twice);
}

#[test]
fn what_touches_a_sticky_wall_goes_with_it_and_others_bounce_from_it() {
    let mut w = world(1e-3, 0.5, 1.0);
    let tube = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 1.0, length: None });
    let mut drum = Wall::new(7, "drum", 0, tube);
    drum.touch = WallResponse::Stick;
    drum.motion = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate: 2.0 };
    w.walls.push(drum);
    let row = w.bodies.push_sphere(DVec3::new(0.5, 0.0, 0.0), 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::X;
    let mut none = Fields::default();
    // It touches after 0.4 s, at the angle 0, and turns by 2 rad/s from there.
    advance(&mut w, &mut none, 0.9);
    let angle = 2.0 * 0.5f64;
    let expected = 0.9 * DVec3::new(angle.cos(), 0.0, -angle.sin());
    assert!((w.bodies.position[0] - expected).length() < 1e-9, "{} {expected}", w.bodies.position[0]);
    assert!((w.bodies.spin[0] - 2.0 * DVec3::Y).length() < 1e-12);
    assert_eq!((w.caught.held.len(), w.caught.held[0].wall), (1, 7));
    // A wall that is taken away lets go.
    let mut free = w.clone();
    rubblepile_core::event::apply(&RemoveWall { name: "drum".into() }.into(), &mut free).expect("gone");
    let straight = free.bodies.position[0] + 0.1 * free.bodies.velocity[0];
    advance(&mut free, &mut none, 1.0);
    assert!((free.bodies.position[0] - straight).length() < 1e-12);

    // On a wall that does not move, another grain comes back with half its speed, as from a wall.
    w.walls[0].motion = WallMotion::None;
    w.walls[0].touch = WallResponse::Bounce;
    let place = DVec3::new(0.9, 0.0, 0.0);
    w.caught.held[0].place = place;
    w.walls[0].rotation = glam::DQuat::IDENTITY;
    w.bodies.position[0] = place;
    let row = w.bodies.push_sphere(DVec3::ZERO, 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::X;
    let until = w.time() + 0.9;
    advance(&mut w, &mut none, until);
    let other = w.bodies.id.iter().position(|&id| id == row as u64).expect("there");
    assert!((w.bodies.velocity[other].x + 0.5).abs() < 1e-12, "{}", w.bodies.velocity[other]);
    assert_eq!(w.bodies.velocity[1 - other], DVec3::ZERO);
}

#[test]
fn what_a_sticky_wall_catches_leaves_its_momentum_with_it() {
    let mut w = world(1e-2, 0.5, 1.0);
    let mut floor = Wall::new(3, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }));
    floor.touch = WallResponse::Stick;
    floor.motion = WallMotion::Translation { velocity: 0.5 * DVec3::Z };
    w.walls.push(floor);
    let row = w.bodies.push_sphere(DVec3::new(0.0, 0.0, 1.1), 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::new(0.3, 0.0, -2.0);
    let mass = w.bodies.mass[0];
    advance(&mut w, &mut Fields::default(), 1.0);
    let expected = mass * DVec3::new(0.3, 0.0, -2.5);
    assert!(
        (w.caught.tallies[0].impulse - expected).length() < 1e-12 * mass,
        "{}",
        w.caught.tallies[0].impulse
    );
}

#[test]
fn what_touches_an_absorbing_wall_is_gone_and_counted() {
    let mut w = world(1e-2, 0.9, 1.0);
    let mut floor = Wall::new(3, "floor", 0, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }));
    floor.touch = WallResponse::Absorb;
    w.walls.push(floor);
    let mut rng = Rng::new(2);
    for k in 0..20 {
        let x = DVec3::new(f64::from(k % 5), f64::from(k / 5), 0.0) * 0.5 + rng.range(0.5, 6.0) * DVec3::Z;
        w.bodies.push_sphere(x, 0.1, 1000.0, 0, 0);
    }
    let mass = w.bodies.mass[0];
    let mut fields = gravity(-9.81 * DVec3::Z);
    let heights: Vec<f64> = w.bodies.position.iter().map(|x| x.z - 0.1).collect();
    advance(&mut w, &mut fields, 0.7);
    // Those are left that take longer to fall.
    let fallen = heights.iter().filter(|&&z| z < 0.5 * 9.81 * 0.7 * 0.7).count();
    assert!(fallen > 3 && fallen < 20);
    assert_eq!(w.bodies.len(), 20 - fallen);
    let tally = w.caught.tallies[0];
    assert_eq!((tally.wall, tally.absorbed), (3, fallen as u64));
    assert!((tally.absorbed_mass - fallen as f64 * mass).abs() < 1e-9);
    let momentum: f64 =
        heights.iter().filter(|&&z| z < 0.5 * 9.81 * 0.49).map(|z| -mass * (2.0 * 9.81 * z).sqrt()).sum();
    assert!((tally.absorbed_momentum.z / momentum - 1.0).abs() < 1e-9);
    advance(&mut w, &mut fields, 3.0);
    assert!(w.bodies.is_empty());
}

#[test]
fn lists_of_neighbours_lose_nobody_and_leave_no_trace() {
    // Beads shaken in a box that turns: dense below, in flight above, some caught by a sticky floor.
    let start = || {
        let mut w = world(2e-5, 0.6, 0.5);
        w.materials[0].density = 2500.0;
        let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
        w.walls.push(Wall { touch: WallResponse::Stick, ..Wall::new(0, "floor", 0, floor) });
        let tube =
            Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: 6e-3, length: None });
        w.walls.push(Wall::new(1, "tube", 0, tube));
        let lid = Surface::Disk(Disk { centre: 12e-3 * DVec3::Z, normal: DVec3::Z, radius: 6e-3, hole: 0.0 });
        w.walls.push(Wall::new(2, "lid", 0, lid));
        let swing = WallMotion::Oscillation { amplitude: 0.5e-3 * DVec3::Z, frequency: 60.0, phase: 0.0 };
        w.walls[0].set_motion(swing, 0.0);
        w.walls[2].set_motion(swing, 0.0);
        let mut rng = Rng::new(9);
        for k in 0..400 {
            let x = DVec3::new(f64::from(k % 7) - 3.0, f64::from(k / 7 % 7) - 3.0, f64::from(k / 49) + 1.0);
            let radius = rng.range(0.4e-3, 0.5e-3);
            let row = w.bodies.push_sphere(1.15e-3 * x, radius, 2500.0, 0, 0);
            w.bodies.velocity[row] = 0.1 * rng.direction();
        }
        w
    };
    let overlap = |w: &World| {
        let b = &w.bodies;
        let mut most = 0.0f64;
        for i in 0..b.len() {
            for j in 0..i {
                let gap = b.position[i].distance(b.position[j]) - b.radius[i] - b.radius[j];
                most = most.max(-gap);
            }
        }
        most
    };
    let mut fields = gravity(-9.81 * DVec3::Z);
    let mut unbroken = start();
    let mut method = HardSpheres::new(Settings::default());
    let mut report = Report::new(Measure::ALL);
    for k in 1..=40 {
        method.advance(&mut unbroken, &mut fields, f64::from(k) * 1e-3, &mut report).expect("a run");
        // Nobody has gone into anybody: no meeting was missed. What holds beads lets them swing by a chord's sag.
        assert!(overlap(&unbroken) < 1e-8, "{} at {k} ms", overlap(&unbroken));
    }
    let (held, met) = (unbroken.caught.held.len(), state(&unbroken).grain_collisions);
    assert!(held > 20 && met > 5_000, "{held} {met}");
    // The same with a new method, which has to make its lists again, every few steps.
    let mut broken = start();
    let mut until = 0;
    while until < 40_000 {
        until = (until + 140).min(40_000);
        advance(&mut broken, &mut fields, f64::from(until) * 1e-6);
    }
    assert!(broken == unbroken);
}
