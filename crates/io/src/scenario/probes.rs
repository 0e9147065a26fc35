//! The `[[probe]]` table. Grains that walls hold count as parts of the walls, and not in heights, temperatures and surfaces.

use std::collections::HashSet;

use rubblepile_probe::repose::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    quantity::*,
    tables::{Sampling, Scenario},
    walls::{no_length, origin},
};

/// Something that is measured again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Kinetic, potential and elastic energy, and what was dissipated.
    Energy(Sampling),
    /// Momentum, angular momentum, centre of mass.
    Momentum(Sampling),
    /// Number of contacts, coordination number.
    Contacts(Sampling),
    /// Mean and deepest overlap.
    Overlap(Sampling),
    /// Packing fraction.
    Packing(Sampling),
    /// Mean stress tensor.
    Stress(Sampling),
    /// Clusters of touching grains: how many, and size, shape, load and rotation of the largest; binaries.
    Aggregates(AggregateSampling),
    /// Bulk density and porosity of the largest cluster, from its alpha shape.
    Porosity(PorositySampling),
    /// Of hard spheres: collisions so far and per second since the last look, and what all walls have taken.
    Collisions(Sampling),
    /// Of hard spheres, for each wall: collisions so far, impulse and energy given to it, what it absorbed and holds.
    Walls(WallSampling),
    /// By group: mean height of the centres; scale height, which is the mean height of the lowest points; and the
    /// probability (Kolmogorov-Smirnov) that these are distributed as an exponential of that scale height.
    Heights(HeightSampling),
    /// By group: numbers of grains between heights of their lowest points, and of those below and above.
    HeightHistogram(HistogramSampling),
    /// Granular temperature of all grains and by group: a third of the mean, by mass, of the squared velocity less the mean one;
    /// and of the spins, a third of the mean of I w^2 / m (for spheres 2/5 r^2 w^2).
    Temperature(TemperatureSampling),
    /// Angle of repose in a drum, with its error: a line through the topmost grains of strips along the axis.
    Repose(ReposeSampling),
    /// Of every asteroid: place, velocity, spin, and how many grains touch it, are aloft or escape.
    Asteroids(Sampling),
    /// Of deformable grains: share of the outlines that touches, solid fraction between walls, mean pressure and shear, largest pressure
    /// and gap of contacts, areas.
    Deformable(Sampling),
}

impl Probe {
    /// Its name, and how often it looks.
    pub(super) fn sampling(&self) -> (&'static str, Time) {
        match self {
            Probe::Energy(s) => ("energy", s.every),
            Probe::Momentum(s) => ("momentum", s.every),
            Probe::Contacts(s) => ("contacts", s.every),
            Probe::Overlap(s) => ("overlap", s.every),
            Probe::Packing(s) => ("packing", s.every),
            Probe::Stress(s) => ("stress", s.every),
            Probe::Aggregates(s) => ("aggregates", s.every),
            Probe::Porosity(s) => ("porosity", s.every),
            Probe::Collisions(s) => ("collisions", s.every),
            Probe::Walls(s) => ("walls", s.every),
            Probe::Heights(s) => ("heights", s.every),
            Probe::HeightHistogram(s) => ("height_histogram", s.every),
            Probe::Temperature(s) => ("temperature", s.every),
            Probe::Repose(s) => ("repose", s.every),
            Probe::Asteroids(s) => ("asteroids", s.every),
            Probe::Deformable(s) => ("deformable", s.every),
        }
    }
}

/// How often clusters are looked at, and how many of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AggregateSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// How many of the largest clusters have columns of their own.
    #[serde(default = "one_cluster")]
    pub follow: u32,
}

fn one_cluster() -> u32 {
    1
}

/// How often the surface of the largest cluster is measured, and how closely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PorositySampling {
    /// Simulated time between two looks; the first is at the start. A look is dear: some microseconds a corner.
    pub every: Time,
    /// Radius of the ball that is rolled over the cluster: gaps that it does not enter count as inside; `"auto"`: from
    /// the sizes of the grains.
    #[serde(default = "automatic_length")]
    pub alpha: Auto<LengthKind>,
}

