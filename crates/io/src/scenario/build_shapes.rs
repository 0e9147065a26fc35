//! The solids of a group of grains, from its `shape`.

use std::{collections::HashMap, path::Path, sync::Arc};

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use rubblepile_core::{Rng, Shape, ShapeId, Solid, World};
use rubblepile_geometry::solid::{self, OrientedSolid};

use super::{
    error::ScenarioError,
    grains::Grains,
    load::Loaded,
    quantity::{LengthKind, Vector},
    shapes::{Corners, MOST_CORNERS, MOST_PARTS, MOST_POINTS, OrientationName, unit_of_length},
};
use crate::{generate::obj, input};
use rubblepile_core::settings::Problem;

/// What the grains of a group look like.
pub(super) enum Look {
    Sphere,
    /// Another for each grain.
    Random {
        corners: Corners,
        boulder: bool,
    },
    /// One for all, scaled to each grain's radius.
    Given(Box<OrientedSolid>),
}

impl Look {
    /// Reads and makes what all grains of the group have in common.
    pub fn of(grains: &Grains, loaded: &Loaded, base: &Path, at: &str) -> Result<Look, ScenarioError> {
        let shape = &grains.shape;
        if let Some(random) = shape.random() {
            return Ok(Look::Random { corners: random.vertices, boulder: shape.boulder.is_some() });
        }
        let refuse = |key: &str, message: String, help: &str| {
            let problem = Problem::new(format!("{at}.shape.{key}"), message).help(help);
            loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no shape"))
        };
        let points = |list: &[Vector<LengthKind>]| list.iter().map(|v| v.0).collect::<Vec<DVec3>>();
        let (key, parts) = if let Some(block) = &shape.block {
            let solid = solid::block(block.size.0);
            let made = OrientedSolid { solid, centre: DVec3::ZERO, orientation: DQuat::IDENTITY };
            return Ok(Look::Given(Box::new(made)));
        } else if let Some(list) = &shape.vertices {
            ("vertices", vec![points(list)])
        } else if let Some(list) = &shape.parts {
            ("parts", list.iter().map(|part| points(part)).collect())
        } else if let Some(path) = &shape.file {
            let unit = shape.unit.as_deref().map_or(Ok(1.0), unit_of_length);
            let unit = unit.map_err(|e| refuse("unit", e, "give a unit of length"))?;
            ("file", from_file(&base.join(path), unit, &refuse)?)
        } else {
            return Ok(Look::Sphere);
        };
        let made = convex_parts(&parts)
            .map_err(|e| refuse(key, e, "look at the points, in ParaView or another viewer"))?;
        Ok(Look::Given(Box::new(made)))
    }

    /// Circumscribed radius of a shape that has a size of its own, m.
    pub fn own_radius(&self) -> Option<f64> {
        match self {
            Look::Given(made) => Some(made.solid.radius),
            _ => None,
        }
    }
}

fn from_file(
    path: &Path,
    unit: f64,
    refuse: &dyn Fn(&str, String, &str) -> ScenarioError,
) -> Result<Vec<Vec<DVec3>>, ScenarioError> {
    let name = path.display().to_string();
    let bytes = input::read(path, input::DATA_LIMIT).map_err(|e| {
        refuse("file", format!("cannot read {name}: {e}"), "paths start at the scenario's folder")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        refuse("file", format!("{name} is not a text file"), "it must be a Wavefront OBJ file")
    })?;
    let mut parts =
        obj::read(&text).map_err(|f| ScenarioError::at(f.message, &name, &text, f.span).with_help(f.help))?;
    if parts.len() > MOST_PARTS {
        let message = format!("{name} has {} objects; at most {MOST_PARTS} are allowed", parts.len());
        return Err(refuse("file", message, "join some of them"));
    }
    for v in parts.iter_mut().flatten() {
        *v *= unit;
    }
    Ok(parts)
}

/// A solid of the hulls of parts.
fn convex_parts(parts: &[Vec<DVec3>]) -> Result<OrientedSolid, String> {
    let mut corners = Vec::with_capacity(parts.len());
    for (k, points) in parts.iter().enumerate() {
        let which = if parts.len() > 1 { format!("part {k}: ") } else { String::new() };
        if points.len() > MOST_POINTS {
            return Err(format!(
                "{which}{} points are too many; at most {MOST_POINTS} are allowed",
                points.len()
            ));
        }
        let hull = solid::convex_hull(points).map_err(|e| format!("{which}{e}"))?;
        if hull.vertices.len() > MOST_CORNERS as usize {
            return Err(format!(
                "{which}the hull has {} vertices; at most {MOST_CORNERS} are allowed",
                hull.vertices.len()
            ));
        }
        corners.push(hull.vertices);
    }
    let made =
        if let [only] = corners.as_slice() { solid::from_points(only) } else { solid::from_parts(&corners) };
    made.map_err(|e| e.to_string())
}

/// Gives the grains of a group their shapes and orientations; says the shape and the orientation of each.
pub(super) fn add_shapes(
    world: &mut World,
    look: &Look,
    grains: &Grains,
    radii: &[f64],
    stream: &(dyn Fn(&str) -> Rng + Sync),
) -> Vec<(ShapeId, DQuat)> {
    let first = world.shapes.len() as ShapeId;
    let (ids, upright): (Vec<ShapeId>, DQuat) = match look {
        Look::Sphere => return vec![(0, DQuat::IDENTITY); radii.len()],
        Look::Random { corners, boulder } => {
            // A generator for each grain: its shape does not depend on how many corners those before it have.
            let made: Vec<Shape> = radii
                .par_iter()
                .enumerate()
                .map(|(k, &r)| {
                    let mut rng = stream(&format!("shape/{k}"));
                    let n = corners.min + (rng.next_u64() % u64::from(corners.max - corners.min + 1)) as u32;
                    let draw = if *boulder { solid::random_boulder } else { solid::random_polyhedron };
                    Shape::Solid(Arc::new(to_radius(&draw(n, &mut rng), r)))
                })
                .collect();
            world.shapes.extend(made);
            ((0..radii.len() as ShapeId).map(|k| first + k).collect(), DQuat::IDENTITY)
        }
        Look::Given(made) => {
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
    let random = grains.orientation == Some(OrientationName::Random);
    let mut turn = || match random {
        true => random_rotation(&mut rng),
        false => upright,
    };
    ids.into_iter().map(|id| (id, turn())).collect()
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
