//! The `[[wall]]` table.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Unexpected, Visitor},
};

use super::quantity::*;

/// A surface that grains touch and that feels nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallTable {
    /// The name that events refer to. Not given: `wall-1`, `wall-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material. Not given: the only material there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its shape.
    pub shape: WallShape,
    /// How it moves.
    #[serde(default)]
    pub motion: MotionTable,
    /// What it does with a grain that touches it.
    #[serde(default)]
    pub touch: TouchName,
    /// In pictures: `"#rrggbb"`, or red, green and blue from 0 to 255.
    #[serde(default)]
    pub colour: Colour,
    /// In pictures: from 0, opaque, to 1, not seen.
    #[serde(default = "half_transparent")]
    pub transparency: Number,
}

fn half_transparent() -> Number {
    Quantity::new(crate::frame::Look::default().transparency)
}

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Default for Colour {
    fn default() -> Self {
        Colour(crate::frame::Look::default().colour)
    }
}

struct ColourVisitor;

impl<'de> Visitor<'de> for ColourVisitor {
    type Value = Colour;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a colour: \"#rrggbb\", or three whole numbers from 0 to 255")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Colour, E> {
        let wrong = || E::invalid_value(Unexpected::Str(text), &self);
        let digits =
            text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = u32::from_str_radix(digits.ok_or_else(wrong)?, 16).map_err(|_| wrong())?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Colour([red, green, blue]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Colour, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element::<u8>()? {
            values.push(value);
        }
        let n = values.len();
        values.try_into().map(Colour).map_err(|_| A::Error::invalid_length(n, &self))
    }
}

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ColourVisitor)
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [red, green, blue] = self.0;
        serializer.serialize_str(&format!("#{red:02x}{green:02x}{blue:02x}"))
    }
}

impl JsonSchema for Colour {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Colour".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array"],
            "pattern": "^#[0-9a-fA-F]{6}$",
            "items": { "type": "integer", "minimum": 0, "maximum": 255 },
            "minItems": 3,
            "maxItems": 3
        })
    }
}

/// What a wall does with a grain that touches it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TouchName {
    /// The grain bounces, slides or rolls, as the materials say.
    #[default]
    Bounce,
    /// The grain is held, and moves with the wall. Hard spheres alone.
    Stick,
    /// The grain is taken out, and counted. Hard spheres alone.
    Absorb,
}

/// The shape of a wall.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WallShape {
    /// Infinite plane.
    Plane(PlaneShape),
    /// Flat round plate.
    Disk(DiskShape),
    /// Flat rectangular plate.
    Rectangle(RectangleShape),
    /// The inside of a box: grains must start inside.
    Box(BoxShape),
    /// Cylinder, touched from inside and outside, open at its ends.
    Cylinder(CylinderShape),
    /// A thin hoop.
    Ring(RingShape),
    /// A thin wire.
    Line(LineShape),
    /// A point.
    Point(PointShape),
}

/// Infinite plane, touched from both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// A point of the plane.
    #[serde(default = "origin")]
    pub point: Vector<LengthKind>,
    /// Normal, of any length.
    #[serde(default = "z_axis")]
    pub normal: Vector<NumberKind>,
}

/// Flat round plate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Normal, of any length.
    #[serde(default = "z_axis")]
    pub normal: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Radius of a round hole in its middle.
    #[serde(default = "no_length")]
    pub hole: Length,
}

/// Flat rectangular plate: `centre` and two half sides at right angles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RectangleShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// From the centre to the middle of one side.
    pub half_u: Vector<LengthKind>,
    /// From the centre to the middle of the next side.
    pub half_v: Vector<LengthKind>,
}

/// A box along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Lower corner.
    pub min: Vector<LengthKind>,
    /// Upper corner.
    pub max: Vector<LengthKind>,
}

/// Cylinder, open at its ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderShape {
    /// Middle of its axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Its length. Not given: infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
}

/// A thin hoop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
}

/// A thin wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineShape {
    /// Its middle.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its direction, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its length. Not given: infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointShape {
    /// Where it is.
    pub at: Vector<LengthKind>,
}

pub(super) fn origin() -> Vector<LengthKind> {
    Vector::new(0.0, 0.0, 0.0)
}
pub(super) fn z_axis() -> Vector<NumberKind> {
    Vector::new(0.0, 0.0, 1.0)
}
pub(super) fn no_length() -> Length {
    Quantity::new(0.0)
}

/// How a wall moves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotionTable {
    /// Not at all.
    #[default]
    None,
    /// At a constant velocity.
    Translation(TranslationMotion),
    /// To and fro as a sine.
    Oscillation(OscillationMotion),
    /// Ever slower, so that a box whose other side grows steadily keeps its area.
    Reciprocal(ReciprocalMotion),
    /// About an axis.
    Rotation(RotationMotion),
}

/// At a constant velocity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslationMotion {
    /// The velocity.
    pub velocity: Vector<SpeedKind>,
}

/// To and fro: displacement `amplitude * sin(2 pi frequency t + phase)`, less its value at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OscillationMotion {
    /// Largest displacement, with its direction.
    pub amplitude: Vector<LengthKind>,
    /// How often it goes to and fro.
    pub frequency: Frequency,
    /// Phase at the start.
    #[serde(default = "no_angle")]
    pub phase: Angle,
}

fn no_angle() -> Angle {
    Quantity::new(0.0)
}

/// Displacement `size * (1 / (1 + rate * t) - 1)`: a wall that is `size` away from the opposite one comes closer as a box becomes wider by
/// `rate` of its width in a second, and its area stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReciprocalMotion {
    /// From the opposite side to this one, at the start.
    pub size: Vector<LengthKind>,
    /// Growth of the other side in a second, over its length at the start.
    pub rate: Frequency,
}

/// About an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationMotion {
    /// How fast it turns: `"2 rpm"`, `"30 deg/s"`; negative for the other way.
    pub rate: AngularVelocity,
    /// The axis, of any length. Not given: the wall's own axis or normal (z for a box).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
    /// A point of the axis. Not given: the middle of the wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Vector<LengthKind>>,
}
