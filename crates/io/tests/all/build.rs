//! What the tables mean: every part of a world as the scenario says.

use glam::DVec3;
use rubblepile_core::{
    Action, Domain, Frame, Surface, Trigger, WallMotion,
    event::{AddSpin, AddWall, SetMaterial},
    settings::Vector,
    wall::{Cylinder, Plane},
};
use rubblepile_gravity::{TreeGravity, UniformGravity};
use rubblepile_io::scenario::{
    Built, Gravity, Interval, Method, Scenario, build, build_without_grains, summary, tables::ProbeTable,
};
use rubblepile_meshfree::grains;
use rubblepile_soft::Law;

const TEXT: &str = r#"
[run]
end = "2 min"
[method.soft]
law = "hertz-mindlin"
timestep = "2 ms"
skin = "1 cm"
deepest_overlap = "30 %"
[[gravity]]
tree = { opening = 0.6, every = 4 }
[[gravity]]
uniform = { acceleration = "[0, 0, -1] cm/s2" }
[frame]
rotating = { period = "2 h", axis = [0, 3, 0] }
[[material]]
name = "rock"
density = "2 g/cm3"
young = "5 MPa"
cohesion = "3 kPa"
friction = { shape = 0.4 }
[[material]]
name = "steel"
[[pair]]
between = ["steel", "rock"]
friction = { rolling = 0.25 }
stiffness = "4 kN/m"
[[grains]]
name = "a"
material = "rock"
radius = 1
place = { points = { positions = [["1 km", 0, 0], [-1000, 0, 0]] } }
velocity = { constant = [0, 0, 1], rotation = { angular_velocity = ["0 rad/s", "0 rad/s", "0.01 rad/s"] } }
spin = "[0, 0, 1] rpm"
[[grains]]
name = "b"
material = "rock"
radius = 2
density = 1000
place = { points = { positions = [[0, 9, 0]] } }
[[wall]]
material = "steel"
shape = { cylinder = { axis = [0, 2, 0], radius = 5000, centre = [0, 0, 7] } }
motion = { rotation = { rate = "-1 rpm" } }
[[wall]]
name = "lid"
material = "steel"
shape = { rectangle = { half_u = [1, 0, 0], half_v = [0, 2, 0], centre = [0, 0, 50] } }
motion = { oscillation = { amplitude = [0, 0, "1 cm"], frequency = "2 Hz", phase = "90 deg" } }
[[event]]
at = "1 min"
set_motion = { wall = "lid", motion = { rotation = { rate = 1 } } }
[[event]]
every = 10
end = 50
set_material = { material = "rock", key = "friction.rolling", value = 0.7 }
[[event]]
at = 3
add_wall = { name = "new", material = "steel", shape = { plane = { normal = [0, 0, 8] } } }
[[event]]
at = 4
add_spin = { group = "b", spin = [1, 0, 0] }
[[probe]]
energy = { every = 1 }
[[probe]]
aggregates = { every = "1 min", follow = 3 }
[[probe]]
porosity = { every = 60, alpha = "2 km" }
[[probe]]
porosity = { every = 60 }
[output]
frames = { every = "5 s" }
checkpoint = { every = "10 min wall" }
"#;

