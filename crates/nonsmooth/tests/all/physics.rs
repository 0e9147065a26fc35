//! What contact dynamics must get right, from theory.

use crate::common::{fall, floor, material, run, world};
use glam::DVec3;
use rubblepile_core::{Fields, G, Measure, Method, Report, Rng, World};
use rubblepile_gravity::Direct;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

fn tight() -> Settings {
    Settings { tolerance: 1e-10.into(), iterations: 2000, ..Settings::default() }
}

#[test]
fn a_ball_bounces_with_its_restitution() {
    for e in [0.0, 0.5, 0.9, 1.0] {
        let mut w = world(1e-4, material(0.3, e));
        floor(&mut w);
        w.bodies.push_sphere(DVec3::new(0.0, 0.0, 1.1), 0.1, 2000.0, 0, 0);
        let g = 9.81;
        let hit = (2.0f64 / g).sqrt();
        let mut fields = fall(DVec3::new(0.0, 0.0, -g));
        // At the top of the bounce: e^2 of the height.
        run(&mut w, &mut fields, &tight(), hit + e * hit);
        let height = w.bodies.position[0].z - 0.1;
        assert!((height - e * e).abs() < 2e-3, "e = {e}: {height}");
    }
}

#[test]
fn an_oblique_collision_keeps_what_must_be_kept() {
    for (mu, e) in [(0.0, 1.0), (0.5, 0.3)] {
        let mut w = world(0.01, material(mu, e));
        w.bodies.push_sphere(DVec3::ZERO, 0.5, 2000.0, 0, 0);
        w.bodies.push_sphere(DVec3::new(1.6, 0.4, -0.2), 0.7, 2000.0, 0, 0);
        w.bodies.velocity[0] = DVec3::new(1.0, 0.1, 0.0);
        w.bodies.spin[1] = DVec3::new(0.3, -2.0, 0.4);
        let sums = |w: &World| {
            let b = &w.bodies;
            let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
            for k in 0..2 {
                p += b.mass[k] * b.velocity[k];
                l += b.mass[k] * b.position[k].cross(b.velocity[k]) + b.inertia[k] * b.spin[k];
            }
            let (t, r) = b.kinetic_energy();
            (p, l, t + r)
        };
        let (p, l, energy) = sums(&w);
        run(&mut w, &mut Fields::default(), &tight(), 2.0);
        let (p1, l1, energy1) = sums(&w);
        assert!(w.bodies.velocity[1].length() > 0.05, "they met");
        assert!((p1 - p).length() < 1e-13 * p.length());
        assert!((l1 - l).length() < 1e-13 * l.length());
        if e == 1.0 {
            assert!((energy1 / energy - 1.0).abs() < 1e-12);
        } else {
            assert!((energy1 + w.dissipation.total() - energy).abs() < 1e-12 * energy);
            assert!(w.dissipation.normal > 0.0 && w.dissipation.sliding > 0.0);
        }
    }
}

#[test]
fn a_sliding_ball_comes_to_roll_at_five_sevenths() {
    let mut w = world(1e-3, material(0.2, 0.0));
    floor(&mut w);
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 0.1), 0.1, 2000.0, 0, 0);
    w.bodies.velocity[0].x = 1.0;
    let g = 9.81;
    let mut fields = fall(DVec3::new(0.0, 0.0, -g));
    // Half way to rolling it has lost mu g t of its speed.
    let roll = 2.0 / (7.0 * 0.2 * g);
    run(&mut w, &mut fields, &tight(), 0.5 * roll);
    let t = w.time();
    assert!((w.bodies.velocity[0].x - (1.0 - 0.2 * g * t)).abs() < 1e-9);
    run(&mut w, &mut fields, &tight(), 2.0 * roll);
    assert!((w.bodies.velocity[0].x - 5.0 / 7.0).abs() < 1e-9);
    assert!((w.bodies.spin[0].y - 50.0 / 7.0).abs() < 1e-8);
}

#[test]
fn rolling_friction_holds_a_ball_on_a_slope_up_to_its_limit() {
    // It rolls when the slope is steeper than the lever of the normal force, mu_R beta.
    for (slope, holds) in [(0.09f64, true), (0.11, false)] {
        let mut m = material(0.9, 0.0);
        (m.friction_rolling, m.friction_twisting, m.shape) = (0.2, 0.2, 0.5);
        let mut w = world(1e-3, m);
        floor(&mut w);
        w.bodies.push_sphere(DVec3::new(0.0, 0.0, 0.1), 0.1, 2000.0, 0, 0);
        let mut fields = fall(9.81 * DVec3::new(slope.atan().sin(), 0.0, -slope.atan().cos()));
        run(&mut w, &mut fields, &tight(), 1.0);
        let moved = w.bodies.position[0].x;
        assert!(if holds { moved.abs() < 1e-9 } else { moved > 0.01 }, "slope {slope}: {moved}");
    }
}

#[test]
fn cohesion_holds_up_to_its_force() {
    for (pull, holds) in [(0.95, true), (1.05, false)] {
        let mut m = material(0.0, 0.0);
        m.cohesion_force = 10.0;
        let mut w = world(1e-3, m);
        floor(&mut w);
        let k = w.bodies.push_sphere(DVec3::new(0.0, 0.0, 0.1), 0.1, 2000.0, 0, 0);
        let mass = w.bodies.mass[k];
        run(&mut w, &mut fall(DVec3::new(0.0, 0.0, pull * 10.0 / mass)), &tight(), 1.0);
        let gap = w.bodies.position[0].z - 0.1;
        assert!(if holds { gap.abs() < 1e-9 } else { gap > 1e-3 }, "{pull}: {gap}");
    }
}

