//! Grains on asteroids: bounces, what is kept, what stays outside.

use crate::common::{advance, gravity, world};
use glam::{DQuat, DVec3};
use rubblepile_core::{
    Actions, Asteroid, Error, Field, Fields, Method, Report, Result, Rng, Surface, Wall, World, wall::Plane,
};
use rubblepile_geometry::mesh::{
    Axes, SurfaceTree, asteroid,
    make::{Form, Relief, block, body},
};
use rubblepile_hard::{HardSpheres, Settings};

fn rough(size: f64, seed: u64) -> Asteroid {
    let relief = Relief {
        craters: 6,
        crater_radius: [0.1 * size, 0.4 * size],
        boulders: 10,
        boulder_radius: [0.05 * size, 0.2 * size],
        roughness: 0.02 * size,
    };
    let axes = size * DVec3::new(1.0, 0.8, 0.6);
    asteroid(body(Form::Ellipsoid { axes }, &relief, 1000, seed), 2000.0, Axes::Principal)
}

/// Momentum, angular momentum about the origin, kinetic energy.
fn sums(w: &World) -> (DVec3, DVec3, f64) {
    let b = &w.bodies;
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for k in 0..b.len() {
        p += b.mass[k] * b.velocity[k];
        l += b.mass[k] * b.position[k].cross(b.velocity[k]);
        l += 0.4 * b.mass[k] * b.radius[k].powi(2) * b.spin[k];
    }
    let (t, r) = b.kinetic_energy();
    let mut energy = t + r;
    for a in &w.asteroids {
        p += a.mass * a.velocity;
        l += a.mass * a.position.cross(a.velocity) + a.spin_momentum();
        energy += a.kinetic_energy().iter().sum::<f64>();
    }
    (p, l, energy)
}

/// What asteroids' masses, as points, do to grains, and grains to them.
struct Pull {
    g: f64,
}

impl Pull {
    fn fields(g: f64) -> Fields {
        Fields { list: vec![Box::new(Pull { g })] }
    }
}

impl Field for Pull {
    fn name(&self) -> &'static str {
        "pull"
    }
    fn act(&mut self, world: &World, actions: &mut Actions) -> Result<()> {
        for (on, asteroid) in actions.on_asteroids.iter_mut().zip(&world.asteroids) {
            for (k, a) in actions.accelerations.iter_mut().enumerate() {
                let d = asteroid.position - world.bodies.position[k];
                let pull = self.g * d / d.length().powi(3);
                *a += asteroid.mass * pull;
                on.force -= asteroid.mass * world.bodies.mass[k] * pull;
            }
        }
        Ok(())
    }
    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let b = &world.bodies;
        let of = |a: &Asteroid| -> f64 {
            (0..b.len()).map(|k| b.mass[k] / a.position.distance(b.position[k])).sum::<f64>() * a.mass
        };
        Ok(-self.g * world.asteroids.iter().map(of).sum::<f64>())
    }
}

fn count(report: &Report, name: &str) -> u64 {
    report.counts.iter().find(|c| c.0 == name).map_or(0, |c| c.1)
}

/// The smallest gap of a grain to an asteroid, over its radius.
fn smallest_gap(w: &World) -> f64 {
    let mut least = f64::INFINITY;
    for a in &w.asteroids {
        let (tree, pose) = (SurfaceTree::new(&a.mesh), a.pose());
        for (x, r) in w.bodies.position.iter().zip(&w.bodies.radius) {
            let near = tree.nearest(pose.to_local(*x)).expect("a surface");
            least = least.min(near.distance / r - 1.0);
        }
    }
    least
}

