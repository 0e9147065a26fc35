//! Polyhedra on the surface of an asteroid.

use crate::common::{add, fall, floor, material, run, world};
use glam::{DQuat, DVec3};
use rubblepile_core::{Asteroid, Convex, Error, Fields, Measure, Method, Report, Rng, Shape, World};
use rubblepile_geometry::{
    mesh::{
        Axes, Mesh, SurfaceTree, asteroid,
        make::{Form, Relief, body, geodesic, terrain},
    },
    solid,
};
use rubblepile_gravity::AsteroidField;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

const GRAVITY: f64 = 9.81;

fn tight() -> Settings {
    Settings { tolerance: 1e-10.into(), iterations: 10_000, ..Settings::default() }
}

/// Held where it is, in the frame of the mesh.
fn ground(mesh: Mesh) -> Asteroid {
    let mut a = asteroid(mesh, 3000.0, Axes::Given);
    a.fixed = true;
    a
}

/// A wall, or a plane of 2 n^2 triangles.
fn plane(world: &mut World, cells: Option<u32>) {
    match cells {
        None => floor(world),
        Some(n) => world.asteroids.push(ground(terrain(10.0, n, -5.0, |_, _| 0.0))),
    }
}

#[test]
fn a_block_sticks_and_slides_as_on_a_wall() {
    let mu = 0.5;
    for part in [0.95, 1.05] {
        let angle = f64::atan(part * mu);
        let slide = |cells: Option<u32>| {
            let mut w = world(1e-2, material(mu, 0.0));
            plane(&mut w, cells);
            // Turned, so that its corners pass over edges of triangles in all ways.
            let turn = DQuat::from_rotation_z(0.3);
            add(&mut w, solid::block(DVec3::new(1.0, 0.8, 0.5)), DVec3::new(-3.0, 0.1, 0.25), turn);
            let pull = GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos());
            let mut method = ContactDynamics::new(tight());
            method.advance(&mut w, &mut fall(pull), 3.0, &mut Report::new(Measure::ALL)).expect("a run");
            let contacts = method.contacts(&w).expect("contacts");
            (w, contacts)
        };
        let (wall, on_wall) = slide(None);
        for cells in [1, 50] {
            let (mesh, on_mesh) = slide(Some(cells));
            let (x, y) = (&wall.bodies, &mesh.bodies);
            assert!((x.position[0] - y.position[0]).length() < 1e-9, "{} {}", x.position[0], y.position[0]);
            assert!((x.velocity[0] - y.velocity[0]).length() < 1e-9 && y.spin[0].length() < 1e-8);
            assert_eq!((on_wall.len(), on_mesh.len()), (4, 4));
            let force: DVec3 = on_mesh.iter().map(|c| c.force).sum();
            let expected: DVec3 = on_wall.iter().map(|c| c.force).sum();
            assert!((force - expected).length() < 1e-6 * expected.length());
            let v = y.velocity[0];
            if part < 1.0 {
                assert!(v.length() < 1e-9 && (y.position[0].z - 0.25).abs() < 1e-9, "{v}");
            } else {
                let expected = 3.0 * GRAVITY * (angle.sin() - mu * angle.cos());
                assert!((v.x / expected - 1.0).abs() < 1e-6, "{} for {expected}", v.x);
            }
        }
    }
}

#[test]
fn a_rock_that_is_thrown_at_a_plane_lands_as_on_a_wall() {
    let rock = solid::random_polyhedron(12, &mut Rng::new(5));
    let throw = |cells: Option<u32>| {
        let mut w = world(2e-3, material(0.3, 0.4));
        plane(&mut w, cells);
        let row = add(&mut w, rock.clone(), DVec3::new(-4.0, 0.3, 1.3), DQuat::IDENTITY);
        w.bodies.velocity[row] = DVec3::new(2.0, 0.3, 0.0);
        w.bodies.spin[row] = DVec3::new(0.3, 2.0, 0.1);
        run(&mut w, &mut fall(DVec3::new(0.0, 0.0, -GRAVITY)), &tight(), 0.6);
        w
    };
    let wall = throw(None);
    // It has hit the ground and has lost some of its speed.
    assert!(wall.bodies.velocity[0].x < 1.8, "{}", wall.bodies.velocity[0]);
    for cells in [1, 50] {
        let mesh = throw(Some(cells));
        let (x, y) = (wall.bodies.position[0], mesh.bodies.position[0]);
        assert!((x - y).length() < 1e-7, "{cells}: {x} {y}");
        assert!((wall.bodies.spin[0] - mesh.bodies.spin[0]).length() < 1e-5);
    }
}

