//! Polyhedra: what slides, stacks, spins and stands.

use crate::common::{add, fall, floor, material, run, world};
use glam::{DQuat, DVec3};
use rubblepile_core::{
    Fields, G, Measure, Method, Report, Rng, Severity, Solid, Surface, Wall, World, wall::Cylinder,
};
use rubblepile_geometry::solid;
use rubblepile_gravity::Direct;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

const GRAVITY: f64 = 9.81;

fn tight() -> Settings {
    Settings { tolerance: 1e-8.into(), iterations: 3000, ..Settings::default() }
}

#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above() {
    for mu in [0.3, 0.6] {
        for part in [0.95, 1.05] {
            let angle = f64::atan(part * mu);
            let mut w = world(1e-2, material(mu, 0.0));
            floor(&mut w);
            add(&mut w, solid::block(DVec3::new(1.0, 0.8, 0.5)), DVec3::new(0.0, 0.0, 0.25), DQuat::IDENTITY);
            run(&mut w, &mut fall(GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos())), &tight(), 1.0);
            let v = w.bodies.velocity[0];
            if part < 1.0 {
                // The tolerance of the solver, 1e-8 of the speed that a step of gravity gives.
                assert!(v.length() < 5e-9, "{v}");
            } else {
                let expected = GRAVITY * (angle.sin() - mu * angle.cos());
                assert!((v.x / expected - 1.0).abs() < 1e-6, "{} for {expected}", v.x);
                assert!(v.y.abs() + v.z.abs() < 1e-8);
            }
        }
    }
}

#[test]
fn a_stack_of_boxes_stands() {
    let mut w = world(5e-3, material(0.5, 0.0));
    floor(&mut w);
    let size = DVec3::new(1.0, 1.0, 0.5);
    for k in 0..10 {
        // Each turned against the one below: corners over edges, parallel faces.
        let turn = DQuat::from_rotation_z(0.3 * k as f64);
        let solid = solid::block(size);
        // The solid's own axes are its principal ones: put its short side up.
        let up = short_side_up(&solid);
        add(&mut w, solid, DVec3::new(0.0, 0.0, 0.25 + 0.5 * k as f64), turn * up);
    }
    let before = w.bodies.position.clone();
    run(&mut w, &mut fall(DVec3::new(0.0, 0.0, -GRAVITY)), &Settings::default(), 5.0);
    for k in 0..10 {
        let row = w.bodies.id.iter().position(|&id| id == k).expect("a block");
        let moved = (w.bodies.position[row] - before[k as usize]).length();
        // What the default tolerance lets through while the first impulses find their way down.
        assert!(moved < 5e-4, "block {k} moved {moved:e}");
    }
}

/// The rotation that brings the shortest side of a block to z.
fn short_side_up(solid: &Solid) -> DQuat {
    let extent = |axis: DVec3| solid.parts[0].vertices.iter().map(|v| v.dot(axis).abs()).fold(0.0, f64::max);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let shortest = axes.into_iter().min_by(|a, b| extent(*a).total_cmp(&extent(*b))).unwrap_or(DVec3::Z);
    DQuat::from_rotation_arc(shortest, DVec3::Z)
}

#[test]
fn a_rod_falls_on_its_end_without_a_paradox() {
    // Painleve's rod: with friction above 4/3 a sliding rod has no continuous motion; in steps it must stay finite and come to
    // lie on the floor. An end that comes down at v is found up to v h / 2 inside the floor, and taking that back is all the
    // energy that it may gain (validation/stick-slip, E).
    for mu in [0.5, 2.0] {
        let mut w = world(1e-3, material(mu, 0.0));
        floor(&mut w);
        let rod = solid::block(DVec3::new(2.0, 0.1, 0.1));
        let along = [DVec3::X, DVec3::Y, DVec3::Z]
            .into_iter()
            .max_by(|a, b| {
                let e = |axis: &DVec3| rod.parts[0].vertices.iter().map(|v| v.dot(*axis)).fold(0.0, f64::max);
                e(a).total_cmp(&e(b))
            })
            .unwrap_or(DVec3::X);
        let slanted = DVec3::new(0.6, 0.0, 0.8);
        add(&mut w, rod, DVec3::new(0.0, 0.0, 0.9), DQuat::from_rotation_arc(along, slanted));
        w.bodies.velocity[0] = DVec3::new(3.0, 0.0, -1.0);
        let mut fields = fall(DVec3::new(0.0, 0.0, -GRAVITY));
        let lift = 0.5e-3 * w.bodies.velocity[0].length() * w.bodies.mass[0] * GRAVITY;
        let mut energy = f64::INFINITY;
        let mut gained = 0.0;
        let mut method = ContactDynamics::new(tight());
        for k in 1..=40 {
            method
                .advance(&mut w, &mut fields, 0.1 * f64::from(k), &mut Report::new(Measure::ALL))
                .expect("a run");
            let (t, r) = w.bodies.kinetic_energy();
            let now = t + r + w.bodies.mass[0] * GRAVITY * w.bodies.position[0].z;
            gained += (now - energy).max(0.0);
            energy = now;
        }
        assert!(gained <= lift, "mu {mu}: gained {gained} J, {lift} at most");
        assert!((w.bodies.position[0].z - 0.05).abs() < 1e-3, "it lies: {}", w.bodies.position[0]);
    }
}

