//! The example of docs/add-a-probe.md compiles, measures and names the key at fault.

use glam::DVec3;
use rubblepile_core::{
    Advice, Contact, Extent, Fields, Method, Report, Result, World,
    method::Moment,
    settings::{Check, ScenarioContext, Time},
};
use rubblepile_probe::{ProbeSettings, sum};

#[path = "docs/centre_of_mass_speed.rs"]
mod centre_of_mass_speed;
use centre_of_mass_speed::SpeedSampling;

struct Still;

impl Method for Still {
    fn name(&self) -> &'static str {
        "still"
    }
    fn check(&self, _: &World) -> Vec<Advice> {
        Vec::new()
    }
    fn advance(&mut self, _: &mut World, _: &mut Fields, _: f64, _: &mut Report) -> Result<()> {
        Ok(())
    }
    fn contacts(&mut self, _: &World) -> Result<Vec<Contact>> {
        Ok(Vec::new())
    }
    fn sync(&mut self, _: &mut World, _: Extent) -> Result<()> {
        Ok(())
    }
    fn forget(&mut self) {}
}

fn of(group: Option<&str>) -> SpeedSampling {
    SpeedSampling { every: Time::new(1.0), group: group.map(String::from) }
}

#[test]
fn it_measures() -> Result<()> {
    let mut world = World::new(1.0);
    world.groups = vec!["slow".into(), "fast".into()];
    for (group, speed) in [(0, 1.0), (1, 5.0)] {
        let k = world.bodies.len();
        world.bodies.push_sphere(DVec3::ZERO, 1.0, 1.0, 0, group);
        world.bodies.velocity[k] = DVec3::X * speed;
    }
    let speed = |settings: SpeedSampling| -> Result<f64> {
        let mut probe = settings.probe(&ScenarioContext::default());
        assert_eq!(probe.columns()[0].name, "centre_of_mass_speed_m_per_s");
        let (mut method, mut fields, report) = (Still, Fields::default(), Report::default());
        let mut row = Vec::new();
        probe.measure(&mut Moment::new(&world, &mut method, &mut fields, &report), &mut row)?;
        Ok(row[0])
    };
    assert!((speed(of(None))? - 3.0).abs() < 1e-15);
    assert!((speed(of(Some("fast")))? - 5.0).abs() < 1e-15);
    Ok(())
}

#[test]
fn it_names_the_key_at_fault() {
    let scene = ScenarioContext { groups: vec!["slow".into()], ..ScenarioContext::default() };
    let mut check = Check::new(&scene);
    of(Some("slwo")).check(&mut check, "probe[2].centre_of_mass_speed");
    assert_eq!(check.problems.len(), 1);
    assert_eq!(check.problems[0].path, "probe[2].centre_of_mass_speed.group");
    assert_eq!(check.problems[0].message, "there is no group `slwo`");
}

#[test]
fn the_page_shows_this_file() {
    let page = include_str!("../../../docs/add-a-probe.md");
    let file = include_str!("docs/centre_of_mass_speed.rs");
    assert!(page.contains(&format!("```rust\n{file}```")), "docs/add-a-probe.md is stale");
}