#[test]
fn a_bar_rests_in_a_valley_and_a_plate_on_three_peaks() {
    // Slopes of 45 degrees on both sides of a bar that stands on an edge, without friction.
    let mut w = world(5e-3, material(0.0, 0.0));
    w.asteroids.push(ground(terrain(8.0, 16, -12.0, |x, _| x.abs())));
    let upright = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4 + 0.2);
    add(&mut w, solid::block(DVec3::new(1.0, 2.0, 1.0)), DVec3::new(0.5, 0.2, 1.6), upright);
    run(&mut w, &mut fall(DVec3::new(0.0, 0.0, -1.0)), &Settings::default(), 40.0);
    let x = w.bodies.position[0];
    assert!(x.x.abs() < 1e-3 && (x.z - 0.5f64.sqrt()).abs() < 1e-3, "{x}");
    assert!(w.bodies.velocity[0].truncate().x.abs() < 1e-2);

    let mut w = world(5e-3, material(0.5, 0.0));
    let peaks = |x: f64, y: f64| {
        let of = |px: f64, py: f64, top: f64| top - 2.0 * (x - px).hypot(y - py);
        of(-1.0, -1.0, 1.0).max(of(1.0, -1.0, 1.0)).max(of(0.0, 1.0, 1.2)).max(0.0)
    };
    w.asteroids.push(ground(terrain(4.0, 16, -6.0, peaks)));
    add(&mut w, solid::block(DVec3::new(3.0, 3.0, 0.2)), DVec3::new(0.0, -0.2, 1.5), DQuat::IDENTITY);
    let mut method =
        ContactDynamics::new(Settings { tolerance: 1e-6.into(), iterations: 2000, ..Settings::default() });
    method
        .advance(&mut w, &mut fall(DVec3::new(0.0, 0.0, -1.0)), 10.0, &mut Report::new(Measure::ALL))
        .expect("a run");
    assert!(w.bodies.velocity[0].length() < 1e-6 && w.bodies.spin[0].length() < 1e-6);
    // The plane through the three: it rises by 0.2 over 2 along y.
    let up = DVec3::new(0.0, -0.1, 1.0).normalize();
    let contacts = method.contacts(&w).expect("contacts");
    let bearing: Vec<_> = contacts.iter().filter(|c| c.force.length() > 1.0).collect();
    assert_eq!(bearing.len(), 3, "{bearing:?}");
    for c in bearing {
        assert!((c.normal + up).length() < 1e-4, "{c:?}");
        let top = if c.point.y > 0.0 { 1.2 } else { 1.0 };
        assert!((c.point.z - top).abs() < 1e-3);
    }
}

/// How high the lowest corner of a rock is above the asteroid, and how deep the two are in each other, by the rock's corners
/// and by places along all edges of the surface: without what finds contacts.
fn height_and_depth(w: &World, tree: &SurfaceTree, row: usize) -> (f64, f64) {
    let (b, a) = (&w.bodies, &w.asteroids[0]);
    let (x, q) = (b.position[row], b.orientation[row]);
    let Shape::Solid(rock) = &w.shapes[b.shape[row] as usize] else { panic!("a solid") };
    let height = |v: &DVec3| tree.nearest(a.pose().to_local(x + q * *v)).expect("a surface").distance;
    let corners = rock.parts.iter().flat_map(|p| &p.vertices);
    let height = corners.map(height).fold(f64::INFINITY, f64::min);
    let in_rock = |place: DVec3| {
        let place = q.inverse() * (a.pose().to_world(place) - x);
        if place.length() > rock.radius {
            return 0.0;
        }
        let in_part = |part: &Convex| {
            let below = |face: &Vec<u32>| {
                let n = solid::face_normal(&part.vertices, face);
                n.dot(part.vertices[face[0] as usize] - place)
            };
            part.faces.iter().map(below).fold(f64::INFINITY, f64::min)
        };
        rock.parts.iter().map(in_part).fold(0.0, f64::max)
    };
    let along = |[i, j]: [u32; 2]| {
        let (p, q) = (a.mesh.vertices[i as usize], a.mesh.vertices[j as usize]);
        (0..8).map(move |k| p + f64::from(k) / 8.0 * (q - p))
    };
    let sides = a.mesh.triangles.iter().flat_map(|&[i, j, k]| [[i, j], [j, k], [k, i]]);
    (height, sides.flat_map(along).map(in_rock).fold(-height, f64::max))
}