fn built() -> Built {
    let loaded = Scenario::load("test", TEXT, &[]).unwrap_or_else(|e| panic!("{e}"));
    build(&loaded, ".".as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_method_and_the_plans_are_as_written() {
    let b = built();
    let Method::Soft(soft) = &b.method else { panic!("{:?}", b.method) };
    let (skin, deepest) = (soft.skin.value(), soft.deepest_overlap.0);
    assert_eq!((soft.law, skin, deepest), (Law::HertzMindlin, Some(0.01), 0.3));
    assert_eq!((b.world.clock.timestep, b.end, b.seed), (0.002, 120.0, 1));
    let turn = DVec3::Y * std::f64::consts::TAU / 7200.0;
    assert_eq!(
        b.gravity,
        [
            Gravity::Tree(TreeGravity { error: None, opening: Some(0.6.into()), every: 4 }),
            Gravity::Uniform(UniformGravity { acceleration: Vector::new(0.0, 0.0, -0.01) }),
        ]
    );
    let fields = b.fields();
    let names: Vec<&str> = fields.list.iter().map(|f| f.name()).collect();
    assert_eq!(names, ["tree self-gravity", "uniform gravity", "centrifugal"]);
    assert_eq!((fields.list[0].every(), fields.uniform()), (4, DVec3::new(0.0, 0.0, -0.01)));
    assert_eq!(b.world.frame, Frame::Rotating { angular_velocity: turn });
    assert_eq!(b.world.domain, Domain::Open);
    let names: Vec<&str> = b.probes.iter().map(|p| p.name()).collect();
    assert_eq!(names, ["energy", "aggregates", "porosity", "porosity"]);
    let every: Vec<f64> = b.probes.iter().map(|p| p.settings().every().0).collect();
    assert_eq!(every, [1.0, 60.0, 60.0, 60.0]);
    assert!(matches!(&b.probes[1], ProbeTable::Aggregates(s) if s.follow == 3));
    assert!(matches!(&b.probes[2], ProbeTable::Porosity(s) if s.alpha.value() == Some(2000.0)));
    assert!(matches!(&b.probes[3], ProbeTable::Porosity(s) if s.alpha.value().is_none()));
    assert_eq!((b.output.frames, b.output.contacts), (Some(5.0), None));
    assert_eq!(b.output.checkpoint, Interval::Wall(600.0));
}

#[test]
fn materials_and_grains_are_as_written() {
    let b = built();
    let m = &b.world.materials[0];
    assert_eq!(
        (m.density, m.young, m.cohesion, m.shape, m.friction_sliding),
        (2000.0, Some(5e6), 3000.0, 0.4, 0.5)
    );
    let p = &b.world.pairs[0];
    assert_eq!(
        (p.a, p.b, p.friction_rolling, p.stiffness, p.cohesion),
        (1, 0, Some(0.25), Some(4000.0), None)
    );
    let bodies = &b.world.bodies;
    assert_eq!((bodies.len(), b.world.groups.clone()), (3, vec!["a".to_string(), "b".to_string()]));
    // About the centre of mass of the group, which is the origin, and moving along.
    assert!((bodies.velocity[0] - DVec3::new(0.0, 10.0, 1.0)).length() < 1e-12);
    assert!((bodies.velocity[1] - DVec3::new(0.0, -10.0, 1.0)).length() < 1e-12);
    assert!((bodies.spin[0].z - (0.01 + std::f64::consts::TAU / 60.0)).abs() < 1e-15);
    assert!((bodies.mass[2] / (1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 8.0) - 1.0).abs() < 1e-14);
    assert_eq!((bodies.group[2], bodies.material[2]), (1, 0));
    let mut empty = b.clone();
    empty.world.bodies = Default::default();
    assert_eq!(empty, build_without_grains(&Scenario::load("test", TEXT, &[]).expect("a scenario")));
}

#[test]
fn walls_and_events_are_as_written() {
    let b = built();
    let (drum, lid) = (&b.world.walls[0], &b.world.walls[1]);
    assert_eq!((drum.id, drum.name.as_str(), drum.material), (0, "wall-1", 1));
    let centre = DVec3::new(0.0, 0.0, 7.0);
    assert_eq!(
        drum.surface,
        Surface::Cylinder(Cylinder { centre, axis: DVec3::Y, radius: 5000.0, length: None })
    );
    // By default a wall turns about its own axis through its own middle.
    assert_eq!(
        drum.motion,
        WallMotion::Rotation { centre, axis: DVec3::Y, rate: -std::f64::consts::TAU / 60.0 }
    );
    let WallMotion::Oscillation { amplitude, frequency, phase } = lid.motion else {
        panic!("{:?}", lid.motion)
    };
    assert_eq!((amplitude, frequency, phase), (DVec3::Z * 0.01, 2.0, std::f64::consts::FRAC_PI_2));
    let e = &b.world.events;
    let motion = WallMotion::Rotation { centre: DVec3::Z * 50.0, axis: DVec3::Z, rate: 1.0 };
    let Action::SetMotion(set) = &e[0].action else { panic!("{:?}", e[0]) };
    assert_eq!((set.wall.as_str(), set.motion.motion(&lid.surface)), ("lid", motion));
    // Without `start` the first time is after one interval.
    assert_eq!(e[1].trigger, Trigger::Every { start: 10.0, interval: 10.0, end: 50.0 });
    let change = SetMaterial { material: "rock".into(), key: "friction.rolling".into(), value: 0.7.into() };
    assert_eq!(e[1].action, change.into());
    let Action::AddWall(AddWall { wall }) = &e[2].action else { panic!("{:?}", e[2]) };
    assert_eq!((wall.id, wall.surface), (2, Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z })));
    assert_eq!(e[3].action, AddSpin { group: Some("b".into()), spin: DVec3::X.into() }.into());
    assert!(!summary(&b).is_fatal());
}

