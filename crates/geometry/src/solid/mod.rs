//! Making solids: convex hulls, their mass properties, and random rocks.
//!
//! A solid's own frame has the centre of mass as origin and the principal axes of inertia as axes. Parts of a
//! concave rock are given as they are; whether they are connected is not checked.

mod hull;
mod mass;
#[cfg(test)]
pub(crate) mod overlap;
mod random;
#[cfg(test)]
mod tests;

pub use hull::convex_hull;
pub use mass::{Mass, face_normal, mass_of, mass_of_triangles};
pub use random::{principal_lengths, random_boulder, random_polyhedron};

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use rubblepile_core::{Convex, Solid};

use crate::{
    contact::{self, Hull, Placed, Proximity},
    principal::principal_axes,
};

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolidError {
    #[error("coordinate of vertex {index} is not a finite number")]
    NotFinite { index: usize },
    #[error("a solid needs at least 4 distinct vertices, {distinct} given")]
    TooFew { distinct: usize },
    #[error(
        "the vertices lie in one plane or on one line: a solid needs a thickness of at least 1e-6 of its extent"
    )]
    Flat,
    #[error("the extent of the vertices is too large or too small to compute with")]
    Size,
    #[error("part {part}: {error}")]
    Part { part: usize, error: Box<SolidError> },
    #[error(
        "parts {first} and {second} overlap by {depth:.3e} m: the mass in common would count twice; \
         let parts touch at most"
    )]
    PartsOverlap { first: usize, second: usize, depth: f64 },
    #[error("the faces do not close, or name vertices that there are not")]
    Open,
    #[error("a rock needs at least one part")]
    NoParts,
}

/// A solid, and where it lay: a point as given is `centre + orientation * point` of the solid's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct OrientedSolid {
    pub solid: Solid,
    pub centre: DVec3,
    pub orientation: DQuat,
}

/// Tolerated overlap of parts relative to their size, for the rounding of vertices that should touch.
const TOUCHING: f64 = 1e-6;

/// The convex hull of the points.
pub fn from_points(points: &[DVec3]) -> Result<OrientedSolid, SolidError> {
    Ok(made(vec![convex_hull(points)?]))
}

/// A rock of convex parts, each the hull of its points. The mass is that of the sum, so parts may touch but not
/// overlap.
pub fn from_parts(parts: &[Vec<DVec3>]) -> Result<OrientedSolid, SolidError> {
    if parts.is_empty() {
        return Err(SolidError::NoParts);
    }
    let hulls = parts
        .iter()
        .enumerate()
        .map(|(part, points)| {
            convex_hull(points).map_err(|error| SolidError::Part { part, error: Box::new(error) })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let placed = parts_as_they_lie(&hulls)?;
    for first in 0..hulls.len() {
        for second in first + 1..hulls.len() {
            let (a, b) = (&placed[first], &placed[second]);
            let Proximity::Near(contact) = contact::hulls(a, b, 0.0) else { continue };
            let depth = contact.points.first().map_or(0.0, |p| -p.gap);
            if depth > TOUCHING * a.hull.radius.min(b.hull.radius) {
                return Err(SolidError::PartsOverlap { first, second, depth });
            }
        }
    }
    Ok(made(hulls))
}

fn parts_as_they_lie(hulls: &[Convex]) -> Result<Vec<Placed>, SolidError> {
    let place = |(part, convex)| match Hull::new(convex) {
        Ok(hull) => Ok(Placed::new(Arc::new(hull), DVec3::ZERO, DQuat::IDENTITY)),
        Err(error) => Err(SolidError::Part { part, error: Box::new(error) }),
    };
    hulls.iter().enumerate().map(place).collect()
}

fn bounds(convex: &Convex) -> (DVec3, DVec3) {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    convex.vertices.iter().fold(nothing, |(l, h), &p| (l.min(p), h.max(p)))
}

/// Moves hulls into the frame of their centre and axes. There is at least one, and none is flat.
fn made(mut parts: Vec<Convex>) -> OrientedSolid {
    // Fifth powers of lengths: measured at size 1.
    let (min, max) = parts
        .iter()
        .map(bounds)
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), (a, b)| (l.min(a), h.max(b)));
    let (middle, size) = (min + 0.5 * (max - min), (max - min).max_element());
    for v in parts.iter_mut().flat_map(|p| &mut p.vertices) {
        *v = (*v - middle) / size;
    }
    let mass = parts.iter().skip(1).fold(mass_of(&parts[0]), |sum, part| sum.add(&mass_of(part)));
    let tensor = mass.inertia();
    let off = tensor.y_axis.x.abs() + tensor.z_axis.x.abs() + tensor.z_axis.y.abs();
    let diagonal = DVec3::new(tensor.x_axis.x, tensor.y_axis.y, tensor.z_axis.z);
    // What is given in its own axes keeps them: rounding must not turn a cube by an arbitrary angle.
    let (moments, orientation) = if off < 1e-13 * diagonal.max_element() {
        (diagonal, DQuat::IDENTITY)
    } else {
        principal_axes(tensor)
    };
    let back = DMat3::from_quat(orientation).transpose();
    for v in parts.iter_mut().flat_map(|p| &mut p.vertices) {
        *v = back * (*v - mass.centre) * size;
    }
    let solid = Solid {
        radius: radius(&parts),
        parts,
        volume: mass.volume * size.powi(3),
        inertia: moments * size.powi(5),
    };
    OrientedSolid { solid, centre: middle + mass.centre * size, orientation }
}

fn radius(parts: &[Convex]) -> f64 {
    parts.iter().flat_map(|p| &p.vertices).fold(0.0f64, |r, v| r.max(v.length()))
}

/// The same solid, larger by `factor` > 0.
pub fn scaled(solid: &Solid, factor: f64) -> Solid {
    let mut solid = solid.clone();
    solid.parts.iter_mut().flat_map(|p| &mut p.vertices).for_each(|v| *v *= factor);
    solid.volume *= factor.powi(3);
    solid.inertia *= factor.powi(5);
    solid.radius = radius(&solid.parts);
    solid
}

/// A box with edges of these lengths (> 0) along the axes.
pub fn block(size: DVec3) -> Solid {
    let vertices: Vec<DVec3> = (0..8)
        .map(|k| 0.5 * size * DVec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })))
        .collect();
    let faces = [[0, 1, 5, 4], [0, 2, 3, 1], [0, 4, 6, 2], [1, 3, 7, 5], [2, 6, 7, 3], [4, 5, 7, 6]];
    let parts = vec![Convex { vertices, faces: faces.map(Vec::from).to_vec() }];
    let (square, volume) = (size * size, size.x * size.y * size.z);
    let inertia = volume / 12.0 * DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
    Solid { radius: radius(&parts), parts, volume, inertia }
}
