//! Nothing that is handed in makes the reader panic, hang or ask for absurd memory.
//!
//! `RUBBLEPILE_FUZZ=1000000 cargo test -p rubblepile-io --test all hostile` tries a million mutations (and times a
//! million grains).

use std::time::{Duration, Instant};

use rubblepile_core::Rng;
use rubblepile_io::{
    campaign,
    diagnostic::{Rendering, render},
    generate::table,
    scenario::{Place, Scenario, Sweep, build, grains::Grains, summary},
};

const SEEDS: [&str; 7] = [
    include_str!("../../../../scenarios/collapse.toml"),
    include_str!("../../../../scenarios/drum.toml"),
    include_str!("../../../../scenarios/impact.toml"),
    include_str!("../../../../scenarios/spin-up.toml"),
    include_str!("../../../../scenarios/vibrated.toml"),
    EVERYTHING,
    ROCKS,
];

/// What the scenarios of the repository do not use.
const EVERYTHING: &str = r#"
[run]
end = 10
threads = 2
[method.soft]
law = "hertz-mindlin"
timestep = "1 ms"
skin = "1 cm"
[frame]
rotating = { period = "2 h", axis = [1, 0, 1] }
[[material]]
name = "m"
density = 1000
young = "5 MPa"
[[grains]]
count = 20
size = { log_normal = { median = 1, sigma = 0.2, min = 0.5, max = 2 } }
place = { random = { region = { cylinder = { radius = 9, length = 20 } }, gap = 0.1 } }
velocity = { constant = [0, 0, 1], random = { rms_speed = "1 cm/s", zero_momentum = true } }
[[grains]]
radius = 1
place = { points = { positions = [[50, 0, 0], ["60 m", 0, 0]] } }
[[wall]]
shape = { disk = { radius = 3, hole = 1 } }
[[wall]]
shape = { rectangle = { half_u = [1, 0, 0], half_v = [0, 2, 0] } }
[[event]]
at = 5
add_wall = { name = "w", shape = { box = { min = [-99, -99, -99], max = [99, 99, 99] } } }
[[event]]
at = 6
remove_wall = "w"
"#;

/// Contact dynamics, and every kind of shape.
const ROCKS: &str = r#"
[run]
end = 10
[method.nonsmooth]
timestep = "1 s"
theta = 0.6
solver = "accelerated-gradient"
[[material]]
name = "m"
density = 1000
cohesion_force = "1 N"
[[grains]]
count = 8
size = { uniform_volume = { min = 1, max = 2 } }
shape = { polyhedron = { vertices = [10, 20] } }
place = { lattice = { kind = "cubic", region = { box = { min = [0, 0, 0], max = [8, 8, 8] } } } }
spin = { random = { rate = 1e-2 } }
velocity = { rotation = { angular_velocity = [0, 0, 1e-5], about = "origin", spins = false } }
[[grains]]
count = 5
radius = 1
shape = { boulder = { vertices = 8 } }
orientation = "aligned"
place = { random = { region = { sphere = { radius = 9, centre = [40, 0, 0] } } } }
[[grains]]
shape = { block = { size = [1, "20 cm", 3] } }
place = { points = { positions = [[60, 0, 0], [70, 0, 0]] } }
[[grains]]
shape = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]] }
place = { points = { positions = [[80, 0, 0]] } }
[[grains]]
shape = { parts = [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]]] }
place = { points = { positions = [[90, 0, 0]] } }
[[probe]]
aggregates = { every = "10 s", follow = 2 }
[[probe]]
porosity = { every = 10, alpha = "3 m" }
"#;

/// Words that are worth putting where they do not belong.
const WORDS: [&str; 28] = [
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "9223372036854775807",
    "-1",
    "0",
    "\"auto\"",
    "{}",
    "[]",
    "[[grains]]",
    "[run]",
    "\"1e300 km\"",
    "\"-0 s\"",
    "true",
    "1979-05-27",
    "{ sphere = { radius = 1e300 } }",
    "\"µ\"",
    "\\u0000",
    "\"\"\"",
    "'",
    "\"10 m9 m9 m9\"",
    "\u{feff}",
    "=",
    "place",
    "[0, 0, 0]",
];

