//! Names and defaults that the tables of a scenario share.

use glam::DVec3;
use rubblepile_core::settings::ScenarioContext;

use super::{
    build,
    tables::{EventTable, MaterialTable, Scenario},
};

/// What a scenario says to the settings of its tables.
pub fn of(scenario: &Scenario) -> ScenarioContext {
    let named = |name: &Option<String>| name.clone().unwrap_or_default();
    let added = |e: &EventTable| e.add_wall.as_ref().map(|w| named(&w.name));
    let used = |name: &String| scenario.grains.iter().any(|g| g.material.as_ref() == Some(name));
    ScenarioContext {
        end: scenario.run.end.0,
        method: scenario.method.settings().name(),
        walls_catch: scenario.method.settings().walls_catch(),
        counts_collisions: scenario.method.settings().counts_collisions(),
        materials: scenario.material.iter().map(MaterialTable::material).collect(),
        material_has_grains: scenario.material.iter().map(|m| used(&m.name)).collect(),
        pairs: scenario.pair.iter().map(|p| build::pair(p, scenario)).collect(),
        groups: scenario.grains.iter().filter_map(|g| g.name.clone()).collect(),
        walls: scenario
            .wall
            .iter()
            .map(|w| named(&w.name))
            .chain(scenario.event.iter().filter_map(added))
            .collect(),
        asteroids: scenario.asteroid.iter().map(|a| named(&a.name)).collect(),
        up: up(scenario),
    }
}

/// Against uniform gravity; z without it.
fn up(scenario: &Scenario) -> DVec3 {
    let uniform = scenario.gravity.iter().filter_map(|g| g.settings().uniform());
    let against = -uniform.sum::<DVec3>().normalize_or(-DVec3::Z);
    // No -0 in what is written out.
    DVec3::from_array(against.to_array().map(|c| c + 0.0))
}
