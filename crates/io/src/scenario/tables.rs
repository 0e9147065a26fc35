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

/// One simulation: what there is, what acts on it, how it is stepped, what is measured and written.
///
/// Numbers are SI; a string may carry a unit: `"3.4 h"`, `"10 cm"`, `"1194 kg/m3"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line that says what this is.
    #[serde(default)]
    pub title: String,
    /// When the run ends, and its seed.
    pub run: Run,
    /// How contact is resolved.
    #[serde(default)]
    pub method: Method,
    /// The forces that act at a distance. None: nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gravity: Vec<Gravity>,
    /// The frame that positions and velocities are written in.
    #[serde(default)]
    pub frame: FrameTable,
    /// Open space, or a periodic box.
    #[serde(default)]
    pub domain: DomainTable,
    /// What grains and walls are made of.
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
    /// The grains that deform, for [method.meshfree].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deformable: Vec<DeformableTable>,
    /// The walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall: Vec<WallTable>,
    /// What happens at given times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<EventTable>,
    /// What is measured: columns of series.csv.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<ProbeTable>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
}

/// When the run ends, and its seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time at which the run ends.
    pub end: Time,
    /// Every random number of the run comes from it.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of threads; the results do not depend on it. Not given: all cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

fn one() -> u64 {
    1
}

/// The frame that positions and velocities are written in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameTable {
    /// At rest.
    #[default]
    Inertial,
    /// Turns about the origin: grains feel the centrifugal and the Coriolis force.
    Rotating(RotatingFrame),
}

/// A frame that turns about the origin. Give `angular_velocity`, or `period` and `axis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotatingFrame {
    /// Angular velocity of the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector<AngularVelocityKind>>,
    /// Time of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Axis of the turn, of any length. Not given: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
}

/// Open space, or a box whose opposite sides are one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DomainTable {
    /// No bounds.
    #[default]
    Open,
    /// Grains that leave on one side come in on the other.
    Periodic(PeriodicDomain),
}

/// A box whose opposite sides are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeriodicDomain {
    /// Lower corner.
    pub min: Vector<LengthKind>,
    /// Upper corner.
    pub max: Vector<LengthKind>,
    /// Along which axes it is periodic: letters of `xyz`.
    #[serde(default = "all_axes")]
    pub axes: String,
}

fn all_axes() -> String {
    "xyz".into()
}

/// What is written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Frames with all grains. Not given: none but the last state in the checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// The restart file.
    pub checkpoint: Checkpoint,
    /// Tables of all contacts. Not given: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Sampling>,
}

/// How often frames are written, and as seen from where.
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
    /// That of the first asteroid: it moves and turns with it.
    Body,
    /// That of the world, with positions and velocities in that of the first asteroid besides.
    Both,
}

/// How often the restart file is replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Simulated time, or time on the clock on the wall: `"30 min wall"`.
    pub every: Interval,
}

impl Default for Checkpoint {
    fn default() -> Self {
        Checkpoint { every: Interval::Wall(1800.0) }
    }
}
