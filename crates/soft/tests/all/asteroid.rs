//! Grains on the surface of an asteroid: as on a wall where it is flat, back and forth where it is free.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Actions, Asteroid, Error, Extent, Fields, Material, Measure, Method, Report, Rng, Surface, Wall, World,
    wall::Plane,
};
use rubblepile_geometry::mesh::{
    Axes, asteroid, flaws,
    make::{Form, Relief, body, terrain},
};
use rubblepile_soft::{STEPS_PER_CONTACT, Settings, SoftSpheres, SoftState, shortest_contact_time};

fn rock() -> Material {
    Material {
        name: "rock".into(),
        density: 2500.0,
        restitution_normal: 0.6,
        restitution_tangential: 0.7,
        friction_sliding: 0.5,
        friction_rolling: 1.05,
        friction_twisting: 1.3,
        shape: 0.3,
        cohesion: 20.0,
        ..Material::default()
    }
}

fn settings() -> Settings {
    Settings { max_speed: Some(1.0.into()), ..Settings::default() }
}

fn world() -> World {
    let mut world = World::new(1.0);
    world.materials = vec![rock()];
    world.groups = vec!["all".into()];
    world
}

/// A step that contacts bear; there must be a grain.
fn set_step(world: &mut World) {
    let shortest = shortest_contact_time(world, &settings()).expect("a contact");
    world.clock.timestep = shortest.seconds / STEPS_PER_CONTACT;
}

fn advance(world: &mut World, method: &mut SoftSpheres, steps: u64) -> Result<(), Error> {
    let until = world.time() + steps as f64 * world.clock.timestep;
    method.advance(world, &mut Fields::default(), until, &mut Report::new(Measure::ALL))
}

/// A ball that falls at a slant with a spin, bounces, slides and rolls, on a wall or on a block.
fn ball(ground: Option<u32>) -> World {
    let mut w = world();
    match ground {
        None => w.walls.push(Wall::new(
            0,
            "floor",
            0,
            Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }),
        )),
        Some(n) => {
            // 20 m wide and 5 m deep.
            let mesh = terrain(10.0, n, -5.0, |_, _| 0.0);
            assert_eq!(flaws(&mesh), []);
            let mut a = asteroid(mesh, 3000.0, Axes::Given);
            a.fixed = true;
            w.asteroids.push(a);
        }
    }
    w.bodies.push_sphere(DVec3::new(-1.03, -0.77, 0.3), 0.2, 2500.0, 0, 0);
    w.bodies.velocity[0] = DVec3::new(0.5, 0.31, -0.4);
    w.bodies.spin[0] = DVec3::new(1.0, -2.0, 3.0);
    set_step(&mut w);
    w
}

#[test]
fn a_plane_of_triangles_is_a_plane() {
    let run = |ground| {
        let mut w = ball(ground);
        let mut method = SoftSpheres::new(settings());
        let pull = DVec3::new(0.0, 0.0, -0.8);
        let mut fields = Fields { list: vec![Box::new(Pull(pull))] };
        let until = 40_000.0 * w.clock.timestep;
        method.advance(&mut w, &mut fields, until, &mut Report::new(Measure::ALL)).expect("a run");
        w
    };
    let wall = run(None);
    let end = wall.bodies.position[0];
    assert!(end.x > -0.7 && end.z < 0.201, "it has bounced and rolled: {end}");
    for n in [1, 7, 70] {
        let mesh = run(Some(n));
        // It is at rest in the end, nearly: against what it began with.
        let apart = |a: DVec3, b: DVec3| (a - b).length();
        // 70: triangles as large as the circle of contact, hundreds of edges crossed.
        assert!(apart(mesh.bodies.position[0], wall.bodies.position[0]) < 1e-9, "{n}");
        assert!(apart(mesh.bodies.velocity[0], wall.bodies.velocity[0]) < 1e-9, "{n}");
        assert!(apart(mesh.bodies.spin[0], wall.bodies.spin[0]) < 1e-9, "{n}");
        let heat = mesh.dissipation.total() / wall.dissipation.total() - 1.0;
        assert!(heat.abs() < 1e-8, "{n}: {heat:e}");
    }
}

/// The same acceleration everywhere.
struct Pull(DVec3);

