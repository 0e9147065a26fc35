//! Closest points of two hulls that are apart: the algorithm of Gilbert, Johnson and Keerthi (1988), which
//! nbody-polyhedra-2017 uses (section 2.3), on the difference of the two.
//!
//! Every direction it looks along gives a lower bound of the distance, every simplex an upper bound. It ends when the
//! two agree, so what it gives is known to be right; where rounding keeps them apart it says so and a slower way
//! answers.

use glam::DVec3;
use rubblepile_core::simd::Lanes;

use super::prepared::Placed;

/// A vertex of the difference b - a.
#[derive(Debug, Clone, Copy)]
pub struct SimplexVertex {
    pub w: DVec3,
    pub a: u32,
    pub b: u32,
}

/// Up to four corners and the weights that give the point closest to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Simplex {
    pub corner: [SimplexVertex; 4],
    pub weight: [f64; 4],
    pub len: usize,
}

/// A direction (unit vector from a to b) and the gap along it.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    pub direction: DVec3,
    pub gap: f64,
}

pub enum Distance {
    /// Farther apart than was asked for, by at least this.
    Apart(f64),
    /// Apart, with the direction and the corners of the closest points.
    Separated(Bound, Simplex),
    /// Touching or overlapping, or rounding prevents an answer; with the best direction and the smallest distance
    /// seen.
    Unclear(Bound, f64),
}

/// Closer than this, relative to the size, the direction is taken from faces and edges.
pub const TOUCHING: f64 = 3e-10;
/// Upper and lower bound of the distance agree to this, relative to the size.
const AGREE: f64 = 1e-15;
/// Or at least to this, where rounding allows no more.
pub const ENOUGH: f64 = 1e-10;
const ITERATIONS: usize = 60;

#[inline(always)]
pub fn distance<L: Lanes>(a: &Placed, b: &Placed, d: DVec3, margin: f64) -> Distance {
    let scale = a.hull.radius + b.hull.radius;
    let mut best = Bound { direction: DVec3::X, gap: f64::NEG_INFINITY };
    let mut upper = f64::INFINITY;
    let nothing = SimplexVertex { w: DVec3::ZERO, a: 0, b: 0 };
    let mut simplex = Simplex { corner: [nothing; 4], weight: [0.0; 4], len: 0 };
    let mut v = if d.length_squared() > 1e-24 * scale * scale { d } else { DVec3::X * scale };
    for _ in 0..ITERATIONS {
        let length = v.length();
        let (ia, _) = a.highest::<L>(v);
        let (ib, _) = b.highest::<L>(-v);
        let w = d + b.vertex(ib) - a.vertex(ia);
        let gap = v.dot(w) / length;
        if gap > best.gap {
            best = Bound { direction: v / length, gap };
            if gap > margin {
                return Distance::Apart(gap);
            }
        }
        let last = Bound { direction: v / length, gap };
        if simplex.len > 0 {
            upper = length;
            let known = simplex.corner[..simplex.len].iter().any(|c| (c.a, c.b) == (ia as u32, ib as u32));
            if known || length - gap <= AGREE * scale {
                return conclude(last, best, upper, simplex, scale);
            }
        }
        let before = simplex;
        simplex.corner[simplex.len] = SimplexVertex { w, a: ia as u32, b: ib as u32 };
        simplex.len += 1;
        let Some(closest) = reduce(&mut simplex) else { return Distance::Unclear(best, 0.0) };
        if before.len > 0 && closest.length_squared() >= length * length {
            // No nearer: rounding is all that is left.
            return conclude(last, best, upper, before, scale);
        }
        v = closest;
        if v.length_squared() < (TOUCHING * scale) * (TOUCHING * scale) {
            return Distance::Unclear(best, v.length());
        }
    }
    Distance::Unclear(best, upper)
}

#[inline(always)]
fn conclude(last: Bound, best: Bound, upper: f64, simplex: Simplex, scale: f64) -> Distance {
    // The last direction belongs to the simplex. Where that is thin, an earlier one can be better.
    let bound = if upper - last.gap <= ENOUGH * scale { last } else { best };
    if upper - bound.gap <= ENOUGH * scale {
        Distance::Separated(bound, simplex)
    } else {
        Distance::Unclear(best, upper)
    }
}

