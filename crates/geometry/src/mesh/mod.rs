//! Closed surfaces of triangles: asteroids.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the surface, its solid's mass, what may be wrong with it |
//! | `tree.rs` | boxes in boxes: which triangles are near a point, how far the surface is, and on which side of it one is |
//! | `crossing.rs` | triangles that go through each other |
//! | `make.rs` | spheres, ellipsoids and spinning tops with craters, boulders and roughness |

mod crossing;
pub mod make;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::HashMap;

use glam::DVec3;
use thiserror::Error;

use crate::solid::{Mass, mass_of_triangles};

pub use tree::{Nearest, SurfaceTree};

/// Corners go round their triangle against the clock, seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// What is wrong with a surface, with an example. Numbers of triangles and vertices count from 0.
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

impl Mesh {
    /// Corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|k| self.vertices[k as usize])
    }

    /// Of the solid inside.
    pub fn mass(&self) -> Mass {
        let middle = self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64;
        mass_of_triangles((0..self.triangles.len()).map(|k| self.corners(k)), middle)
    }

    /// All that is wrong. Whether it crosses itself is looked at only if nothing else is wrong.
    pub fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = self.broken();
        if flaws.is_empty() {
            self.edges(&mut flaws);
        }
        if flaws.is_empty() {
            let pieces = self.pieces();
            if pieces > 1 {
                flaws.push(Flaw::Pieces(pieces));
            } else if self.mass().volume < 0.0 {
                flaws.push(Flaw::Inverted);
            }
        }
        if flaws.is_empty() {
            flaws.extend(crossing::find(self));
        }
        flaws
    }

    /// What makes every other question senseless.
    fn broken(&self) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        if self.triangles.is_empty() {
            return vec![Flaw::Empty];
        }
        let n = self.vertices.len();
        let bad: Vec<usize> = (0..n).filter(|&k| !self.vertices[k].is_finite()).collect();
        if let Some(&first) = bad.first() {
            flaws.push(Flaw::NotFinite { vertices: bad.len(), first });
        }
        let missing = |t: &[u32; 3]| t.iter().any(|&k| k as usize >= n);
        let bad: Vec<usize> = (0..self.triangles.len()).filter(|&k| missing(&self.triangles[k])).collect();
        if let Some(&first) = bad.first() {
            flaws.push(Flaw::NoSuchVertex { triangles: bad.len(), first });
        }
        if flaws.is_empty() {
            let flat = |k: &usize| {
                let [a, b, c] = self.corners(*k);
                (b - a).cross(c - a) == DVec3::ZERO
            };
            let bad: Vec<usize> = (0..self.triangles.len()).filter(flat).collect();
            if let Some(&first) = bad.first() {
                flaws.push(Flaw::Degenerate { triangles: bad.len(), first });
            }
        }
        flaws
    }

    fn edges(&self, flaws: &mut Vec<Flaw>) {
        // How many triangles go along each edge upwards and downwards.
        let mut ways: HashMap<[u32; 2], [u32; 2]> = HashMap::with_capacity(3 * self.triangles.len() / 2);
        for &[a, b, c] in &self.triangles {
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

    fn pieces(&self) -> usize {
        let mut leader: Vec<u32> = (0..self.vertices.len() as u32).collect();
        fn lead(leader: &mut [u32], mut k: u32) -> u32 {
            while leader[k as usize] != k {
                leader[k as usize] = leader[leader[k as usize] as usize];
                k = leader[k as usize];
            }
            k
        }
        let mut used = vec![false; self.vertices.len()];
        for &[a, b, c] in &self.triangles {
            for k in [a, b, c] {
                used[k as usize] = true;
                let (a, k) = (lead(&mut leader, a), lead(&mut leader, k));
                leader[k as usize] = a;
            }
        }
        (0..leader.len() as u32).filter(|&k| used[k as usize] && lead(&mut leader, k) == k).count()
    }
}