#[test]
fn a_ball_bounces_and_rests_on_a_block_of_triangles_as_on_a_plane() {
    let start = |on_mesh: bool, parts: usize| {
        let mut w = world(3e-3, 0.8, 0.4);
        let row = w.bodies.push_sphere(DVec3::new(-2.0, 0.1, 1.0), 0.1, 1000.0, 0, 0);
        w.bodies.velocity[row] = DVec3::new(0.7, 0.31, 0.2);
        w.bodies.spin[row] = DVec3::new(1.0, -8.0, 3.0);
        if on_mesh {
            let mut floor = asteroid(block(DVec3::new(20.0, 20.0, 0.5), parts), 1000.0, Axes::Centred);
            (floor.position, floor.fixed) = (-0.5 * DVec3::Z, true);
            w.asteroids.push(floor);
        } else {
            let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
            w.walls.push(Wall::new(0, "floor", 0, plane));
        }
        w
    };
    let mut fields = gravity(-9.81 * DVec3::Z);
    let (mut wall, mut coarse, mut fine) = (start(false, 0), start(true, 1), start(true, 70));
    let bounces = |w: &mut World, fields: &mut Fields, until: f64| {
        let report = advance(w, fields, until);
        count(&report, "collisions with walls") + count(&report, "collisions with asteroids")
    };
    for (until, met) in [(0.3, 0), (1.5, 2), (2.5, 3), (3.2, 3)] {
        assert_eq!(bounces(&mut wall, &mut fields, until), met);
        for mesh in [&mut coarse, &mut fine] {
            assert_eq!(bounces(mesh, &mut fields, until), met);
            let (a, b) = (&wall.bodies, &mesh.bodies);
            let off = [a.position[0] - b.position[0], a.velocity[0] - b.velocity[0], a.spin[0] - b.spin[0]];
            assert!(off.iter().all(|d| d.length() < 3e-11), "{off:?} at {until}");
        }
    }
    // At rest: whether a bounce at the rest speed is below it is a matter of rounding, and with that how far the ball gets until it
    // stops, to a millionth of its radius; but nothing sinks, and the clock goes on.
    for until in [9.0, 9.5, 10.0] {
        advance(&mut wall, &mut fields, until);
        for mesh in [&mut coarse, &mut fine] {
            assert!((bounces(mesh, &mut fields, until)) < 200);
            let (a, b) = (wall.bodies.position[0], mesh.bodies.position[0]);
            assert!((a - b).truncate().length() < 1e-7, "{a} {b}");
            assert!((0.1 - 1e-12..0.1045).contains(&b.z), "{b}");
        }
    }
}

#[test]
fn a_hail_on_a_tumbling_asteroid_keeps_momenta_and_elastic_ones_energy() {
    for (normal, tangential, timestep) in
        [(1.0, 1.0, 0.01), (1.0, -1.0, 0.01), (0.6, 0.3, 0.01), (0.9, 0.5, 3.0)]
    {
        let mut w = world(timestep, normal, tangential);
        let mut target = rough(2.0, 3);
        // Ten times as heavy as all grains, at most.
        (target.mass, target.inertia) = (0.1 * target.mass, 0.1 * target.inertia);
        target.spin = DVec3::new(0.2, 0.5, -0.3);
        target.velocity = DVec3::new(0.1, -0.2, 0.05);
        target.orientation = DQuat::from_rotation_y(0.4);
        w.asteroids.push(target);
        let mut rng = Rng::new(5);
        for k in 0..150 {
            let from = rng.direction();
            let x = (3.0 + 0.25 * f64::from(k % 50)) * from;
            let row = w.bodies.push_sphere(x, rng.range(0.1, 0.2), 2000.0, 0, 0);
            w.bodies.velocity[row] = rng.range(0.5, 2.0) * (0.2 * rng.direction() - from);
            w.bodies.spin[row] = 3.0 * rng.direction();
        }
        let before = sums(&w);
        let scale_p: f64 = (0..150).map(|k| w.bodies.mass[k] * w.bodies.velocity[k].length()).sum();
        let report = advance(&mut w, &mut Fields::default(), 30.0);
        let hits = count(&report, "collisions with asteroids");
        let after = sums(&w);
        assert!(hits > 60, "{hits}");
        let pushed = w.asteroids[0].velocity - DVec3::new(0.1, -0.2, 0.05);
        assert!(pushed.length() > 0.02, "{pushed}");
        assert!((after.0 - before.0).length() < 1e-12 * scale_p, "{} {}", after.0, before.0);
        assert!((after.1 - before.1).length() < 1e-12 * scale_p * 10.0, "{} {}", after.1, before.1);
        // Where a body that tumbles is within a leg is right to second order.
        let off = (after.2 + w.dissipation.total() - before.2).abs() / before.2;
        assert!(off < if timestep < 1.0 { 3e-6 } else { 2e-4 }, "{off:e} {normal} {tangential}");
        assert!(normal < 1.0 || w.dissipation.total().abs() < 1e-12 * before.2);
        assert!(smallest_gap(&w) > -1e-6, "{}", smallest_gap(&w));
    }
}