#[test]
fn contact_dynamics_is_as_written_and_takes_what_soft_spheres_cannot() {
    let text = |method: &str, material: &str| {
        format!(
            "[run]\nend = 100\n[method.nonsmooth]\n{method}\n[[material]]\nname = \"a\"\ndensity = 1000\n{material}\n\
             [[grains]]\nradius = 1\nplace = {{ points = {{ positions = [[0, 0, 0]] }} }}\n"
        )
    };
    let load = |method: &str, material: &str| {
        let loaded = Scenario::load("test", text(method, material), &[]).unwrap_or_else(|e| panic!("{e}"));
        // What is written out loads to the same.
        let again = Scenario::load("again", loaded.to_toml().expect("a text"), &[]).expect("a scenario");
        assert_eq!(again.scenario, loaded.scenario);
        build(&loaded, ".".as_ref()).unwrap_or_else(|e| panic!("{e}"))
    };
    let plain = load("", "");
    assert_eq!(plain.method, Method::Nonsmooth(Default::default()));
    assert_eq!(plain.world.clock.timestep, 0.0);
    let all = load(
        "timestep = \"5 s\"\ntheta = 0.75\nsolver = \"spectral-gradient\"\ntolerance = \"1 %\"\niterations = 7\n\
         unsolved_steps = 0\nmargin = \"3 cm\"",
        "restitution = { normal = 0, tangential = 0 }\ncohesion_force = \"2 kN\"\ncohesion_range = \"1 mm\"",
    );
    assert_eq!(
        all.method,
        Method::Nonsmooth(rubblepile_nonsmooth::Settings {
            timestep: 5.0.into(),
            solver: rubblepile_nonsmooth::Solver::SpectralGradient,
            theta: 0.75.into(),
            tolerance: 0.01.into(),
            iterations: 7,
            unsolved_steps: 0,
            margin: 0.03.into(),
        })
    );
    let m = &all.world.materials[0];
    assert_eq!((m.restitution_normal, m.cohesion_force, m.cohesion_range), (0.0, 2000.0, 1e-3));
    assert_eq!(all.world.clock.timestep, 5.0);
}

