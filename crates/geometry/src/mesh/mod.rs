//! Closed surfaces of triangles: asteroids.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the surface, its solid's mass, what may be wrong with it |
//! | `tree.rs` | boxes in boxes: which triangles are near a point, how far the surface is, and on which side of it one is |
//! | `facets.rs` | edges and neighbours: what sticks out, what is flat, what is hollow |
//! | `body.rs` | from a surface to an asteroid with mass, moments and axes |
//! | `surfaces.rs` | the trees of a world's asteroids |
//! | `touch.rs` | how a sphere touches a triangle, and with which share of its circle of contact |
//! | `apart.rs` | how far two surfaces are apart |
//! | `crossing.rs` | triangles that go through each other |
//! | `heal/` | repairs of what is wrong |
//! | `make.rs` | spheres, ellipsoids and spinning tops with craters, boulders and roughness |

mod apart;
mod body;
mod crossing;
mod facets;
mod heal;
pub mod make;
mod surfaces;
#[cfg(test)]
mod tests;
mod touch;
mod tree;

use std::collections::HashMap;

use glam::DVec3;
pub use rubblepile_core::Mesh;
use thiserror::Error;

use crate::solid::{Mass, mass_of_triangles};

pub use apart::gap;
pub use body::{Axes, asteroid};
pub use facets::{Bend, Facets, MeshEdge};
pub use heal::heal;
pub use surfaces::Surfaces;
pub use touch::{FacetTouch, touch};
pub use tree::{Nearest, SurfaceTree, TriangleFeature, closest_point};

/// A flaw of a surface, with an example. Triangles and vertices are numbered from 0.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Flaw {
    #[error("it has no triangles")]
    Empty,
    #[error("{triangles} triangles name vertices that are not there (triangle {first} is the first)")]
    NoSuchVertex { triangles: usize, first: usize },
    #[error("{vertices} vertices are not finite (vertex {first} is the first)")]
    NotFinite { vertices: usize, first: usize },
    #[error("{triangles} triangles have no area (triangle {first} is the first)")]
    Degenerate { triangles: usize, first: usize },
    #[error("it is open: {edges} edges have one triangle only (between vertices {} and {})", first[0], first[1])]
    Open { edges: usize, first: [u32; 2] },
    #[error("{edges} edges have more than two triangles (between vertices {} and {})", first[0], first[1])]
    Crowded { edges: usize, first: [u32; 2] },
    #[error(
        "the triangles on either side of {edges} edges face different ways (between vertices {} and {})",
        first[0], first[1]
    )]
    Twisted { edges: usize, first: [u32; 2] },
    #[error("it is inside out: its normals point inwards")]
    Inverted,
    #[error("it is in {0} pieces")]
    Pieces(usize),
    #[error(
        "it crosses itself: {pairs} pairs of triangles go through each other (triangles {} and {})",
        first[0], first[1]
    )]
    Crossing { pairs: usize, first: [usize; 2] },
}

/// Of the solid inside.
pub fn mass(mesh: &Mesh) -> Mass {
    let middle = mesh.vertices.iter().sum::<DVec3>() / mesh.vertices.len() as f64;
    mass_of_triangles((0..mesh.triangles.len()).map(|k| mesh.corners(k)), middle)
}

/// All flaws. Self-intersections are searched for only if there is no other flaw.
pub fn flaws(mesh: &Mesh) -> Vec<Flaw> {
    let mut flaws = broken(mesh);
    if flaws.is_empty() {
        edges(mesh, &mut flaws);
    }
    if flaws.is_empty() {
        let pieces = pieces(mesh);
        if pieces > 1 {
            flaws.push(Flaw::Pieces(pieces));
        } else if mass(mesh).volume < 0.0 {
            flaws.push(Flaw::Inverted);
        }
    }
    if flaws.is_empty() {
        flaws.extend(crossing::find(mesh));
    }
    flaws
}

/// Flaws that rule out all further checks.
fn broken(mesh: &Mesh) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if mesh.triangles.is_empty() {
        return vec![Flaw::Empty];
    }
    let n = mesh.vertices.len();
    let bad: Vec<usize> = (0..n).filter(|&k| !mesh.vertices[k].is_finite()).collect();
    if let Some(&first) = bad.first() {
        flaws.push(Flaw::NotFinite { vertices: bad.len(), first });
    }
    let missing = |t: &[u32; 3]| t.iter().any(|&k| k as usize >= n);
    let bad: Vec<usize> = (0..mesh.triangles.len()).filter(|&k| missing(&mesh.triangles[k])).collect();
    if let Some(&first) = bad.first() {
        flaws.push(Flaw::NoSuchVertex { triangles: bad.len(), first });
    }
    if flaws.is_empty() {
        let flat = |k: &usize| {
            let [a, b, c] = mesh.corners(*k);
            (b - a).cross(c - a) == DVec3::ZERO
        };
        let bad: Vec<usize> = (0..mesh.triangles.len()).filter(flat).collect();
        if let Some(&first) = bad.first() {
            flaws.push(Flaw::Degenerate { triangles: bad.len(), first });
        }
    }
    flaws
}

fn edges(mesh: &Mesh, flaws: &mut Vec<Flaw>) {
    // How many triangles go along each edge upwards and downwards.
    let mut ways: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(3 * mesh.triangles.len() / 2);
    for &[a, b, c] in &mesh.triangles {
        for (i, j) in [(a, b), (b, c), (c, a)] {
            ways.entry([i.min(j), i.max(j)]).or_default()[usize::from(i > j)] += 1;
        }
    }
    let mut found = |what: &dyn Fn([u32; 2]) -> bool, flaw: &dyn Fn(usize, [u32; 2]) -> Flaw| {
        let bad = ways.iter().filter(|(_, way)| what(**way)).map(|(edge, _)| *edge);
        let (count, first) = bad.fold((0, [u32::MAX; 2]), |(n, first), edge| (n + 1, first.min(edge)));
        if count > 0 {
            flaws.push(flaw(count, first));
        }
    };
    found(&|[up, down]| up + down == 1, &|edges, first| Flaw::Open { edges, first });
    found(&|[up, down]| up + down > 2, &|edges, first| Flaw::Crowded { edges, first });
    found(&|way| way == [2, 0] || way == [0, 2], &|edges, first| Flaw::Twisted { edges, first });
}

fn pieces(mesh: &Mesh) -> usize {
    let leader = leaders(mesh);
    let mut found: Vec<u32> = mesh.triangles.iter().map(|t| leader[t[0] as usize]).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

/// For each vertex one that stands for its piece: the same for all that triangles connect.
fn leaders(mesh: &Mesh) -> Vec<u32> {
    let mut leader: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    fn lead(leader: &mut [u32], mut k: u32) -> u32 {
        while leader[k as usize] != k {
            leader[k as usize] = leader[leader[k as usize] as usize];
            k = leader[k as usize];
        }
        k
    }
    for &[a, b, c] in &mesh.triangles {
        for k in [b, c] {
            let (a, k) = (lead(&mut leader, a), lead(&mut leader, k));
            leader[a.max(k) as usize] = a.min(k);
        }
    }
    (0..leader.len() as u32).map(|k| lead(&mut leader, k)).collect()
}
