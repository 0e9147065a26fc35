//! The tables of the scenario file: one struct a table, with the same names. The comments here are the
//! reference: the JSON schema and docs/scenario-reference.md are made from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quantity::*;
pub use super::{asteroids::AsteroidTable, deformables::DeformableTable, grains::Grains, methods::Method};
pub use rubblepile_core::{
    event::EventTable,
    material::{MaterialTable, Pair},
    settings::Sampling,
    wall::WallTable,
};
pub use rubblepile_gravity::Gravity;
pub use rubblepile_probe::ProbeTable;

/// One simulation: bodies, forces, method, probes and output.
///
/// Numbers are SI; a string may carry a unit: `"3.4 h"`, `"10 cm"`, `"1194 kg/m3"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A one-line description.
    #[serde(default)]
    pub title: String,
    /// When the run ends, and its seed.
    pub run: Run,
    /// The method that resolves contacts.
    #[serde(default)]
    pub method: Method,
    /// The forces that act at a distance. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gravity: Vec<Gravity>,
    /// The reference frame of positions and velocities.
    #[serde(default)]
    pub frame: FrameTable,
    /// Open space, or a periodic box.
    #[serde(default)]
    pub domain: DomainTable,
    /// The materials of grains and walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<MaterialTable>,
    /// Values for two materials in contact, instead of the mixing rule (geometric means).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<Pair>,
    /// The asteroids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asteroid: Vec<AsteroidTable>,
    /// The grains, group by group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<Grains>,
    /// The deformable grains, for [method.meshfree].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deformable: Vec<DeformableTable>,
    /// The walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall: Vec<WallTable>,
    /// The events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<EventTable>,
    /// What is measured: columns of series.csv.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<ProbeTable>,
    /// The output of a run.
    #[serde(default)]
    pub output: Output,
}

/// When the run ends, and its seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time at which the run ends.
    pub end: Time,
    /// Seed of all random numbers of the run.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of threads; the results do not depend on it. Default: all cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

fn one() -> u64 {
    1
}

/// The reference frame of positions and velocities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameTable {
    /// At rest.
    #[default]
    Inertial,
    /// Rotates about the origin, with centrifugal and Coriolis forces.
    Rotating(RotatingFrame),
}

/// A frame that rotates about the origin. Give `angular_velocity`, or `period` and `axis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotatingFrame {
    /// Angular velocity of the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector<AngularVelocityKind>>,
    /// Rotation period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Rotation axis, of any length. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
}

/// Open space, or a periodic box.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DomainTable {
    /// No bounds.
    #[default]
    Open,
    /// Grains that leave on one side enter on the opposite side.
    Periodic(PeriodicDomain),
}

/// A periodic box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeriodicDomain {
    /// Lower corner.
    pub min: Vector<LengthKind>,
    /// Upper corner.
    pub max: Vector<LengthKind>,
    /// Periodic axes: any of the letters `xyz`.
    #[serde(default = "all_axes")]
    pub axes: String,
}

fn all_axes() -> String {
    "xyz".into()
}

/// The output of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Frames with all grains. Default: no frames; the checkpoint has the last state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Tables of all contacts. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Sampling>,
}

/// The interval and the frame of reference of frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Simulated time between two frames; the first is at the start.
    pub every: Time,
    /// The frame of reference.
    #[serde(default)]
    pub frame: FrameName,
}

/// The frame of reference of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameName {
    /// That of the world.
    #[default]
    Inertial,
    /// That of the first asteroid, with which it moves and rotates.
    Body,
    /// That of the world; positions and velocities are also given in that of the first asteroid.
    Both,
}

/// How often the checkpoint is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Simulated time, or wall-clock time: `"30 min wall"`.
    pub every: Interval,
}

impl Default for Checkpoint {
    fn default() -> Self {
        Checkpoint { every: Interval::Wall(1800.0) }
    }
}
