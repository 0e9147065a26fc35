//! Numbers of contacts, and the coordination number.
//!
//! Coordination number: `Z = (2 N_gg + N_gw) / N`, the mean number of contacts of a grain, a contact with a wall
//! counted as one of the grain's (section 3.2.2 of contact-dynamics-2021 for grains alone). Polyhedra that meet in
//! several points count up to three times, and there are two counts, of grains that touch and of contacts that bear: see
//! [`crate::touching`].
//!
//! Without rattlers, Thornton's mechanical coordination number (Geotechnique 50, 43, 2000):
//! `Z_m = (2 N_gg + N_gw - Z_1) / (N - N_0 - N_1)`, where N_0 grains touch nothing and N_1 touch one partner: neither
//! can bear a load between others, however many points they have there. Z_1 are the contacts of those N_1 (for
//! spheres Z_1 = N_1). Rattlers are found in one pass; a grain that only touches rattlers still counts as bearing.

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Check, Number, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    settings::ProbeSettings,
    touching::{GAP, TouchSearch, TouchingPair, bearing_pairs, coordination, pairs},
};

/// The sampling interval, and how near counts as touching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Gap up to which two grains touch, over the smaller radius.
    #[serde(default = "default_gap")]
    pub gap: Number,
}

fn default_gap() -> Number {
    Number::new(GAP)
}

impl ProbeSettings for ContactSampling {
    fn about() -> &'static str {
        "Number of contacts, coordination number: grains that touch, and contacts that bear."
    }

    fn example() -> Self {
        ContactSampling { every: Time::new(1.0), gap: default_gap() }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        c.check((0.0..=1.0).contains(&self.gap.0), at, "gap", || {
            format!("`gap` must be between 0 and 1 (of the smaller radius), it is {}", self.gap.0)
        });
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Coordination { gap: self.gap.0, search: TouchSearch::default() })
    }
}

/// Numbers of contacts and coordination numbers.
#[derive(Debug)]
pub struct Coordination {
    /// Over the smaller radius.
    pub gap: f64,
    search: TouchSearch,
}

impl Default for Coordination {
    fn default() -> Self {
        Coordination { gap: GAP, search: TouchSearch::default() }
    }
}

/// What one body touches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Touching {
    /// Bodies and faces of walls.
    partners: u32,
    /// Contacts as they count for the coordination number: up to three a partner.
    contacts: u32,
}

/// Partners and contacts of each row.
fn touching_by_row(bodies: usize, pairs: &[TouchingPair]) -> Vec<Touching> {
    let mut count = vec![Touching::default(); bodies];
    for pair in pairs {
        for row in std::iter::once(pair.row).chain(pair.partner_row) {
            let own = &mut count[row as usize];
            own.partners += 1;
            own.contacts += pair.constraints;
        }
    }
    count
}

