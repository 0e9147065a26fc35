//! Values of the scenario file: numbers and vectors that may carry a unit.
//!
//! A [`Quantity`] is an SI number or a string such as `"10 cm"`; its kind fixes the dimension, and a text of
//! another dimension is refused with both named. Nothing infinite or undefined passes.

use std::{fmt, marker::PhantomData};

use glam::DVec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use crate::units::{self, Dimension};

/// A physical quantity, with its dimension.
pub trait QuantityKind: 'static {
    const DIMENSION: Dimension;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $alias:ident = $dimension:ident;)*) => {$(
        $(#[$doc])*
        pub enum $kind {}
        impl QuantityKind for $kind {
            const DIMENSION: Dimension = units::$dimension;
        }
        pub type $alias = Quantity<$kind>;
    )*};
}

kinds! {
    NumberKind, Number = NUMBER;
    LengthKind, Length = LENGTH;
    TimeKind, Time = TIME;
    SpeedKind, Speed = SPEED;
    AccelerationKind, Acceleration = ACCELERATION;
    DensityKind, Density = DENSITY;
    PressureKind, Pressure = PRESSURE;
    ForceKind, Force = FORCE;
    EnergyKind, Energy = ENERGY;
    StiffnessKind, Stiffness = STIFFNESS;
    ContactStiffnessKind, ContactStiffness = CONTACT_STIFFNESS;
    FrequencyKind, Frequency = FREQUENCY;
    AngleKind, Angle = ANGLE;
    AngularVelocityKind, AngularVelocity = ANGULAR_VELOCITY;
}

/// A number in SI, written as a number or as a string with a unit.
pub struct Quantity<K>(pub f64, PhantomData<K>);

impl<K> Quantity<K> {
    pub const fn new(value: f64) -> Self {
        Quantity(value, PhantomData)
    }
}

/// A number in SI.
impl<K> From<f64> for Quantity<K> {
    fn from(value: f64) -> Self {
        Quantity::new(value)
    }
}

/// Three numbers in SI.
pub struct Vector<K>(pub DVec3, PhantomData<K>);

impl<K> Vector<K> {
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Vector(DVec3::new(x, y, z), PhantomData)
    }
}

/// Numbers in SI.
impl<K> From<DVec3> for Vector<K> {
    fn from(value: DVec3) -> Self {
        Vector(value, PhantomData)
    }
}

macro_rules! plain {
    ($name:ident) => {
        impl<K> Clone for $name<K> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<K> Copy for $name<K> {}
        impl<K> PartialEq for $name<K> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }
        impl<K> fmt::Debug for $name<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}
plain!(Quantity);
plain!(Vector);

/// Between a message and its hint on their way through serde, which carries one string: no text of a user's can
/// be mistaken for it.
pub const HINT: char = '\u{1f}';

fn unit_error<E: Error>(e: units::UnitError) -> E {
    match e.hint {
        Some(hint) => E::custom(format!("{}{HINT}{hint}", e.message)),
        None => E::custom(e.message),
    }
}

fn finite<E: Error>(value: f64) -> Result<f64, E> {
    if value.is_finite() { Ok(value) } else { Err(E::custom(format!("{value} is not a finite number"))) }
}

/// An example of a text of this dimension, for messages.
fn example(dimension: Dimension) -> String {
    match dimension {
        units::NUMBER => "a plain number".into(),
        d => format!("{}: a number in {}, or a string such as \"2 {}\"", d.describe(), d.unit(), d.unit()),
    }
}

struct QuantityVisitor(Dimension);

impl Visitor<'_> for QuantityVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&example(self.0))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        finite(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        units::parse_as(text, self.0).map_err(unit_error)
    }
}

impl<'de, K: QuantityKind> Deserialize<'de> for Quantity<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor(K::DIMENSION)).map(Quantity::new)
    }
}

impl<K> Serialize for Quantity<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

struct VectorVisitor<K>(PhantomData<K>);

impl<'de, K: QuantityKind> Visitor<'de> for VectorVisitor<K> {
    type Value = Vector<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = K::DIMENSION.unit();
        let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
        write!(f, "an array of three numbers{unit}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = [0.0; 3];
        let mut n = 0;
        while let Some(q) = seq.next_element::<Quantity<K>>()? {
            if let Some(slot) = values.get_mut(n) {
                *slot = q.0;
            }
            n += 1;
        }
        if n != 3 {
            return Err(A::Error::custom(format!("a vector has three components, this one has {n}")));
        }
        Ok(Vector(values.into(), PhantomData))
    }

    /// `"[1, 2, 3] km"`: one unit for all three.
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let wrong =
            || E::custom("a vector is written as [1, 2, 3], [\"1 m\", \"2 m\", \"3 m\"] or \"[1, 2, 3] m\"");
        let (inside, unit) =
            text.trim().strip_prefix('[').and_then(|t| t.split_once(']')).ok_or_else(wrong)?;
        let mut values = [0.0; 3];
        let mut parts = inside.split(',');
        for slot in &mut values {
            let part = parts.next().ok_or_else(wrong)?.trim();
            *slot = units::parse_as(&format!("{part} {unit}"), K::DIMENSION).map_err(unit_error)?;
        }
        if parts.next().is_some() {
            return Err(wrong());
        }
        Ok(Vector(values.into(), PhantomData))
    }
}