impl rubblepile_core::Field for Pull {
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

/// Springs of facets that had stretched while their facet had hardly a share used to count as heat by the share that it had when
/// they were cut.
#[test]
fn a_ball_on_bumps_turns_what_it_loses_to_heat() {
    const G: f64 = 0.8;
    let mut w = ball(Some(1));
    let mut bumps = asteroid(terrain(10.0, 70, -5.0, bump), 3000.0, Axes::Given);
    bumps.fixed = true;
    w.asteroids = vec![bumps];
    w.materials[0].cohesion = 0.0;
    w.bodies.velocity[0].x = 1.5;
    let mut method = SoftSpheres::new(settings());
    let mut fields = Fields { list: vec![Box::new(Pull(-G * DVec3::Z))] };
    let energy = |w: &World, method: &mut SoftSpheres| {
        let (t, r) = w.bodies.kinetic_energy();
        let elastic: f64 = method.contacts(w).expect("a table").iter().map(|c| c.elastic).sum();
        t + r + w.bodies.mass[0] * G * w.bodies.position[0].z + elastic
    };
    let start = energy(&w, &mut method);
    let until = 40_000.0 * w.clock.timestep;
    method.advance(&mut w, &mut fields, until, &mut Report::new(Measure::ALL)).expect("a run");
    let lost = start - energy(&w, &mut method);
    let error = w.dissipation.total() / lost - 1.0;
    assert!(w.bodies.position[0].x > 0.0, "it has crossed edges: {}", w.bodies.position[0]);
    assert!(error.abs() < 1e-3, "{error:e} of {lost} J");
}

fn bump(x: f64, y: f64) -> f64 {
    0.04 * (5.0 * x).sin() * (4.0 * y).cos()
}

/// A bumpy asteroid of 3 m that tumbles in a cloud of grains.
fn rubble() -> World {
    let mut w = world();
    let relief = Relief { craters: 5, crater_radius: [0.3, 1.0], roughness: 0.05, ..Relief::default() };
    let mesh = body(Form::Ellipsoid { axes: DVec3::new(3.0, 2.2, 1.7) }, &relief, 2000, 3);
    let mut a = asteroid(mesh, 2000.0, Axes::Centred);
    a.orientation = DQuat::from_rotation_x(0.7);
    a.spin = DVec3::new(0.3, 0.05, 0.1);
    a.velocity = DVec3::new(0.01, 0.0, 0.02);
    w.asteroids.push(a);
    let mut rng = Rng::new(9);
    while w.bodies.len() < 600 {
        let x = rng.range(3.3, 5.0) * rng.direction();
        if w.bodies.position.iter().all(|y| y.distance(x) > 0.33) {
            let row = w.bodies.push_sphere(x, rng.range(0.1, 0.16), 2500.0, 0, 0);
            w.bodies.velocity[row] = -0.5 * x.normalize() + 0.1 * rng.direction();
            w.bodies.spin[row] = rng.direction();
        }
    }
    set_step(&mut w);
    w
}

fn momenta(w: &World) -> (DVec3, DVec3) {
    let b = &w.bodies;
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for k in 0..b.len() {
        p += b.mass[k] * b.velocity[k];
        l += b.position[k].cross(b.mass[k] * b.velocity[k]) + b.inertia[k] * b.spin[k];
    }
    for Asteroid { mass, position, velocity, .. } in &w.asteroids {
        p += *mass * *velocity;
        l += position.cross(*mass * *velocity);
    }
    l += w.asteroids.iter().map(Asteroid::spin_momentum).sum::<DVec3>();
    (p, l)
}

#[test]
fn what_grains_lose_the_asteroid_gains() {
    let mut w = rubble();
    let ((p, l), spin) = (momenta(&w), w.asteroids[0].spin);
    let mut method = SoftSpheres::new(settings());
    advance(&mut w, &mut method, 25_000).expect("a run");
    let change = (w.asteroids[0].spin - spin).length();
    assert!(change > 0.01, "{change}");
    let (p1, l1) = momenta(&w);
    let scale = w.bodies.total_mass() * 0.5;
    assert!((p1 - p).length() < 1e-11 * scale, "{:e}", (p1 - p).length() / scale);
    assert!((l1 - l).length() < 1e-11 * 4.0 * scale, "{:e}", (l1 - l).length() / scale);
}

#[test]
fn the_same_bits_however_a_run_is_cut_or_shared_out() {
    let whole = {
        let mut w = rubble();
        let mut method = SoftSpheres::new(settings());
        advance(&mut w, &mut method, 15_000).expect("a run");
        method.sync(&mut w, Extent::Whole).expect("a world");
        w
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let cut = pool.install(|| {
        let mut w = rubble();
        for steps in [1, 12_999, 37, 1963] {
            // A new method has only what the world remembers.
            let mut method = SoftSpheres::new(settings());
            advance(&mut w, &mut method, steps).expect("a run");
            method.sync(&mut w, Extent::Whole).expect("a world");
        }
        w
    });
    assert_eq!(whole.bodies, cut.bodies);
    assert_eq!(whole.asteroids, cut.asteroids);
    assert_eq!(whole.part::<SoftState>(), cut.part::<SoftState>());
}

#[test]
fn a_grain_that_is_pressed_through_is_named() {
    let mut w = ball(Some(4));
    // Ten times its radius in a step.
    w.bodies.velocity[0] = DVec3::new(0.0, 0.0, -2.0 / w.clock.timestep);
    w.bodies.id[0] = 17;
    let mut method = SoftSpheres::new(settings());
    match advance(&mut w, &mut method, 3) {
        Err(Error::Inside { id: 17, .. }) => {}
        other => panic!("{other:?}"),
    }
}
