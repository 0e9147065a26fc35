//! What grains look like: the `shape` of a group, and the solids that it gives. The table is here; each way to make a solid is
//! one file with its settings, their check and the solid.

use std::{collections::HashMap, fmt, path::Path, sync::Arc};

use glam::DQuat;
use rayon::prelude::*;
use rubblepile_core::{
    Rng, Shape, ShapeId, Solid, World,
    settings::{Check, LengthKind, Vector, join, quantity::HINT, suggestion},
};
use rubblepile_geometry::solid::{self, OrientedSolid};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::GenerateError;

mod block;
mod corners;
mod hulls;
mod random;

pub use block::BlockShape;
pub use corners::Corners;
pub use random::{RandomRock, RandomShape};

/// Corners that a convex part may have: contact is looked for between all faces and edges.
const MOST_CORNERS: u32 = 500;

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

/// How grains are turned at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrientationName {
    /// Every one at random.
    Random,
    /// As the shape is given; random shapes with their principal axes along x, y and z.
    Aligned,
}

/// `"sphere"`, or a table.
pub fn sphere_or_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ShapeTable, D::Error> {
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

pub fn write_shape<S: Serializer>(shape: &ShapeTable, serializer: S) -> Result<S::Ok, S::Error> {
    if shape.is_sphere() { serializer.serialize_str("sphere") } else { shape.serialize(serializer) }
}

pub fn shape_schema(generator: &mut SchemaGenerator) -> Schema {
    let table = generator.subschema_for::<ShapeTable>();
    json_schema!({ "anyOf": [{ "type": "string", "enum": ["sphere"] }, table] })
}

impl ShapeTable {
    pub fn is_sphere(&self) -> bool {
        *self == ShapeTable::default()
    }

    /// Another shape for each grain.
    pub fn random(&self) -> Option<(&RandomShape, RandomRock)> {
        let polyhedron = self.polyhedron.as_ref().map(|shape| (shape, RandomRock::Polyhedron));
        polyhedron.or(self.boulder.as_ref().map(|shape| (shape, RandomRock::Boulder)))
    }

    /// Whether it has a size of its own, so that a radius need not be given.
    pub fn has_size(&self) -> bool {
        !self.is_sphere() && self.random().is_none()
    }

    /// Orientation where none is given.
    pub fn default_orientation(&self) -> OrientationName {
        if self.random().is_some() { OrientationName::Random } else { OrientationName::Aligned }
    }

    /// Adds what is wrong with it; `at` is its path, `count` that of the group.
    pub fn check(&self, c: &mut Check, count: Option<u64>, at: &str) {
        let kinds = [
            ("polyhedron", self.polyhedron.is_some()),
            ("boulder", self.boulder.is_some()),
            ("block", self.block.is_some()),
            ("vertices", self.vertices.is_some()),
            ("parts", self.parts.is_some()),
            ("file", self.file.is_some()),
        ];
        let given: Vec<&str> = kinds.iter().filter(|k| k.1).map(|k| k.0).collect();
        if let [first, second, ..] = given.as_slice() {
            c.add(join(at, second), format!("give one shape; this has `{first}` and `{second}`"));
        }
        if self.unit.is_some() && self.file.is_none() {
            c.add(join(at, "unit"), "`unit` goes with `file`; elsewhere a length carries its own unit");
        }
        for (random, rock) in
            [(&self.polyhedron, RandomRock::Polyhedron), (&self.boulder, RandomRock::Boulder)]
        {
            if let Some(random) = random {
                random.check(c, rock, count, at);
            }
        }
        if let Some(block) = &self.block {
            block.check(c, &join(at, "block"));
        }
        hulls::check(self, c, at);
    }
}

/// What the grains of a group look like.
pub enum GrainShapes {
    Spheres,
    /// Another for each grain.
    Random(RandomShape, RandomRock),
    /// One for all, scaled to each grain's radius.
    Given(Box<OrientedSolid>),
}

impl GrainShapes {
    /// Reads and makes what all grains of the group have in common; `at` is the path of the shape.
    pub fn of(shape: &ShapeTable, base: &Path, at: &str) -> Result<GrainShapes, GenerateError> {
        if let Some((random, rock)) = shape.random() {
            return Ok(GrainShapes::Random(random.clone(), rock));
        }
        if let Some(block) = &shape.block {
            return Ok(GrainShapes::Given(Box::new(block.solid())));
        }
        let made = hulls::solid(shape, base, at)?;
        Ok(made.map_or(GrainShapes::Spheres, |made| GrainShapes::Given(Box::new(made))))
    }

    /// Circumscribed radius of a shape that has a size of its own, m.
    pub fn own_radius(&self) -> Option<f64> {
        match self {
            GrainShapes::Given(made) => Some(made.solid.radius),
            _ => None,
        }
    }

    /// Adds the shapes of grains of these radii to the world; says the shape and the orientation of each.
    pub fn add(
        &self,
        world: &mut World,
        orientation: Option<OrientationName>,
        radii: &[f64],
        stream: &(dyn Fn(&str) -> Rng + Sync),
    ) -> Vec<(ShapeId, DQuat)> {
        let first = world.shapes.len() as ShapeId;
        let (ids, upright): (Vec<ShapeId>, DQuat) = match self {
            GrainShapes::Spheres => return vec![(0, DQuat::IDENTITY); radii.len()],
            GrainShapes::Random(shape, rock) => {
                // A generator for each grain: its shape does not depend on how many corners those before it have.
                let made: Vec<Shape> = radii
                    .par_iter()
                    .enumerate()
                    .map(|(k, &r)| {
                        let mut rng = stream(&format!("shape/{k}"));
                        Shape::Solid(Arc::new(to_radius(&shape.draw(*rock, &mut rng), r)))
                    })
                    .collect();
                world.shapes.extend(made);
                ((0..radii.len() as ShapeId).map(|k| first + k).collect(), DQuat::IDENTITY)
            }
            GrainShapes::Given(made) => {
                // Grains of one size share their shape.
                let mut known: HashMap<u64, ShapeId> = HashMap::new();
                let ids = radii.iter().map(|&r| {
                    *known.entry(r.to_bits()).or_insert_with(|| {
                        world.shapes.push(Shape::Solid(Arc::new(to_radius(&made.solid, r))));
                        world.shapes.len() as ShapeId - 1
                    })
                });
                (ids.collect(), made.orientation)
            }
        };
        let mut rng = stream("orientation");
        let random = orientation == Some(OrientationName::Random);
        let mut turn = || match random {
            true => random_rotation(&mut rng),
            false => upright,
        };
        ids.into_iter().map(|id| (id, turn())).collect()
    }
}

/// The solid with this circumscribed radius; its own where it has that already, so that no digit is lost.
fn to_radius(solid: &Solid, radius: f64) -> Solid {
    if solid.radius == radius { solid.clone() } else { solid::scaled(solid, radius / solid.radius) }
}

/// Uniform over all rotations: a direction in four dimensions.
fn random_rotation(rng: &mut Rng) -> DQuat {
    loop {
        let q = DQuat::from_xyzw(rng.normal(), rng.normal(), rng.normal(), rng.normal());
        if q.length_squared() > 1e-12 {
            return q.normalize();
        }
    }
}

/// A unit of length in m, from its name.
pub fn unit_of_length(unit: &str) -> Result<f64, String> {
    use rubblepile_core::units;
    let size = units::parse_as(&format!("1 {unit}"), units::LENGTH).map_err(|e| e.message)?;
    if size.is_finite() && size > 0.0 { Ok(size) } else { Err(format!("`{unit}` is not a unit of length")) }
}