impl Probe for Coordination {
    fn columns(&self) -> Vec<Column> {
        let touch = format!("gap at most {:e} of the smaller radius", self.gap);
        vec![
            Column::new(
                "grain_contacts",
                "",
                format!(
                    "Contacts between grains that touch, `N_gg`: {touch}; polyhedra that meet in several points count up to \
                     three times"
                ),
            ),
            Column::new(
                "wall_contacts",
                "",
                "Contacts of grains with walls and asteroids `N_gw`, counted in the same way",
            ),
            Column::new(
                "coordination",
                "",
                format!("Coordination number of grains that touch, `Z = (2 N_gg + N_gw) / N`: {touch}"),
            ),
            Column::new(
                "coordination_without_rattlers",
                "",
                "Mechanical coordination number `(2 N_gg + N_gw - Z_1) / (N - N_0 - N_1)`: without the `N_0` grains that \
                 touch nothing, the `N_1` that touch one partner and their `Z_1` contacts",
            ),
            Column::new("rattlers", "", "Grains that touch nothing or one partner, `N_0 + N_1`"),
            Column::new(
                "coordination_bearing",
                "",
                "`(2 N_gg + N_gw) / N` of the contacts that bear: with a force or an overlap in the method's own table",
            ),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let n = world.bodies.len();
        let touching = pairs(world, &self.search.find(world, self.gap)?)?;
        let (mut grain, mut wall) = (0u64, 0u64);
        for pair in &touching {
            *(if pair.partner_row.is_some() { &mut grain } else { &mut wall }) += u64::from(pair.constraints);
        }
        let (mut rattlers, mut joined, mut idle) = (0u64, 0u64, 0u64);
        for own in touching_by_row(n, &touching) {
            if own.partners <= 1 {
                rattlers += 1;
                idle += u64::from(own.contacts);
            } else {
                joined += 1;
            }
        }
        // A mean over no grains is 0 and not NaN: before the first touch nothing is held.
        let without = if joined == 0 { 0.0 } else { (2 * grain + wall - idle) as f64 / joined as f64 };
        let bearing = bearing_pairs(world, moment.contacts()?)?;
        row.extend([
            grain as f64,
            wall as f64,
            coordination(&touching, n),
            without,
            rattlers as f64,
            coordination(&bearing, n),
        ]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use rubblepile_core::{Wall, World, wall::Plane};

    use super::*;
    use crate::testing::{boxes, contact, measure, try_measure, world};

    /// Spheres of radius 1 at these places in a plane.
    fn spheres(at: &[(f64, f64)]) -> World {
        world(&at.iter().map(|&(x, y)| (DVec3::new(x, y, 0.0), 1.0)).collect::<Vec<_>>())
    }

    #[test]
    fn a_triangle_with_a_tail() {
        // 0, 1, 2 touch each other, two of them with a gap of half the tolerance; 3 hangs on 2; 4 is alone.
        let high = 3f64.sqrt() * (1.0 + 0.5 * GAP);
        let w = spheres(&[(-1.0, 0.0), (1.0, 0.0), (0.0, high), (0.0, high + 2.0), (9.0, 0.0)]);
        let row = measure(&mut Coordination::default(), &w, vec![contact(0, Some(1), DVec3::X, 0.0)]);
        // Ends: 2 + 2 + 3 + 1 + 0 = 8; without rattlers (3 and 4): (8 - 1) / 3.
        assert_eq!(row, [4.0, 0.0, 8.0 / 5.0, 7.0 / 3.0, 2.0, 2.0 / 5.0]);
        let mut strict = Coordination { gap: 0.1 * GAP, ..Coordination::default() };
        assert_eq!(measure(&mut strict, &w, Vec::new())[..3], [2.0, 0.0, 4.0 / 5.0]);
    }

    #[test]
    fn walls_count_once_and_faces_three_times() {
        // Two cubes of side 2 face to face; the floor is the face of a wall below both.
        let mut w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::new(2.0, 0.0, 0.0), 0.0)]);
        assert_eq!(measure(&mut Coordination::default(), &w, Vec::new()), [3.0, 0.0, 3.0, 0.0, 2.0, 0.0]);
        let plane = Plane { point: DVec3::new(0.0, 0.0, -1.0), normal: DVec3::Z };
        w.walls.push(Wall::new(0, "floor", 0, plane));
        assert_eq!(measure(&mut Coordination::default(), &w, Vec::new()), [3.0, 6.0, 6.0, 6.0, 0.0, 0.0]);
    }

    #[test]
    fn no_grains_no_contacts() {
        assert_eq!(measure(&mut Coordination::default(), &world(&[]), Vec::new()), [0.0; 6]);
    }

    #[test]
    fn a_table_of_another_world_is_an_error() {
        let table = vec![contact(0, Some(7), DVec3::X, 0.0)];
        let error = try_measure(&mut Coordination::default(), &world(&[(DVec3::ZERO, 1.0)]), table);
        assert!(error.is_err_and(|e| e.to_string().contains("row 7")));
    }
}