impl<'de, K: QuantityKind> Deserialize<'de> for Vector<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VectorVisitor(PhantomData))
    }
}

impl<K> Serialize for Vector<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_array().serialize(serializer)
    }
}

/// A value, or `"auto"`: chosen by the program.
pub enum Auto<K> {
    Auto,
    Value(Quantity<K>),
}

impl<K> Auto<K> {
    pub fn value(&self) -> Option<f64> {
        match self {
            Auto::Auto => None,
            Auto::Value(q) => Some(q.0),
        }
    }
}

/// A number in SI.
impl<K> From<f64> for Auto<K> {
    fn from(value: f64) -> Self {
        Auto::Value(value.into())
    }
}

impl<K> Clone for Auto<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Auto<K> {}
impl<K> PartialEq for Auto<K> {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
impl<K> fmt::Debug for Auto<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Auto::Auto => f.write_str("Auto"),
            Auto::Value(q) => fmt::Debug::fmt(q, f),
        }
    }
}

struct AutoVisitor(Dimension);

impl Visitor<'_> for AutoVisitor {
    type Value = Option<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"auto\" or {}", example(self.0))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<f64>, E> {
        finite(value).map(Some)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<f64>, E> {
        Ok(Some(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<f64>, E> {
        if text == "auto" {
            return Ok(None);
        }
        if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(E::custom(format!("expected \"auto\" or {}", example(self.0))));
        }
        units::parse_as(text, self.0).map(Some).map_err(unit_error)
    }
}

impl<'de, K: QuantityKind> Deserialize<'de> for Auto<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(AutoVisitor(K::DIMENSION))?;
        Ok(value.map_or(Auto::Auto, |v| Auto::Value(Quantity::new(v))))
    }
}

impl<K> Serialize for Auto<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Auto::Auto => serializer.serialize_str("auto"),
            Auto::Value(q) => q.serialize(serializer),
        }
    }
}

/// An interval, in simulated or in wall-clock time (`"30 min wall"`), s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interval {
    Simulated(f64),
    Wall(f64),
}

impl Interval {
    pub fn seconds(&self) -> f64 {
        match *self {
            Interval::Simulated(s) | Interval::Wall(s) => s,
        }
    }
}

struct IntervalVisitor;

impl Visitor<'_> for IntervalVisitor {
    type Value = Interval;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time, such as \"10 min\" (simulated) or \"30 min wall\" (wall-clock time)")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Interval, E> {
        finite(value).map(Interval::Simulated)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Interval, E> {
        Ok(Interval::Simulated(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Interval, E> {
        let parse = |t: &str| units::parse_as(t, units::TIME).map_err(unit_error);
        match text.trim_end().strip_suffix("wall") {
            Some(time) => parse(time).map(Interval::Wall),
            None => parse(text).map(Interval::Simulated),
        }
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntervalVisitor)
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Interval::Simulated(s) => serializer.serialize_f64(*s),
            Interval::Wall(s) => serializer.serialize_str(&format!("{s:?} s wall")),
        }
    }
}

/// A value whose dimension another key decides, kept with the dimension it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnyQuantity {
    pub value: f64,
    /// `None`: written as a bare number, in SI.
    pub dimension: Option<Dimension>,
}

impl From<f64> for AnyQuantity {
    fn from(value: f64) -> Self {
        AnyQuantity { value, dimension: None }
    }
}

struct AnyVisitor;

impl Visitor<'_> for AnyVisitor {
    type Value = AnyQuantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a string with a number and a unit")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<AnyQuantity, E> {
        finite(value).map(|value| AnyQuantity { value, dimension: None })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<AnyQuantity, E> {
        Ok(AnyQuantity { value: value as f64, dimension: None })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<AnyQuantity, E> {
        let (value, dimension) = units::parse(text).map_err(unit_error)?;
        Ok(AnyQuantity { value, dimension: Some(dimension) })
    }
}

impl<'de> Deserialize<'de> for AnyQuantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

impl Serialize for AnyQuantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

macro_rules! schema {
    ([$($generics:tt)*] $type:ty, $name:expr, $schema:expr) => {
        impl<$($generics)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

schema!([K: QuantityKind] Quantity<K>, format!("Quantity in {}", K::DIMENSION.unit()),
    json_schema!({ "type": ["number", "string"], "x-unit": K::DIMENSION.unit() }));
schema!([K: QuantityKind] Vector<K>, format!("Vector in {}", K::DIMENSION.unit()), json_schema!({
    "type": ["array", "string"],
    "items": { "type": ["number", "string"] },
    "minItems": 3,
    "maxItems": 3,
    "x-unit": K::DIMENSION.unit()
}));
schema!([K: QuantityKind] Auto<K>, format!("Auto or {}", K::DIMENSION.unit()),
    json_schema!({ "type": ["number", "string"], "x-unit": K::DIMENSION.unit(), "x-auto": true }));
schema!([] Interval, "Interval", json_schema!({ "type": ["number", "string"], "x-unit": "s" }));
schema!([] AnyQuantity, "Value", json_schema!({ "type": ["number", "string"] }));
