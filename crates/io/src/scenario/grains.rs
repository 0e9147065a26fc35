//! The `[[grains]]` table: how many, how large, where, how fast.

use std::{fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use super::{
    quantity::*,
    shapes::{OrientationName, ShapeTable, shape_schema, sphere_or_table, write_shape},
};
use rubblepile_core::wall::BoxShape;
use rubblepile_core::wall::shapes::{no_length, origin, z_axis};

/// A group of grains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Name of the group. Not given: `grains`, or `grains-2`, ... for the later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material. Not given: the only material there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// How many. Needed for `random`; a `lattice` without it fills its region; not for `file` and `points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What they look like: spheres, if not given. Other shapes are scaled to `radius` or `size`.
    #[serde(default, deserialize_with = "sphere_or_table", serialize_with = "write_shape")]
    #[schemars(schema_with = "shape_schema")]
    pub shape: ShapeTable,
    /// How grains that are no spheres are turned at the start. Not given: random shapes at random, others as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationName>,
    /// Radius of every grain; of its circumscribed sphere (about the centre of mass) if it is no sphere. Give this or
    /// `size`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Length>,
    /// How radii are distributed. Give this or `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Density of these grains, instead of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Where they are.
    pub place: Place,
    /// How they move at the start: one velocity for all, as a vector, or a table whose parts are added up.
    #[serde(default, deserialize_with = "vector_or_table")]
    #[schemars(schema_with = "vector_or_table_schema::<SpeedKind, VelocityTable>")]
    pub velocity: VelocityTable,
    /// Spin of each grain about itself, besides that of a rigid rotation: one for all, as a vector, or a table whose
    /// parts are added up.
    #[serde(default, deserialize_with = "vector_or_table")]
    #[schemars(schema_with = "vector_or_table_schema::<AngularVelocityKind, SpinTable>")]
    pub spin: SpinTable,
}

impl Grains {
    /// Grains at a place, with the default of everything else.
    pub fn at(place: Place) -> Self {
        Grains {
            name: None,
            material: None,
            count: None,
            shape: ShapeTable::default(),
            orientation: None,
            radius: None,
            size: None,
            density: None,
            place,
            velocity: VelocityTable::default(),
            spin: SpinTable::default(),
        }
    }
}

/// A table for which a bare vector may stand: `velocity = [0, 0, 1]` for `velocity = { constant = [0, 0, 1] }`.
trait FromVector<K>: for<'de> Deserialize<'de> {
    const EXPECTED: &'static str;
    fn from_vector(constant: Vector<K>) -> Self;
}

impl FromVector<SpeedKind> for VelocityTable {
    const EXPECTED: &'static str = "a vector in m/s, or a table with `constant`, `random` or `rotation`";
    fn from_vector(constant: Vector<SpeedKind>) -> Self {
        VelocityTable { constant: Some(constant), ..Default::default() }
    }
}

impl FromVector<AngularVelocityKind> for SpinTable {
    const EXPECTED: &'static str = "a vector in rad/s, or a table with `constant` or `random`";
    fn from_vector(constant: Vector<AngularVelocityKind>) -> Self {
        SpinTable { constant: Some(constant), ..Default::default() }
    }
}

fn vector_or_table<'de, K: QuantityKind, T: FromVector<K>, D: Deserializer<'de>>(
    d: D,
) -> Result<T, D::Error> {
    struct Either<K, T>(PhantomData<(K, T)>);
    impl<'de, K: QuantityKind, T: FromVector<K>> Visitor<'de> for Either<K, T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::EXPECTED)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
            Vector::deserialize(SeqAccessDeserializer::new(seq)).map(T::from_vector)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Vector::deserialize(text.into_deserializer()).map(T::from_vector)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    d.deserialize_any(Either(PhantomData))
}

fn vector_or_table_schema<K: QuantityKind, T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let vector = Vector::<K>::json_schema(generator);
    let table = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [vector, table] })
}

/// How radii are distributed, always between `min` and `max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Every radius is as likely.
    Uniform(Limits),
    /// Every interval of radii of one width holds the same volume of grains.
    UniformVolume(Limits),
    /// Normal distribution.
    Normal(NormalSize),
    /// Log-normal distribution.
    LogNormal(LogNormalSize),
    /// Power law.
    PowerLaw(PowerLawSize),
}

/// Smallest and largest radius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

/// Normal distribution of radii, cut at `min` and `max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalSize {
    /// Mean radius before the cut.
    pub mean: Length,
    /// Standard deviation before the cut.
    pub deviation: Length,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

/// Log-normal distribution of radii, cut at `min` and `max`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormalSize {
    /// Median radius before the cut.
    pub median: Length,
    /// Standard deviation of the natural logarithm of the radius.
    pub sigma: Number,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

