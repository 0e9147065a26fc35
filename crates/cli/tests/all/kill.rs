//! A run that is killed at any moment and resumed ends bit for bit where an unbroken run ends.

use std::{
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::common::{SCENARIO, SOFT_GRAINS, Scratch, assert_same, command, complaint, rubblepile, text};
use rubblepile_core::Rng;

/// Starts the binary, kills it after `patience`, and says whether it had ended well before that.
fn killed_after(arguments: &[&str], patience: Duration) -> bool {
    let mut child = command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait().unwrap() {
            let output = child.wait_with_output().unwrap();
            assert!(status.success(), "{}", complaint(&output));
            return true;
        }
        sleep(Duration::from_millis(2));
    }
    // SIGKILL: nothing of the process gets a word in.
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

/// Grains that land on a turning asteroid which they push, with fields that are kept, a spin-up, and one that leaves.
const REGOLITH: &str = r#"
title = "Regolith"
[run]
end = "10 min"
seed = 2
[method.soft]
timestep = "auto"
max_speed = "0.1 m/s"
[[gravity]]
polyhedron = { every = 70 }
[[gravity]]
direct = { every = 50 }
[[material]]
name = "rock"
density = "2000 kg/m3"
restitution = { normal = 0.5 }
friction = { sliding = 0.5, rolling = 0.2 }
[[asteroid]]
name = "rock"
density = "2500 kg/m3"
shape = { ellipsoid = { semi_axes = ["40 m", "35 m", "30 m"], facets = 1000 } }
relief = { roughness = "30 cm" }
period = "4 h"
[[grains]]
count = 60
radius = "1 m"
place = { heap = { on = "rock", latitude = 20, longitude = 30, radius = "8 m", height = ["1 m", "7 m"] } }
[[grains]]
radius = "1 m"
velocity = ["1 m/s", 0, 0]
place = { points = { positions = [["80 m", 0, 0]] } }
[[event]]
at = "5 min"
spin_up = { asteroid = "rock", period = "3 h" }
[[event]]
every = "1 min"
remove_beyond = "500 m"
[[probe]]
asteroids = { every = "10 s" }
[[probe]]
momentum = { every = "10 s" }
[output]
frames = { every = "2 min", frame = "both" }
contacts = { every = "5 min" }
checkpoint = { every = "1 min" }
"#;

/// Rocks and balls that fall together, with everything that contact dynamics remembers.
const ROCKS: &str = r#"
title = "Rocks and balls"
[run]
end = "3 h"
seed = 4
[method.nonsmooth]
timestep = "5 s"
[[gravity]]
direct = { every = 3 }
[[material]]
name = "rock"
density = "3000 kg/m3"
restitution = { normal = 0.1 }
friction = { sliding = 0.5, rolling = 0.2, shape = 0.3 }
cohesion_force = "0.1 N"
[[grains]]
name = "rocks"
count = 60
shape = { boulder = { vertices = [8, 20] } }
radius = "2 m"
place = { lattice = { kind = "cubic", region = { box = { min = [-10, -10, -8], max = [10, 10, 10] } } } }
spin = { random = { rate = 1e-3 } }
[[grains]]
name = "balls"
count = 20
radius = "1.5 m"
place = { random = { region = { sphere = { centre = [0, 0, 30], radius = "14 m" } } } }
[[event]]
every = "40 min"
add_spin = { spin = [0, 0, 1e-5] }
[[probe]]
energy = { every = "1 min" }
[[probe]]
aggregates = { every = "10 min" }
[[probe]]
stress = { every = "5 min" }
[output]
frames = { every = "20 min" }
contacts = { every = "1 h" }
checkpoint = { every = "7 min" }
"#;

/// Hard spheres in a drum that holds some and a floor that takes others, with everything that they remember.
const BEADS: &str = r#"
title = "Beads"
[run]
end = "2 s"
seed = 5
[method.hard]
timestep = "1 ms"
[[gravity]]
uniform = { acceleration = [0, 0, -9.81] }
[[material]]
name = "glass"
density = "2500 kg/m3"
restitution = { normal = 0.8, tangential = 0.6 }
[[grains]]
name = "beads"
count = 300
radius = "2 cm"
place = { random = { region = { cylinder = { axis = [0, 1, 0], radius = "70 cm", length = "60 cm" } } } }
velocity = { random = { rms_speed = "3 m/s" } }
[[wall]]
name = "drum"
touch = "stick"
shape = { cylinder = { axis = [0, 1, 0], radius = "1 m" } }
motion = { rotation = { rate = "5 rad/s" } }
[[wall]]
name = "shaker"
shape = { plane = { point = [0, 0, -0.8] } }
motion = { oscillation = { amplitude = [0, 0, "2 cm"], frequency = "8 Hz" } }
[[wall]]
name = "ends"
touch = "absorb"
shape = { box = { min = [-2, -0.6, -2], max = [2, 0.6, 2] } }
[[probe]]
energy = { every = "10 ms" }
[[probe]]
momentum = { every = "50 ms" }
[[probe]]
collisions = { every = "7 ms" }
[[probe]]
walls = { every = "20 ms" }
[[probe]]
heights = { every = "20 ms" }
[[probe]]
height_histogram = { every = "50 ms", bins = 5, range = [-1, 1] }
[[probe]]
temperature = { every = "20 ms", cells = "20 cm" }
[[probe]]
repose = { every = "20 ms", axis = [0, 1, 0], side = "both" }
[output]
frames = { every = "200 ms" }
contacts = { every = "1 s" }
checkpoint = { every = "60 ms" }
"#;

#[test]
fn killed_and_resumed_soft_grains_end_as_unbroken_ones() {
    kill_and_resume("kill-soft-grains", SOFT_GRAINS);
}

#[test]
fn killed_and_resumed_runs_end_as_an_unbroken_one() {
    kill_and_resume("kill", SCENARIO);
}

#[test]
fn killed_and_resumed_rocks_end_as_unbroken_ones() {
    kill_and_resume("kill-rocks", ROCKS);
}

#[test]
fn killed_and_resumed_regolith_ends_as_an_unbroken_one() {
    kill_and_resume("kill-regolith", REGOLITH);
}

#[test]
fn killed_and_resumed_hard_spheres_end_as_unbroken_ones() {
    kill_and_resume("kill-beads", BEADS);
}

fn kill_and_resume(name: &str, scenario: &str) {
    let scratch = Scratch::new(name);
    let scenario = scratch.scenario(scenario);
    let (whole, killed) = (scratch.path().join("whole"), scratch.path().join("killed"));
    let start = Instant::now();
    let output = rubblepile(&["run", text(&scenario), "--out", text(&whole), "--threads", "1", "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let took = start.elapsed().as_secs_f64();

    // RUBBLEPILE_KILLS=50 takes longer and shows more.
    let wanted = std::env::var("RUBBLEPILE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6u32);
    let mut rng = Rng::new(7);
    let mut kills = 0;
    while kills < wanted {
        let mut patience = || Duration::from_secs_f64(rng.range(0.01, 0.4) * took);
        let run = ["run", text(&scenario), "--out", text(&killed), "--quiet", "--force"];
        let mut done = killed_after(&run, patience());
        while !done {
            kills += 1;
            // Killed before its first checkpoint there is nothing to resume; and the threads may be others each time.
            let resume =
                ["resume", text(&killed), "--quiet", "--threads", ["1", "2", "4"][kills as usize % 3]];
            let has_checkpoint =
                killed.join("checkpoint.rpk").exists() || killed.join("checkpoint.prev.rpk").exists();
            done = killed_after(if has_checkpoint { &resume } else { &run }, patience());
        }
        assert_same(&whole, &killed);
    }
    println!("killed {kills} times");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_checkpoint_and_exit_code_130() {
    let scratch = Scratch::new("interrupt");
    let scenario = scratch.scenario(SCENARIO);
    let (whole, stopped) = (scratch.path().join("whole"), scratch.path().join("stopped"));
    let output = rubblepile(&["run", text(&scenario), "--out", text(&whole), "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let mut child = command(&["run", text(&scenario), "--out", text(&stopped)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !stopped.join("frames/frame-000001.vtkhdf").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        sleep(Duration::from_millis(2));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", complaint(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("interrupted") && said.contains("rubblepile resume"), "{said}");
    let output = rubblepile(&["resume", text(&stopped), "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert_same(&whole, &stopped);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for scenario in [SCENARIO, SOFT_GRAINS] {
        let scratch = Scratch::new("threads");
        let scenario = scratch.scenario(scenario);
        let (one, three) = (scratch.path().join("one"), scratch.path().join("three"));
        for (path, threads) in [(&one, "1"), (&three, "3")] {
            let output =
                rubblepile(&["run", text(&scenario), "--out", text(path), "--threads", threads, "--quiet"]);
            assert!(output.status.success(), "{}", complaint(&output));
        }
        assert_same(&one, &three);
    }
}

#[test]
fn a_run_that_goes_further_equals_a_longer_one() {
    let scratch = Scratch::new("further");
    let scenario = scratch.scenario(SCENARIO);
    let (long, short) = (scratch.path().join("long"), scratch.path().join("short"));
    let steps: [&[&str]; 3] = [
        &["run", text(&scenario), "--out", text(&long), "--until", "600 ms", "--quiet"],
        &["run", text(&scenario), "--out", text(&short), "--until", "0.31", "--quiet"],
        &["resume", text(&short), "--until", "0.6 s", "--quiet"],
    ];
    for arguments in steps {
        let output = rubblepile(arguments);
        assert!(output.status.success(), "{}", complaint(&output));
    }
    assert_same(&long, &short);
}
