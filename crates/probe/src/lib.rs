//! Probes. Each gives a few columns of the series, with the unit in the name.
//!
//! A probe changes nothing: it reads the world, the contact table (made once per moment, however many probes ask)
//! and the fields' potential. Sums are compensated and taken in chunks of fixed length, so that a value has the
//! same bits on any number of threads. It may depend, in the last bits, on the order of the rows, which is itself
//! part of the state.
//!
//! Each probe is one file with its settings, their check, its columns and what it does; `probes!` below lists them.
//! docs/add-a-probe.md adds one.

mod settings;

pub use settings::{GrainSelection, ProbeSettings, check};

settings::probes! {
    energy: Energy(EnergySampling),
    momentum: Momentum(MomentumSampling),
    contacts: Contacts(ContactSampling),
    overlap: Overlap(OverlapSampling),
    packing: Packing(PackingSampling),
    stress: Stress(StressSampling),
    profile: Profile(ProfileSampling),
    contact_forces: ContactForces(ForceSampling),
    aggregates: Aggregates(AggregateSampling),
    porosity: Porosity(PorositySampling),
    collisions: Collisions(CollisionSampling),
    walls: Walls(WallSampling),
    heights: Heights(HeightSampling),
    height_histogram: HeightHistogram(HistogramSampling),
    temperature: Temperature(TemperatureSampling),
    repose: Repose(ReposeSampling),
    asteroids: Asteroids(AsteroidSampling),
    deformable: Deformable(DeformableSampling),
    solver: Solver(SolverSampling),
}

pub mod aggregate;
pub mod alpha;
pub mod binary;
pub mod clusters;
mod groups;
pub mod kolmogorov;
pub mod remembered;
pub mod sphere;
pub mod sum;
pub mod surface_map;
#[cfg(test)]
mod testing;
pub mod touching;
pub mod volume;

pub use aggregate::{Aggregate, aggregates};
pub use aggregates::Aggregates;
pub use alpha::{AlphaSurface, Envelope, surface_of};
pub use asteroids::Asteroids;
pub use binary::Binary;
pub use clusters::{Cluster, Clusters, clusters};
pub use collisions::Collisions;
pub use contact_forces::ForceDistribution;
pub use contacts::Coordination;
pub use deformable::Deformable;
pub use energy::Energy;
pub use height_histogram::HeightHistogram;
pub use heights::{Floor, Heights};
pub use momentum::Momentum;
pub use overlap::Overlap;
pub use packing::Packing;
pub use porosity::Porosity;
pub use profile::RadialProfile;
pub use remembered::remembered_contacts;
pub use repose::Repose;
pub use solver::SolverQuality;
pub use sphere::{EnclosingSphere, enclosing_sphere};
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
