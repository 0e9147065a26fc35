//! The tables of the scenario file: one struct a table, with the same names. The comments here are the
//! reference: the JSON schema and docs/scenario-reference.md are made from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::{
    asteroids::AsteroidTable, deformables::DeformableTable, grains::Grains, methods::Method, walls::WallTable,
};
use super::{
    quantity::*,
    walls::{MotionTable, no_length},
};
pub use rubblepile_core::settings::Sampling;
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

/// What a grain or a wall is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialTable {
    /// The name that grains and walls refer to.
    pub name: String,
    /// Density of a solid grain. Needed when grains are made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Coefficients of restitution.
    #[serde(default)]
    pub restitution: Restitution,
    /// Coefficients of friction.
    #[serde(default)]
    pub friction: Friction,
    /// Cohesive strength between grains.
    #[serde(default = "no_cohesion")]
    pub cohesion: Pressure,
    /// Force that parts two touching bodies. Contact dynamics alone.
    #[serde(default = "no_force")]
    pub cohesion_force: Force,
    /// Gap up to which `cohesion_force` acts; 0: a thousandth of the radius. Contact dynamics alone.
    #[serde(default = "no_length")]
    pub cohesion_range: Length,
    /// Normal spring stiffness of the linear law. Not given: from `max_speed` of the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Stiffness>,
    /// Tangential over normal stiffness.
    #[serde(default = "two_sevenths")]
    pub stiffness_ratio: Number,
    /// Young's modulus, for the Hertz-Mindlin law and for deformable grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<Pressure>,
    /// Poisson's ratio, for the Hertz-Mindlin law and for deformable grains.
    #[serde(default = "quarter")]
    pub poisson: Number,
}

fn no_cohesion() -> Pressure {
    Quantity::new(0.0)
}
fn no_force() -> Force {
    Quantity::new(0.0)
}
fn two_sevenths() -> Number {
    Quantity::new(2.0 / 7.0)
}
fn quarter() -> Number {
    Quantity::new(0.25)
}

/// Coefficients of restitution: the part of the speed that is left after an impact, above 0 and up to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Restitution {
    /// Along the normal.
    pub normal: Number,
    /// Along the contact plane.
    pub tangential: Number,
}

impl Default for Restitution {
    fn default() -> Self {
        Restitution { normal: Quantity::new(0.5), tangential: Quantity::new(0.5) }
    }
}

/// Coefficients of friction. Rolling and twisting act through `shape`: with 0 there is neither.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Friction {
    /// Sliding (Coulomb).
    pub sliding: Number,
    /// Rolling.
    pub rolling: Number,
    /// Twisting about the normal.
    pub twisting: Number,
    /// Shape parameter beta: how far grains are from round, as the width of a contact over the radius.
    pub shape: Number,
}

impl Default for Friction {
    fn default() -> Self {
        Friction {
            sliding: Quantity::new(0.5),
            rolling: Quantity::new(0.0),
            twisting: Quantity::new(0.0),
            shape: Quantity::new(0.0),
        }
    }
}

/// Values for two materials in contact; those not given are mixed from the materials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The two materials; the same twice for grains of one material.
    pub between: [String; 2],
    /// Coefficients of restitution.
    #[serde(default)]
    pub restitution: PairRestitution,
    /// Coefficients of friction.
    #[serde(default)]
    pub friction: PairFriction,
    /// Cohesive strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<Pressure>,
    /// Force that parts two touching bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohesion_force: Option<Force>,
    /// Gap up to which it acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohesion_range: Option<Length>,
    /// Normal spring stiffness of the linear law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Stiffness>,
    /// Tangential over normal stiffness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness_ratio: Option<Number>,
}

/// Coefficients of restitution of a pair; those not given are mixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PairRestitution {
    /// Along the normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<Number>,
    /// Along the contact plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tangential: Option<Number>,
}

/// Coefficients of friction of a pair; those not given are mixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PairFriction {
    /// Sliding (Coulomb).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliding: Option<Number>,
    /// Rolling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling: Option<Number>,
    /// Twisting about the normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twisting: Option<Number>,
    /// Shape parameter beta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Number>,
}

/// Something that happens: once (`at`) or again and again (`every`). Exactly one action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EventTable {
    /// Happens once, at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,
    /// Happens again and again, with this time between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Time>,
    /// With `every`: the first time. Not given: after one interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Time>,
    /// With `every`: no more after this time. Not given: to the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Time>,
    /// Takes the wall of this name away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove_wall: Option<String>,
    /// Puts a wall in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_wall: Option<WallTable>,
    /// Gives a wall another motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_motion: Option<SetMotion>,
    /// Adds a rigid rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_spin: Option<AddSpin>,
    /// Changes a value of a material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_material: Option<SetMaterial>,
    /// Makes an asteroid turn faster or slower about its z axis, with the grains carried along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin_up: Option<SpinUp>,
    /// Takes out, and counts, the grains that are farther away than this from the first asteroid, or else from the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove_beyond: Option<Length>,
    /// Ends the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

/// Gives a wall another motion, from where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetMotion {
    /// Name of the wall.
    pub wall: String,
    /// The motion; `"none"` stops it.
    pub motion: MotionTable,
}

/// Adds a rigid rotation about the centre of mass, to velocities and spins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSpin {
    /// Name of the group of grains. Not given: all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Angular velocity that is added.
    pub spin: Vector<AngularVelocityKind>,
}

/// Makes an asteroid turn at another rate, at once, with the grains carried along as if they were a part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinUp {
    /// Name of the asteroid.
    pub asteroid: String,
    /// Time of one turn; negative: the other way.
    pub period: Time,
}

/// Changes a value of a material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetMaterial {
    /// Name of the material.
    pub material: String,
    /// Which value: `restitution.normal`, `restitution.tangential`, `friction.sliding`, `friction.rolling`,
    /// `friction.twisting`, `friction.shape`, `cohesion`, `cohesion_force` or `cohesion_range`.
    pub key: String,
    /// The new value.
    pub value: AnyQuantity,
}

/// Ends the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Only if the kinetic energy of all grains is below this. Not given: in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinetic_energy_below: Option<Energy>,
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
