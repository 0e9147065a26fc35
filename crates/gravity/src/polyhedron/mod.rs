//! The gravity of a homogeneous polyhedron: the exact sum over all edges and facets ([`Polyhedron`], `exact.rs`), and the
//! same within an error target for a body of many facets ([`PolyhedronTree`], `tree.rs`).
//!
//! | file | what |
//! |---|---|
//! | `exact.rs` | eqs (7)-(12) of asteroid-surface-2024, eight points at a time |
//! | `layer.rs` | the potential of one facet as a layer, exactly |
//! | `harmonics.rs` | solid harmonics: moments of facets and groups of them, and their field |
//! | `tree.rs` | the tree over the facets, and what it is asked |
//! | `walk.rs` | which parts of the tree eight points see, and how |
//! | `sums.rs` | the fields of those parts |

mod exact;
mod harmonics;
mod layer;
mod sums;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use tree::PolyhedronTree;

use std::collections::HashMap;

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use rubblepile_core::simd::{LANES, dispatch};

use exact::FacetSum;

/// The field at a point, for G times density 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PolyhedronField {
    /// Positive: 4 pi / 3 R^3 / r outside a sphere, m^2.
    pub potential: f64,
    /// m
    pub acceleration: DVec3,
    /// Of the acceleration.
    pub gradient: DMat3,
    /// Of the potential: 0 outside and -4 pi inside, the sum of the angles.
    pub laplacian: f64,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    length: f64,
    /// E of eq. (9), which is symmetric: xx, yy, zz, yz, xz, xy.
    dyad: [f64; 6],
}

#[derive(Debug, Clone, Copy)]
struct Facet {
    corners: [u32; 3],
    normal: [f64; 3],
    twice_area: f64,
}

/// Why a surface has no inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotClosed {
    /// This facet has no area, or names a corner that is not there.
    Degenerate(usize),
    /// The edge between these corners does not have one facet on either side, that go round it in opposite ways.
    Edge(u32, u32),
}

/// A closed surface of triangles.
#[derive(Debug, Clone)]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    edges: Vec<Edge>,
    facets: Vec<Facet>,
}

impl Polyhedron {
    /// Corners go round their facet against the clock, seen from outside.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, NotClosed> {
        let mut facets = Vec::with_capacity(triangles.len());
        for (k, &corners) in triangles.iter().enumerate() {
            let at = corners.map(|c| vertices.get(c as usize).copied());
            let [Some(a), Some(b), Some(c)] = at else { return Err(NotClosed::Degenerate(k)) };
            let normal = (b - a).cross(c - a);
            let twice_area = normal.length();
            if !(twice_area > 0.0 && twice_area.is_finite()) {
                return Err(NotClosed::Degenerate(k));
            }
            facets.push(Facet { corners, normal: (normal / twice_area).to_array(), twice_area });
        }
        // The facet to the left of each directed edge.
        let mut left: HashMap<(u32, u32), usize> = HashMap::with_capacity(3 * facets.len());
        for (k, facet) in facets.iter().enumerate() {
            for (i, j) in sides(facet) {
                if left.insert((i, j), k).is_some() {
                    return Err(NotClosed::Edge(i, j));
                }
            }
        }
        let mut edges = Vec::with_capacity(3 * facets.len() / 2);
        for (a, facet) in facets.iter().enumerate() {
            for (i, j) in sides(facet) {
                let Some(&b) = left.get(&(j, i)) else { return Err(NotClosed::Edge(i, j)) };
                if i > j {
                    continue;
                }
                let way = vertices[j as usize] - vertices[i as usize];
                let [na, nb] = [a, b].map(|f| DVec3::from_array(facets[f].normal));
                // Out of each facet, across the edge.
                let (out_a, out_b) = (way.cross(na).normalize(), -way.cross(nb).normalize());
                let e = |r: usize, c: usize| {
                    let half = |r: usize, c: usize| na[r] * out_a[c] + nb[r] * out_b[c];
                    0.5 * (half(r, c) + half(c, r))
                };
                edges.push(Edge {
                    ends: [i, j],
                    length: way.length(),
                    dyad: [e(0, 0), e(1, 1), e(2, 2), e(1, 2), e(0, 2), e(0, 1)],
                });
            }
        }
        Ok(Polyhedron { vertices: vertices.to_vec(), edges, facets })
    }

    pub fn facets(&self) -> usize {
        self.facets.len()
    }

    /// The field at points.
    pub fn pull(&self, points: &[DVec3]) -> Vec<PolyhedronField> {
        let blocks: Vec<[PolyhedronField; LANES]> = points
            .par_chunks(LANES)
            .map(|points| dispatch(FacetSum { body: self, points, gradient: true }))
            .collect();
        blocks.into_iter().flatten().take(points.len()).collect()
    }

    /// The acceleration at points.
    pub fn accelerations(&self, points: &[DVec3]) -> Vec<DVec3> {
        let blocks: Vec<[DVec3; LANES]> = points
            .par_chunks(LANES)
            .map(|points| {
                dispatch(FacetSum { body: self, points, gradient: false }).map(|pull| pull.acceleration)
            })
            .collect();
        blocks.into_iter().flatten().take(points.len()).collect()
    }
}

fn sides(facet: &Facet) -> [(u32, u32); 3] {
    let [a, b, c] = facet.corners;
    [(a, b), (b, c), (c, a)]
}
