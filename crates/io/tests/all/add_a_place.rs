//! The example of docs/add-a-generator.md compiles, places grains and names the key at fault.

use std::{collections::BTreeMap, path::Path};

use glam::DVec3;
use rubblepile_core::{
    Domain, Rng, World,
    settings::{Check, Length, Problem, ScenarioContext},
};
use rubblepile_io::generate::{
    GenerateError, GrainTable, SphereGrid,
    place::{GroupCount, PlaceContext, PlaceSettings},
};

#[path = "docs/ring.rs"]
mod ring;
use ring::RingPlace;

const AT: &str = "grains[0].place.ring";

fn ring(text: &str) -> RingPlace {
    toml::from_str(text).expect("a ring")
}

fn grains(ring: &RingPlace, count: u64, radius: f64) -> Result<GrainTable, GenerateError> {
    let (world, radius) = (World::new(1.0), Length::new(radius));
    let mut context = PlaceContext {
        world: &world,
        count: Some(count),
        sizes: Some(&radius),
        size_key: Some("radius"),
        density: Some(2500.0),
        group: "grains[0]",
        taken: &mut SphereGrid::new(Domain::Open, 1.0),
        stream: &|what| Rng::stream(1, what),
        base: Path::new("."),
        given: &BTreeMap::new(),
    };
    ring.grains(&mut context, AT)
}

#[test]
fn grains_are_evenly_spaced_on_the_circle() {
    let x = grains(&ring("radius = '2 km'\ncentre = [5, 0, 0]\naxis = [0, 3, 0]"), 12, 1.0)
        .expect("grains")
        .position;
    assert_eq!(x.len(), 12);
    let side = 4000.0 * (std::f64::consts::PI / 12.0).sin();
    for k in 0..12 {
        let d = x[k] - DVec3::new(5.0, 0.0, 0.0);
        assert!((d.length() - 2000.0).abs() < 1e-9 && d.y.abs() < 1e-9, "{d}");
        assert!((x[k].distance(x[(k + 1) % 12]) - side).abs() < 1e-9);
    }
}

#[test]
fn what_is_wrong_names_its_key() {
    let problem = |ring: &RingPlace, count| -> Vec<Problem> {
        let scene = ScenarioContext::default();
        let mut check = Check::new(&scene);
        ring.check(&mut check, GroupCount { given: count, at: "grains[0]" }, AT);
        check.problems
    };
    assert_eq!(problem(&ring("radius = 1"), Some(3)), []);
    assert_eq!(problem(&ring("radius = -1"), Some(3))[0].path, format!("{AT}.radius"));
    assert_eq!(problem(&ring("radius = 1"), None)[0].message, "`count` is missing: how many grains?");
    let Err(GenerateError::Setting(problem)) = grains(&ring("radius = 1"), 7, 0.5) else {
        panic!("they fit")
    };
    assert_eq!((problem.path.as_str(), problem.message.contains("do not fit")), (AT, true));
    assert!(grains(&ring("radius = 1"), 6, 0.499).is_ok());
}

#[test]
fn the_page_shows_this_file() {
    assert!(RingPlace::ABOUT.ends_with('.'));
    let page = include_str!("../../../../docs/add-a-generator.md");
    let file = include_str!("docs/ring.rs");
    assert!(page.contains(&format!("```rust\n{file}```")), "docs/add-a-generator.md is stale");
}