/// The point of the simplex closest to the origin, the simplex cut down to the corners that carry it; nothing if
/// the origin is inside.
#[inline(always)]
fn reduce(s: &mut Simplex) -> Option<DVec3> {
    let [p, q, r, t] = s.corner;
    match s.len {
        1 => {
            s.weight[0] = 1.0;
            Some(p.w)
        }
        2 => {
            let (point, found) = segment(p, q);
            *s = found;
            Some(point)
        }
        3 => {
            let (point, found) = triangle(p, q, r);
            *s = found;
            Some(point)
        }
        _ => {
            let (point, found) = tetrahedron([p, q, r, t])?;
            *s = found;
            Some(point)
        }
    }
}

type Closest = (DVec3, Simplex);

#[inline(always)]
fn simplex_of(corner: [SimplexVertex; 3], weight: [f64; 3], len: usize) -> Simplex {
    let [p, q, r] = corner;
    Simplex { corner: [p, q, r, r], weight: [weight[0], weight[1], weight[2], 0.0], len }
}

#[inline(always)]
fn segment(p: SimplexVertex, q: SimplexVertex) -> Closest {
    let e = q.w - p.w;
    let t = -p.w.dot(e) / e.length_squared();
    if t >= 1.0 {
        (q.w, simplex_of([q, q, q], [1.0, 0.0, 0.0], 1))
    } else if t > 0.0 {
        // Once more square to the edge: for edges that almost touch, rounding would be as large as their distance.
        let v = p.w + t * e;
        (v - (v.dot(e) / e.length_squared()) * e, simplex_of([p, q, q], [1.0 - t, t, 0.0], 2))
    } else {
        (p.w, simplex_of([p, p, p], [1.0, 0.0, 0.0], 1))
    }
}

#[inline(always)]
fn nearer(best: &mut Option<Closest>, other: Closest) {
    if best.as_ref().is_none_or(|b| other.0.length_squared() < b.0.length_squared()) {
        *best = Some(other);
    }
}

fn triangle(p: SimplexVertex, q: SimplexVertex, r: SimplexVertex) -> Closest {
    let (u, v) = (q.w - p.w, r.w - p.w);
    let n = u.cross(v);
    let square = n.length_squared();
    let thin = square <= 1e-28 * u.length_squared() * v.length_squared();
    // On which side of its edges the origin lies in the plane of the triangle.
    let (pq, qr, rp) = (n.dot(p.w.cross(q.w)), n.dot(q.w.cross(r.w)), n.dot(r.w.cross(p.w)));
    if !thin && pq > 0.0 && qr > 0.0 && rp > 0.0 {
        let sum = pq + qr + rp;
        let weight = [qr / sum, rp / sum, pq / sum];
        let mut point = n * (n.dot(p.w) / square);
        if square < 1e-6 * u.length_squared() * v.length_squared() {
            // Square to the longest edge of a thin triangle, along which its normal would be least precise.
            let w = r.w - q.w;
            let e = if w.length_squared() > u.length_squared().max(v.length_squared()) {
                w
            } else if u.length_squared() > v.length_squared() {
                u
            } else {
                v
            };
            point -= (point.dot(e) / e.length_squared()) * e;
        }
        return (point, simplex_of([p, q, r], weight, 3));
    }
    let mut best = None;
    if thin || pq <= 0.0 {
        nearer(&mut best, segment(p, q));
    }
    if thin || qr <= 0.0 {
        nearer(&mut best, segment(q, r));
    }
    if thin || rp <= 0.0 {
        nearer(&mut best, segment(r, p));
    }
    best.unwrap_or_else(|| segment(p, q))
}

fn tetrahedron(c: [SimplexVertex; 4]) -> Option<Closest> {
    let mut best = None;
    for (i, j, k, other) in [(0, 1, 3, 2), (1, 2, 3, 0), (2, 0, 3, 1), (0, 1, 2, 3)] {
        let n = (c[j].w - c[i].w).cross(c[k].w - c[i].w);
        let origin = -n.dot(c[i].w);
        let inner = n.dot(c[other].w - c[i].w);
        // The origin is on the other side than the fourth corner; where there is no volume, on both.
        let flat = inner * inner <= 1e-28 * n.length_squared() * (c[other].w - c[i].w).length_squared();
        if flat || (origin > 0.0) != (inner > 0.0) {
            nearer(&mut best, triangle(c[i], c[j], c[k]));
        }
    }
    best
}
