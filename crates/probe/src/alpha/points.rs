//! Points on the surfaces of bodies, close enough that a ball of a given radius does not get in between.
//!
//! - A solid has its vertices, points along its edges, and a lattice of equal triangles on its faces.
//! - A sphere has [`DIRECTIONS`] points (the corners of an icosahedron and of a dodecahedron), a large one a golden spiral of
//!   more; all a little above its surface, so that the solid of these points has the volume of the sphere. Its surface is
//!   then right in the mean, and up to 6 % of its radius off in places.

use std::f64::consts::PI;

use glam::DVec3;
use rubblepile_core::{Convex, Error, Result, World};

use super::{complex::AlphaComplex, delaunay::Delaunay};
use crate::clusters::Cluster;

/// Distance of points over the radius of the ball: the circle through the corners of an equal triangle has half the ball's radius.
const SPACING: f64 = 0.866;
/// Points on a sphere that is at most [`PLAIN`] times as large as the ball.
pub const DIRECTIONS: usize = 32;
/// The circles through three neighbours of the 32 have 0.36 of the radius: within half the ball's up to here.
const PLAIN: f64 = 1.35;
/// How far out they are, so that their convex hull has the volume of the sphere.
pub const OUT: f64 = 1.0612199275;
/// The most points altogether: some minutes, and some gigabytes.
const MOST: f64 = 5e6;

/// The points of a cluster, from its centre: digits are not lost far from the origin.
pub fn of(world: &World, cluster: &Cluster, ball: f64) -> Result<Vec<DVec3>> {
    let spacing = SPACING * ball;
    let wanted: f64 =
        cluster.rows.iter().map(|&row| (world.bodies.radius[row as usize] / ball).powi(2)).sum();
    // A sphere of radius r has 4 pi r^2 of surface, and a triangle of points half a rhomb's.
    if 4.0 * PI / (SPACING * SPACING * 0.866) * wanted > MOST {
        return Err(Error::Unsupported(format!(
            "an alpha of {ball} m is too small for bodies this large: their surfaces would take more than {MOST:.0e} points; give a \
             larger one, or leave it out"
        )));
    }
    let plain = directions();
    let mut points = Vec::new();
    for (&row, &position) in cluster.rows.iter().zip(&cluster.position) {
        let row = row as usize;
        let place = position - cluster.centre;
        let orientation = world.bodies.orientation[row];
        let radius = world.bodies.radius[row];
        match world.solid(row) {
            Some(solid) => {
                for part in &solid.parts {
                    on_convex(part, spacing, |p| points.push(place + orientation * p));
                }
            }
            None if radius <= PLAIN * ball => points.extend(plain.iter().map(|&d| place + OUT * radius * d)),
            None => {
                let n = (DIRECTIONS as f64 * (radius / (PLAIN * ball)).powi(2)).ceil();
                points.extend(around_sphere(n as usize).into_iter().map(|d| place + radius * d));
            }
        }
    }
    Ok(points)
}

fn on_convex(part: &Convex, spacing: f64, mut put: impl FnMut(DVec3)) {
    part.vertices.iter().for_each(|&v| put(v));
    for face in &part.faces {
        let corner = |k: usize| part.vertices[face[k % face.len()] as usize];
        for k in 0..face.len() {
            // Every edge has two faces; the one that runs along it upwards divides it.
            if face[k] < face[(k + 1) % face.len()] {
                let (a, b) = (corner(k), corner(k + 1));
                let pieces = (a.distance(b) / spacing).ceil();
                (1..pieces.min(1e6) as u32).for_each(|i| put(a.lerp(b, f64::from(i) / pieces)));
            }
        }
        on_face(face.len(), corner, spacing, &mut put);
    }
}

/// A lattice of equal triangles inside a polygon, no closer to its edges than half a spacing.
fn on_face(n: usize, corner: impl Fn(usize) -> DVec3, spacing: f64, put: &mut impl FnMut(DVec3)) {
    let origin = corner(0);
    let normal = (1..n.saturating_sub(1))
        .map(|k| (corner(k) - origin).cross(corner(k + 1) - origin))
        .sum::<DVec3>()
        .normalize_or_zero();
    let x = (corner(1) - origin).normalize_or_zero();
    let y = normal.cross(x);
    let flat = |k: usize| glam::DVec2::new((corner(k) - origin).dot(x), (corner(k) - origin).dot(y));
    let bounds = |of: fn(glam::DVec2) -> f64| {
        (0..n).map(|k| of(flat(k))).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let ((x0, x1), (y0, y1)) = (bounds(|p| p.x), bounds(|p| p.y));
    let rise = 0.75f64.sqrt() * spacing;
    let rows = ((y1 - y0) / rise).floor() as u32;
    let columns = ((x1 - x0) / spacing).floor() as u32 + 1;
    for row in 1..=rows {
        for column in 0..=columns {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
            let p = glam::DVec2::new(x0 + spacing * (f64::from(column) + shift), y0 + rise * f64::from(row));
            let clear = (0..n).all(|k| {
                let (a, edge) = (flat(k), flat(k + 1) - flat(k));
                edge.perp_dot(p - a) > 0.5 * spacing * edge.length()
            });
            if clear {
                put(origin + p.x * x + p.y * y);
            }
        }
    }
}

/// `n` points whose convex hull has the volume of the unit sphere.
fn around_sphere(n: usize) -> Vec<DVec3> {
    let mut points = golden_spiral(n);
    if let Some(d) = Delaunay::new(&points) {
        let volume = AlphaComplex::new(&d).volume(&vec![true; d.tetrahedra.len()]);
        let out = (4.0 / 3.0 * PI / volume).cbrt();
        points.iter_mut().for_each(|p| *p *= out);
    }
    points
}

/// `n` points spread evenly over the unit sphere.
pub fn golden_spiral(n: usize) -> Vec<DVec3> {
    const GOLDEN_ANGLE: f64 = 2.399963229728653;
    let at = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / n as f64;
        let (s, c) = (k as f64 * GOLDEN_ANGLE).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * c, r * s, z)
    };
    (0..n).map(at).collect()
}

/// Corners of an icosahedron and of the dodecahedron over its faces, on the unit sphere.
pub fn directions() -> [DVec3; DIRECTIONS] {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut out = [DVec3::ZERO; DIRECTIONS];
    let mut k = 0;
    let mut put = |d: DVec3| {
        out[k] = d.normalize();
        k += 1;
    };
    for s in [1.0, -1.0] {
        for t in [1.0, -1.0] {
            // Of the icosahedron (0, 1, g), of the dodecahedron (0, g, 1 / g), and in turn.
            for (x, y) in [(s, golden * t), (golden * t, s / golden)] {
                put(DVec3::new(0.0, x, y));
                put(DVec3::new(y, 0.0, x));
                put(DVec3::new(x, y, 0.0));
            }
            put(DVec3::new(1.0, s, t));
            put(DVec3::new(-1.0, s, t));
        }
    }
    out
}
