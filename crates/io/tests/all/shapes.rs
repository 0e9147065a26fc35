//! Shapes and motions of grains as the scenario says.

use glam::{DQuat, DVec3};
use rubblepile_core::World;
use rubblepile_io::scenario::{Built, Scenario, ScenarioError, build, summary};

fn text(grains: &str) -> String {
    format!(
        "[run]\nend = 100\n[method.nonsmooth]\n[[material]]\nname = \"a\"\ndensity = 1000\n[[grains]]\n{grains}\n"
    )
}

fn try_build(grains: &str, base: &std::path::Path) -> Result<Built, ScenarioError> {
    let loaded = Scenario::load("test", text(grains), &[])?;
    let again = Scenario::load("again", loaded.to_toml()?, &[])?;
    assert_eq!(again.scenario, loaded.scenario);
    let built = build(&loaded, base)?;
    assert_eq!(built, build(&again, base)?);
    Ok(built)
}

fn world(grains: &str) -> World {
    try_build(grains, ".".as_ref()).unwrap_or_else(|e| panic!("{grains}: {e}")).world
}

const FOUR: &str = "place = { points = { positions = [[0, 0, 0], [20, 0, 0], [40, 0, 0], [60, 0, 0]] } }";

#[test]
fn random_shapes_are_of_the_size_and_corners_asked_for() {
    for kind in ["polyhedron", "boulder"] {
        let grains = format!(
            "count = 125\nsize = {{ uniform_volume = {{ min = \"3.75 m\", max = \"5 m\" }} }}\n\
             shape = {{ {kind} = {{ vertices = [10, 20] }} }}\n\
             place = {{ lattice = {{ kind = \"cubic\", region = {{ box = {{ min = [0, 0, 0], max = [50, 50, 50] }} }} }} }}"
        );
        let w = world(&grains);
        assert_eq!((w.bodies.len(), w.shapes.len()), (125, 126));
        let mut corners: Vec<usize> = Vec::new();
        for k in 0..125 {
            let solid = w.solid(k).expect("a solid");
            corners.push(solid.parts[0].vertices.len());
            assert!((3.75 - 1e-9..=5.0 + 1e-9).contains(&w.bodies.radius[k]));
            assert!((solid.radius / w.bodies.radius[k] - 1.0).abs() < 1e-12);
            assert_eq!(w.bodies.mass[k], 1000.0 * solid.volume);
            assert!((w.bodies.orientation[k].length() - 1.0).abs() < 1e-12);
        }
        assert_eq!((corners.iter().min(), corners.iter().max()), (Some(&10), Some(&20)));
        assert!(w.bodies.orientation.windows(2).all(|p| p[0] != p[1]));
        let shown = summary(&try_build(&grains, ".".as_ref()).expect("a world")).to_string();
        assert!(shown.contains("125 polyhedra (125 shapes, 10-20 vertices each)"), "{shown}");
    }
}

#[test]
fn the_numbers_of_corners_of_others_do_not_change_a_grain() {
    let with = |range: &str| {
        world(&format!(
            "radius = 1\norientation = \"aligned\"\nshape = {{ polyhedron = {{ vertices = {range} }} }}\n{FOUR}"
        ))
    };
    let (a, b) = (with("12"), with("[12, 12]"));
    assert_eq!(a, b);
    assert!(a.bodies.orientation.iter().all(|q| *q == DQuat::IDENTITY));
    assert_ne!(a.shapes[1], a.shapes[2]);
}

#[test]
fn given_shapes_keep_their_size_or_take_the_radius() {
    let own = world(&format!("shape = {{ block = {{ size = [2, 4, \"400 cm\"] }} }}\n{FOUR}"));
    // One shape for all, in its own axes.
    assert_eq!(own.shapes.len(), 2);
    assert_eq!((own.bodies.radius[0], own.bodies.mass[3]), (3.0, 32_000.0));
    assert_eq!(own.bodies.orientation[0], DQuat::IDENTITY);
    let scaled = world(&format!("radius = 6\nshape = {{ block = {{ size = [2, 4, 4] }} }}\n{FOUR}"));
    assert!((scaled.bodies.mass[0] / 256_000.0 - 1.0).abs() < 1e-12);
    let sizes = "size = { uniform = { min = 1, max = 2 } }\norientation = \"random\"";
    let sized = world(&format!("{sizes}\nshape = {{ block = {{ size = [2, 4, 4] }} }}\n{FOUR}"));
    assert_eq!(sized.shapes.len(), 5);
    assert_ne!(sized.bodies.orientation[0], sized.bodies.orientation[1]);
}

