//! Spheres on the surface of an asteroid, by contact dynamics.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Actions, Asteroid, Error, Extent, Field, Fields, G, Material, Measure, Mesh, Method, Pulls, Report, Rng,
    Surface, Wall, World, wall::Plane,
};
use rubblepile_geometry::mesh::{
    Axes, asteroid,
    make::{Form, Relief, body, geodesic},
};
use rubblepile_nonsmooth::{ContactDynamics, Settings};

struct Pull(DVec3);

impl Field for Pull {
    fn name(&self) -> &'static str {
        "pull"
    }
    fn act(&mut self, _: &World, on: &mut Actions) -> Result<(), Error> {
        on.accelerations.iter_mut().for_each(|a| *a += self.0);
        Ok(())
    }
    fn potential_energy(&mut self, _: &World) -> Result<f64, Error> {
        Ok(0.0)
    }
}

fn world(step: f64) -> World {
    let mut world = World::new(step);
    world.materials = vec![Material {
        name: "rock".into(),
        density: 2500.0,
        restitution_normal: 0.4,
        friction_sliding: 0.4,
        ..Material::default()
    }];
    world.groups = vec!["all".into()];
    world
}

fn advance(w: &mut World, method: &mut ContactDynamics, fields: &mut Fields, steps: u64) {
    let until = w.time() + steps as f64 * w.clock.timestep;
    method.advance(w, fields, until, &mut Report::new(Measure::ALL)).expect("a run");
}

/// A tetrahedron whose upper side is the plane z = 0.
fn plate() -> Mesh {
    let corner = |angle: f64| DVec3::new(30.0 * angle.cos(), 30.0 * angle.sin(), 0.0);
    let third = std::f64::consts::TAU / 3.0;
    let vertices =
        vec![corner(0.1), corner(0.1 + third), corner(0.1 + 2.0 * third), DVec3::new(0.0, 0.0, -20.0)];
    Mesh { vertices, triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] }
}

#[test]
fn a_flat_side_is_a_wall() {
    let run = |mesh: bool| {
        let mut w = world(0.004);
        if mesh {
            let mut a = asteroid(plate(), 3000.0, Axes::Given);
            a.fixed = true;
            w.asteroids.push(a);
        } else {
            w.walls.push(Wall::new(
                0,
                "floor",
                0,
                Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }),
            ));
        }
        let row = w.bodies.push_sphere(DVec3::new(-1.0, 0.3, 0.6), 0.5, 2500.0, 0, 0);
        w.bodies.velocity[row] = DVec3::new(1.0, 0.2, 0.0);
        let mut fields = Fields { list: vec![Box::new(Pull(DVec3::new(0.0, 0.0, -1.0)))] };
        advance(&mut w, &mut ContactDynamics::new(Settings::default()), &mut fields, 1500);
        w
    };
    let (wall, mesh) = (run(false), run(true));
    assert!((wall.bodies.position[0].z - 0.5).abs() < 1e-3 && wall.bodies.position[0].x > 1.0);
    assert!((wall.bodies.position[0] - mesh.bodies.position[0]).length() < 1e-9);
    assert!((wall.bodies.spin[0] - mesh.bodies.spin[0]).length() < 1e-9);
}