fn mutate(text: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.next_u64() % 3 {
        let at = |rng: &mut Rng, n: usize| (rng.next_u64() % (n as u64 + 1)) as usize;
        let k = at(rng, bytes.len());
        match rng.next_u64() % 7 {
            0 if k < bytes.len() => bytes[k] = rng.next_u64() as u8,
            1 if k < bytes.len() => {
                let end = (k + at(rng, 12)).min(bytes.len());
                bytes.drain(k..end);
            }
            2 => bytes.insert(k, b" \"'[]{}=.,-+#\n0"[at(rng, 14)]),
            3 => {
                // A line twice, or moved.
                let lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let line = lines[at(rng, lines.len() - 1)].clone();
                let mut lines = lines;
                let to = at(rng, lines.len());
                lines.insert(to, line);
                bytes = lines.join(&b'\n');
            }
            _ => {
                // A word instead of a value.
                let word = WORDS[at(rng, WORDS.len() - 1)].as_bytes();
                let start = bytes[k..].iter().position(|b| b"= [,{".contains(b)).map_or(k, |p| k + p + 1);
                let stop =
                    bytes[start..].iter().position(|b| b",]}\n".contains(b)).map_or(start, |p| start + p);
                bytes.splice(start..stop, word.iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn mutated_scenarios_never_panic() {
    let tries: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let mut rng = Rng::stream(42, "fuzz");
    // Fewer grains, so that what loads can be built in no time.
    let shrink = |text: &str| {
        let all = [("count = 4000", 30), ("count = 1500", 15), ("count = 1000", 100), ("count = 900", 9)];
        all.iter().fold(text.to_string(), |t, (from, to)| t.replace(from, &format!("count = {to}")))
    };
    let seeds = SEEDS.map(shrink);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let (mut loads, mut builds) = (0u64, 0u64);
    for k in 0..tries {
        let text = mutate(&seeds[(k % 7) as usize], &mut rng);
        match Scenario::load("fuzz", &text, &[]) {
            Ok(loaded) => {
                loads += 1;
                let written = loaded.to_toml().expect("a text");
                let again =
                    Scenario::load("again", &written, &[]).unwrap_or_else(|e| panic!("{e}: {written}"));
                assert_eq!(again.scenario, loaded.scenario);
                // Building takes time by design where there are many grains.
                let small = |g: &Grains| match &g.place {
                    Place::Lattice(l) => l.spacing.is_some_and(|s| s.0 > 3.0) && l.jitter.0 < 1.0,
                    Place::Random(_) | Place::Heap(_) => g.count.is_some_and(|n| n < 500),
                    Place::Points(_) | Place::File(_) => true,
                };
                if loaded.scenario.grains.iter().all(small) {
                    builds += 1;
                    if let Ok(built) = build(&loaded, &folder) {
                        let _ = summary(&built).to_string();
                    }
                }
            }
            Err(e) => {
                if k % 16 == 0 {
                    let _ = render(&e, Rendering::PLAIN);
                }
            }
        }
    }
    println!("{tries} tries: {loads} loaded, {builds} built");
    assert!(builds > tries / 50, "the mutations are too wild to test anything: {builds} of {tries} build");
}

/// Every kind of deformable grain, with few nodes.
const DEFORMABLE: &str = r#"
[run]
end = 10
[method.meshfree]
timestep = "auto"
gap = 1e-6
contact_stiffness = "1e8 Pa/m"
law = "neo-hookean"
plane = "stress"
[[gravity]]
uniform = { acceleration = [0, -1, 0] }
[[material]]
name = "m"
density = 1000
young = "5 MPa"
[[deformable]]
spacing = 0.5
shape = { disc = { radius = 1 } }
[[deformable]]
outline_nodes = 16
grading = 0.05
centre = [5, "1 m"]
angle = "30 deg"
velocity = [1, 0]
shape = { ellipse = { semi_axes = [2, 1] } }
[[deformable]]
spacing = 0.4
shape = { polygon = { points = [[10, 0], [12, 0], [12, 2], [10, 2]] } }
[[deformable]]
outline_nodes = 16
shape = { sand = { count = 2, corner = [0, 5], size = [4, 2], solid = 0.6, evenness = 2 } }
[[wall]]
name = "box"
shape = { box = { min = [-2, -2, -1], max = [20, 20, 1] } }
[[event]]
at = 5
set_motion = { wall = "box", motion = { reciprocal = { size = [0, 1, 0], rate = 0.1 } } }
[[probe]]
deformable = { every = 1 }
"#;

#[test]
fn mutated_deformable_grains_never_panic() {
    let tries: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(5000);
    let mut rng = Rng::stream(47, "fuzz deformable");
    let (mut loads, mut builds) = (0u64, 0u64);
    for _ in 0..tries {
        let Ok(loaded) = Scenario::load("fuzz", mutate(DEFORMABLE, &mut rng), &[]) else { continue };
        loads += 1;
        let written = loaded.to_toml().expect("a text");
        let again = Scenario::load("again", &written, &[]).unwrap_or_else(|e| panic!("{e}: {written}"));
        assert_eq!(again.scenario, loaded.scenario);
        if let Ok(built) = build(&loaded, ".".as_ref()) {
            builds += 1;
            let _ = summary(&built).to_string();
        }
    }
    println!("{tries} tries: {loads} loaded, {builds} built");
    // Most of the text is keys and names, and few changes leave it sound.
    assert!(builds > tries / 200, "{builds} of {tries} build");
}

#[test]
fn mutated_sweeps_never_panic() {
    let tries: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let good = "[run]\nend = 1\n[method.soft]\nmax_speed = 1\n[sweep]\n\"run.seed\" = [1, 2, 3]\nrun.end = [\"1 s\", 4]\n\
                sets = [{}, { method.soft.max_speed = [1, \"3 m/s\"], \"run.threads\" = 2 }]\n\
                plot = [{ x = \"run.seed\", y = \"step\", log = \"xy\" }, { x = [\"run.seed\", \"run.end\"], y = \"time_s\" }]\n";
    let mut rng = Rng::stream(46, "fuzz sweeps");
    let mut loads = 0u64;
    for _ in 0..tries {
        match Sweep::load("fuzz", mutate(good, &mut rng), &[]) {
            Ok(sweep) => {
                let rows = campaign::collect(&sweep, "/nowhere".as_ref());
                assert_eq!(campaign::table(&sweep, &rows).lines().count(), sweep.tasks.len() + 1);
                for task in sweep.tasks.iter().take(3) {
                    loads += u64::from(sweep.scenario(task).is_ok());
                }
            }
            Err(e) => assert!(!e.message().is_empty()),
        }
    }
    assert!(loads > tries / 50, "{loads} of {tries}");
}

#[test]
fn mutated_obj_files_never_panic() {
    let tries: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let good = "o rock\nv 0 0 0\nv 1 0 0\nv 0 1e-3 0\nv 0 0 1\nf 1 2 3\nf 1/1 2/2 4/3\ng two\nv -1 -1 -1\nf -1 -2 1\n";
    let mut rng = Rng::stream(45, "fuzz obj");
    let mut read = 0u64;
    for _ in 0..tries {
        let text = mutate(good, &mut rng);
        match rubblepile_io::generate::obj::read(&String::from_utf8_lossy(&text)) {
            Ok(parts) => read += u64::from(parts.iter().all(|p| !p.is_empty())),
            Err(fault) => assert!(!format!("{fault:?}").is_empty()),
        }
    }
    assert!(read > tries / 50, "{read} of {tries}");
}

#[test]
fn mutated_tables_of_grains_never_panic() {
    let tries: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let good =
        "x,y,z,radius,vx,vy,vz,density\n0,1e3,-2.5,1,0,0,0,2500\n4,5,6,0.5,1,2,3,1e3\n7,8,9,2,0,-0,1,7800\n";
    let mut rng = Rng::stream(44, "fuzz tables");
    let mut read = 0u64;
    for _ in 0..tries {
        let text = mutate(good, &mut rng);
        match table::read(&String::from_utf8_lossy(&text)) {
            Ok(_) => read += 1,
            Err(fault) => assert!(!format!("{fault:?}").is_empty()),
        }
    }
    println!("{tries} tries: {read} read");
    assert!(read > tries / 100 && read < tries, "{read} of {tries}");
}

#[test]
fn mutated_overrides_never_panic() {
    let sets = ["run.end=3 h", "grains[0].count=500", "material.0.friction={sliding=0.3}", "title=\"x\""];
    let mut rng = Rng::stream(43, "fuzz sets");
    for k in 0..5_000usize {
        let set = String::from_utf8_lossy(&mutate(sets[k % 4], &mut rng)).into_owned();
        if let Err(e) = Scenario::load("fuzz", SEEDS[0], &[set]) {
            let _ = render(&e, Rendering::PLAIN);
        }
    }
}

/// Fails, soon, and with a message.
fn refused(text: impl AsRef<[u8]>) -> String {
    let start = Instant::now();
    let error = match Scenario::load("hostile", text, &[]) {
        Ok(loaded) => build(&loaded, ".".as_ref()).map(|_| ()).expect_err("not refused"),
        Err(e) => e,
    };
    let shown = render(&error, Rendering::PLAIN);
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}: {shown}", start.elapsed());
    shown
}

#[test]
fn absurd_input_is_refused_soon() {
    assert!(refused([0xff, 0xfe, 0x00, b'a']).contains("UTF-8"));
    assert!(refused(b"title = \"\xc3\x28\"").contains("UTF-8"));
    refused("[run]\nend = 1\ntitle");
    refused(format!("x = {}", "[".repeat(100_000)));
    refused(format!("{}=1", "a.".repeat(100_000)));
    refused(format!("x = {}1{}", "{a=".repeat(50_000), "}".repeat(50_000)));
    refused(format!("[run]\nend = \"1 {}\"", "m ".repeat(500_000)));
    refused(format!("[run]\nend = \"{}\"", "9".repeat(1_000_000)));
    refused(format!("{} = 1", "k".repeat(1_000_000)));
    refused(format!("[run]\nend = 1\n[[material]]\nname = \"{}\"", "k".repeat(1_000_000)));
    refused(format!("[run]\nend = 1\n{}", "[[wall]]\nshape = { plane = {} }\n".repeat(100_000)));
    refused(format!("[run]\nend = 1\n{}", "[[material]]\nname = \"a\"\n".repeat(100_000)));
    refused(format!("[run]\nend = 1\n{}", "[[event]]\nat = 1\nremove_wall = \"a\"\n".repeat(50_000)));
    let grains = |line: &str| {
        format!(
            "[run]\nend = 1\n[method.soft]\nmax_speed = 1\n[[material]]\nname = \"a\"\ndensity = 1\n[[grains]]\n{line}\n"
        )
    };
    let sphere = |r: &str| format!("region = {{ sphere = {{ radius = {r} }} }}");
    refused(grains(&format!(
        "count = 90_000_000\nradius = 1\nplace = {{ random = {{ {} }} }}",
        sphere("10")
    )));
    refused(grains(&format!(
        "count = 9223372036854775807\nradius = 1\nplace = {{ random = {{ {} }} }}",
        sphere("10")
    )));
    refused(grains(&format!("radius = 1e-9\nplace = {{ lattice = {{ {} }} }}", sphere("10"))));
    refused(grains(&format!("radius = 1\nplace = {{ lattice = {{ {}, spacing = 1e-9 }} }}", sphere("10"))));
    refused(grains(&format!("radius = 1\nplace = {{ lattice = {{ {} }} }}", sphere("1e200"))));
    refused(grains("radius = 1e-20\nplace = { points = { positions = [[0, 0, 0]] } }\ndensity = 1e-300"));
    refused(grains("radius = 1\nplace = { points = { positions = [[0, 0, 0]] } }\ndensity = 1e308"));
}

#[test]
fn ten_thousand_grains_are_checked_in_milliseconds_and_a_million_in_seconds() {
    let text = |count: u64, place: &str| {
        format!(
            "[run]\nend = 1\n[method.soft]\nmax_speed = 1\n[[gravity]]\ntree = {{}}\n[[material]]\nname = \"a\"\n\
             density = 1\n[[grains]]\ncount = {count}\nradius = 1\nplace = {{ {place} }}\n"
        )
    };
    let time = |count: u64, place: &str, limit: f64| {
        let start = Instant::now();
        let loaded = Scenario::load("speed", text(count, place), &[]).expect("a scenario");
        let built = build(&loaded, ".".as_ref()).expect("a world");
        let made = start.elapsed();
        let summary = summary(&built);
        let all = start.elapsed();
        println!("{count} {place}: built {made:?}, with summary {all:?}");
        assert_eq!((summary.grains as u64, summary.overlaps.count), (count, 0));
        assert!(all.as_secs_f64() < limit, "{all:?}");
    };
    time(10_000, "random = { region = { sphere = { radius = 60 } } }", 0.5);
    time(10_000, "lattice = { region = { sphere = { radius = 30 } } }", 0.5);
    // A fifth of a million unless there is time.
    let large = std::env::var_os("RUBBLEPILE_FUZZ").is_some();
    let (n, scale) = if large { (1_000_000, 1.0) } else { (200_000, 0.2f64.cbrt()) };
    time(n, &format!("random = {{ region = {{ sphere = {{ radius = {} }} }} }}", 220.0 * scale), 60.0);
    time(n, &format!("lattice = {{ region = {{ sphere = {{ radius = {} }} }} }}", 118.0 * scale), 60.0);
}