#[test]
fn a_moving_floor_drags_a_ball_to_two_sevenths_of_its_speed() {
    let mut w = world(1e-3, material(0.3, 0.0));
    floor(&mut w);
    w.walls[0].motion = rubblepile_core::WallMotion::Translation { velocity: DVec3::new(0.7, 0.0, 0.0) };
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 0.1), 0.1, 2000.0, 0, 0);
    run(&mut w, &mut fall(DVec3::new(0.0, 0.0, -9.81)), &tight(), 1.0);
    assert!((w.bodies.velocity[0].x - 0.2).abs() < 1e-9, "{}", w.bodies.velocity[0]);
    // The floor's work is what the ball has and what friction took.
    let (t, r) = w.bodies.kinetic_energy();
    let balance = t + r + w.dissipation.total() - w.dissipation.wall_work;
    assert!(balance.abs() < 1e-9 * w.dissipation.wall_work);
}

#[test]
fn an_overlap_is_taken_back_gently() {
    let mut w = world(0.05, material(0.0, 0.0));
    w.bodies.push_sphere(DVec3::new(-0.95, 0.0, 0.0), 1.0, 2000.0, 0, 0);
    w.bodies.push_sphere(DVec3::new(0.95, 0.0, 0.0), 1.0, 2000.0, 0, 0);
    let mut fields = Fields { list: vec![Box::new(Direct::new(G, 1))] };
    let before = fields.potential_energy(&w).expect("an energy");
    run(&mut w, &mut fields, &tight(), 20_000.0);
    let gap = (w.bodies.position[1] - w.bodies.position[0]).length() - 2.0;
    assert!(gap.abs() < 1e-6, "{gap}");
    // They end at rest, touching: no faster than the overlap had let them fall.
    let (t, r) = w.bodies.kinetic_energy();
    let after = fields.potential_energy(&w).expect("an energy");
    assert!(t + r < 1e-6 * (after - before));
}

/// A cloud that falls together, with friction, spin and rolling.
fn cloud() -> (World, Fields) {
    let mut m = material(0.4, 0.1);
    (m.friction_rolling, m.shape) = (0.3, 0.3);
    let mut w = world(20.0, m);
    let mut rng = Rng::new(8);
    for x in 0..5 {
        for y in 0..5 {
            for z in 0..5 {
                let jitter = DVec3::new(rng.uniform(), rng.uniform(), rng.uniform());
                let site = 2.3 * DVec3::new(x as f64, y as f64, z as f64) + 0.2 * jitter;
                w.bodies.push_sphere(site, rng.range(0.6, 1.0), 3000.0, 0, 0);
            }
        }
    }
    w.bodies.spin.iter_mut().for_each(|s| *s = 1e-5 * rng.direction());
    (w, Fields { list: vec![Box::new(Direct::new(G, 1))] })
}

#[test]
fn threads_and_restarts_leave_the_same_bits() {
    let settings = Settings { tolerance: 1e-4.into(), ..Settings::default() };
    let end = 1500.0 * 20.0;
    let on = |threads: usize, stops: &[f64]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (mut w, mut fields) = cloud();
        pool.install(|| {
            for &stop in stops.iter().chain(&[end]) {
                // A new method each time: nothing but the world is carried on.
                run(&mut w, &mut fields, &settings, stop);
            }
        });
        w
    };
    let whole = on(1, &[]);
    assert!(whole.remembered().count() > 100, "{} contacts", whole.remembered().count());
    assert_eq!(on(3, &[]), whole);
    assert_eq!(on(2, &[3333.0, 20_480.0, 25_000.0]), whole);
}

#[test]
fn momentum_and_angular_momentum_are_kept_through_a_collapse() {
    let (mut w, mut fields) = cloud();
    let sums = |w: &World| {
        let b = &w.bodies;
        let (mut p, mut l, mut scale) = (DVec3::ZERO, DVec3::ZERO, [0.0; 2]);
        for k in 0..b.len() {
            p += b.mass[k] * b.velocity[k];
            l += b.mass[k] * b.position[k].cross(b.velocity[k]) + b.inertia[k] * b.spin[k];
            scale[0] += b.mass[k] * b.velocity[k].length();
            scale[1] += b.mass[k] * b.position[k].length() * b.velocity[k].length();
        }
        (p, l, scale)
    };
    let before = sums(&w);
    let mut scale = [0.0f64; 2];
    let mut method = ContactDynamics::new(Settings::default());
    for k in 1..=30 {
        method
            .advance(&mut w, &mut fields, f64::from(k) * 1000.0, &mut Report::new(Measure::ALL))
            .expect("a run");
        let now = sums(&w);
        scale = [scale[0].max(now.2[0]), scale[1].max(now.2[1])];
        assert!((now.0 - before.0).length() < 1e-13 * scale[0]);
        assert!((now.1 - before.1).length() < 1e-12 * scale[1]);
    }
}

#[test]
fn a_problem_that_is_never_solved_ends_the_run_with_advice() {
    let (mut w, mut fields) = cloud();
    let settings =
        Settings { tolerance: 1e-12.into(), iterations: 1, unsolved_steps: 20, ..Settings::default() };
    let mut method = ContactDynamics::new(settings);
    let error =
        method.advance(&mut w, &mut fields, 30_000.0, &mut Report::new(Measure::ALL)).expect_err("an end");
    let said = error.to_string();
    assert!(said.contains("20 steps in a row") && said.contains("iterations"), "{said}");
    assert!(w.bodies.check_finite(w.time()).is_ok() && w.time() < 30_000.0);
}