fn momenta(w: &World) -> (DVec3, DVec3) {
    let b = &w.bodies;
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for k in 0..b.len() {
        let q = b.orientation[k];
        p += b.mass[k] * b.velocity[k];
        l += b.position[k].cross(b.mass[k] * b.velocity[k]) + q * (b.inertia[k] * (q.inverse() * b.spin[k]));
    }
    for a in &w.asteroids {
        p += a.mass * a.velocity;
        l += a.position.cross(a.mass * a.velocity) + a.spin_momentum();
    }
    (p, l)
}

/// Rocks, one in four of two parts, that fall onto a rough asteroid that turns, with its gravity.
fn landing(count: usize) -> (World, Fields) {
    let mut w = world(2.0, material(0.5, 0.2));
    let relief = Relief {
        craters: 5,
        crater_radius: [10.0, 20.0],
        boulders: 20,
        boulder_radius: [3.0, 8.0],
        roughness: 1.0,
    };
    let mesh = body(Form::Ellipsoid { axes: DVec3::new(60.0, 50.0, 40.0) }, &relief, 3000, 3);
    let mut a = asteroid(mesh, 2000.0, Axes::Centred);
    a.orientation = DQuat::from_rotation_x(0.7);
    a.spin = DVec3::new(1e-4, 0.0, 3e-4);
    w.asteroids.push(a);
    let mut rng = Rng::new(9);
    while w.bodies.len() < count {
        let x = rng.range(63.0, 80.0) * rng.direction();
        if w.bodies.position.iter().any(|y| y.distance(x) < 5.0) {
            continue;
        }
        let rock = if w.bodies.len().is_multiple_of(4) {
            let half = |side: f64| {
                let at = |k: u32, x: f64| DVec3::new(x, f64::from(k & 1) - 0.5, f64::from(k >> 1) - 0.5);
                (0..4)
                    .flat_map(|k| [at(k, 0.0), side * at(k, 1.2) * DVec3::new(1.0, 0.6, 0.6)])
                    .collect::<Vec<_>>()
            };
            solid::from_parts(&[half(1.0), half(-1.0)]).expect("a rock").solid
        } else {
            solid::random_boulder(10, &mut rng)
        };
        let size = rng.range(1.0, 2.0);
        let row = add(&mut w, solid::scaled(&rock, size), x, DQuat::from_axis_angle(rng.direction(), 1.0));
        w.bodies.velocity[row] = -0.02 * x.normalize();
        w.bodies.spin[row] = 1e-3 * rng.direction();
    }
    (w, Fields { list: vec![Box::new(AsteroidField::new(vec![], 1e-6, 1))] })
}

#[test]
fn rocks_that_tumble_over_rough_ground_neither_enter_it_nor_gain_energy() {
    // Rocks from a fifth of a facet to several facets wide; some are fast, some have no friction.
    let mut rng = Rng::new(21);
    for run in 0..24 {
        let size: f64 = [0.1, 0.4, 1.5][run % 3];
        let mut w = world(0.01 * size.sqrt(), material([0.0, 0.3, 0.8][run / 3 % 3], [0.0, 0.5][run % 2]));
        let heights: Vec<f64> = (0..17 * 17).map(|_| rng.range(-0.35, 0.35)).collect();
        let rough = |x: f64, y: f64| heights[17 * (x + 8.0).round() as usize + (y + 8.0).round() as usize];
        // A bowl keeps them on it.
        w.asteroids.push(ground(terrain(8.0, 16, -8.0, |x, y| rough(x, y) + 0.05 * (x * x + y * y))));
        for k in 0..4 {
            let rock = solid::scaled(&solid::random_boulder(10, &mut rng), size);
            let x = DVec3::new(f64::from(k & 1) * 4.0 - 2.0, f64::from(k >> 1) * 4.0 - 2.0, 2.0 + 1.5 * size);
            let row = add(&mut w, rock, x, DQuat::from_axis_angle(rng.direction(), 2.0));
            w.bodies.velocity[row] = DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0);
            w.bodies.spin[row] = rng.direction();
        }
        let mut method = ContactDynamics::new(Settings {
            tolerance: 1e-5.into(),
            iterations: 2000,
            ..Settings::default()
        });
        let (mut fields, tree) = (fall(DVec3::NEG_Z), SurfaceTree::new(&w.asteroids[0].mesh));
        let energy = |w: &World| {
            let (b, (t, r)) = (&w.bodies, w.bodies.kinetic_energy());
            t + r + (0..4).map(|k| b.mass[k] * b.position[k].z).sum::<f64>()
        };
        let mut before = energy(&w);
        for stop in 1..=40 {
            let until = 0.25 * f64::from(stop);
            method.advance(&mut w, &mut fields, until, &mut Report::new(Measure::ALL)).expect("a run");
            let now = energy(&w);
            let most = 1e-4 * w.bodies.total_mass() * size;
            assert!(now - before < most, "run {run}, {until} s: {}", (now - before) / most);
            before = now;
            for k in 0..4 {
                let (_, depth) = height_and_depth(&w, &tree, k);
                // In a step the fast ones turn by a tenth: no plane of contact holds for longer.
                assert!(depth < 0.01 * size, "run {run}, {until} s: {}", depth / size);
            }
        }
    }
}

