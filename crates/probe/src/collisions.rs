//! Collisions of hard spheres: totals and rates.

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use rubblepile_hard::HardState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::ProbeSettings;

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CollisionSampling(pub Sampling);

impl ProbeSettings for CollisionSampling {
    fn about() -> &'static str {
        "Of hard spheres: collisions so far and per second since the last row, and the exchange with all walls."
    }

    fn example() -> Self {
        CollisionSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Collisions::default())
    }
}

/// Collisions since the start and per second since the last look, and what walls have taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collisions {
    last: Option<Snapshot>,
}

#[derive(Debug, Clone, Copy)]
struct Snapshot {
    /// s
    time: f64,
    /// Collisions of grains with each other and with walls since the start.
    counts: [f64; 2],
}

impl Probe for Collisions {
    fn columns(&self) -> Vec<Column> {
        let mut all = vec![
            // `recall` takes up these two.
            Column::new("grain_collisions", "", "Collisions between grains so far"),
            Column::new("wall_collisions", "", "Collisions of grains with walls so far"),
            Column::new(
                "grain_collisions",
                "1/s",
                "Collisions between grains per second since the last row; NaN in the first",
            ),
            Column::new(
                "wall_collisions",
                "1/s",
                "Collisions of grains with walls per second since the last row; NaN in the first",
            ),
        ];
        all.extend(Column::vector("impulse_on_walls", "kg m/s", "Impulse transferred to all walls so far"));
        all.extend([
            Column::new(
                "energy_to_walls",
                "J",
                "Energy transferred to all walls so far; negative: to the grains",
            ),
            Column::new("held_grains", "", "Grains that walls hold now"),
            Column::new("absorbed_grains", "", "Grains that walls have absorbed so far"),
            Column::new("absorbed_mass", "kg", "Mass of the grains that walls have absorbed so far"),
        ]);
        all
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let none = HardState::default();
        let state = world.part().unwrap_or(&none);
        let tallies = &world.caught.tallies;
        let impulse: DVec3 = tallies.iter().map(|t| t.impulse).sum();
        let walls: u64 = tallies.iter().map(|t| t.collisions).sum();
        let now = Snapshot { time: world.time(), counts: [state.grain_collisions as f64, walls as f64] };
        row.extend(now.counts);
        // The first look has nothing to compare with.
        row.extend([0, 1].map(|k| {
            self.last.map_or(f64::NAN, |last| (now.counts[k] - last.counts[k]) / (now.time - last.time))
        }));
        self.last = Some(now);
        row.extend(impulse.to_array());
        row.push(tallies.iter().map(|t| t.energy).sum());
        row.push(world.caught.held.len() as f64);
        row.push(tallies.iter().map(|t| t.absorbed).sum::<u64>() as f64);
        row.push(tallies.iter().map(|t| t.absorbed_mass).sum());
        Ok(())
    }

    fn recall(&mut self, time: f64, row: &[f64]) {
        if let [grains, walls, ..] = *row {
            self.last = Some(Snapshot { time, counts: [grains, walls] });
        }
    }
}

#[cfg(test)]
mod tests {
    use rubblepile_core::wall::catch::WallTally;

    use super::*;
    use crate::testing::{measure, value, world};

    #[test]
    fn counts_and_rates_with_and_without_a_restart() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (2.0 * DVec3::X, 1.0)]);
        w.part_or_default::<HardState>().grain_collisions = 7;
        *w.caught.tally_of(3) =
            WallTally { wall: 3, collisions: 5, impulse: DVec3::Y, absorbed: 2, ..Default::default() };
        w.caught.tally_of(1).collisions = 1;
        let mut probe = Collisions::default();
        let first = measure(&mut probe, &w, Vec::new());
        let of = |name: &str| value(&Collisions::default(), &first, name);
        assert_eq!((of("grain_collisions"), of("wall_collisions"), of("absorbed_grains")), (7.0, 6.0, 2.0));
        assert_eq!(of("impulse_on_walls_y_kg_m_per_s"), 1.0);
        assert!(of("grain_collisions_per_s").is_nan());
        let mut resumed = Collisions::default();
        resumed.recall(w.time(), &first);
        // Two seconds later.
        w.clock.step += 2;
        w.part_or_default::<HardState>().grain_collisions += 8;
        w.caught.tally_of(1).collisions += 3;
        let row = measure(&mut probe, &w, Vec::new());
        assert_eq!(measure(&mut resumed, &w, Vec::new()), row);
        assert_eq!(row[..4], [15.0, 9.0, 4.0, 1.5]);
    }
}
