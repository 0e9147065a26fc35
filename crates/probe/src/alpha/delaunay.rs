//! The Delaunay tetrahedra of points in space.
//!
//! Bowyer and Watson's way (Comput. J. 24, 162 and 167, 1981): points are put in one after the other; the tetrahedra
//! whose circumsphere holds the new point are taken out, and the hole is filled from it. The outside is tetrahedra
//! too, from every face of the hull to one vertex at infinity, so that points outside need no case of their own. The
//! order is that of a Hilbert curve in rounds of growing size (Amenta, Choi and Rote, "Incremental constructions
//! con BRIO", 2003): the next point is near the last, and the hull is there early.
//!
//! Signs are exact. Points are first moved to multiples of 2^-50 of the extent, so that differences of coordinates are exact and
//! nothing underflows; equal points become one. A point on a sphere is not in it: with exact signs the hole is then
//! star-shaped as seen from the new point, and every tetrahedron has a volume above zero, also for points of
//! a grid, on a sphere or in planes. Points that all lie in one plane have no tetrahedra.

use std::cmp::Ordering;

use glam::DVec3;
use robust::{Coord3D, insphere, orient2d, orient3d};
use rubblepile_geometry::order::along_hilbert_curve;

/// The neighbour of a face of the hull.
pub const OUTSIDE: u32 = u32::MAX;
/// The vertex at infinity, while the tetrahedra are made.
const INFINITE: u32 = u32::MAX;

/// Vertices of the face opposite to each vertex of a tetrahedron, counter-clockwise as seen from outside.
pub const FACES: [[usize; 3]; 4] = [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]];

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delaunay {
    /// The points, each once, in the order of the coordinates.
    pub points: Vec<DVec3>,
    /// Which of `points` each given point is.
    pub of_input: Vec<u32>,
    /// Four points each, `(v0 - v3) . ((v1 - v3) x (v2 - v3)) > 0`.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Opposite to each vertex; [`OUTSIDE`] at the hull.
    pub neighbours: Vec<[u32; 4]>,
}

impl Delaunay {
    /// `None` if a coordinate is not finite, or if there are 2^31 points.
    pub fn new(given: &[DVec3]) -> Option<Self> {
        if given.iter().any(|p| !p.is_finite()) || given.len() >= 1 << 31 {
            return None;
        }
        let extent = given.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        // A power of two above the extent: scaling is exact.
        let scale = extent.log2().floor().clamp(-1000.0, 1000.0).exp2() * 2.0;
        let snap = |x: f64| if scale > 0.0 { (x / scale + 6.0) - 6.0 } else { 0.0 };
        let snapped: Vec<[f64; 3]> = given.iter().map(|p| p.to_array().map(snap)).collect();
        let mut order: Vec<u32> = (0..given.len() as u32).collect();
        let key = |k: u32| snapped[k as usize];
        order.sort_unstable_by(|&i, &j| {
            key(i)
                .iter()
                .zip(&key(j))
                .fold(Ordering::Equal, |o, (a, b)| o.then(a.total_cmp(b)))
                .then(i.cmp(&j))
        });
        let mut of_input = vec![0u32; given.len()];
        let mut unique: Vec<[f64; 3]> = Vec::with_capacity(given.len());
        for &k in &order {
            if unique.last() != Some(&key(k)) {
                unique.push(key(k));
            }
            of_input[k as usize] = unique.len() as u32 - 1;
        }
        let points = unique.iter().map(|&p| DVec3::from_array(p) * scale).collect();
        let mut builder = Triangulator::new(&unique);
        let order = rounds(&unique);
        if let Some(first) = builder.start(&order) {
            for &k in order.iter().filter(|k| !first.contains(k)) {
                builder.insert(k);
            }
        }
        let (tetrahedra, neighbours) = builder.finish();
        Some(Delaunay { points, of_input, tetrahedra, neighbours })
    }

    pub fn corners(&self, tetrahedron: usize) -> [DVec3; 4] {
        self.tetrahedra[tetrahedron].map(|k| self.points[k as usize])
    }

    /// m^3
    pub fn volume(&self, tetrahedron: usize) -> f64 {
        let [a, b, c, d] = self.corners(tetrahedron);
        (a - d).dot((b - d).cross(c - d)) / 6.0
    }
}

