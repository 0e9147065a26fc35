//! Which rows of a contact table are contacts, and how many constraints two bodies that touch put on each other.
//!
//! Two counts are made. Bodies *touch* when the gap between them is at most a stated part of the smaller radius
//! ([`GAP`] unless said otherwise): geometry, the same in every method. A contact *bears* when the method's own
//! table has an overlap there, or a force across a gap (one that the solver closed within its step, or cohesion); a
//! row with a gap and no force is a place that the method only watches. A pile at rest under contact dynamics opens
//! and closes gaps of 1e-6 of a diameter, so the second count depends on the step where the first does not.
//!
//! Polyhedra meet in several points. Section 3.2.2 of contact-dynamics-2021 counts a contact of two faces three
//! times, of an edge with a face twice, of a vertex with a face or of two edges once: as many times as there are
//! independent constraints. A method may list more points than that (the corners of the common polygon of two
//! faces), so that points of one pair count up to three. Two rocks of several convex parts are one pair.

use rubblepile_core::{Contact, Partner, Result, World};
pub use rubblepile_nonsmooth::TouchSearch;

use crate::no_such_row;

/// The most constraints that one pair counts for: the three points of a plane.
pub const MOST_POINTS: u32 = 3;

/// Gap over the smaller radius up to which two bodies touch.
pub const GAP: f64 = 1e-4;

/// Whether this row of a method's table is a contact.
pub fn bears(contact: &Contact) -> bool {
    contact.overlap >= 0.0 || contact.force != glam::DVec3::ZERO
}

/// Two that touch: a body with a body, or with the face of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchingPair {
    pub row: u32,
    /// `None`: a wall.
    pub partner_row: Option<u32>,
    /// How many times the contact counts, 1 to 3.
    pub constraints: u32,
}

/// The pairs that the method's table has in contact.
pub fn bearing_pairs(world: &World, table: &[Contact]) -> Result<Vec<TouchingPair>> {
    pairs(world, &table.iter().filter(|c| bears(c)).copied().collect::<Vec<_>>())
}

/// Mean number of contacts of the bodies, `(2 N_gg + N_gw) / N`; 0 without bodies.
pub fn coordination(pairs: &[TouchingPair], bodies: usize) -> f64 {
    let ends: u64 =
        pairs.iter().map(|p| u64::from(p.constraints) * if p.partner_row.is_some() { 2 } else { 1 }).sum();
    if bodies == 0 { 0.0 } else { ends as f64 / bodies as f64 }
}

/// Every pair of these contacts once, in the order of the rows; those of one pair need not stand together.
pub fn pairs(world: &World, contacts: &[Contact]) -> Result<Vec<TouchingPair>> {
    let n = world.bodies.len();
    let mut ends = Vec::with_capacity(contacts.len());
    for c in contacts {
        for row in std::iter::once(c.row).chain(c.partner_row) {
            if row as usize >= n {
                return Err(no_such_row(world, row));
            }
        }
        // Walls after bodies, and each of their faces a partner of its own.
        ends.push(match (c.partner_row, c.partner) {
            (Some(p), _) => (c.row.min(p), 0, c.row.max(p), 0),
            (None, Partner::Wall { wall, face }) => (c.row, 1, wall, face),
            // The facets of an asteroid are one partner.
            (None, Partner::Asteroid { asteroid, .. }) => (c.row, 3, asteroid, 0),
            // A body that has left the world is still one partner.
            (None, Partner::Body(id)) => (c.row, 2, (id >> 32) as u32, id as u32),
        });
    }
    ends.sort_unstable();
    Ok(ends
        .chunk_by(|a, b| a == b)
        .map(|same| {
            let (row, kind, partner, _) = same[0];
            TouchingPair {
                row,
                partner_row: (kind == 0).then_some(partner),
                constraints: (same.len() as u32).min(MOST_POINTS),
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{contact, world};

    #[test]
    fn points_of_one_pair_count_up_to_three_wherever_they_stand() {
        let w = world(&[(DVec3::ZERO, 1.0); 3]);
        let c = |a, b| contact(a, b, DVec3::X, 0.0);
        // Four points of 0 and 1, two of them told from the other side, among two of 1 and 2 and five of a floor.
        let mut table = vec![c(0, Some(1)), c(1, Some(2)), c(1, Some(0)), c(2, None), c(0, Some(1))];
        table.extend([c(2, Some(1)), c(1, Some(0)), c(2, None), c(2, None), c(2, None), c(2, None)]);
        let found = pairs(&w, &table).expect("pairs");
        let pair = |row, partner_row, constraints| TouchingPair { row, partner_row, constraints };
        assert_eq!(found, [pair(0, Some(1), 3), pair(1, Some(2), 2), pair(2, None, 3)]);
    }

    #[test]
    fn a_gap_bears_only_with_a_force() {
        let w = world(&[(DVec3::ZERO, 1.0); 2]);
        let watched = contact(0, Some(1), DVec3::X, -1e-6);
        let loaded = Contact { force: -DVec3::X, ..watched };
        let unknown = contact(0, Some(1), DVec3::X, f64::NAN);
        assert!(bearing_pairs(&w, &[watched, unknown]).expect("pairs").is_empty());
        assert_eq!(bearing_pairs(&w, &[watched, loaded]).expect("pairs").len(), 1);
    }
}
