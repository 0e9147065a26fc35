//! Shapes of grains: the `shape` key of `[[grains]]`, and its checks. The solids themselves are made in
//! `build_shapes`.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use super::{check::Checker, grains::Grains, quantity::*};
use rubblepile_core::settings::{join, suggestion};

/// Corners that a convex part may have: contact is looked for between all faces and edges.
pub const MOST_CORNERS: u32 = 500;
/// Of a boulder: more take long to draw, and look like a ball.
const MOST_BOULDER_CORNERS: u32 = 100;
/// Points that a part may be given by, and parts that a shape may have.
pub const MOST_POINTS: usize = 20_000;
pub const MOST_PARTS: usize = 1000;
/// Grains that each get a shape of their own.
const MOST_OWN_SHAPES: u64 = 2_000_000;

/// What grains look like: `"sphere"`, or a table with exactly one of the keys. Where a shape is of a given size of
/// its own, `radius` and `size` may be left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShapeTable {
    /// Rounded polyhedra, a different one for each grain: hulls of random points on a sphere, none too flat or too elongated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polyhedron: Option<RandomShape>,
    /// Angular boulders, a different one for each grain: hulls of random points in a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boulder: Option<RandomShape>,
    /// A rectangular block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockShape>,
    /// The convex hull of these points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<Vector<LengthKind>>>,
    /// A rock of several convex parts, each given by its points; parts may touch but not overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<Vec<Vector<LengthKind>>>>,
    /// A Wavefront OBJ file; every object (`o`) or group (`g`) in it is a part, taken as its convex hull. A relative
    /// path starts at the folder of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Unit of length of `file`: `"m"`, `"km"`. Default: m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// Random shapes, a different one for each grain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomShape {
    /// Number of vertices: a number, or the smallest and the largest of a uniform distribution.
    pub vertices: Corners,
}

/// A rectangular block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShape {
    /// Lengths of its edges.
    pub size: Vector<LengthKind>,
}

/// How grains are turned at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrientationName {
    /// Every one at random.
    Random,
    /// As the shape is given; random shapes with their principal axes along x, y and z.
    Aligned,
}

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