#[test]
fn a_ball_between_two_spinning_cubes_keeps_energy_to_rounding() {
    let mut w = world(0.05, 1.0, -1.0);
    for side in [-1.0, 1.0] {
        let mut cube = asteroid(block(DVec3::splat(4.0), 5), 20.0, Axes::Principal);
        cube.position = 4.5 * side * DVec3::Z;
        cube.spin = DVec3::new(0.0, 0.0, 0.03);
        w.asteroids.push(cube);
    }
    let row = w.bodies.push_sphere(DVec3::new(0.5, 0.2, 0.1), 0.1, 1000.0, 0, 0);
    w.bodies.velocity[row] = DVec3::new(0.1, 0.0, 5.0);
    w.bodies.spin[row] = DVec3::new(3.0, 1.0, 2.0);
    let before = sums(&w);
    let report = advance(&mut w, &mut Fields::default(), 10.0);
    let hits = count(&report, "collisions with asteroids");
    let after = sums(&w);
    assert!(hits > 30, "{hits}");
    let scale = w.bodies.mass[0] * 5.0;
    assert!((after.0 - before.0).length() < 1e-12 * scale * 10.0);
    assert!((after.1 - before.1).length() < 1e-12 * before.1.length());
    assert!((after.2 / before.2 - 1.0).abs() < 1e-12, "{:e}", after.2 / before.2 - 1.0);
}

#[test]
fn a_struck_asteroid_strikes_what_is_behind_it_in_the_same_drift() {
    // One from the left pushes the asteroid into one at rest on the right, which had nothing ahead.
    let end = |timestep: f64| {
        let mut w = world(timestep, 0.9, 0.5);
        // Its moments are equal: it turns evenly, whatever hits it.
        w.asteroids.push(asteroid(block(DVec3::ONE, 4), 1000.0, Axes::Principal));
        w.asteroids[0].orientation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.3);
        w.asteroids[0].spin = DVec3::new(0.1, 0.0, 0.05);
        for (x, v) in [(-3.0, 2.0), (2.2, 0.0), (2.9, 0.0)] {
            let row = w.bodies.push_sphere(x * DVec3::X, 0.3, 8000.0, 0, 0);
            w.bodies.velocity[row] = v * DVec3::X;
        }
        advance(&mut w, &mut Fields::default(), 12.0);
        assert!(smallest_gap(&w) > -1e-7);
        let mut rows: Vec<usize> = (0..3).collect();
        rows.sort_by_key(|&k| w.bodies.id[k]);
        rows.iter().map(|&k| w.bodies.velocity[k]).chain([w.asteroids[0].velocity]).collect::<Vec<_>>()
    };
    let (long, short) = (end(12.0), end(1e-3));
    assert!(long[1].length() > 0.01 && long[3].length() > 0.01, "{long:?}");
    for (a, b) in long.iter().zip(&short) {
        assert!(a.distance(*b) < 1e-10, "{long:?} {short:?}");
    }
}

/// Grains above a small heavy asteroid that turns.
fn rain(n: u32) -> World {
    let mut w = world(2e-3, 0.5, 0.5);
    let mut rock = rough(1.0, 4);
    rock.spin = DVec3::new(0.0, 0.0, 0.2);
    w.asteroids.push(rock);
    let mut rng = Rng::new(11);
    while w.bodies.len() < n as usize {
        let x = rng.range(1.2, 1.8) * rng.direction();
        let free = |y: &DVec3| y.distance(x) > 0.21;
        if w.bodies.position.iter().all(free) {
            let row = w.bodies.push_sphere(x, rng.range(0.06, 0.1), 2000.0, 0, 0);
            w.bodies.velocity[row] = DVec3::new(0.0, 0.0, 0.2).cross(x) + 0.2 * rng.direction();
        }
    }
    w
}

