//! Exchange of each wall with grains, and the number of grains it holds. Only hard spheres meet walls in collisions; with soft
//! spheres and contact dynamics it is what walls hold and absorb.

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Check, ScenarioContext, Time, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::{ProbeSettings, check_once};

/// The walls to sample, and the interval. Impulses and energies are sums since the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Names of the walls. Default: all, including those that events add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
}

impl ProbeSettings for WallSampling {
    fn about() -> &'static str {
        "For each wall: grains absorbed and held. Of hard spheres also collisions so far, impulse and energy transferred to it."
    }

    fn example() -> Self {
        WallSampling { every: Time::new(1.0), names: None }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn fill_defaults(&mut self, scene: &ScenarioContext) {
        self.names.get_or_insert_with(|| scene.wall_names().into_iter().map(String::from).collect());
    }

    fn check(&self, c: &mut Check, at: &str) {
        let scene = c.scene;
        let known = scene.wall_names();
        c.check(!known.is_empty(), "", at, || "there are no walls to sample".into());
        for (k, name) in self.names.iter().flatten().enumerate() {
            c.known(name, known.iter().copied(), "wall", format!("{at}.names[{k}]"));
        }
        check_once(c, &self.names, join(at, "names"));
    }

    fn probe(&self, scene: &ScenarioContext) -> Box<dyn Probe> {
        let named = |name: &String| NamedWall { name: name.clone(), ids: scene.wall_ids(name) };
        let walls = self.names.iter().flatten().map(named).collect();
        Box::new(Walls { walls, collisions: scene.counts_collisions })
    }
}

/// A wall of a scenario: its name, and the ids of all walls that have it in the course of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWall {
    pub name: String,
    pub ids: Vec<u32>,
}

/// Collisions with each wall since the start, what it was given, what it has absorbed and what it holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Walls {
    pub walls: Vec<NamedWall>,
    /// Whether grains meet them in collisions.
    pub collisions: bool,
}

impl Probe for Walls {
    fn columns(&self) -> Vec<Column> {
        let of = |w: &NamedWall| {
            let w = &w.name;
            let mut all = Vec::new();
            if self.collisions {
                let collisions = format!("Collisions with {w} so far");
                all.push(Column::new(format!("collisions_with_{w}"), "", collisions));
                let impulse = format!("Impulse transferred to {w} so far");
                all.extend(Column::vector(&format!("impulse_on_{w}"), "kg m/s", &impulse));
                all.push(Column::new(
                    format!("energy_to_{w}"),
                    "J",
                    format!("Energy transferred to {w} so far; negative: to the grains"),
                ));
            }
            all.push(Column::new(
                format!("absorbed_by_{w}"),
                "",
                format!("Grains that {w} has absorbed so far"),
            ));
            all.push(Column::new(
                format!("mass_absorbed_by_{w}"),
                "kg",
                format!("Mass of the grains that {w} has absorbed so far"),
            ));
            let momentum = format!("Momentum of the grains that {w} has absorbed so far");
            all.extend(Column::vector(&format!("momentum_absorbed_by_{w}"), "kg m/s", &momentum));
            all.push(Column::new(format!("held_by_{w}"), "", format!("Grains that {w} holds now")));
            all
        };
        self.walls.iter().flat_map(of).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let caught = &moment.world.caught;
        for NamedWall { ids, .. } in &self.walls {
            let tallies = || caught.tallies.iter().filter(|t| ids.contains(&t.wall));
            if self.collisions {
                row.push(tallies().map(|t| t.collisions).sum::<u64>() as f64);
                row.extend(tallies().map(|t| t.impulse).sum::<DVec3>().to_array());
                // Adding to 0 keeps an empty sum from being -0.
                row.push(tallies().fold(0.0, |sum, t| sum + t.energy));
            }
            row.push(tallies().map(|t| t.absorbed).sum::<u64>() as f64);
            row.push(tallies().fold(0.0, |sum, t| sum + t.absorbed_mass));
            row.extend(tallies().map(|t| t.absorbed_momentum).sum::<DVec3>().to_array());
            row.push(caught.held.iter().filter(|h| ids.contains(&h.wall)).count() as f64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use rubblepile_core::wall::catch::{Held, WallTally};

    use super::*;
    use crate::testing::{measure, value, world};

    #[test]
    fn each_wall_has_its_own_and_a_name_that_came_again_has_both() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (2.0 * DVec3::X, 1.0)]);
        *w.caught.tally_of(4) =
            WallTally { wall: 4, collisions: 5, impulse: DVec3::Y, energy: 2.0, ..Default::default() };
        *w.caught.tally_of(1) = WallTally {
            wall: 1,
            absorbed: 2,
            absorbed_mass: 0.5,
            absorbed_momentum: -DVec3::Z,
            ..Default::default()
        };
        *w.caught.tally_of(7) = WallTally { wall: 7, collisions: 1, energy: -0.5, ..Default::default() };
        w.caught.held = vec![Held { body: 0, wall: 1, place: DVec3::ZERO, orientation: DQuat::IDENTITY }];
        let named = |name: &str, ids: &[u32]| NamedWall { name: name.into(), ids: ids.into() };
        let walls = vec![named("lid", &[4, 7]), named("sink", &[1]), named("idle", &[9])];
        let mut probe = Walls { walls, collisions: true };
        let row = measure(&mut probe, &w, Vec::new());
        let of = |name: &str| value(&probe, &row, name);
        assert_eq!((of("collisions_with_lid"), of("energy_to_lid_J")), (6.0, 1.5));
        assert_eq!((of("impulse_on_lid_y_kg_m_per_s"), of("impulse_on_sink_y_kg_m_per_s")), (1.0, 0.0));
        assert_eq!((of("absorbed_by_sink"), of("mass_absorbed_by_sink_kg")), (2.0, 0.5));
        assert_eq!((of("momentum_absorbed_by_sink_z_kg_m_per_s"), of("held_by_sink")), (-1.0, 1.0));
        assert!(row[22..].iter().all(|v| v.to_bits() == 0));
        probe.collisions = false;
        let row = measure(&mut probe, &w, Vec::new());
        assert_eq!(row[6..12], [2.0, 0.5, 0.0, 0.0, -1.0, 1.0]);
    }
}