/// `"sphere"`, or a table.
pub(super) fn sphere_or_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ShapeTable, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = ShapeTable;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("\"sphere\", or a table such as { polyhedron = { vertices = [10, 70] } }")
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<ShapeTable, E> {
            if word == "sphere" {
                return Ok(ShapeTable::default());
            }
            let shown: String = word.chars().take(60).collect();
            let help = match suggestion(word, ["sphere", "polyhedron", "boulder", "block", "file"]) {
                near if near.contains("`sphere`?") => near,
                _ => {
                    "only \"sphere\" needs no table: shape = { polyhedron = { vertices = [10, 70] } }".into()
                }
            };
            Err(E::custom(format!("unknown shape `{shown}`{HINT}{help}")))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ShapeTable, A::Error> {
            ShapeTable::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(Either)
}

pub(super) fn write_shape<S: Serializer>(shape: &ShapeTable, serializer: S) -> Result<S::Ok, S::Error> {
    if shape.is_sphere() { serializer.serialize_str("sphere") } else { shape.serialize(serializer) }
}

pub(super) fn shape_schema(generator: &mut SchemaGenerator) -> Schema {
    let table = generator.subschema_for::<ShapeTable>();
    json_schema!({ "anyOf": [{ "type": "string", "enum": ["sphere"] }, table] })
}

impl ShapeTable {
    pub fn is_sphere(&self) -> bool {
        *self == ShapeTable::default()
    }

    /// Another shape for each grain.
    pub fn random(&self) -> Option<&RandomShape> {
        self.polyhedron.as_ref().or(self.boulder.as_ref())
    }

    /// Whether it has a size of its own, so that a radius need not be given.
    pub fn has_size(&self) -> bool {
        !self.is_sphere() && self.random().is_none()
    }
}

pub(super) fn check(c: &mut Checker, grains: &Grains, at: &str) {
    let (shape, inside) = (&grains.shape, format!("{at}.shape"));
    if shape.is_sphere() {
        if grains.orientation.is_some() {
            let help = "remove it, or give a `shape`";
            c.add_help(join(at, "orientation"), "spheres have no orientation", help);
        }
        return;
    }
    let method = c.scenario.method.settings();
    if method.spheres_only() {
        let help = "use [method.nonsmooth], or omit `shape`";
        let message = format!("{} spheres cannot have another shape", method.name());
        c.add_help(inside.clone(), message, help);
    }
    let kinds = [
        ("polyhedron", shape.polyhedron.is_some()),
        ("boulder", shape.boulder.is_some()),
        ("block", shape.block.is_some()),
        ("vertices", shape.vertices.is_some()),
        ("parts", shape.parts.is_some()),
        ("file", shape.file.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|k| k.1).map(|k| k.0).collect();
    if let [first, second, ..] = given.as_slice() {
        c.add(join(&inside, second), format!("give one shape; this has `{first}` and `{second}`"));
    }
    if shape.unit.is_some() && shape.file.is_none() {
        c.add(join(&inside, "unit"), "`unit` goes with `file`; elsewhere a length carries its own unit");
    }
    for (name, random, most) in
        [("polyhedron", &shape.polyhedron, MOST_CORNERS), ("boulder", &shape.boulder, MOST_BOULDER_CORNERS)]
    {
        let Some(Corners { min, max }) = random.as_ref().map(|r| r.vertices) else { continue };
        let at = format!("{inside}.{name}");
        c.check(min <= max, &at, "vertices", || {
            format!("the smallest number of vertices, {min}, is above the largest, {max}")
        });
        c.check(min >= 4 && max <= most, &at, "vertices", || {
            format!("a {name} has between 4 and {most} vertices")
        });
        let count = grains.count.unwrap_or(0);
        if count > MOST_OWN_SHAPES {
            let help = format!("at most {MOST_OWN_SHAPES} grains can have shapes of their own");
            c.add_help(&inside, format!("{count} grains would each have a different shape"), help);
        }
    }
    if let Some(block) = &shape.block {
        let (least, most) = (block.size.0.min_element(), block.size.0.max_element());
        let at = format!("{inside}.block");
        c.check(least > 0.0, &at, "size", || "every edge of a block must be longer than 0".into());
        c.modest(block.size, &at, "size");
        c.check(least >= 1e-6 * most, &at, "size", || "the block is too thin to compute with".into());
    }
    let parts: Vec<(String, &Vec<Vector<LengthKind>>)> = match (&shape.vertices, &shape.parts) {
        (Some(v), _) => vec![("vertices".into(), v)],
        (None, Some(p)) => p.iter().enumerate().map(|(k, v)| (format!("parts[{k}]"), v)).collect(),
        (None, None) => Vec::new(),
    };
    c.check(parts.len() <= MOST_PARTS, &inside, "parts", || {
        format!("there are {} parts; at most {MOST_PARTS} are allowed", parts.len())
    });
    for (key, points) in parts.iter().take(MOST_PARTS) {
        let n = points.len();
        c.check(n <= MOST_POINTS, &inside, key, || {
            format!("{n} points are too many; at most {MOST_POINTS} are allowed")
        });
        c.check(n >= 4, &inside, key, || format!("a solid needs at least 4 vertices, this one has {n}"));
        if c.full() {
            return;
        }
    }
    if let Some(unit) = &shape.unit
        && let Err(e) = unit_of_length(unit)
    {
        c.add_help(join(&inside, "unit"), e, "for example `unit = \"km\"`");
    }
    if shape.file.as_ref().is_some_and(|f| f.trim().is_empty()) {
        c.add(join(&inside, "file"), "the path is empty");
    }
}

/// A unit of length in m, from its name.
pub fn unit_of_length(unit: &str) -> Result<f64, String> {
    use rubblepile_core::units;
    let size = units::parse_as(&format!("1 {unit}"), units::LENGTH).map_err(|e| e.message)?;
    if size.is_finite() && size > 0.0 { Ok(size) } else { Err(format!("`{unit}` is not a unit of length")) }
}
