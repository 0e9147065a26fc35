//! A hull and a surface of triangles, which may be concave: feature against feature.
//!
//! A hull that comes to touch does so in one of three ways: one of its vertices meets a facet, a vertex that sticks out of the
//! surface meets one of its faces, or one of its edges meets an edge that sticks out. Before they touch, a vertex may also be
//! nearest to an edge or to a vertex. Each such pair within the margin is a point of contact, if the direction between the two
//! is one that both of them look along (for an edge, one between the normals of its sides), to 15 degrees: so much faces may be
//! tilted against each other and still be held at all their corners. Flat and hollow edges of the surface never meet
//! anything before its facets do, and are no features: a plane cut into triangles is a plane.
//!
//! Where the two overlap, a pair of features has a way out, and the shortest counts: of a vertex through the facets, of the
//! surface's edges and vertices through the hull. What is found depends on the place alone, not on the steps before.
//!
//! Facets are found by the surface's tree of boxes, cut off by the planes of the hull.

mod edges;
mod few;
#[cfg(test)]
mod tests;
mod vertices;

use glam::DVec3;

use super::{Placed, Point};
use crate::mesh::{Facets, SurfaceTree};

/// Sine of the angle by which a feature may look past another: 15 degrees, as between two hulls.
const TILT: f64 = 0.259;
/// How far the way out of a vertex is looked for that cannot leave by the nearest facet, over the hull's radius.
const DEEPEST: f64 = 0.2;
/// How much longer the way out of a hull may be than something is deep in it: as at an edge of 6 degrees.
const SHARP: f64 = 20.0;
/// What is flush with a face is not deep; along a normal of the hull or the surface overlaps up to this count all the same,
/// over the hull's radius.
const FLUSH: f64 = 1e-3;
/// What rounding may do, relative to the hull.
const TINY: f64 = 1e-9;

/// A point of contact on a surface. Its normal points from the hull to the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundPoint {
    pub point: Point,
    /// The facet it is on; of a flat stretch the lowest of all, so that it stays the same while a body slides over it.
    pub facet: u32,
}

/// Contact points of a hull, placed in the frame of the surface, with what of it is at most `margin` away: added to `out`.
pub fn hull_ground(
    hull: &Placed,
    facets: &Facets,
    tree: &SurfaceTree,
    margin: f64,
    out: &mut Vec<GroundPoint>,
) {
    let near = near_facets(hull, facets, tree, margin);
    if near.is_empty() {
        return;
    }
    let mut search = Search {
        hull,
        facets,
        tree,
        margin,
        near: &near,
        tiny: TINY * hull.hull.radius,
        found: Vec::new(),
        last_resort: None,
    };
    vertices::of_hull(&mut search);
    vertices::of_surface(&mut search);
    edges::pairs(&mut search);
    if search.found.is_empty() {
        search.found.extend(search.last_resort);
    }
    few::keep(hull, &mut search.found, out);
}

/// State of the search. Points and surface are relative to the hull's centre.
struct Search<'a> {
    hull: &'a Placed,
    facets: &'a Facets,
    tree: &'a SurfaceTree,
    margin: f64,
    /// Facets within reach, in order.
    near: &'a [u32],
    /// m
    tiny: f64,
    found: Vec<GroundPoint>,
    /// For a hull that is inside the surface in a way that no pair of features explains: out through the nearest facet.
    last_resort: Option<GroundPoint>,
}

impl Search<'_> {
    fn vertex(&self, k: u32) -> DVec3 {
        self.facets.vertex(k) - self.hull.centre
    }

    /// Height of a point above a facet.
    fn height(&self, facet: u32, x: DVec3) -> f64 {
        let corner = self.vertex(self.facets.mesh.triangles[facet as usize][0]);
        self.facets.normals[facet as usize].dot(x - corner)
    }

    /// Whether a gap (below 0) is that of an overlap: of something that is this deep in the hull.
    fn explains(&self, gap: f64, depth: f64, along_normal: bool) -> bool {
        let flush = if along_normal { FLUSH * self.hull.hull.radius } else { 0.0 };
        depth > -self.tiny && -gap <= (SHARP * depth.max(self.tiny)).max(flush)
    }

    /// A point of the hull at a height above the surface, along `up`.
    fn add(&mut self, on_hull: DVec3, up: DVec3, gap: f64, feature: u32, facet: u32) {
        self.found.push(self.made(on_hull, up, gap, feature, facet));
    }

    fn made(&self, on_hull: DVec3, up: DVec3, gap: f64, feature: u32, facet: u32) -> GroundPoint {
        let point = Point { position: on_hull - 0.5 * gap * up, gap, normal: -up, feature };
        GroundPoint { point, facet: self.facets.stretch[facet as usize] }
    }
}

/// Where a hull ends below, seen along `up` from its centre.
fn bottom(hull: &Placed, up: DVec3) -> f64 {
    (0..hull.hull.vertices.len()).map(|k| up.dot(hull.vertex(k))).fold(f64::INFINITY, f64::min)
}

/// Facets that neither their own plane nor one of the hull's keeps farther away than the margin, in order.
fn near_facets(hull: &Placed, facets: &Facets, tree: &SurfaceTree, margin: f64) -> Vec<u32> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for k in 0..hull.hull.vertices.len() {
        (low, high) = (low.min(hull.vertex(k)), high.max(hull.vertex(k)));
    }
    let (low, high) = (low - DVec3::splat(margin), high + DVec3::splat(margin));
    let centre = hull.centre;
    let planes = || hull.normals.iter().zip(&hull.hull.offsets);
    let wanted = |a: DVec3, b: DVec3| {
        let (a, b) = (a - centre, b - centre);
        let apart = a.cmpgt(high).any() || b.cmplt(low).any();
        // The corner of the box that is lowest over a plane.
        let above = |(n, offset): (&DVec3, &f64)| (*n * a).min(*n * b).element_sum() - offset > margin;
        !apart && !planes().any(above)
    };
    let mut found = Vec::new();
    tree.in_boxes(wanted, |k| {
        let corners = facets.mesh.corners(k as usize).map(|x| x - centre);
        let above = |(n, offset): (&DVec3, &f64)| corners.iter().all(|x| n.dot(*x) - offset > margin);
        let up = facets.normals[k as usize];
        if bottom(hull, up) - up.dot(corners[0]) <= margin && !planes().any(above) {
            found.push(k);
        }
    });
    found.sort_unstable();
    found
}
