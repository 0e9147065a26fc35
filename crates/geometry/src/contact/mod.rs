//! Contact points of convex polyhedra: with each other, with spheres, with walls and with surfaces of triangles.
//!
//! Two hulls that are apart get the exact direction and length of their distance; two that overlap get the shortest
//! way out, exact as well. The points are those that a face, an edge or a corner has with the other side (at most four).
//! Nothing is remembered from step to step: the same pair in the same place gives the same bits. Positions only
//! enter as differences. What is swapped comes out mirrored, bit for bit, unless both centres are equal.
//!
//! Concave rocks are several hulls; each pair of parts is a pair here.

mod axes;
mod distance;
mod ground;
mod manifold;
mod plain;
mod prepared;
mod short;
mod sphere;
#[cfg(test)]
mod tests;
mod wall;

pub(crate) use plain::between_segments;

pub use ground::{GroundPoint, hull_ground};
pub use prepared::{Hull, Placed};
pub use sphere::hull_sphere;
pub use wall::{PlacedWall, hull_wall};

use glam::DVec3;
use rubblepile_core::simd::{Kernel, Lanes, dispatch};

use axes::{AxisKind, SeparatingAxis, best_axis};
use distance::{Distance, Simplex, distance};
use manifold::Witness;

/// Largest number of points of a contact.
pub const MAX_POINTS: usize = 4;

/// One point of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Midway between the two surfaces, m.
    pub position: DVec3,
    /// Negative: overlap. m
    pub gap: f64,
    /// From a to b, unit. That of the manifold, but for cylinders, where each point has its own.
    pub normal: DVec3,
    /// A name within the pair: what it is made of (vertex, or pair of edges). The same from step to step as long as the
    /// same features touch.
    pub feature: u32,
}

/// Up to four points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPoints {
    point: [Point; MAX_POINTS],
    len: usize,
}

impl Default for ManifoldPoints {
    fn default() -> Self {
        let nothing = Point { position: DVec3::ZERO, gap: 0.0, normal: DVec3::ZERO, feature: 0 };
        ManifoldPoints { point: [nothing; MAX_POINTS], len: 0 }
    }
}

impl std::ops::Deref for ManifoldPoints {
    type Target = [Point];
    fn deref(&self) -> &[Point] {
        &self.point[..self.len]
    }
}

impl std::ops::DerefMut for ManifoldPoints {
    fn deref_mut(&mut self) -> &mut [Point] {
        &mut self.point[..self.len]
    }
}

impl ManifoldPoints {
    /// Adds a point; a fifth is dropped.
    pub(crate) fn push(&mut self, point: Point) {
        if self.len < MAX_POINTS {
            self.point[self.len] = point;
            self.len += 1;
        }
    }
}

/// The contact points of two bodies and their common normal. The deepest point comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manifold {
    /// Unit, from a to b.
    pub normal: DVec3,
    pub points: ManifoldPoints,
}

#[derive(Debug, Clone, Copy, PartialEq)]
// A contact is used once and taken apart: a box around its points would cost more than their size.
#[allow(clippy::large_enum_variant)]
pub enum Proximity {
    /// A lower bound of the distance, larger than the margin.
    Apart(f64),
    Near(Manifold),
}

/// Names of points: what kind in the two highest bits, then numbers of vertices or edges. Those of hulls with more than
/// 32768 edges are cut off, and may then coincide.
pub(crate) mod name {
    const PART: u32 = 0x7fff;
    /// The closest points, wherever they are.
    pub const CLOSEST: u32 = 3 << 30;

    pub fn of_a(vertex: u32) -> u32 {
        vertex & 0x3fff_ffff
    }

    pub fn of_b(vertex: u32) -> u32 {
        1 << 30 | vertex & 0x3fff_ffff
    }

    pub fn crossing(edge_a: u32, edge_b: u32) -> u32 {
        2 << 30 | (edge_a & PART) << 15 | edge_b & PART
    }

    /// An edge of a hull and one of a surface, which may have millions: mixed, so that two of a pair hardly ever coincide.
    pub fn over_edge(edge: u32, of_surface: u32) -> u32 {
        2 << 30 | (edge.wrapping_mul(0x9e37_79b1) ^ of_surface.wrapping_mul(0x85eb_ca6b)) >> 2
    }
}

/// Contact of two hulls whose surfaces are at most `margin` apart.
pub fn hulls(a: &Placed, b: &Placed, margin: f64) -> Proximity {
    dispatch(HullPair { a, b, margin })
}

struct HullPair<'a> {
    a: &'a Placed,
    b: &'a Placed,
    margin: f64,
}

impl Kernel for HullPair<'_> {
    type Output = Proximity;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Proximity {
        let HullPair { a, b, margin } = self;
        let d = b.centre - a.centre;
        let length = d.length();
        let between = length - (a.hull.radius + b.hull.radius);
        if between > margin {
            return Proximity::Apart(between);
        }
        // Always in the same order, so that swapping mirrors the result and does not make another.
        if (d.x, d.y, d.z) < (0.0, 0.0, 0.0) {
            mirrored(in_order::<L>(b, a, -d, margin))
        } else {
            in_order::<L>(a, b, d, margin)
        }
    }
}