#[test]
fn rocks_that_land_on_an_asteroid_push_it_and_do_not_enter() {
    let (mut w, mut fields) = landing(60);
    let (p, l) = momenta(&w);
    let energy = |w: &World, fields: &mut Fields| {
        let (d, [t, r]) = (&w.dissipation, w.asteroids[0].kinetic_energy());
        let (translation, rotation) = w.bodies.kinetic_energy();
        let lost = d.normal + d.sliding;
        let sum = t + r + translation + rotation + fields.potential_energy(w).expect("energy") + lost;
        (sum - d.wall_work, lost)
    };
    let before = energy(&w, &mut fields).0;
    let spin = w.asteroids[0].spin;
    let mut method = ContactDynamics::new(Settings::default());
    method.advance(&mut w, &mut fields, 4000.0, &mut Report::new(Measure::ALL)).expect("a run");
    let (p1, l1) = momenta(&w);
    let (scale, size) = (0.05 * w.bodies.total_mass(), 60.0);
    assert!((p1 - p).length() < 1e-12 * scale, "{:e}", (p1 - p).length() / scale);
    assert!((l1 - l).length() < 1e-12 * l.length().max(size * scale), "{:e}", (l1 - l).length() / l.length());
    assert!((w.asteroids[0].spin - spin).length() > 1e-7);
    // What is not there any more has become heat.
    let (after, lost) = energy(&w, &mut fields);
    assert!((after - before).abs() < 0.01 * lost, "{before} {after} {lost}");
    // On the ground by now, moving with it, and nowhere in it.
    let a = &w.asteroids[0];
    let tree = SurfaceTree::new(&a.mesh);
    let (mut deepest, mut landed) = (0.0f64, 0);
    for k in 0..w.bodies.len() {
        let (height, depth) = height_and_depth(&w, &tree, k);
        deepest = deepest.max(depth);
        let slip = (w.bodies.velocity[k] - a.pose().velocity_at(w.bodies.position[k])).length();
        landed += usize::from(height < 0.3 && slip < 1e-4);
    }
    let overlap = method.contacts(&w).expect("contacts").iter().map(|c| c.overlap).fold(0.0, f64::max);
    assert!(deepest < 1e-4 && overlap < 1e-4, "{deepest} {overlap}");
    assert!(landed > 45, "{landed}");
}

#[test]
fn threads_and_restarts_leave_the_same_bits() {
    let on = |threads: usize, stops: &[f64]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (mut w, mut fields) = landing(40);
        pool.install(|| {
            stops.iter().chain(&[3000.0]).for_each(|&t| run(&mut w, &mut fields, &Settings::default(), t))
        });
        w
    };
    let whole = on(1, &[]);
    assert!(whole.remembered().count() > 50, "{} points", whole.remembered().count());
    assert_eq!(on(3, &[]), whole);
    assert_eq!(on(2, &[1234.0, 2048.0, 2500.0]), whole);
}

#[test]
fn a_rock_inside_is_named() {
    let mut w = world(0.01, material(0.5, 0.0));
    w.asteroids.push(asteroid(geodesic(4), 2000.0, Axes::Centred));
    add(&mut w, solid::block(DVec3::splat(0.1)), DVec3::new(0.0, 0.0, 1.2), DQuat::IDENTITY);
    add(&mut w, solid::block(DVec3::splat(0.1)), DVec3::new(0.3, 0.0, 0.0), DQuat::IDENTITY);
    let result = ContactDynamics::new(Settings::default()).advance(
        &mut w,
        &mut Fields::default(),
        1.0,
        &mut Report::new(Measure::ALL),
    );
    assert!(matches!(result, Err(Error::Inside { id: 1, .. })), "{result:?}");
    // Pressed in with a step that is far too long, it is named too and does not vanish.
    w.bodies.position[1] = DVec3::new(1.5, 0.0, 0.0);
    w.bodies.velocity[1] = DVec3::new(-60.0, 0.0, 0.0);
    let mut method =
        ContactDynamics::new(Settings { margin: 1e-4.into(), unsolved_steps: 0, ..Settings::default() });
    let result = method.advance(&mut w, &mut Fields::default(), 1.0, &mut Report::new(Measure::ALL));
    assert!(matches!(result, Err(Error::Inside { id: 1, .. })), "{result:?}");
}
