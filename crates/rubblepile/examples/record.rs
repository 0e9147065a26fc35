//! Records a run in a directory, stops half way, goes on from the checkpoint, and finds the same bits as a run that never
//! stopped.
//!
//! `cargo run --release -p rubblepile --example record`

use std::{env, fs, process};

use rubblepile::Scenario;
use rubblepile::Simulation;

const SCENARIO: &str = r#"
title = "Grains bounce on a plate that shakes"
run = { end = "2 s", seed = 3 }
method.soft.max_speed = "3 m/s"
gravity = [{ uniform = { acceleration = [0, 0, -9.81] } }]
material = [{ name = "steel", density = "7800 kg/m3", restitution = { normal = 0.9 } }]
probe = [{ energy = { every = "20 ms" } }, { contacts = { every = "20 ms" } }]
output = { frames = { every = "0.5 s" } }
[[grains]]
count = 40
radius = "5 mm"
place = { random = { region = { box = { min = [-0.05, -0.05, 0.01], max = [0.05, 0.05, 0.2] } } } }
[[wall]]
shape = { box = { min = [-0.06, -0.06, 0], max = [0.06, 0.06, 1] } }
motion = { oscillation = { amplitude = [0, 0, "2 mm"], frequency = "20 Hz" } }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = env::temp_dir().join(format!("rubblepile-record-{}", process::id()));
    let scenario = Scenario::parse(SCENARIO)?;

    let mut whole = scenario.simulation()?;
    whole.record(folder.join("whole"))?;
    whole.run()?;

    let mut first = scenario.simulation()?;
    first.record(folder.join("broken"))?;
    first.run_until(0.77)?;
    first.checkpoint()?;
    drop(first); // or the power fails

    let mut second = Simulation::resume(folder.join("broken"))?;
    println!("going on from t = {:.2} s", second.time());
    second.run()?;

    let series = |run: &str| fs::read(folder.join(run).join("series.csv"));
    assert_eq!(whole.bodies()?, second.bodies()?);
    assert_eq!(series("whole")?, series("broken")?);
    println!(
        "{} rows of the same series in both",
        series("whole")?.iter().filter(|&&b| b == b'\n').count() - 1
    );
    Ok(fs::remove_dir_all(&folder)?)
}
