//! What is measured of a run. Each probe gives a few columns of the series, with the unit in the name.
//!
//! A probe changes nothing: it reads the world, the contact table (made once a moment, however many probes ask)
//! and the fields' potential. Sums are compensated and taken in chunks of fixed length, so that a value has the
//! same bits on any number of threads. It may depend, in the last bits, on the order of the rows, which is itself
//! part of the state.
//!
//! To add a probe: one file, and one line in [`list::ALL`].

pub mod aggregate;
pub mod aggregates;
pub mod alpha;
pub mod asteroid;
pub mod binary;
pub mod clusters;
pub mod collisions;
pub mod coordination;
pub mod counter;
pub mod deformable;
pub mod energy;
mod groups;
pub mod heights;
pub mod kolmogorov;
pub mod list;
pub mod momentum;
pub mod overlap;
pub mod packing;
pub mod porosity;
pub mod remembered;
pub mod repose;
pub mod sphere;
pub mod stress;
pub mod sum;
pub mod surface_map;
pub mod temperature;
#[cfg(test)]
mod testing;
pub mod touching;
pub mod volume;
pub mod walls;

pub use aggregate::{Aggregate, aggregates};
pub use aggregates::Aggregates;
pub use alpha::{Envelope, Surface, surface_of};
pub use asteroid::Asteroids;
pub use binary::Binary;
pub use clusters::{Cluster, Clusters, clusters};
pub use collisions::Collisions;
pub use coordination::Coordination;
pub use counter::Counter;
pub use deformable::Deformable;
pub use energy::Energy;
pub use heights::{Floor, HeightHistogram, Heights};
pub use list::{ALL, Entry, by_name};
pub use momentum::Momentum;
pub use overlap::Overlap;
pub use packing::Packing;
pub use porosity::Porosity;
pub use remembered::remembered_contacts;
pub use repose::Repose;
pub use sphere::{Sphere, enclosing_sphere};
pub use stress::Stress;
pub use surface_map::surface_map;
pub use temperature::Temperature;
pub use volume::Volume;
pub use walls::{NamedWall, Walls};

use rubblepile_core::{Contact, Error, Result, World};

/// Radius of the grain in this row. A contact table of another world is an error and not a panic.
fn radius_at(world: &World, row: u32) -> Result<f64> {
    world.bodies.radius.get(row as usize).copied().ok_or_else(|| no_such_row(world, row))
}

fn no_such_row(world: &World, row: u32) -> Error {
    Error::Unsupported(format!(
        "a contact names row {row}, but there are {} bodies: the contact table is not of this world",
        world.bodies.len()
    ))
}

/// The radius that an overlap is measured against: the smaller one of the pair, the grain's own at a wall.
fn smaller_radius(world: &World, contact: &Contact) -> Result<f64> {
    let own = radius_at(world, contact.row)?;
    match contact.partner_row {
        Some(row) => Ok(own.min(radius_at(world, row)?)),
        None => Ok(own),
    }
}
