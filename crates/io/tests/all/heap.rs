//! A heap lies over the ground, whatever its relief.

use std::path::{Path, PathBuf};

use glam::DVec3;
use rubblepile_core::World;
use rubblepile_geometry::mesh::SurfaceTree;
use rubblepile_io::scenario::{Scenario, build};

/// 400 grains over a place of an asteroid.
fn heap(shape: &str, base: &Path, place: [f64; 2], radius: f64, height: [f64; 2], grain: f64) -> World {
    let ([latitude, longitude], [low, high]) = (place, height);
    let text = format!(
        "[run]\nend = 1\n[method.soft]\n[[gravity]]\npolyhedron = {{}}\n\
         [[material]]\nname = \"a\"\ndensity = 2000\nstiffness = 1e6\n\
         [[asteroid]]\nname = \"body\"\naxes = \"principal\"\nperiod = \"-5 h\"\npole = [1, 2, 3]\n{shape}\n\
         [[grains]]\ncount = 400\nradius = {grain}\nplace = {{ heap = {{ on = \"body\", latitude = {latitude}, \
         longitude = {longitude}, radius = {radius}, height = [{low}, {high}] }} }}\n"
    );
    let loaded = Scenario::load("test", text, &[]).unwrap_or_else(|e| panic!("{shape}: {e}"));
    build(&loaded, base).unwrap_or_else(|e| panic!("{shape} at {place:?}: {e}")).world
}

/// All grains are clear of the ground and of each other, and none is far from the ground.
fn check(world: &World, [low, high]: [f64; 2], what: &str) {
    let asteroid = &world.asteroids[0];
    let (tree, pose) = (SurfaceTree::new(&asteroid.mesh), asteroid.pose());
    let b = &world.bodies;
    for k in 0..b.len() {
        let x = pose.to_local(b.position[k]);
        let r = b.radius[k];
        let gap = tree.nearest(x).map_or(f64::NAN, |n| n.distance) - r;
        // The nearest ground is never farther than that below.
        assert!((-1e-9 * r..=high).contains(&gap), "{what}: grain {k} is {gap} m over the ground");
        let apart = (0..k).map(|j| b.position[k].distance(b.position[j])).fold(f64::INFINITY, f64::min);
        assert!(apart >= 2.0 * r * (1.0 - 1e-9), "{what}: grain {k}");
        let carried = asteroid.spin.cross(b.position[k] - asteroid.position);
        assert!(b.velocity[k].distance(carried) < 1e-12 * carried.length().max(1.0), "{what}: grain {k}");
    }
    assert!(low < high);
}

#[test]
fn grains_of_a_heap_on_rough_ground_are_outside() {
    // Boulders of up to two heap radii, and heights less than theirs: a flat cylinder would end inside the ground.
    let shape = "shape = { sphere = { radius = 100, facets = 20000 } }\n\
                 relief = { roughness = 2, boulders = { count = 300, min = 2, max = 16 }, \
                 craters = { count = 40, min = 5, max = 30 } }";
    for place in [[0.0, 0.0], [35.0, 20.0], [-60.0, 200.0], [89.0, 0.0], [10.0, 100.0]] {
        let world = heap(shape, ".".as_ref(), place, 9.0, [0.1, 2.0], 0.2);
        check(&world, [0.1, 2.0], &format!("{place:?}"));
    }
}

#[test]
fn a_heap_on_level_ground_fills_the_cylinder_between_its_heights() {
    let shape = "shape = { sphere = { radius = 1e5, facets = 5120 } }";
    let world = heap(shape, ".".as_ref(), [20.0, 50.0], 9.0, [1.0, 5.0], 0.2);
    let asteroid = &world.asteroids[0];
    let (tree, pose) = (SurfaceTree::new(&asteroid.mesh), asteroid.pose());
    let gap = |x: &DVec3| tree.nearest(pose.to_local(*x)).map_or(f64::NAN, |n| n.distance);
    let heights: Vec<f64> = world.bodies.position.iter().map(gap).collect();
    let (least, most) = heights.iter().fold((f64::INFINITY, 0.0f64), |(a, b), h| (a.min(*h), b.max(*h)));
    assert!((1.2..1.3).contains(&least) && (4.7..=4.8).contains(&most), "{least} to {most}");
}

#[test]
fn grains_of_a_heap_on_real_asteroids_are_outside() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/shapes");
    // Heap radius, m: a hundredth to a twentieth of the body.
    for (file, radius) in [
        ("bennu-14744.obj", 10.0),
        ("itokawa-16220.obj", 8.0),
        ("eros-14744.obj", 400.0),
        ("67p-18294.obj", 100.0),
    ] {
        // Users bring these: they are not part of the project.
        let path: PathBuf = folder.join(file);
        if !path.exists() {
            continue;
        }
        let shape = format!("shape = {{ file = {{ path = \"{file}\", unit = \"km\" }} }}");
        let height = [0.02 * radius, 0.3 * radius];
        for place in [[0.0, 0.0], [35.0, 20.0], [12.0, 20.0], [-50.0, 160.0], [5.0, 260.0], [80.0, 300.0]] {
            let world = heap(&shape, &folder, place, radius, height, 0.025 * radius);
            check(&world, height, &format!("{file} {place:?}"));
        }
    }
}