/// The order of insertion: every round about twice as many points as all before it, along a Hilbert curve.
fn rounds(points: &[[f64; 3]]) -> Vec<u32> {
    let round = |k: u32| {
        // Any mixing of the bits will do; this is the finalizer of MurmurHash3.
        let mut x = u64::from(k).wrapping_add(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        (x ^ (x >> 33)).trailing_zeros().min(12)
    };
    let mut of_round: Vec<Vec<u32>> = vec![Vec::new(); 13];
    (0..points.len() as u32).for_each(|k| of_round[12 - round(k) as usize].push(k));
    let mut order = Vec::with_capacity(points.len());
    for members in of_round {
        let position: Vec<DVec3> = members.iter().map(|&k| DVec3::from_array(points[k as usize])).collect();
        let id: Vec<u64> = members.iter().map(|&k| u64::from(k)).collect();
        if !members.is_empty() {
            order.extend(along_hilbert_curve(&position, &id, 1.0).into_iter().map(|k| members[k as usize]));
        }
    }
    order
}

struct Triangulator {
    point: Vec<Coord3D<f64>>,
    /// With [`INFINITE`] replaced by a point outside the opposite face, the orientation is positive too.
    vertex: Vec<[u32; 4]>,
    neighbour: Vec<[u32; 4]>,
    /// The insertion at which a tetrahedron was last found to hold the new point, or not to.
    holds: Vec<u32>,
    clear: Vec<u32>,
    free: Vec<u32>,
    /// Where the next search begins.
    last: u32,
    stamp: u32,
    cavity: Vec<u32>,
    /// Tetrahedron in the hole, and which of its faces is a side of the hole.
    sides: Vec<(u32, u8)>,
}

impl Triangulator {
    fn new(points: &[[f64; 3]]) -> Self {
        let room = 7 * points.len();
        Triangulator {
            point: points.iter().map(|&[x, y, z]| Coord3D { x, y, z }).collect(),
            vertex: Vec::with_capacity(room),
            neighbour: Vec::with_capacity(room),
            holds: Vec::with_capacity(room),
            clear: Vec::with_capacity(room),
            free: Vec::new(),
            last: 0,
            stamp: 0,
            cavity: Vec::new(),
            sides: Vec::new(),
        }
    }

    fn at(&self, k: u32) -> Coord3D<f64> {
        self.point[k as usize]
    }

    fn orientation(&self, v: [u32; 4]) -> f64 {
        orient3d(self.at(v[0]), self.at(v[1]), self.at(v[2]), self.at(v[3]))
    }

    /// The first tetrahedron, of the first four points in this order that are not in one plane.
    fn start(&mut self, order: &[u32]) -> Option<[u32; 4]> {
        let (&a, rest) = order.split_first()?;
        let &b = rest.first()?;
        let &c = rest.iter().find(|&&c| !self.in_line(a, b, c))?;
        let &d = rest.iter().find(|&&d| self.orientation([a, b, c, d]) != 0.0)?;
        let first = if self.orientation([a, b, c, d]) > 0.0 { [a, b, c, d] } else { [b, a, c, d] };
        self.add(first);
        self.neighbour[0] = [1, 2, 3, 4];
        for i in 0..4 {
            let mut outer = first;
            outer[i] = INFINITE;
            // Infinity is on the other side of the face than the vertex it replaces.
            outer.swap((i + 1) % 4, (i + 2) % 4);
            let t = self.add(outer) as usize;
            // Two outer ones share the face without the vertex that the other one lacks.
            let lacks = |v: u32| first.iter().position(|&x| x == v).map_or(0, |m| m as u32 + 1);
            self.neighbour[t] = outer.map(lacks);
        }
        Some(first)
    }

    /// Whether three points are in one line: they are in all three projections.
    fn in_line(&self, a: u32, b: u32, c: u32) -> bool {
        let flat = |x: fn(Coord3D<f64>) -> robust::Coord<f64>| {
            orient2d(x(self.at(a)), x(self.at(b)), x(self.at(c))) == 0.0
        };
        flat(|p| robust::Coord { x: p.x, y: p.y })
            && flat(|p| robust::Coord { x: p.y, y: p.z })
            && flat(|p| robust::Coord { x: p.z, y: p.x })
    }

    fn add(&mut self, vertices: [u32; 4]) -> u32 {
        if let Some(t) = self.free.pop() {
            let k = t as usize;
            (self.vertex[k], self.neighbour[k]) = (vertices, [OUTSIDE; 4]);
            (self.holds[k], self.clear[k]) = (0, 0);
            return t;
        }
        self.vertex.push(vertices);
        self.neighbour.push([OUTSIDE; 4]);
        self.holds.push(0);
        self.clear.push(0);
        self.vertex.len() as u32 - 1
    }

    /// Whether a point is in the circumsphere; of an outer one: beyond its face, or in the face's plane and circle.
    fn is_in(&self, t: u32, p: u32) -> bool {
        let v = self.vertex[t as usize];
        let Some(k) = v.iter().position(|&x| x == INFINITE) else {
            return insphere(self.at(v[0]), self.at(v[1]), self.at(v[2]), self.at(v[3]), self.at(p)) > 0.0;
        };
        let mut closed = v;
        closed[k] = p;
        let side = self.orientation(closed);
        // In the plane of the face its circle is where any sphere through it cuts the plane.
        side > 0.0 || (side == 0.0 && self.is_in(self.neighbour[t as usize][k], p))
    }

    /// A tetrahedron that holds the point, by walking towards it.
    fn locate(&self, p: u32) -> Option<u32> {
        let mut t = self.last;
        if let Some(k) = self.vertex[t as usize].iter().position(|&x| x == INFINITE) {
            t = self.neighbour[t as usize][k];
        }
        let mut from = OUTSIDE;
        // The walk ends in Delaunay tetrahedra (Edelsbrunner 1990); the limit is there so that it ends in any case.
        'walk: for step in 0..self.vertex.len() {
            let v = self.vertex[t as usize];
            for i in 0..4 {
                let i = (i + step) % 4;
                let next = self.neighbour[t as usize][i];
                if next == from {
                    continue;
                }
                let mut seen = v;
                seen[i] = p;
                if self.orientation(seen) < 0.0 {
                    if self.vertex[next as usize].contains(&INFINITE) {
                        return Some(next);
                    }
                    (from, t) = (t, next);
                    continue 'walk;
                }
            }
            return Some(t);
        }
        (0..self.vertex.len() as u32).find(|&t| !self.is_free(t) && self.is_in(t, p))
    }

    fn is_free(&self, t: u32) -> bool {
        let v = self.vertex[t as usize];
        v[0] == v[1]
    }

    fn insert(&mut self, p: u32) {
        let Some(first) = self.locate(p) else { return };
        self.stamp += 1;
        let stamp = self.stamp;
        let (mut cavity, mut sides) = (std::mem::take(&mut self.cavity), std::mem::take(&mut self.sides));
        cavity.clear();
        sides.clear();
        cavity.push(first);
        self.holds[first as usize] = stamp;
        let mut next = 0;
        while next < cavity.len() {
            let t = cavity[next];
            next += 1;
            for i in 0..4 {
                let other = self.neighbour[t as usize][i];
                let k = other as usize;
                if self.holds[k] == stamp {
                    continue;
                }
                if self.clear[k] != stamp && self.is_in(other, p) {
                    self.holds[k] = stamp;
                    cavity.push(other);
                } else {
                    self.clear[k] = stamp;
                    sides.push((t, i as u8));
                }
            }
        }
        for &(t, i) in &sides {
            let (k, i) = (t as usize, i as usize);
            // Seen from the face, the new point is on the side of the vertex it replaces: the orientation stays.
            let mut v = self.vertex[k];
            v[i] = p;
            let new = self.add(v);
            let outer = self.neighbour[k][i];
            self.neighbour[new as usize][i] = outer;
            for back in &mut self.neighbour[outer as usize] {
                if *back == t {
                    *back = new;
                }
            }
            // From inside the hole, the way through this face leads to the new one.
            self.neighbour[k][i] = new;
        }
        for &(t, i) in &sides {
            let (k, i) = (t as usize, i as usize);
            let new = self.neighbour[k][i] as usize;
            for j in (0..4).filter(|&j| j != i) {
                self.neighbour[new][j] = self.around(k, i, j);
            }
            self.last = new as u32;
        }
        for &t in &cavity {
            self.vertex[t as usize] = [0; 4];
            self.free.push(t);
        }
        (self.cavity, self.sides) = (cavity, sides);
    }

    /// Turns about the edge without the vertices `i` and `j` of a tetrahedron, from its side `i` through the hole to the other
    /// side of it: the new tetrahedron there.
    fn around(&self, t: usize, i: usize, j: usize) -> u32 {
        let mut behind = self.vertex[t][i];
        let edge = |v: u32| (0..4).any(|k| k != i && k != j && self.vertex[t][k] == v);
        let (mut t, mut cross) = (t, j);
        loop {
            let next = self.neighbour[t][cross];
            let k = next as usize;
            if self.holds[k] != self.stamp {
                return next;
            }
            // Out through the face opposite to the vertex of the face that was come in by.
            let v = self.vertex[k];
            let (mut exit, mut ahead) = (0, behind);
            for (place, &x) in v.iter().enumerate() {
                if x == behind {
                    exit = place;
                } else if !edge(x) {
                    ahead = x;
                }
            }
            (t, cross, behind) = (k, exit, ahead);
        }
    }

    fn finish(self) -> (Vec<[u32; 4]>, Vec<[u32; 4]>) {
        let mut name = vec![OUTSIDE; self.vertex.len()];
        let mut count = 0;
        for (t, v) in self.vertex.iter().enumerate() {
            if v[0] != v[1] && !v.contains(&INFINITE) {
                name[t] = count;
                count += 1;
            }
        }
        let kept = |t: &usize| name[*t] != OUTSIDE;
        let tetrahedra = (0..name.len()).filter(kept).map(|t| self.vertex[t]).collect();
        let neighbours =
            (0..name.len()).filter(kept).map(|t| self.neighbour[t].map(|n| name[n as usize])).collect();
        (tetrahedra, neighbours)
    }
}