/// The contact of b with a seen from a.
fn mirrored(touch: Proximity) -> Proximity {
    let Proximity::Near(mut manifold) = touch else { return touch };
    manifold.normal = -manifold.normal;
    for p in manifold.points.iter_mut() {
        p.normal = -p.normal;
        p.feature = match p.feature >> 30 {
            0 => name::of_b(p.feature),
            1 => name::of_a(p.feature),
            2 => name::crossing(p.feature & 0x7fff, p.feature >> 15 & 0x7fff),
            _ => name::CLOSEST,
        };
    }
    Proximity::Near(manifold)
}

#[inline(always)]
fn in_order<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, margin: f64) -> Proximity {
    let (start, upper) = match distance::<L>(a, b, d, margin) {
        Distance::Apart(gap) => return Proximity::Apart(gap),
        Distance::Separated(bound, simplex) => {
            let witness = of_simplex(a, b, d, &simplex);
            return near::<L>(a, b, d, (bound.direction, bound.gap), witness, margin);
        }
        Distance::Unclear(bound, upper) => (bound, upper),
    };
    let axis = best_axis::<L>(a, b, d, start);
    let scale = a.hull.radius + b.hull.radius;
    // Hulls that are apart can be farther so than along any axis; not if the gap is a distance that was seen.
    let proven = upper <= distance::TOUCHING * scale || axis.gap >= upper - distance::ENOUGH * scale;
    if axis.kind == AxisKind::Free || !proven {
        return undecided::<L>(a, b, d, axis, margin);
    }
    if axis.gap > margin {
        return Proximity::Apart(axis.gap);
    }
    let SeparatingAxis { normal, gap, kind } = axis;
    let witness = match kind {
        AxisKind::Edges(ea, eb) => manifold::of_edges(a, b, d, ea, eb),
        AxisKind::FaceOfB => {
            let v = a.highest::<L>(normal).0;
            let on_a = a.vertex(v);
            Witness { on_a, on_b: on_a + gap * normal, name: name::of_a(v as u32) }
        }
        _ => {
            let v = b.highest::<L>(-normal).0;
            let on_b = d + b.vertex(v);
            Witness { on_a: on_b - gap * normal, on_b, name: name::of_b(v as u32) }
        }
    };
    near::<L>(a, b, d, (normal, gap), witness, margin)
}

#[inline(always)]
fn near<L: Lanes>(
    a: &Placed,
    b: &Placed,
    d: DVec3,
    (normal, gap): (DVec3, f64),
    witness: Witness,
    margin: f64,
) -> Proximity {
    let highest = (a.highest::<L>(normal).0, b.highest::<L>(-normal).0);
    Proximity::Near(manifold::build(a, b, d, (normal, gap), highest, witness, margin))
}

/// Hulls that are apart, or just not, where rounding kept the fast way from an answer: all features are tried.
#[cold]
fn undecided<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, axis: SeparatingAxis, margin: f64) -> Proximity {
    let (on_a, on_b) = plain::closest(a, b, d);
    // The direction along which the gap is larger is the better one; from points that almost coincide it is none.
    let direction = (on_b - on_a).normalize_or(axis.normal);
    let along = axes::gap_along::<L>(a, b, d, direction);
    let normal = if along > axis.gap { direction } else { axis.normal };
    let gap = if along.max(axis.gap) > 0.0 { (on_b - on_a).length() } else { axis.gap };
    if gap > margin {
        return Proximity::Apart(gap);
    }
    near::<L>(a, b, d, (normal, gap), Witness { on_a, on_b, name: name::CLOSEST }, margin)
}

/// The closest points that a simplex says.
fn of_simplex(a: &Placed, b: &Placed, d: DVec3, s: &Simplex) -> Witness {
    let (mut on_a, mut on_b) = (DVec3::ZERO, d);
    for k in 0..s.len {
        on_a += s.weight[k] * a.vertex(s.corner[k].a as usize);
        on_b += s.weight[k] * b.vertex(s.corner[k].b as usize);
    }
    let corners = &s.corner[..s.len];
    let first = corners[0];
    let name = if corners.iter().all(|c| c.b == first.b) {
        name::of_b(first.b)
    } else if corners.iter().all(|c| c.a == first.a) {
        name::of_a(first.a)
    } else {
        let ends = |of: fn(&distance::SimplexVertex) -> u32| {
            let other = corners.iter().map(of).find(|&v| v != of(&first));
            (of(&first), other.unwrap_or(of(&first)))
        };
        name::crossing(edge_between(a, ends(|c| c.a)), edge_between(b, ends(|c| c.b)))
    };
    Witness { on_a, on_b, name }
}

/// The edge between two vertices; of those that none joins, their lower number.
fn edge_between(hull: &Placed, (u, v): (u32, u32)) -> u32 {
    let joins = |&&e: &&u32| {
        let edge = hull.hull.edges[e as usize];
        (edge.start, edge.end) == (u.min(v), u.max(v))
    };
    hull.hull.vertex_edges.of(u as usize).iter().find(joins).copied().unwrap_or(u.min(v))
}
