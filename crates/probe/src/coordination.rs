//! How many contacts there are, and how many a grain has.
//!
//! Coordination number: `Z = (2 N_gg + N_gw) / N`, the mean number of contacts of a grain, a contact with a wall
//! counted as one of the grain's (section 3.2.2 of contact-dynamics-2021 for grains alone). Without rattlers,
//! Thornton's mechanical coordination number (Geotechnique 50, 43, 2000):
//! `Z_m = (2 N_gg + N_gw - N_1) / (N - N_0 - N_1)`, where N_0 grains have no contact and N_1 have one: neither can
//! bear a load. Rattlers are found in one pass; a grain that only touches rattlers still counts as bearing.
//!
//! A contact is an overlap, whatever its force.

use rubblepile_core::{Contact, Probe, Result, World, method::Moment};

use crate::no_such_row;

/// Numbers of contacts and coordination numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coordination;

/// Number of contacts of each row.
pub fn contacts_by_row(world: &World, contacts: &[Contact]) -> Result<Vec<u32>> {
    let mut count = vec![0u32; world.bodies.len()];
    for c in contacts {
        for row in std::iter::once(c.row).chain(c.partner_row) {
            *count.get_mut(row as usize).ok_or_else(|| no_such_row(world, row))? += 1;
        }
    }
    Ok(count)
}

impl Probe for Coordination {
    fn columns(&self) -> Vec<String> {
        ["grain_contacts", "wall_contacts", "coordination", "coordination_without_rattlers", "rattlers"]
            .map(String::from)
            .to_vec()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let contacts = moment.contacts()?;
        let count = contacts_by_row(world, contacts)?;
        let grain = contacts.iter().filter(|c| c.partner_row.is_some()).count();
        let wall = contacts.len() - grain;
        let (mut none, mut one) = (0usize, 0usize);
        for &c in &count {
            none += usize::from(c == 0);
            one += usize::from(c == 1);
        }
        let ends = 2 * grain + wall;
        let bearing = count.len() - none - one;
        // A mean over no grains is 0 and not NaN: before the first touch nothing bears anything.
        let mean = |ends: usize, grains: usize| if grains == 0 { 0.0 } else { ends as f64 / grains as f64 };
        row.extend([
            grain as f64,
            wall as f64,
            mean(ends, count.len()),
            mean(ends - one, bearing),
            (none + one) as f64,
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
