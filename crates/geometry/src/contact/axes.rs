//! The shortest way out of an overlap: the largest gap over all normals of faces and cross products of edges.
//!
//! It is the best of all of them, but few are tried. Let a direction n0 have the gap -d0. Along the best direction
//! the overlap d* is at most d0, and moving b by it brings two features into touch at points p and q = p - d* n*.
//! Then q is above the lowest of b along n0, which is d0 below the highest of a; so p is at most d0 + d* <= 2 d0
//! below the highest of a. Only faces and edges with a vertex that high can count, and the same holds for b. For
//! the shallow overlaps of contact dynamics that leaves a handful. Pairs of edges count only where their arcs on
//! the sphere of normals cross (then their cross product is a normal of a face of the difference b - a).

use glam::DVec3;
use rubblepile_core::simd::{LANES, Lanes};

use super::{distance::Bound, prepared::Placed, short::Short};

type Few = Short<u32, 48>;

/// Which features give a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AxisKind {
    FaceOfA,
    FaceOfB,
    Edges(u32, u32),
    /// Neither: the closest points of two hulls that are apart.
    Free,
}

#[derive(Debug, Clone, Copy)]
pub struct SeparatingAxis {
    pub normal: DVec3,
    pub gap: f64,
    pub kind: AxisKind,
}

/// A pair of edges must be better than a face by this much, relative to the size: where edges are parallel to faces
/// their cross product is the face's normal with less precision.
const PREFER_FACE: f64 = 1e-11;
/// Added to the reach of the search, relative to the size.
const REACH: f64 = 1e-7;

/// The best direction, starting from a known one.
#[inline(always)]
pub fn best_axis<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, start: Bound) -> SeparatingAxis {
    let scale = a.hull.radius + b.hull.radius;
    // What the start promises counts a little less, so that a face as good as it is preferred.
    let handicap = PREFER_FACE * scale;
    let mut best =
        SeparatingAxis { normal: start.direction, gap: start.gap - handicap, kind: AxisKind::Free };
    // Faces next to the highest vertices first: a good start leaves little to try afterwards.
    for _ in 0..4 {
        let before = best.gap;
        let (ia, _) = a.highest::<L>(best.normal);
        let (ib, _) = b.highest::<L>(-best.normal);
        faces_of_a::<L>(a, b, d, a.hull.vertex_faces.of(ia), &mut best);
        faces_of_b::<L>(a, b, d, b.hull.vertex_faces.of(ib), &mut best);
        if best.gap <= before {
            break;
        }
    }
    let reach = 2.0 * (-best.gap).max(0.0) + REACH * scale;
    let (mut in_a, mut in_b) = (Few::new(0), Few::new(0));
    reached::<L>(a, best.normal, reach, &mut in_a);
    reached::<L>(b, -best.normal, reach, &mut in_b);
    let normal = best.normal;
    for &v in in_a.all() {
        faces_of_a::<L>(a, b, d, a.hull.vertex_faces.of(v as usize), &mut best);
    }
    for &v in in_b.all() {
        faces_of_b::<L>(a, b, d, b.hull.vertex_faces.of(v as usize), &mut best);
    }
    if best.normal != normal {
        // Better than where the search began: fewer edges need be tried.
        let reach = 2.0 * (-best.gap).max(0.0) + REACH * scale;
        in_a.clear();
        in_b.clear();
        reached::<L>(a, best.normal, reach, &mut in_a);
        reached::<L>(b, -best.normal, reach, &mut in_b);
    }
    let least = if best.kind == AxisKind::Free { best.gap } else { best.gap + handicap };
    if let Some(found) = pairs_of_edges(a, b, d, in_a.all(), in_b.all(), least) {
        // What the two edges say is taken only as far as all vertices agree.
        let gap = gap_along::<L>(a, b, d, found.normal);
        if gap > least - 0.5 * handicap {
            return SeparatingAxis { gap, ..found };
        }
    }
    if best.kind == AxisKind::Free { SeparatingAxis { gap: start.gap, ..best } } else { best }
}

/// Gap along a direction from a to b.
#[inline(always)]
pub fn gap_along<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, direction: DVec3) -> f64 {
    direction.dot(d) - b.height::<L>(-direction) - a.height::<L>(direction)
}

