//! `--set`: what it changes, and what it says when it cannot.

use rubblepile_io::scenario::{Loaded, Scenario, ScenarioError, build, summary, tables::Gravity};

const TEXT: &str = r#"
title = "test"
[run]
end = "1 h"
[method.soft]
max_speed = 1
[[material]]
name = "rock"
density = 2500
[[grains]]
count = 10
radius = "1 m"
place = { random = { region = { sphere = { radius = "20 m" } } } }
[[gravity]]
tree = { error = 0.01 }
"#;

fn load(sets: &[&str]) -> Result<Loaded, ScenarioError> {
    let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
    Scenario::load("test.toml", TEXT, &sets)
}

#[test]
fn values_are_replaced_and_added() {
    let s = load(&[
        "run.end=3 h",
        "grains.0.count=500",
        "grains[0].radius = \"10 cm\"",
        "title=a = b",
        "material.0.friction.sliding=0.7",
        "output.frames.every=60",
        "grains.0.place.random.region.sphere.centre=[1, \"2 km\", 3]",
        "gravity.0={direct = {every = 3}}",
        "run.seed=7",
        "run.seed=8",
    ])
    .expect("a scenario")
    .scenario;
    assert_eq!(s.run.end.0, 10_800.0);
    assert_eq!((s.grains[0].count, s.grains[0].radius.map(|r| r.0)), (Some(500), Some(0.1)));
    assert_eq!(s.title, "a = b");
    assert_eq!(s.material[0].friction.sliding.0, 0.7);
    assert_eq!(s.output.frames.map(|f| f.every.0), Some(60.0));
    assert!(matches!(&s.gravity[0], Gravity::Direct(d) if d.every == 3));
    assert_eq!(s.run.seed, 8);
}

#[test]
fn mistakes_point_into_the_option() {
    let fails = |set: &str, part: &str, column: usize| {
        let e = load(&["run.seed=3", set]).expect_err(set);
        let shown = format!("{} {}", e.message(), e.help_text().unwrap_or_default());
        assert!(shown.contains(part), "{set}: {shown}");
        assert_eq!((e.source_name(), e.position()), (Some("--set"), Some((1, column))), "{set}: {shown}");
    };
    fails("run.sede=3", "did you mean `seed`?", 1);
    fails("rum.seed=3", "did you mean `run`?", 1);
    fails("run.end=3 kg", "expected a time, got a mass", 9);
    fails("run.end=-3", "must be larger than 0", 9);
    fails("grains.1.count=3", "`grains` has no element 1", 1);
    fails("grains.count=3", "say which element", 1);
    fails("run.end.x=3", "there is nothing below it", 1);
    fails("run.end", "there is no `=`", 1);
    fails("=3", "is not a path of keys", 1);
    fails("run..end=3", "is not a path of keys", 1);
    fails("grains[x].count=3", "is not a path of keys", 1);
    fails("grains.0.place.random.region.sphere.centre=[1, 2, \"3 s\"]", "expected a length, got a time", 51);
    fails("grains.0.material=ice", "there is no material `ice`", 19);
}

#[test]
fn what_was_set_is_written_out() {
    let written = load(&["grains.0.count=17"]).expect("a scenario").to_toml().expect("a text");
    let again = Scenario::load("again", &written, &[]).expect("a scenario");
    assert_eq!(again.scenario.grains[0].count, Some(17));
    assert!(written.contains("seed = 1\n") && written.contains("poisson = 0.25"), "{written}");
}

#[test]
fn the_seed_decides_the_world_and_the_summary_describes_it() {
    let world = |sets: &[&str]| build(&load(sets).expect("a scenario"), ".".as_ref()).expect("a world").world;
    assert_eq!(world(&[]), world(&[]));
    assert_ne!(world(&[]).bodies.position, world(&["run.seed=2"]).bodies.position);
    let summary = summary(&build(&load(&[]).expect("a scenario"), ".".as_ref()).expect("a world"));
    let mass = 10.0 * 4.0 / 3.0 * std::f64::consts::PI * 2500.0;
    assert!((summary.mass / mass - 1.0).abs() < 1e-12);
    // Free fall of a sphere of that density: pi/2 sqrt(R^3 / 2GM).
    let t = (summary.extent.powi(3) / (2.0 * rubblepile_core::G * mass)).sqrt() * std::f64::consts::FRAC_PI_2;
    assert!((summary.free_fall_time.expect("a time") / t - 1.0).abs() < 1e-12);
}
