//! Alpha shapes: which of the Delaunay tetrahedra are inside (Edelsbrunner and Muecke, ACM Trans. Graph. 13, 43,
//! 1994; section 4.2 of nbody-polyhedra-2017).
//!
//! The alpha complex has the tetrahedra of circumradius up to alpha. What it leaves out is outside only as far as a
//! ball of radius alpha gets to it from infinity, through faces that are not in the complex (a face is, if its own
//! circumsphere is empty and no larger than alpha): pores deep inside are then part of the body, as bulk density means
//! them to be. Both are offered. An infinite alpha gives the convex hull.

use super::{
    AlphaSurface,
    delaunay::{Delaunay, FACES, OUTSIDE},
};
use glam::DVec3;

/// Below this volume over the cube of the longest edge the circumradius has too few digits.
const FLAT: f64 = 1e-10;

#[derive(Debug)]
pub struct AlphaComplex<'a> {
    pub delaunay: &'a Delaunay,
    /// Circumradius of each tetrahedron, m.
    pub radius: Vec<f64>,
}

/// What happens to pores that a ball from outside does not reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pores {
    /// Part of the body.
    Filled,
    /// Left out: the alpha complex itself.
    Open,
}

impl<'a> AlphaComplex<'a> {
    pub fn new(delaunay: &'a Delaunay) -> Self {
        let radius = (0..delaunay.tetrahedra.len()).map(|t| circumradius(delaunay.corners(t))).collect();
        AlphaComplex { delaunay, radius }
    }

    /// Which tetrahedra are inside.
    pub fn inside(&self, alpha: f64, pores: Pores) -> Vec<bool> {
        let kept = |t: usize| self.radius[t] <= alpha;
        let n = self.radius.len();
        if pores == Pores::Open {
            return (0..n).map(kept).collect();
        }
        let at_hull = |t: usize, i: usize| self.delaunay.neighbours[t][i] == OUTSIDE;
        let open = |t: usize| !kept(t) && (0..4).any(|i| at_hull(t, i) && self.passes(t, i, alpha));
        let mut inside: Vec<bool> = (0..n).map(|t| !open(t)).collect();
        let mut reached: Vec<usize> = (0..n).filter(|&t| !inside[t]).collect();
        while let Some(t) = reached.pop() {
            for i in 0..4 {
                let other = self.delaunay.neighbours[t][i];
                if other == OUTSIDE {
                    continue;
                }
                let k = other as usize;
                if inside[k] && !kept(k) && self.passes(t, i, alpha) {
                    inside[k] = false;
                    reached.push(k);
                }
            }
        }
        inside
    }

    /// Whether a face between two tetrahedra that are not in the complex is not in it either.
    fn passes(&self, t: usize, i: usize, alpha: f64) -> bool {
        let d = self.delaunay;
        let face = FACES[i].map(|k| d.points[d.tetrahedra[t][k] as usize]);
        let Some((centre, radius)) = circumcircle(face) else { return true };
        if radius > alpha {
            return true;
        }
        let within =
            |t: usize| d.corners(t).iter().any(|&p| !face.contains(&p) && p.distance(centre) < radius);
        let other = d.neighbours[t][i];
        within(t) || (other != OUTSIDE && within(other as usize))
    }

    /// Volume of the tetrahedra inside, m^3.
    pub fn volume(&self, inside: &[bool]) -> f64 {
        crate::sum::reduce(inside.len(), |t| [if inside[t] { self.delaunay.volume(t) } else { 0.0 }])[0]
    }

    /// The faces between inside and outside, seen from outside counter-clockwise.
    pub fn surface(&self, inside: &[bool]) -> AlphaSurface {
        let d = self.delaunay;
        let mut name = vec![u32::MAX; d.points.len()];
        let mut surface = AlphaSurface::default();
        for t in (0..inside.len()).filter(|&t| inside[t]) {
            for (i, face) in FACES.iter().enumerate() {
                let other = d.neighbours[t][i];
                if other != OUTSIDE && inside[other as usize] {
                    continue;
                }
                surface.triangles.push(face.map(|k| {
                    let v = d.tetrahedra[t][k] as usize;
                    if name[v] == u32::MAX {
                        name[v] = surface.vertices.len() as u32;
                        surface.vertices.push(d.points[v]);
                    }
                    name[v]
                }));
            }
        }
        surface
    }
}

/// Radius of the sphere through four points. Where they are flat to rounding, that of the largest circle of three:
/// their sphere is not known, they have no volume, and they are let in with their faces.
fn circumradius([a, b, c, d]: [DVec3; 4]) -> f64 {
    let (u, v, w) = (a - d, b - d, c - d);
    let (vw, wu, uv) = (v.cross(w), w.cross(u), u.cross(v));
    let det = u.dot(vw);
    let longest = [u, v, w, a - b, b - c, c - a].iter().map(|e| e.length_squared()).fold(0.0, f64::max);
    if det.abs() > FLAT * longest * longest.sqrt() {
        let centre = u.length_squared() * vw + v.length_squared() * wu + w.length_squared() * uv;
        return centre.length() / (2.0 * det.abs());
    }
    [[a, b, c], [a, b, d], [a, c, d], [b, c, d]]
        .into_iter()
        .map(|f| circumcircle(f).map_or(f64::INFINITY, |(_, r)| r))
        .fold(0.0, f64::max)
}

/// Centre and radius of the circle through three points; `None` if they are in one line.
fn circumcircle([a, b, c]: [DVec3; 3]) -> Option<(DVec3, f64)> {
    let (u, v) = (a - c, b - c);
    let n = u.cross(v);
    let area = n.length_squared();
    let from_c = (u.length_squared() * v - v.length_squared() * u).cross(n) / (2.0 * area);
    from_c.is_finite().then(|| (c + from_c, from_c.length()))
}