#[test]
fn deformable_grains_are_where_and_what_their_tables_say() {
    let folder = std::env::temp_dir().join(format!("rubblepile-outline-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A square of 20 cm, once with commas and once with blanks.
    std::fs::write(folder.join("a.csv"), "# x, y\n0, 0\n20,0\n20, 20\n\n0,20\n").unwrap();
    std::fs::write(folder.join("b.txt"), "0 0\n0 200\n200\t200\n200 0\n").unwrap();
    std::fs::write(folder.join("bad.txt"), "0 0\n1 0\n1 one\n").unwrap();
    let text = r#"
[run]
end = 1
seed = 3
[method.meshfree]
law = "neo-hookean"
plane = "stress"
shape_functions = "least-squares"
mass_damping = "0.1 Hz"
stiffness_damping = "1 ms"
[[material]]
name = "stone"
density = 2000
young = "1 GPa"
[[material]]
name = "rubber"
density = 1000
young = "1 MPa"
poisson = 0.45
[[deformable]]
name = "ball"
material = "rubber"
centre = ["30 cm", 1]
velocity = [1, "-2 m/s"]
spacing = "5 cm"
shape = { disc = { radius = "20 cm" } }
[[deformable]]
material = "stone"
angle = "90 deg"
outline_nodes = 40
shape = { ellipse = { semi_axes = [0.3, 0.1] } }
[[deformable]]
material = "stone"
centre = [1, 0]
outline_nodes = 24
shape = { file = { path = "a.csv", unit = "cm" } }
[[deformable]]
material = "stone"
centre = [2, 0]
outline_nodes = 24
shape = { file = { path = "b.txt", unit = "mm" } }
[[deformable]]
name = "sand"
material = "stone"
outline_nodes = 24
shape = { sand = { count = 5, corner = [5, 5], size = [2, 1], solid = 0.5 } }
[[wall]]
name = "lid"
material = "stone"
shape = { plane = { point = [0, 9, 0], normal = [0, -2, 0] } }
motion = { reciprocal = { size = [0, "9 m", 0], rate = 0.1 } }
"#;
    let load = |text: &str| build(&Scenario::load("deformable", text, &[]).unwrap(), &folder);
    let world = load(text).unwrap().world;
    let names: Vec<&str> = world.groups.iter().map(String::as_str).collect();
    assert_eq!(names, ["ball", "grains-2", "grains-3", "grains-4", "sand"]);
    assert_eq!(grains(&world).iter().map(|g| g.group).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 4, 4, 4, 4]);
    assert_eq!(grains(&world).iter().map(|g| g.id).collect::<Vec<_>>(), (0..9).collect::<Vec<u64>>());
    let [ball, upright, square, same, ..] = grains(&world) else { panic!("{}", grains(&world).len()) };
    assert_eq!((ball.material, upright.material), (1, 0));
    assert!(ball.velocity.iter().all(|v| v.to_array() == [1.0, -2.0]) && ball.reference.boundary == 25);
    // The first node of a disc is its lowest; the ellipse stands up.
    assert!(ball.reference.nodes[0].distance(glam::DVec2::new(0.3, 0.8)) < 1e-12);
    let highest = upright.outline().iter().map(|x| x.y).fold(0.0, f64::max);
    assert!((highest - 0.3).abs() < 2e-3, "{highest}");
    for (square, x) in [(square, 1.0), (same, 2.0)] {
        assert!((square.area() - 0.04).abs() < 1e-12);
        let low = square.outline().iter().copied().reduce(glam::DVec2::min).unwrap();
        assert!(low.distance(glam::DVec2::new(x, 0.0)) < 1e-12, "{low}");
    }
    let sand: f64 = grains(&world)[4..].iter().map(|g| g.area()).sum();
    assert!((sand - 1.0).abs() < 0.03, "{sand}");
    let inside = |x: &glam::DVec2| (5.0..7.0).contains(&x.x) && (5.0..6.0).contains(&x.y);
    assert!(grains(&world)[4..].iter().all(|g| g.outline().iter().all(inside)));
    assert_eq!(world.walls[0].motion, WallMotion::Reciprocal { size: DVec3::new(0.0, 9.0, 0.0), rate: 0.1 });
    // Another seed is other sand, and nothing else.
    let other = load(&text.replace("seed = 3", "seed = 4")).unwrap().world;
    assert!(grains(&other)[..4] == grains(&world)[..4] && grains(&other)[4..] != grains(&world)[4..]);
    let error = load(&text.replace("b.txt", "bad.txt")).unwrap_err();
    assert!(error.message().contains("line 3: `1 one` is not a point"), "{}", error.message());
    std::fs::remove_dir_all(&folder).unwrap();
}