/// Power law: the number of grains in an interval of radii goes as radius to the power of `-exponent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerLawSize {
    /// The exponent of the differential distribution: 3.5 for a collisional cascade.
    pub exponent: Number,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

/// Where grains are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// On the sites of a regular lattice.
    Lattice(Lattice),
    /// At random, without overlaps with each other and with the groups before.
    Random(RandomPlace),
    /// From a CSV file.
    File(FilePlace),
    /// At given points.
    Points(Points),
    /// Over a place on an asteroid, to fall on it.
    Heap(Heap),
}

/// The sites of a regular lattice in a region; grains do not stick out of it. With fewer grains than sites,
/// those nearest to the centre of a sphere, or the lowest (along z) of another region, are taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Which lattice.
    #[serde(default)]
    pub kind: LatticeName,
    /// The region that is filled.
    pub region: RegionTable,
    /// Distance of neighbours. Not given: twice the largest radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Length>,
    /// Largest random displacement of a grain from its site.
    #[serde(default = "no_length")]
    pub jitter: Length,
}

/// A regular lattice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatticeName {
    /// Simple cubic: 52 % filled when grains touch.
    Cubic,
    /// Hexagonal close packed: 74 % filled when grains touch.
    #[default]
    Hexagonal,
}

/// Random positions in a region; grains do not stick out of it (except where it spans a periodic box).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomPlace {
    /// The region.
    pub region: RegionTable,
    /// Smallest gap between grains.
    #[serde(default = "no_length")]
    pub gap: Length,
}

/// A region of space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegionTable {
    /// A box along the axes.
    Box(BoxShape),
    /// A sphere.
    Sphere(SphereRegion),
    /// A cylinder.
    Cylinder(CylinderRegion),
}

/// A sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereRegion {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its radius.
    pub radius: Length,
}

/// A cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderRegion {
    /// Middle of its axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Its length.
    pub length: Length,
}

/// A CSV file with a header: columns `x`, `y`, `z`, `radius` (or `r`), and optionally `vx`, `vy`, `vz`, `wx`,
/// `wy`, `wz` (spin) and `density`, all in SI. Other columns are left alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// The file; a relative path starts at the folder of the scenario.
    pub path: String,
}

/// Given points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// One position a grain.
    pub positions: Vec<Vector<LengthKind>>,
}

/// Random positions over a place on an asteroid, without overlaps: in a cylinder that stands on the surface along its mean
/// normal. They move with the asteroid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heap {
    /// Name of the asteroid.
    pub on: String,
    /// Degrees north of the equator of its frame.
    pub latitude: Number,
    /// Degrees east of its x axis.
    pub longitude: Number,
    /// Radius of the cylinder.
    pub radius: Length,
    /// Lowest and highest height of grains over the surface.
    #[serde(default = "heights")]
    pub height: [Length; 2],
}

fn heights() -> [Length; 2] {
    [Quantity::new(1.0), Quantity::new(5.0)]
}

/// How grains move at the start: the sum of what is given; nothing: at rest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VelocityTable {
    /// The same velocity for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<Vector<SpeedKind>>,
    /// Random velocities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomVelocity>,
    /// As one rigid body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RigidRotation>,
    /// With an asteroid, as if they were a part of it: its name. A `heap` does so by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// Random velocities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomVelocity {
    /// Root of the mean squared speed: the speeds are scaled to have exactly this.
    pub rms_speed: Speed,
    /// How speeds are distributed.
    #[serde(default)]
    pub distribution: SpeedDistribution,
    /// Takes the mean out, so that the group has no momentum.
    #[serde(default)]
    pub zero_momentum: bool,
}

/// How random speeds are distributed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeedDistribution {
    /// Every component normal, as in a gas.
    #[default]
    Maxwellian,
    /// Random direction, the same speed for all.
    Equal,
}

/// Moves as one rigid body, spins included unless `spins` says otherwise. Give `angular_velocity`, or `period` and `axis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidRotation {
    /// Angular velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector<AngularVelocityKind>>,
    /// Time of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Axis of the turn, of any length. Not given: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
    /// The point that stays.
    #[serde(default)]
    pub about: About,
    /// Whether grains also turn about themselves, as in a rigid body; otherwise only their centres move.
    #[serde(default = "yes")]
    pub spins: bool,
}

fn yes() -> bool {
    true
}

/// Spin of grains about themselves at the start: the sum of what is given; nothing: none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpinTable {
    /// The same spin for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<Vector<AngularVelocityKind>>,
    /// Random directions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomSpin>,
}

/// Spins of one magnitude about random axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomSpin {
    /// How fast every grain turns.
    pub rate: AngularVelocity,
}

/// The point that a rotation leaves in its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The centre of mass of the group.
    #[default]
    CentreOfMass,
    /// The origin.
    Origin,
}
