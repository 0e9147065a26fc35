//! Numbers of contacts, and the coordination number.
//!
//! Coordination number: `Z = (2 N_gg + N_gw) / N`, the mean number of contacts of a grain, a contact with a wall
//! counted as one of the grain's (section 3.2.2 of contact-dynamics-2021 for grains alone). Polyhedra that meet in
//! several points count up to three times, see [`crate::touching`].
//!
//! Without rattlers, Thornton's mechanical coordination number (Geotechnique 50, 43, 2000):
//! `Z_m = (2 N_gg + N_gw - Z_1) / (N - N_0 - N_1)`, where N_0 grains touch nothing and N_1 touch one partner: neither
//! can bear a load between others, however many points they have there. Z_1 are the contacts of those N_1 (for
//! spheres Z_1 = N_1). Rattlers are found in one pass; a grain that only touches rattlers still counts as bearing.

use rubblepile_core::{
    Column, Contact, Probe, Result, World,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{settings::ProbeSettings, touching::pairs};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ContactSampling(pub Sampling);

impl ProbeSettings for ContactSampling {
    fn about() -> &'static str {
        "Number of contacts, coordination number."
    }

    fn example() -> Self {
        ContactSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Coordination)
    }
}

/// Numbers of contacts and coordination numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coordination;

/// The partner of a body in a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touching {
    /// Bodies and faces of walls.
    pub partners: u32,
    /// Contacts as they count for the coordination number: up to three a partner.
    pub contacts: u32,
}

/// Partners and contacts of each row.
pub fn touching_by_row(world: &World, contacts: &[Contact]) -> Result<Vec<Touching>> {
    let mut count = vec![Touching::default(); world.bodies.len()];
    for pair in pairs(world, contacts)? {
        for row in std::iter::once(pair.row).chain(pair.partner_row) {
            let own = &mut count[row as usize];
            own.partners += 1;
            own.contacts += pair.constraints;
        }
    }
    Ok(count)
}

impl Probe for Coordination {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new(
                "grain_contacts",
                "",
                "Contacts between grains `N_gg`; polyhedra that meet in several points count up to three times",
            ),
            Column::new(
                "wall_contacts",
                "",
                "Contacts of grains with walls and asteroids `N_gw`, counted in the same way",
            ),
            Column::new("coordination", "", "Coordination number `Z = (2 N_gg + N_gw) / N`"),
            Column::new(
                "coordination_without_rattlers",
                "",
                "Mechanical coordination number `(2 N_gg + N_gw - Z_1) / (N - N_0 - N_1)`: without the `N_0` grains that \
                 touch nothing, the `N_1` that touch one partner and their `Z_1` contacts",
            ),
            Column::new("rattlers", "", "Grains that touch nothing or one partner, `N_0 + N_1`"),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let contacts = moment.contacts()?;
        let (mut grain, mut wall) = (0u64, 0u64);
        for pair in pairs(world, contacts)? {
            *(if pair.partner_row.is_some() { &mut grain } else { &mut wall }) += u64::from(pair.constraints);
        }
        let (mut rattlers, mut bearing, mut idle) = (0u64, 0u64, 0u64);
        for own in touching_by_row(world, contacts)? {
            if own.partners <= 1 {
                rattlers += 1;
                idle += u64::from(own.contacts);
            } else {
                bearing += 1;
            }
        }
        let ends = 2 * grain + wall;
        // A mean over no grains is 0 and not NaN: before the first touch nothing bears anything.
        let mean = |ends: u64, grains: u64| if grains == 0 { 0.0 } else { ends as f64 / grains as f64 };
        row.extend([
            grain as f64,
            wall as f64,
            mean(ends, rattlers + bearing),
            mean(ends - idle, bearing),
            rattlers as f64,
        ]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{contact, measure, try_measure, world};

    #[test]
    fn a_triangle_with_a_tail_on_a_floor() {
        // 0, 1, 2 touch each other; 3 hangs on 2; 4 is alone; 0 also touches a wall.
        let w = world(&[(DVec3::ZERO, 1.0); 5]);
        let c = |a, b| contact(a, b, DVec3::X, 0.0);
        let table = vec![c(0, Some(1)), c(0, Some(2)), c(0, None), c(1, Some(2)), c(2, Some(3))];
        let row = measure(&mut Coordination, &w, table);
        // Ends: 3 + 2 + 3 + 1 + 0 = 9; without rattlers (3 and 4): (9 - 1) / 3.
        assert_eq!(row, [4.0, 1.0, 9.0 / 5.0, 8.0 / 3.0, 2.0]);
    }

    #[test]
    fn faces_count_three_times_and_one_partner_bears_nothing() {
        // A row of three boxes, 0 and 1 face to face (four corners told), 1 and 2 edge to face.
        let w = world(&[(DVec3::ZERO, 1.0); 3]);
        let mut table = vec![contact(0, Some(1), DVec3::X, 0.0); 4];
        table.extend(vec![contact(1, Some(2), DVec3::X, 0.0); 2]);
        let row = measure(&mut Coordination, &w, table);
        assert_eq!(row, [5.0, 0.0, 10.0 / 3.0, 5.0, 2.0]);
    }

    #[test]
    fn no_grains_no_contacts() {
        assert_eq!(measure(&mut Coordination, &world(&[]), Vec::new()), [0.0; 5]);
    }

    #[test]
    fn a_table_of_another_world_is_an_error() {
        let table = vec![contact(0, Some(7), DVec3::X, 0.0)];
        let error = try_measure(&mut Coordination, &world(&[(DVec3::ZERO, 1.0)]), table);
        assert!(error.is_err_and(|e| e.to_string().contains("row 7")));
    }
}
