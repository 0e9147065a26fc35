//! The `[[wall]]` table.

use std::{collections::HashSet, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Unexpected, Visitor},
};

use super::{MotionTable, ShapeSettings, Wall, WallResponse, WallShape};
use crate::{
    Material,
    settings::{Check, join, quantity::*},
};

/// A surface that grains touch; it feels no reaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallTable {
    /// The name that events refer to. Default: `wall-1`, `wall-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material. Default: the only material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its shape.
    pub shape: WallShape,
    /// Its motion.
    #[serde(default)]
    pub motion: MotionTable,
    /// Its effect on a grain that touches it.
    #[serde(default)]
    pub touch: WallResponse,
    /// In pictures: `"#rrggbb"`, or red, green and blue from 0 to 255.
    #[serde(default)]
    pub colour: Colour,
    /// In pictures: from 0 (opaque) to 1 (invisible).
    #[serde(default = "half_transparent")]
    pub transparency: Number,
}

/// Of walls whose table does not say: most enclose what is to be seen.
pub const TRANSPARENCY: f64 = 0.5;

fn half_transparent() -> Number {
    Quantity::new(TRANSPARENCY)
}

/// Checks the `[[wall]]` tables.
pub fn check(walls: &[WallTable], c: &mut Check) {
    let mut names = HashSet::new();
    for (k, wall) in walls.iter().enumerate() {
        let at = format!("wall[{k}]");
        c.name(wall.name.as_deref().unwrap_or_default(), &mut names, &at, "wall");
        wall.check(c, &at);
    }
}

impl WallTable {
    /// Adds what is wrong with it, but for its name; `at` is its path.
    pub fn check(&self, c: &mut Check, at: &str) {
        c.material(self.material.as_deref(), at);
        if self.touch != WallResponse::Bounce && !c.scene.walls_catch {
            c.add_help(
                join(at, "touch"),
                "deformable grains neither stick to walls nor are absorbed by them",
                "omit `touch`",
            );
        }
        let transparency = self.transparency.0;
        c.check((0.0..=1.0).contains(&transparency), at, "transparency", || {
            format!("`transparency` must be between 0 and 1, it is {transparency}")
        });
        self.shape.check(c, &join(at, "shape"));
        self.motion.check(c, &join(at, "motion"));
    }

    /// The wall; checked before.
    pub fn wall(&self, id: u32, materials: &[Material]) -> Wall {
        let surface = self.shape.surface();
        let material = materials.iter().position(|m| Some(&m.name) == self.material.as_ref()).unwrap_or(0);
        Wall {
            motion: self.motion.motion(&surface),
            touch: self.touch,
            ..Wall::new(id, self.name.clone().unwrap_or_default(), material as u32, surface)
        }
    }
}

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Default for Colour {
    /// A grey.
    fn default() -> Self {
        Colour([0xb0; 3])
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