fn automatic_length() -> Auto<LengthKind> {
    Auto::Auto
}

/// Which walls are looked at, and how often. Impulses and energies are sums since the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// Names of the walls. Not given: all, with those that events put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
}

/// Heights of which grains, how often, and above what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// Names of the groups of grains. Not given: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Upwards, of any length. Not given: against uniform gravity; without that z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector<NumberKind>>,
    /// Height of the floor along `up`.
    #[serde(default = "no_length")]
    pub from: Length,
}

/// Heights of which grains, how often, above what, and in which bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistogramSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// How many bins, of equal width.
    pub bins: u32,
    /// Height above the floor at which the first bin begins, and at which the last one ends, m.
    pub range: [Length; 2],
    /// Names of the groups of grains. Not given: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Upwards, of any length. Not given: against uniform gravity; without that z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector<NumberKind>>,
    /// Height of the floor along `up`.
    #[serde(default = "no_length")]
    pub from: Length,
}

/// Temperature of which grains, how often, and about which mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemperatureSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// Names of the groups of grains that have columns of their own. Not given: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// For flows: side of the cubes within which the mean velocity is taken. Not given: one mean for all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Length>,
}

/// Which surface is measured, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReposeSampling {
    /// Simulated time between two looks; the first is at the start.
    pub every: Time,
    /// Axis of the drum, of any length. The angle is positive where the surface falls from left to right for who looks
    /// along it, as in a drum that turns about it at a positive rate.
    pub axis: Vector<NumberKind>,
    /// A point of the axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Which side of the centre counts.
    #[serde(default)]
    pub side: SideName,
    /// Upwards, of any length. Not given: against uniform gravity; without that z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector<NumberKind>>,
    /// Width of the strips; `"auto"`: the mean diameter of the grains.
    #[serde(default = "automatic_length")]
    pub strip: Auto<LengthKind>,
}

/// A side of a drum, for who looks along its axis with `up` upwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SideName {
    /// Left of the centre: where grains rise in a drum that turns about the axis at a positive rate.
    #[default]
    Left,
    /// Right of the centre.
    Right,
    /// The whole surface.
    Both,
}

impl From<SideName> for Side {
    fn from(name: SideName) -> Side {
        match name {
            SideName::Left => Side::Left,
            SideName::Right => Side::Right,
            SideName::Both => Side::Both,
        }
    }
}

/// Names of all walls, those of events too; each once.
pub(super) fn wall_names(scenario: &Scenario) -> Vec<String> {
    let added = scenario.event.iter().filter_map(|e| e.add_wall.as_ref());
    let names = scenario.wall.iter().chain(added).filter_map(|w| w.name.as_ref());
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).cloned().collect()
}

/// Which groups, which walls and where is up, where it is not said. Done when the scenario is read: grains are not known any more
/// when a run is resumed.
pub(super) fn fill_defaults(scenario: &mut Scenario) {
    let all_groups: Vec<String> = scenario.grains.iter().filter_map(|g| g.name.clone()).collect();
    let all_walls = wall_names(scenario);
    let up = super::scene::of(scenario).up;
    let against = Vector::new(up.x, up.y, up.z);
    for probe in &mut scenario.probe {
        let (groups, up) = match probe {
            Probe::Heights(s) => (Some(&mut s.groups), Some(&mut s.up)),
            Probe::HeightHistogram(s) => (Some(&mut s.groups), Some(&mut s.up)),
            Probe::Temperature(s) => (Some(&mut s.groups), None),
            Probe::Repose(s) => (None, Some(&mut s.up)),
            Probe::Walls(s) => {
                s.names.get_or_insert_with(|| all_walls.clone());
                (None, None)
            }
            _ => (None, None),
        };
        if let Some(groups) = groups {
            groups.get_or_insert_with(|| all_groups.clone());
        }
        if let Some(up) = up {
            up.get_or_insert(against);
        }
    }
}
