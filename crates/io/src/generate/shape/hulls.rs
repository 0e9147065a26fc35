//! Rocks that are the hulls of given points: of `vertices`, of `parts`, or of the objects of a Wavefront OBJ `file`.

use glam::DVec3;
use rubblepile_core::settings::{Check, LengthKind, Vector, join};
use rubblepile_geometry::solid::{self, OrientedSolid};

use super::{MOST_CORNERS, ShapeTable, unit_of_length};
use crate::{
    generate::{GenerateError, GenerateFault, obj},
    input,
    scenario::ScenarioError,
};
use std::path::Path;

/// Points that a part may be given by, and parts that a shape may have.
const MOST_POINTS: usize = 20_000;
const MOST_PARTS: usize = 1000;

/// Adds what is wrong with these keys of a shape; `at` is its path.
pub(super) fn check(shape: &ShapeTable, c: &mut Check, at: &str) {
    let parts: Vec<(String, &Vec<Vector<LengthKind>>)> = match (&shape.vertices, &shape.parts) {
        (Some(v), _) => vec![("vertices".into(), v)],
        (None, Some(p)) => p.iter().enumerate().map(|(k, v)| (format!("parts[{k}]"), v)).collect(),
        (None, None) => Vec::new(),
    };
    c.check(parts.len() <= MOST_PARTS, at, "parts", || {
        format!("there are {} parts; at most {MOST_PARTS} are allowed", parts.len())
    });
    for (key, points) in parts.iter().take(MOST_PARTS) {
        let n = points.len();
        c.check(n <= MOST_POINTS, at, key, || {
            format!("{n} points are too many; at most {MOST_POINTS} are allowed")
        });
        c.check(n >= 4, at, key, || format!("a solid needs at least 4 vertices, this one has {n}"));
        if c.full() {
            return;
        }
    }
    if let Some(unit) = &shape.unit
        && let Err(e) = unit_of_length(unit)
    {
        c.add_help(join(at, "unit"), e, "for example `unit = \"km\"`");
    }
    if shape.file.as_ref().is_some_and(|f| f.trim().is_empty()) {
        c.add(join(at, "file"), "the path is empty");
    }
}

/// The solid that these keys give; `None`: they are not given. `at` is the path of the shape.
pub(super) fn solid(
    shape: &ShapeTable,
    base: &Path,
    at: &str,
) -> Result<Option<OrientedSolid>, GenerateError> {
    let points = |list: &[Vector<LengthKind>]| list.iter().map(|v| v.0).collect::<Vec<DVec3>>();
    let (key, parts) = if let Some(list) = &shape.vertices {
        ("vertices", vec![points(list)])
    } else if let Some(list) = &shape.parts {
        ("parts", list.iter().map(|part| points(part)).collect())
    } else if let Some(path) = &shape.file {
        ("file", from_file(&base.join(path), shape.unit.as_deref(), at)?)
    } else {
        return Ok(None);
    };
    let help = "look at the points, in ParaView or another viewer";
    let made = convex_parts(&parts).map_err(|e| GenerateFault::new(e, help).at(join(at, key)))?;
    Ok(Some(made))
}

fn from_file(path: &Path, unit: Option<&str>, at: &str) -> Result<Vec<Vec<DVec3>>, GenerateError> {
    let refuse = |key: &str, message: String, help: &str| GenerateFault::new(message, help).at(join(at, key));
    let unit = unit.map_or(Ok(1.0), unit_of_length);
    let unit = unit.map_err(|e| refuse("unit", e, "give a unit of length"))?;
    let text = input::text(path, "it must be a Wavefront OBJ file")
        .map_err(|(message, help)| refuse("file", message, help))?;
    let name = path.display().to_string();
    let mut parts =
        obj::read(&text).map_err(|f| ScenarioError::at(f.message, &name, &text, f.span).with_help(f.help))?;
    if parts.len() > MOST_PARTS {
        let message = format!("{name} has {} objects; at most {MOST_PARTS} are allowed", parts.len());
        return Err(refuse("file", message, "join some of them").into());
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