#[test]
fn grains_that_hit_an_asteroid_push_it_and_do_not_enter() {
    let mut w = world(0.002);
    let relief = Relief { roughness: 0.05, ..Relief::default() };
    let mesh = body(Form::Ellipsoid { axes: DVec3::new(3.0, 2.2, 1.7) }, &relief, 2000, 3);
    let mut a = asteroid(mesh, 2000.0, Axes::Centred);
    a.orientation = DQuat::from_rotation_x(0.7);
    a.spin = DVec3::new(0.3, 0.05, 0.1);
    w.asteroids.push(a);
    let mut rng = Rng::new(9);
    while w.bodies.len() < 300 {
        let x = rng.range(3.3, 5.0) * rng.direction();
        if w.bodies.position.iter().all(|y| y.distance(x) > 0.33) {
            let row = w.bodies.push_sphere(x, rng.range(0.1, 0.16), 2500.0, 0, 0);
            w.bodies.velocity[row] = -0.5 * x.normalize();
        }
    }
    let momenta = |w: &World| {
        let b = &w.bodies;
        let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..b.len() {
            p += b.mass[k] * b.velocity[k];
            l += b.position[k].cross(b.mass[k] * b.velocity[k]) + b.inertia[k] * b.spin[k];
        }
        let Asteroid { mass, velocity, position, .. } = w.asteroids[0];
        (p + mass * velocity, l + position.cross(mass * velocity) + w.asteroids[0].spin_momentum())
    };
    let ((p, l), spin) = (momenta(&w), w.asteroids[0].spin);
    let mut method = ContactDynamics::new(Settings::default());
    advance(&mut w, &mut method, &mut Fields::default(), 1500);
    assert!((w.asteroids[0].spin - spin).length() > 0.005);
    let (p1, l1) = momenta(&w);
    let scale = 0.5 * w.bodies.total_mass();
    assert!((p1 - p).length() < 1e-11 * scale, "{:e}", (p1 - p).length() / scale);
    assert!((l1 - l).length() < 1e-11 * 4.0 * scale, "{:e}", (l1 - l).length() / scale);
    let deepest = method.contacts(&w).expect("contacts").iter().map(|c| c.overlap).fold(0.0, f64::max);
    assert!(deepest < 1e-3 * 0.1, "{deepest}");
    // Cut and gone on with, it is the same.
    let mut again = w.clone();
    method.sync(&mut again, Extent::Whole).expect("a world");
    advance(&mut w, &mut method, &mut Fields::default(), 40);
    advance(&mut again, &mut ContactDynamics::new(Settings::default()), &mut Fields::default(), 40);
    assert_eq!((w.bodies, w.asteroids), (again.bodies, again.asteroids));
}

#[test]
fn a_grain_inside_is_named() {
    let mut w = world(0.01);
    w.asteroids.push(asteroid(geodesic(4), 2000.0, Axes::Centred));
    w.bodies.push_sphere(DVec3::new(0.3, 0.0, 0.0), 0.1, 2500.0, 0, 0);
    let result = ContactDynamics::new(Settings::default()).advance(
        &mut w,
        &mut Fields::default(),
        1.0,
        &mut Report::new(Measure::ALL),
    );
    assert!(matches!(result, Err(Error::Inside { id: 0, .. })), "{result:?}");
}

#[test]
fn the_automatic_step_counts_the_pull_of_an_asteroid() {
    let mut w = world(1.0);
    w.asteroids.push(asteroid(geodesic(6), 2000.0, Axes::Centred));
    w.bodies.push_sphere(DVec3::new(1.05, 0.0, 0.0), 0.05, 2500.0, 0, 0);
    w.bodies.push_sphere(DVec3::new(0.0, 0.0, 3.0), 0.1, 2500.0, 0, 0);
    let method = ContactDynamics::new(Settings::default());
    assert!(method.automatic_timestep(&w, &Pulls::default()).is_err());
    let step = |w: &World| {
        let pulls = Pulls { asteroids: w.asteroids.iter().collect(), ..Pulls::default() };
        method.automatic_timestep(w, &pulls).expect("a step")
    };
    // A fall from 3 radii to the ground is faster than any of the lower grain.
    let ground = (w.asteroids[0].mass / 2000.0 * 0.75 / PI).cbrt();
    let fall = (2.0 * G * w.asteroids[0].mass * (1.0 / ground - 1.0 / 3.0)).sqrt();
    assert!((step(&w) / (0.05 * 0.05 / fall) - 1.0).abs() < 1e-12);
    // On the ground, the smaller grain falls through its radius in a hundred steps, as the field pulls it.
    w.bodies.position[1] = DVec3::new(0.0, 0.99, 0.0);
    w.bodies.position[0] = DVec3::new(0.99, 0.0, 0.0);
    let mut field = vec![DVec3::ZERO; 2];
    rubblepile_gravity::AsteroidField::new(vec![], 0.0, 1)
        .act(&w, &mut Actions::on_bodies(&mut field))
        .expect("a field");
    let expected = (2.0 * 0.05 / field[0].length()).sqrt() / 100.0;
    assert!((step(&w) / expected - 1.0).abs() < 0.03, "{} {expected}", step(&w));
}