#[inline(always)]
fn faces_of_a<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, faces: &[u32], best: &mut SeparatingAxis) {
    for &f in faces {
        let n = a.normals[f as usize];
        let gap = n.dot(d) - b.height::<L>(-n) - a.hull.offsets[f as usize];
        if gap > best.gap {
            *best = SeparatingAxis { normal: n, gap, kind: AxisKind::FaceOfA };
        }
    }
}

#[inline(always)]
fn faces_of_b<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, faces: &[u32], best: &mut SeparatingAxis) {
    for &f in faces {
        let n = b.normals[f as usize];
        let gap = -n.dot(d) - a.height::<L>(-n) - b.hull.offsets[f as usize];
        if gap > best.gap {
            *best = SeparatingAxis { normal: -n, gap, kind: AxisKind::FaceOfB };
        }
    }
}

/// Vertices at most `reach` below the highest.
#[inline(always)]
fn reached<L: Lanes>(hull: &Placed, direction: DVec3, reach: f64, out: &mut Few) {
    let (dx, dy, dz) = (L::splat(direction.x), L::splat(direction.y), L::splat(direction.z));
    let least = hull.height::<L>(direction) - reach;
    let count = hull.hull.vertices.len();
    for (k, block) in hull.blocks.iter().enumerate() {
        let h = (L::load(&block.x) * dx + L::load(&block.y) * dy + L::load(&block.z) * dz).store();
        for (lane, &h) in h.iter().enumerate() {
            let v = k * LANES + lane;
            if h >= least && v < count {
                out.push(v as u32);
            }
        }
    }
}

/// The best pair of edges at the given vertices (which rise), if any has a gap larger than `beyond`.
#[inline(always)]
fn pairs_of_edges(
    a: &Placed,
    b: &Placed,
    d: DVec3,
    in_a: &[u32],
    in_b: &[u32],
    beyond: f64,
) -> Option<SeparatingAxis> {
    let (mut from_a, mut from_b) = (Few::new(0), Few::new(0));
    edges_at(a, in_a, &mut from_a);
    edges_at(b, in_b, &mut from_b);
    let mut best: Option<SeparatingAxis> = None;
    let mut least = beyond;
    for &ea in from_a.all() {
        let edge_a = a.hull.edges[ea as usize];
        let (left, right) = (a.normals[edge_a.left as usize], a.normals[edge_a.right as usize]);
        let u = a.edge_vector(ea);
        let start = d - a.vertex(edge_a.start as usize);
        for &eb in from_b.all() {
            let edge_b = b.hull.edges[eb as usize];
            let v = b.edge_vector(eb);
            let (l, r) = (left.dot(v), right.dot(v));
            if l * r >= 0.0 {
                continue;
            }
            let m = b.normals[edge_b.left as usize].dot(u);
            let o = b.normals[edge_b.right as usize].dot(u);
            // The two arcs of normals cross, and on the same half of the sphere.
            if m * o >= 0.0 || m * r >= 0.0 {
                continue;
            }
            let mut n = u.cross(v);
            let parallel = n.length_squared() / (u.length_squared() * v.length_squared());
            if parallel <= 1e-20 {
                continue;
            }
            if parallel < 1e-6 {
                // Square to both again: along them, what rounding leaves would tell most.
                n -= (n.dot(u) / u.length_squared()) * u;
                n -= (n.dot(v) / v.length_squared()) * v;
            }
            let square = n.length_squared();
            let side = if n.dot(left + right) > 0.0 { 1.0 } else { -1.0 };
            let gap = side * n.dot(start + b.vertex(edge_b.start as usize)) / square.sqrt();
            if gap > least {
                least = gap;
                best = Some(SeparatingAxis {
                    normal: n * (side / square.sqrt()),
                    gap,
                    kind: AxisKind::Edges(ea, eb),
                });
            }
        }
    }
    best
}

/// Edges with an end among the vertices (which rise), each once.
#[inline(always)]
fn edges_at(hull: &Placed, vertices: &[u32], out: &mut Few) {
    for (k, &v) in vertices.iter().enumerate() {
        for &e in hull.hull.vertex_edges.of(v as usize) {
            let edge = hull.hull.edges[e as usize];
            let other = if edge.start == v { edge.end } else { edge.start };
            if other > v || !vertices[..k].contains(&other) {
                out.push(e);
            }
        }
    }
}