#[test]
fn an_arch_of_wedges_stands_on_friction_and_falls_without() {
    for (mu, stands) in [(0.6, true), (0.02, false)] {
        let mut w = world(2e-3, material(mu, 0.0));
        floor(&mut w);
        let (inner, outer, depth, count) = (2.0, 2.8, 1.0, 9);
        for k in 0..count {
            let angle = |k: f64| std::f64::consts::PI * k / f64::from(count);
            let mut corners = Vec::new();
            for a in [angle(f64::from(k)), angle(f64::from(k + 1))] {
                for r in [inner, outer] {
                    for y in [-0.5 * depth, 0.5 * depth] {
                        corners.push(DVec3::new(r * a.cos(), y, r * a.sin()));
                    }
                }
            }
            let made = solid::from_points(&corners).expect("a wedge");
            add(&mut w, made.solid, made.centre, made.orientation);
        }
        let top = |w: &World| w.bodies.position.iter().map(|x| x.z).fold(0.0, f64::max);
        let before = top(&w);
        run(
            &mut w,
            &mut fall(DVec3::new(0.0, 0.0, -GRAVITY)),
            &Settings { tolerance: 1e-4.into(), iterations: 1000, ..Settings::default() },
            2.0,
        );
        let sunk = before - top(&w);
        assert!(if stands { sunk < 1e-3 } else { sunk > 0.5 }, "mu {mu}: sunk by {sunk}");
    }
}

#[test]
fn a_free_body_keeps_its_energy_for_hours() {
    // Figure 4a of contact-dynamics-2021: 150 minutes at 0.05 s and 0.05 rad/s about each axis; less than 0.01 % wanted.
    let mut w = world(0.05, material(0.0, 0.0));
    let mut rng = Rng::new(2);
    add(&mut w, solid::scaled(&solid::random_polyhedron(20, &mut rng), 5.0), DVec3::ZERO, DQuat::IDENTITY);
    w.bodies.spin[0] = DVec3::splat(0.05);
    let before = w.bodies.kinetic_energy().1;
    run(&mut w, &mut Fields::default(), &Settings::default(), 9000.0);
    let error = w.bodies.kinetic_energy().1 / before - 1.0;
    assert!(error.abs() < 1e-10, "{error:e}");
}

#[test]
fn two_rotating_rocks_that_bounce_keep_their_energy() {
    // Figure 4b: restitution 1, no friction, self-gravity.
    let mut w = world(0.05, material(0.0, 1.0));
    let mut rng = Rng::new(6);
    for side in [-1.0, 1.0] {
        let rock = solid::scaled(&solid::random_polyhedron(30, &mut rng), 5.0);
        let row = add(&mut w, rock, DVec3::new(side * 6.0, 0.2 * side, 0.0), DQuat::IDENTITY);
        w.bodies.velocity[row] = DVec3::new(-0.01 * side, 0.0, 0.0);
        w.bodies.spin[row] = DVec3::new(0.01, -0.02 * side, 0.03);
    }
    let mut fields = Fields { list: vec![Box::new(Direct::new(G, 1))] };
    let energy = |w: &World, f: &mut Fields| {
        let (t, r) = w.bodies.kinetic_energy();
        t + r + f.potential_energy(w).expect("an energy")
    };
    let momentum = |w: &World| {
        let b = &w.bodies;
        (0..2)
            .map(|k| {
                let q = b.orientation[k];
                b.mass[k] * b.position[k].cross(b.velocity[k])
                    + q * (b.inertia[k] * (q.inverse() * b.spin[k]))
            })
            .sum::<DVec3>()
    };
    let (before, l) = (energy(&w, &mut fields), momentum(&w));
    let v = w.bodies.velocity[0];
    run(&mut w, &mut fields, &tight(), 3000.0);
    assert!((w.bodies.velocity[0] - v).length() > 1e-3, "they met");
    let error = (energy(&w, &mut fields) - before).abs() / before.abs();
    assert!(error < 1e-3, "{error:e}");
    assert!((momentum(&w) - l).length() < 1e-11 * l.length());
}

/// Boulders that fall together, with spheres among them.
fn pile() -> (World, Fields) {
    let mut w = world(10.0, material(0.5, 0.0));
    let mut rng = Rng::new(5);
    for x in 0..4 {
        for y in 0..4 {
            for z in 0..3 {
                let site = 2.5 * DVec3::new(x as f64, y as f64, z as f64);
                if (x + y + z) % 5 == 0 {
                    w.bodies.push_sphere(site, 0.9, 2000.0, 0, 0);
                } else {
                    let rock = solid::random_boulder(12, &mut rng);
                    add(&mut w, rock, site, DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 3.0)));
                }
            }
        }
    }
    w.bodies.velocity.iter_mut().for_each(|v| *v = 1e-6 * rng.direction());
    (w, Fields { list: vec![Box::new(Direct::new(G, 1))] })
}