/// So that the pull is 2 m/s^2 at a metre.
fn pull(w: &World) -> Fields {
    Pull::fields(2.0 / w.asteroids[0].mass)
}

#[test]
fn grains_settle_on_an_asteroid_and_none_is_lost_or_inside() {
    let mut w = rain(60);
    let mut fields = pull(&w);
    let before = sums(&w);
    let mut speeds = Vec::new();
    for k in 1..=8 {
        advance(&mut w, &mut fields, f64::from(k));
        assert!(smallest_gap(&w) > -1e-6, "{}", smallest_gap(&w));
        let a = &w.asteroids[0];
        let far = w.bodies.position.iter().map(|x| x.distance(a.position)).fold(0.0, f64::max);
        assert!(far < 1.0 + 2.5, "{far}");
        let pose = a.pose();
        let b = &w.bodies;
        let fast = (0..b.len()).map(|k| (b.velocity[k] - pose.velocity_at(b.position[k])).length_squared());
        speeds.push((fast.sum::<f64>() / b.len() as f64).sqrt());
    }
    let after = sums(&w);
    let scale: f64 = w.bodies.total_mass() * 2.0;
    assert!((after.0 - before.0).length() < 1e-10 * scale, "{}", after.0 - before.0);
    assert!((after.1 - before.1).length() < 1e-10 * scale, "{}", after.1 - before.1);
    assert!(speeds[7] < 0.1 * speeds[0].max(1.0), "{speeds:?}");
}

#[test]
fn a_stop_and_any_number_of_threads_change_nothing() {
    let run = |stops: &[f64], threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut w = rain(40);
            let mut fields = pull(&w);
            // A method that forgets, and a field that does.
            for &until in stops {
                advance(&mut w, &mut fields, until);
                fields = pull(&w);
            }
            w
        })
    };
    let whole = run(&[1.7], 1);
    assert_eq!(whole, run(&[0.35, 1.0, 1.002, 1.7], 1));
    assert_eq!(whole, run(&[0.8, 1.7], 3));
}

#[test]
fn grains_in_the_way_at_the_start_are_refused() {
    let start = |x: f64| {
        let mut w = world(1e-2, 0.5, 0.5);
        w.asteroids.push(asteroid(block(DVec3::splat(1.0), 3), 1000.0, Axes::Centred));
        w.asteroids[0].name = "block".into();
        w.bodies.push_sphere(x * DVec3::X, 0.2, 1000.0, 0, 0);
        let mut method = HardSpheres::new(Settings::default());
        assert_eq!(method.check(&w), []);
        method.advance(&mut w, &mut Fields::default(), 0.1, &mut Report::default())
    };
    assert!(matches!(start(0.3), Err(Error::Inside { id: 0, .. })));
    let text = start(1.1).expect_err("an overlap").to_string();
    assert!(text.contains("body 0 overlaps asteroid `block` by 5.0e-1 of its radius"), "{text}");
    assert!(start(1.2).is_ok() && start(1.3).is_ok());
}

#[test]
fn an_asteroid_without_grains_goes_on() {
    let mut w = world(0.1, 0.5, 0.5);
    w.asteroids.push(rough(1.0, 2));
    (w.asteroids[0].velocity, w.asteroids[0].spin) = (DVec3::X, DVec3::new(0.3, 0.2, 0.1));
    let before = sums(&w);
    advance(&mut w, &mut Fields::default(), 20.0);
    let after = sums(&w);
    assert!((w.asteroids[0].position - 20.0 * DVec3::X).length() < 1e-12);
    assert!((after.1 - before.1).length() < 1e-12 * before.1.length());
    assert!((after.2 / before.2 - 1.0).abs() < 1e-12);
}
