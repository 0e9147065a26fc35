//! How many vertices a random shape has: `12`, or `[10, 70]`.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

/// A number of vertices, or its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corners {
    pub min: u32,
    pub max: u32,
}

struct CornersVisitor;

impl<'de> Visitor<'de> for CornersVisitor {
    type Value = Corners;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of vertices, or [smallest, largest]")
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<Corners, E> {
        let n = u32::try_from(n).map_err(|_| E::custom(format!("{n} is not a number of vertices")))?;
        Ok(Corners { min: n, max: n })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Corners, A::Error> {
        let mut ends = Vec::new();
        while let Some(n) = seq.next_element::<u32>()? {
            ends.push(n);
            if ends.len() > 2 {
                break;
            }
        }
        match ends.as_slice() {
            [min, max] => Ok(Corners { min: *min, max: *max }),
            _ => Err(A::Error::custom("a range is written as [smallest, largest]")),
        }
    }
}

impl<'de> Deserialize<'de> for Corners {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CornersVisitor)
    }
}

impl Serialize for Corners {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.min, self.max].serialize(serializer)
    }
}

impl JsonSchema for Corners {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Corners".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "array"], "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 })
    }
}
