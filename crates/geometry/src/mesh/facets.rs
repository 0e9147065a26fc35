//! The facets of a surface with their edges and neighbours: which way one may come to touch what.
//!
//! A body that touches a facet from outside pushes along the facet's normal; at an edge that sticks out, along a direction
//! between the normals of its two facets; at a corner, along one of a cone. Edges within a flat stretch and in hollows push
//! nothing that facets do not, so that a plane is a plane however it is cut.

use std::{collections::HashMap, sync::Arc};

use glam::DVec3;

use super::Mesh;

/// Sine of the angle between two facets below which they are one plane.
const FLAT: f64 = 1e-8;

/// Convexity of an edge between two facets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bend {
    /// The edge sticks out.
    Ridge,
    Flat,
    /// The edge is the bottom of a groove.
    Groove,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshEdge {
    /// The first facet goes round from the first end to the second, the other one back.
    pub ends: [u32; 2],
    pub facets: [u32; 2],
    pub bend: Bend,
}

/// A surface without flaws, with its neighbourhoods.
#[derive(Debug, Clone)]
pub struct Facets {
    pub mesh: Arc<Mesh>,
    /// Outward unit normals.
    pub normals: Vec<DVec3>,
    pub edges: Vec<MeshEdge>,
    /// Edges of each facet, from corner k to the next.
    pub sides: Vec<[u32; 3]>,
    /// For each facet one that stands for the flat stretch that it belongs to: the lowest of it.
    pub stretch: Vec<u32>,
    /// Vertices without a ridge, on flat stretches and in hollows: nothing touches them that does not touch the facets.
    pub blunt: Vec<bool>,
    /// The lowest of the facets at each vertex.
    pub facet_at: Vec<u32>,
    /// Neighbours of vertex k are `neighbours[first[k]..first[k + 1]]`.
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Facets {
    pub fn new(mesh: Arc<Mesh>) -> Self {
        let n = mesh.triangles.len();
        let normal = |k: usize| {
            let [a, b, c] = mesh.corners(k);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals: Vec<DVec3> = (0..n).map(normal).collect();
        let mut edges: Vec<MeshEdge> = Vec::with_capacity(3 * n / 2);
        let mut sides = vec![[0; 3]; n];
        let mut known: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * n / 2);
        for (k, t) in mesh.triangles.iter().enumerate() {
            for c in 0..3 {
                let ends = [t[c], t[(c + 1) % 3]];
                // The neighbour goes along it the other way.
                let edge = match known.remove(&[ends[1], ends[0]]) {
                    Some(edge) => {
                        edges[edge as usize].facets[1] = k as u32;
                        edge
                    }
                    None => {
                        known.insert(ends, edges.len() as u32);
                        edges.push(MeshEdge { ends, facets: [k as u32; 2], bend: Bend::Flat });
                        edges.len() as u32 - 1
                    }
                };
                sides[k][c] = edge;
            }
        }
        for edge in &mut edges {
            let [p, q] = edge.ends.map(|v| mesh.vertices[v as usize]);
            let [n1, n2] = edge.facets.map(|f| normals[f as usize]);
            let sine = n1.cross(n2).dot((q - p).normalize_or_zero());
            edge.bend = if sine.abs() < FLAT && n1.dot(n2) > 0.0 {
                Bend::Flat
            } else if sine > 0.0 {
                Bend::Ridge
            } else {
                Bend::Groove
            };
        }
        let mut blunt = vec![true; mesh.vertices.len()];
        for v in edges.iter().filter(|e| e.bend == Bend::Ridge).flat_map(|e| e.ends) {
            blunt[v as usize] = false;
        }
        let mut facet_at = vec![0; mesh.vertices.len()];
        for (k, t) in mesh.triangles.iter().enumerate().rev() {
            t.iter().for_each(|&v| facet_at[v as usize] = k as u32);
        }
        let stretch = stretches(n, &edges);
        let (first, neighbours) = neighbours(mesh.vertices.len(), &edges);
        Facets { mesh, normals, edges, sides, stretch, blunt, facet_at, first, neighbours }
    }

    pub fn vertex(&self, k: u32) -> DVec3 {
        self.mesh.vertices[k as usize]
    }

    /// In the planes of the two facets of an edge, square to it, into each of them: unit vectors.
    pub fn inward(&self, edge: &MeshEdge) -> [DVec3; 2] {
        let along = (self.vertex(edge.ends[1]) - self.vertex(edge.ends[0])).normalize_or_zero();
        let [n1, n2] = edge.facets.map(|f| self.normals[f as usize]);
        [n1.cross(along), along.cross(n2)]
    }

    /// Whether every edge at a vertex falls away along `up`, but for rises below `slope` (a sine): something level that
    /// comes from there can touch the vertex.
    pub fn falls_away(&self, vertex: u32, up: DVec3, slope: f64) -> bool {
        let at = self.vertex(vertex);
        let ends =
            &self.neighbours[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize];
        ends.iter().all(|&v| {
            let edge = self.vertex(v) - at;
            up.dot(edge) <= slope * edge.length()
        })
    }
}

/// Facets that are connected over flat edges, by the lowest of them.
fn stretches(facets: usize, edges: &[MeshEdge]) -> Vec<u32> {
    let mut leader: Vec<u32> = (0..facets as u32).collect();
    fn lead(leader: &mut [u32], mut k: u32) -> u32 {
        while leader[k as usize] != k {
            leader[k as usize] = leader[leader[k as usize] as usize];
            k = leader[k as usize];
        }
        k
    }
    for edge in edges.iter().filter(|e| e.bend == Bend::Flat) {
        let [a, b] = edge.facets.map(|f| lead(&mut leader, f));
        leader[a.max(b) as usize] = a.min(b);
    }
    (0..facets as u32).map(|k| lead(&mut leader, k)).collect()
}

fn neighbours(vertices: usize, edges: &[MeshEdge]) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; vertices + 1];
    edges.iter().flat_map(|e| e.ends).for_each(|v| first[v as usize + 1] += 1);
    for k in 0..vertices {
        first[k + 1] += first[k];
    }
    let mut next = first.clone();
    let mut all = vec![0; 2 * edges.len()];
    for edge in edges {
        for [from, to] in [edge.ends, [edge.ends[1], edge.ends[0]]] {
            all[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
    }
    (first, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::make::geodesic;

    /// A prism over an L, with its side faces cut into two triangles each: five ridges upright and one groove.
    fn angle_iron() -> Mesh {
        let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
        let at = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = at(0.0).into_iter().chain(at(1.0)).collect();
        let mut triangles = vec![[6, 7, 9], [7, 8, 9], [6, 9, 11], [9, 10, 11]];
        let below: Vec<[u32; 3]> =
            triangles.iter().map(|&[a, b, c]: &[u32; 3]| [a - 6, c - 6, b - 6]).collect();
        triangles.extend(below);
        for k in 0..6 {
            let next = (k + 1) % 6;
            triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
        }
        Mesh { vertices, triangles }
    }

    #[test]
    fn ridges_grooves_and_flat_stretches_are_told_apart() {
        let mesh = angle_iron();
        assert_eq!(crate::mesh::flaws(&mesh), []);
        let facets = Facets::new(Arc::new(mesh));
        let count = |bend: Bend| facets.edges.iter().filter(|e| e.bend == bend).count();
        assert_eq!((count(Bend::Ridge), count(Bend::Groove), count(Bend::Flat)), (17, 1, 12));
        let groove = facets.edges.iter().find(|e| e.bend == Bend::Groove).expect("one");
        assert!(groove.ends == [3, 9] || groove.ends == [9, 3]);
        let mut stretches = facets.stretch.clone();
        stretches.sort_unstable();
        stretches.dedup();
        assert_eq!(stretches.len(), 8);
        // Up, all falls away from an upper corner but what is level; sideways only from outer ones.
        assert!(facets.falls_away(6, DVec3::new(-1.0, -1.0, 1.0).normalize(), 0.0));
        assert!(!facets.falls_away(9, DVec3::new(1.0, 1.0, 1.0).normalize(), 0.0));
        assert!(facets.falls_away(9, DVec3::Z, 0.0));
        for edge in &facets.edges {
            let [s, t] = facets.inward(edge);
            let inside = |way: DVec3, facet: u32| {
                let [a, b, c] = facets.mesh.corners(facet as usize);
                way.dot((a + b + c) / 3.0 - facets.vertex(edge.ends[0])) > 0.0
            };
            assert!(inside(s, edge.facets[0]) && inside(t, edge.facets[1]));
        }
    }

    #[test]
    fn all_of_a_ball_sticks_out() {
        let facets = Facets::new(Arc::new(geodesic(5)));
        assert!(facets.edges.iter().all(|e| e.bend == Bend::Ridge));
        assert!(facets.blunt.iter().all(|l| !l));
        for (k, v) in facets.mesh.vertices.iter().enumerate() {
            assert!(facets.falls_away(k as u32, *v, 0.0));
        }
    }
}
