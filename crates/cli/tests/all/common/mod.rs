//! What the tests of the binary share.

#![allow(dead_code)] // not every test file uses all of it

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Grains fall onto a shaking plate between walls that come and go: contacts with history, gravity, events, all
/// probes, frames and contact tables. A second or two of computing.
pub const SCENARIO: &str = r#"
title = "Grains on a shaking plate"
[run]
end = "1.2 s"
seed = 3
[method.soft]
timestep = "40 us"
[[gravity]]
uniform = { acceleration = [0, 0, -9.81] }
[[material]]
name = "glass"
density = "2500 kg/m3"
stiffness = "1000 N/m"
friction = { sliding = 0.5, rolling = 0.2, twisting = 0.2, shape = 0.3 }
[[grains]]
name = "beads"
count = 200
size = { uniform = { min = "3 mm", max = "5 mm" } }
place = { random = { region = { box = { min = ["-3 cm", "-3 cm", "1 cm"], max = ["3 cm", "3 cm", "12 cm"] } } } }
velocity = { random = { rms_speed = "10 cm/s" } }
[[wall]]
name = "plate"
shape = { plane = { point = [0, 0, 0] } }
motion = { oscillation = { amplitude = ["0 mm", "0 mm", "2 mm"], frequency = "7 Hz" } }
[[wall]]
name = "drum"
shape = { cylinder = { centre = [0, 0, 0], axis = [0, 0, 1], radius = "5 cm" } }
[[event]]
at = "0.7 s"
remove_wall = "drum"
[[event]]
every = "0.25 s"
set_material = { material = "glass", key = "friction.sliding", value = 0.3 }
[[probe]]
energy = { every = "10 ms" }
[[probe]]
momentum = { every = "30 ms" }
[[probe]]
contacts = { every = "25 ms" }
[[probe]]
stress = { every = "50 ms" }
[output]
frames = { every = "50 ms" }
contacts = { every = "0.2 s" }
checkpoint = { every = "40 ms" }
"#;

/// Soft grains that fall together in a box whose lid comes down and stops: shape functions, multipliers, events.
pub const SOFT_GRAINS: &str = r#"
title = "Soft grains"
[run]
end = "1 s"
seed = 6
[method.meshfree]
timestep = "10 ms"
stiffness_damping = 0.01
[[gravity]]
uniform = { acceleration = [0, "-9.81 m/s2", 0] }
[[material]]
name = "rubber"
density = 1000
young = "200 kPa"
poisson = 0.4
[[deformable]]
name = "sand"
outline_nodes = 16
shape = { sand = { count = 3, size = [2, 1], solid = 0.6 } }
[[deformable]]
name = "disc"
outline_nodes = 16
centre = [1, 1.5]
velocity = [0.3, -1]
shape = { disc = { radius = 0.4 } }
[[wall]]
name = "box"
shape = { box = { min = [0, 0, -1], max = [2, 3, 1] } }
[[wall]]
name = "lid"
shape = { plane = { point = [0, 2.5, 0], normal = [0, -1, 0] } }
motion = { translation = { velocity = [0, "-1 m/s", 0] } }
[[event]]
at = "0.7 s"
set_motion = { wall = "lid", motion = { reciprocal = { size = [0, 1.8, 0], rate = 0.2 } } }
[[probe]]
energy = { every = "20 ms" }
[[probe]]
momentum = { every = "20 ms" }
[[probe]]
deformable = { every = "20 ms" }
[output]
frames = { every = "0.1 s" }
contacts = { every = "0.2 s" }
checkpoint = { every = "50 ms" }
"#;

/// A directory that is gone when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rubblepile-cli-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A scenario file in it.
    pub fn scenario(&self, text: &str) -> PathBuf {
        let path = self.0.join("beads.toml");
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rubblepile"));
    command.args(arguments);
    command
}

/// Runs the binary to its end.
pub fn rubblepile(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Standard error, for messages.
pub fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file of a run that must not depend on how it came about, and the world of its checkpoint.
fn results(path: &Path) -> (Vec<(String, Vec<u8>)>, rubblepile_core::World) {
    let mut files = Vec::new();
    for folder in [".", "frames", "contacts"] {
        for entry in fs::read_dir(path.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            let of_the_sitting = ["report.json", "log.txt", ".lock", ".rpk", ".tmp"];
            if entry.path().is_file() && !of_the_sitting.iter().any(|end| name.ends_with(end)) {
                files.push((name, fs::read(entry.path()).unwrap()));
            }
        }
    }
    files.sort();
    (files, rubblepile_io::checkpoint::find(path).unwrap().world)
}

/// The two runs have left the same files and the same world, bit for bit.
pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (results(a), results(b));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a.0), names(&b.0));
    for (x, y) in a.0.iter().zip(&b.0) {
        assert!(x.1 == y.1, "{} differs", x.0);
    }
    assert!(a.1 == b.1, "the worlds of the checkpoints differ");
}