/// Corners of a body as they lie in the world, against those given.
fn assert_corners(w: &World, row: usize, expected: &[DVec3]) {
    let solid = w.solid(row).expect("a solid");
    let found: Vec<DVec3> = solid.vertices_at(w.bodies.position[row], w.bodies.orientation[row]).collect();
    for x in expected {
        assert!(found.iter().any(|y| y.distance(*x) < 1e-9), "{x} is not among {found:?}");
    }
}

#[test]
fn points_parts_and_files_lie_as_given() {
    // A skewed tetrahedron; its principal axes are not x, y and z, and yet it lies as it was given.
    let points =
        [DVec3::ZERO, DVec3::new(3.0, 0.5, 0.0), DVec3::new(0.2, 2.0, 0.0), DVec3::new(0.1, 0.3, 1.0)];
    let centre = points.iter().sum::<DVec3>() / 4.0;
    let list = |by: f64| {
        let one = |p: &DVec3| format!("[{}, {}, {}]", by * p.x, by * p.y, by * p.z);
        format!("[{}]", points.iter().map(one).collect::<Vec<_>>().join(", "))
    };
    let place =
        format!("place = {{ points = {{ positions = [[{}, {}, {}]] }} }}", centre.x, centre.y, centre.z);
    assert_corners(&world(&format!("shape = {{ vertices = {} }}\n{place}", list(1.0))), 0, &points);

    let folder = std::env::temp_dir().join(format!("rubblepile-shapes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut obj = String::from("o rock\n");
    points.iter().for_each(|p| obj += &format!("v {} {} {}\n", 1e-3 * p.x, 1e-3 * p.y, 1e-3 * p.z));
    obj += "f 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
    std::fs::write(folder.join("rock.obj"), &obj).expect("a file");
    let from_file = |unit: &str| {
        try_build(&format!("shape = {{ file = \"rock.obj\", unit = \"{unit}\" }}\n{place}"), &folder)
            .expect("a rock")
            .world
    };
    assert_corners(&from_file("km"), 0, &points);
    assert!((from_file("m").bodies.radius[0] * 1000.0 / from_file("km").bodies.radius[0] - 1.0).abs() < 1e-9);
    std::fs::write(folder.join("rock.obj"), "v 1 2 3\nf 1 2 3\n").expect("a file");
    let error =
        try_build(&format!("shape = {{ file = \"rock.obj\" }}\n{place}"), &folder).expect_err("no rock");
    assert_eq!(error.position(), Some((2, 1)), "{error}");
    std::fs::remove_dir_all(&folder).expect("removed");

    let cube = |x: f64| {
        let corners: Vec<String> =
            (0..8).map(|k| format!("[{}, {}, {}]", x + f64::from(k & 1), k >> 1 & 1, k >> 2)).collect();
        format!("[{}]", corners.join(", "))
    };
    let two = world(&format!(
        "shape = {{ parts = [{}, {}] }}\nplace = {{ points = {{ positions = [[1, 0.5, 0.5]] }} }}",
        cube(0.0),
        cube(1.0)
    ));
    assert_eq!(two.solid(0).expect("a solid").parts.len(), 2);
    assert!((two.bodies.mass[0] - 2000.0).abs() < 1e-6);
    assert_corners(&two, 0, &[DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0)]);
    let overlapping = format!("shape = {{ parts = [{}, {}] }}\n{FOUR}", cube(0.0), cube(0.5));
    let error = try_build(&overlapping, ".".as_ref()).expect_err("overlapping parts");
    assert!(error.message().contains("overlap"), "{error}");
}

#[test]
fn spins_are_random_or_constant_and_a_rotation_need_not_spin() {
    let w = world(&format!(
        "radius = 1\nspin = {{ constant = [0, 0, 1], random = {{ rate = \"1e-2 rad/s\" }} }}\n\
         velocity = {{ rotation = {{ angular_velocity = \"[0, 0, 2] rad/s\", about = \"origin\", spins = false }} }}\n{FOUR}"
    ));
    for k in 0..4 {
        let random = w.bodies.spin[k] - DVec3::Z;
        assert!((random.length() - 0.01).abs() < 1e-12);
        assert!((w.bodies.velocity[k] - DVec3::Z.cross(w.bodies.position[k]) * 2.0).length() < 1e-12);
    }
    assert_ne!(w.bodies.spin[0], w.bodies.spin[1]);
    let same =
        world(&format!("radius = 1\nspin = \"[0, 0, 1] rad/s\"\nvelocity = \"[1, 0, 0] cm/s\"\n{FOUR}"));
    assert_eq!((same.bodies.spin[3], same.bodies.velocity[3]), (DVec3::Z, DVec3::X * 0.01));
}