#[test]
fn threads_and_restarts_leave_the_same_bits() {
    let end = 1800.0 * 10.0;
    let on = |threads: usize, stops: &[f64]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (mut w, mut fields) = pile();
        pool.install(|| {
            stops.iter().chain(&[end]).for_each(|&t| run(&mut w, &mut fields, &Settings::default(), t))
        });
        w
    };
    let whole = on(1, &[]);
    assert!(whole.remembered().count() > 50, "{} points", whole.remembered().count());
    assert_eq!(on(3, &[]), whole);
    assert_eq!(on(2, &[1234.0, 10_240.0, 15_000.0]), whole);
}

#[test]
fn rocks_meet_across_a_periodic_boundary() {
    let run_at = |second: f64, periodic: bool| {
        let mut w = world(1e-3, material(0.3, 0.0));
        if periodic {
            let (min, max) = (DVec3::ZERO, DVec3::splat(10.0));
            w.domain = rubblepile_core::Domain::Periodic { min, max, axes: [true; 3] };
        }
        let mut rng = Rng::new(12);
        for x in [0.6, second] {
            let rock = solid::random_boulder(12, &mut rng);
            let row = add(&mut w, rock, DVec3::new(x, 5.0, 5.0), DQuat::from_rotation_z(0.3));
            w.bodies.velocity[row].x = if x == 0.6 { -1.0 } else { 1.0 };
        }
        let ball = w.bodies.push_sphere(DVec3::new(second - 2.0, 5.1, 5.0), 0.5, 2000.0, 0, 0);
        w.bodies.velocity[ball].x = 1.5;
        run(&mut w, &mut Fields::default(), &tight(), 2.0);
        let by_id = |id: u64| w.bodies.id.iter().position(|&k| k == id).expect("a body");
        (0..3).map(|id| (w.bodies.velocity[by_id(id)], w.bodies.spin[by_id(id)])).collect::<Vec<_>>()
    };
    let (open, wrapped) = (run_at(-1.4, false), run_at(8.6, true));
    assert!(open[0].0.x > -0.9 && open[2].0.x < 1.4, "they met: {open:?}");
    for (a, b) in open.iter().zip(&wrapped) {
        assert!((a.0 - b.0).length() + (a.1 - b.1).length() < 1e-6, "{open:?} {wrapped:?}");
    }
}

#[test]
fn a_concave_rock_hooks_another() {
    // Two L-shaped rocks, one hung on the other's arm: convex hulls of them would overlap.
    let mut w = world(5e-3, material(0.3, 0.0));
    floor(&mut w);
    let cuboid = |min: DVec3, max: DVec3| -> Vec<DVec3> {
        (0..8)
            .map(|k| {
                let pick = |axis: usize| if k >> axis & 1 == 1 { max[axis] } else { min[axis] };
                DVec3::new(pick(0), pick(1), pick(2))
            })
            .collect()
    };
    // A heavy foot with a post and an arm.
    let gallows = [
        cuboid(DVec3::new(-3.0, -3.0, 0.0), DVec3::new(3.0, 3.0, 1.0)),
        cuboid(DVec3::new(-1.0, -0.5, 1.0), DVec3::new(0.0, 0.5, 4.0)),
        cuboid(DVec3::new(-1.0, -0.5, 4.0), DVec3::new(2.0, 0.5, 4.5)),
    ];
    // A slab on top of the arm with a part that hangs in front of it.
    let hook = [
        cuboid(DVec3::new(0.0, -0.4, 4.5), DVec3::new(2.5, 0.4, 5.0)),
        cuboid(DVec3::new(2.0, -0.4, 3.5), DVec3::new(2.5, 0.4, 4.5)),
    ];
    for parts in [&gallows[..], &hook[..]] {
        let made = solid::from_parts(parts).expect("a rock");
        add(&mut w, made.solid, made.centre, made.orientation);
    }
    let before = w.bodies.position.clone();
    run(&mut w, &mut fall(DVec3::new(0.0, 0.0, -GRAVITY)), &tight(), 2.0);
    for k in 0..2 {
        let row = w.bodies.id.iter().position(|&id| id == k).expect("a rock");
        assert!((w.bodies.position[row] - before[k as usize]).length() < 1e-3);
    }
}

#[test]
fn rocks_and_walls_without_width_are_refused_and_spheres_are_not() {
    for (radius, length) in [(0.6, Some(0.0)), (0.0, None), (0.0, Some(0.0))] {
        let mut w = world(1e-2, material(0.5, 0.0));
        let surface = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius, length });
        w.walls.push(Wall::new(0, "thin", 0, surface));
        w.bodies.push_sphere(2.0 * DVec3::Z, 1.0, 2000.0, 0, 0);
        let fatal = |w: &World| {
            let advice = ContactDynamics::new(tight()).check(w);
            advice.iter().any(|a| a.severity == Severity::Fatal && a.text.contains("fall through"))
        };
        assert!(!fatal(&w));
        add(&mut w, solid::block(DVec3::ONE), 5.0 * DVec3::Z, DQuat::IDENTITY);
        assert!(fatal(&w));
    }
}
