//! Random rocks: the grains of contact-dynamics-2021 (section 3.1) and boulders in the sense of
//! nbody-polyhedra-2017 (section 2.3).

use glam::DVec3;
use rubblepile_core::{Rng, Solid};

use super::{SolidError, convex_hull, face_normal, from_points, scaled};

/// Allowed numbers of vertices; others are clamped.
const VERTICES: std::ops::RangeInclusive<u32> = 4..=500;
/// The most for a boulder: the number of points to draw grows as the square of this.
const BOULDER: u32 = 200;
/// Platyness and elongation of the grains are at least this (section 3.1 of contact-dynamics-2021).
const MIN_RATIO: f64 = 0.5;

/// A rounded grain: the hull of random points on the unit sphere, all of them corners, with triangles for faces
/// (n_f = 2 n_v - 4), drawn again until platyness and elongation are at least 0.5. Their circumscribed sphere has
/// radius 1; its centre is not the centre of mass, so that [`Solid::radius`] is a little more.
///
/// The paper does not define the two ratios further: the lengths taken here are the extents along the principal axes of
/// inertia, elongation is the second over the longest and platyness the shortest over the second.
pub fn random_polyhedron(vertices: u32, rng: &mut Rng) -> Solid {
    let n = vertices.clamp(*VERTICES.start(), *VERTICES.end()) as usize;
    loop {
        let points: Vec<DVec3> = (0..n).map(|_| rng.direction()).collect();
        let Ok(made) = from_points(&points) else { continue };
        let part = &made.solid.parts[0];
        let [long, middle, short] = principal_lengths(&made.solid);
        let simple = part.vertices.len() == n && part.faces.len() == 2 * n - 4;
        if simple && middle >= MIN_RATIO * long && short >= MIN_RATIO * middle {
            return made.solid;
        }
    }
}

/// An angular boulder of the given number of corners. Points are drawn uniformly inside a ball, and what lies within
/// the hull so far is forgotten, until the hull has that many corners; it is then scaled to a radius of 1 about
/// the centre of mass. The paper says only that vertices are random: points inside the ball, not on it, give
/// the broken, uneven shapes of fragments, with flat and elongated ones among them.
pub fn random_boulder(vertices: u32, rng: &mut Rng) -> Solid {
    let n = vertices.clamp(*VERTICES.start(), BOULDER) as usize;
    let mut points: Vec<DVec3> = Vec::new();
    // Planes of the hull so far.
    let mut planes: Vec<(DVec3, f64)> = Vec::new();
    loop {
        let p = rng.direction() * rng.uniform().cbrt();
        if !planes.is_empty() && planes.iter().all(|(normal, height)| normal.dot(p) <= *height) {
            continue;
        }
        points.push(p);
        if points.len() < 4 {
            continue;
        }
        match convex_hull(&points) {
            Ok(hull) => {
                if hull.vertices.len() == n
                    && let Ok(made) = from_points(&hull.vertices)
                {
                    return scaled(&made.solid, 1.0 / made.solid.radius);
                }
                let plane = |face: &Vec<u32>| {
                    let normal = face_normal(&hull.vertices, face);
                    (normal, normal.dot(hull.vertices[face[0] as usize]))
                };
                planes = hull.faces.iter().map(plane).collect();
                points = hull.vertices;
            }
            Err(SolidError::Flat) => continue,
            Err(_) => points.clear(),
        }
    }
}

/// Extents along the principal axes, the longest first.
pub fn principal_lengths(solid: &Solid) -> [f64; 3] {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let all = solid.parts.iter().flat_map(|p| &p.vertices);
    let (min, max) = all.fold(nothing, |(l, h), &v| (l.min(v), h.max(v)));
    let mut lengths = (max - min).to_array();
    lengths.sort_by(|a, b| b.total_cmp(a));
    lengths
}
