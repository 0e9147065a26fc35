//! A convex polyhedron prepared for contact, and one placed in the world.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use rubblepile_core::{
    Convex,
    simd::{LANES, Lanes},
};

use crate::solid::{SolidError, face_normal};

/// Eight vertices, a coordinate a row. The last block is filled up with copies of vertex 0, which has a lower
/// number and so never loses to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VertexBlock {
    pub x: [f64; LANES],
    pub y: [f64; LANES],
    pub z: [f64; LANES],
}

/// An edge: its ends and the faces on its left (seen along it from outside) and right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullEdge {
    pub start: u32,
    pub end: u32,
    pub left: u32,
    pub right: u32,
}

/// Lists of different lengths, one behind the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JaggedArray {
    start: Vec<u32>,
    item: Vec<u32>,
}

impl JaggedArray {
    fn new(lists: &[Vec<u32>]) -> Self {
        let mut out = JaggedArray { start: vec![0], item: Vec::new() };
        for list in lists {
            out.item.extend(list);
            out.start.push(out.item.len() as u32);
        }
        out
    }

    #[inline(always)]
    pub fn of(&self, k: usize) -> &[u32] {
        &self.item[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

/// A convex polyhedron prepared for contact, with its adjacency. Vertices are relative to `centre`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// A point inside, in the frame of the solid.
    pub centre: DVec3,
    /// Radius of the sphere about `centre`.
    pub radius: f64,
    pub(crate) vertices: Vec<DVec3>,
    /// Faces from this on have a normal but no area: the sides of flat things.
    pub(crate) with_area: usize,
    /// Unit normal of each face, and how far its plane is from the centre.
    pub(crate) normals: Vec<DVec3>,
    pub(crate) offsets: Vec<f64>,
    pub(crate) edges: Vec<HullEdge>,
    /// Vertices of each face, counter-clockwise, and the edges from each to the next.
    pub(crate) face_vertices: JaggedArray,
    pub(crate) face_edges: JaggedArray,
    pub(crate) vertex_faces: JaggedArray,
    pub(crate) vertex_edges: JaggedArray,
}

impl Hull {
    /// A hull as `solid` makes them. One whose faces do not close, or that names vertices it has not, is refused.
    pub fn new(convex: &Convex) -> Result<Self, SolidError> {
        let n = convex.vertices.len();
        if let Some(index) = convex.vertices.iter().position(|v| !v.is_finite()) {
            return Err(SolidError::NotFinite { index });
        }
        if n < 4 {
            return Err(SolidError::TooFew { distinct: n });
        }
        let bad = |f: &Vec<u32>| f.len() < 3 || f.iter().any(|&v| v as usize >= n);
        if convex.faces.len() < 4 || convex.faces.iter().any(bad) {
            return Err(SolidError::Open);
        }
        let normals = convex.faces.iter().map(|f| face_normal(&convex.vertices, f)).collect();
        Hull::with_normals(&convex.vertices, &convex.faces, normals, convex.faces.len())
    }

    /// A line along z about the origin: two vertices, one edge, no faces.
    pub(crate) fn segment(half: f64) -> Self {
        let nothing = JaggedArray::new(&[vec![], vec![]]);
        Hull {
            centre: DVec3::ZERO,
            radius: half,
            vertices: vec![DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, half)],
            normals: Vec::new(),
            offsets: Vec::new(),
            with_area: 0,
            edges: vec![HullEdge { start: 0, end: 1, left: 0, right: 0 }],
            face_vertices: JaggedArray::new(&[]),
            face_edges: JaggedArray::new(&[]),
            vertex_faces: nothing,
            vertex_edges: JaggedArray::new(&[vec![0], vec![0]]),
        }
    }

    /// With normals given: flat things have faces without area, behind the first `with_area`.
    pub(crate) fn with_normals(
        points: &[DVec3],
        faces: &[Vec<u32>],
        normals: Vec<DVec3>,
        with_area: usize,
    ) -> Result<Self, SolidError> {
        let centre = points.iter().sum::<DVec3>() / points.len() as f64;
        let vertices: Vec<DVec3> = points.iter().map(|&p| p - centre).collect();
        let mut sides: Vec<(u32, u32, u32, usize)> = Vec::new();
        for (f, face) in faces.iter().enumerate() {
            for (k, &u) in face.iter().enumerate() {
                let v = face[(k + 1) % face.len()];
                sides.push((u.min(v), u.max(v), f as u32, k));
            }
        }
        sides.sort_unstable();
        let mut edges = Vec::with_capacity(sides.len() / 2);
        let mut face_edges: Vec<Vec<u32>> = faces.iter().map(|f| vec![0; f.len()]).collect();
        for pair in sides.chunks(2) {
            let &[(u, v, f, i), (u2, v2, g, j)] = pair else { return Err(SolidError::Open) };
            let (along_f, along_g) = (faces[f as usize][i] == u, faces[g as usize][j] == u);
            if (u, v) != (u2, v2) || along_f == along_g {
                return Err(SolidError::Open);
            }
            face_edges[f as usize][i] = edges.len() as u32;
            face_edges[g as usize][j] = edges.len() as u32;
            let (left, right) = if along_f { (f, g) } else { (g, f) };
            edges.push(HullEdge { start: u, end: v, left, right });
        }
        let mut vertex_faces = vec![Vec::new(); vertices.len()];
        let mut vertex_edges = vec![Vec::new(); vertices.len()];
        for (f, face) in faces.iter().enumerate() {
            // A flat thing has each vertex twice, at the front and at the back; both are on both.
            let both = with_area < faces.len() && f < with_area;
            let on = |v: u32| both || face.contains(&v);
            (0..vertices.len()).filter(|&v| on(v as u32)).for_each(|v| vertex_faces[v].push(f as u32));
        }
        for (e, edge) in edges.iter().enumerate() {
            vertex_edges[edge.start as usize].push(e as u32);
            vertex_edges[edge.end as usize].push(e as u32);
        }
        let highest = |n: &DVec3| vertices.iter().fold(f64::NEG_INFINITY, |h, v| h.max(v.dot(*n)));
        Ok(Hull {
            centre,
            radius: vertices.iter().fold(0.0f64, |r, v| r.max(v.length())),
            offsets: normals.iter().map(highest).collect(),
            vertices,
            with_area,
            normals,
            edges,
            face_vertices: JaggedArray::new(faces),
            face_edges: JaggedArray::new(&face_edges),
            vertex_faces: JaggedArray::new(&vertex_faces),
            vertex_edges: JaggedArray::new(&vertex_edges),
        })
    }
}

/// A hull in the world. Make one per body (and part), move it with [`Placed::place`] at each step, and share it among
/// threads: contact only reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    pub hull: Arc<Hull>,
    /// Where the hull's centre is in the world, m.
    pub centre: DVec3,
    /// Vertices and normals, turned but not moved: contact works with differences of centres, so that its
    /// precision does not depend on where in the world the pair is.
    pub(crate) blocks: Vec<VertexBlock>,
    pub(crate) normals: Vec<DVec3>,
}

impl Placed {
    pub fn new(hull: Arc<Hull>, position: DVec3, orientation: DQuat) -> Self {
        let mut placed = Placed {
            centre: position,
            blocks: Vec::with_capacity(hull.vertices.len().div_ceil(LANES)),
            normals: Vec::with_capacity(hull.normals.len()),
            hull,
        };
        placed.place(position, orientation);
        placed
    }

    /// Moves it to where its solid is. No memory is allocated.
    pub fn place(&mut self, position: DVec3, orientation: DQuat) {
        let turn = DMat3::from_quat(orientation);
        self.centre = position + turn * self.hull.centre;
        self.blocks.clear();
        for eight in self.hull.vertices.chunks(LANES) {
            let mut block = VertexBlock { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES] };
            for k in 0..LANES {
                let v = turn * *eight.get(k).unwrap_or(&self.hull.vertices[0]);
                (block.x[k], block.y[k], block.z[k]) = (v.x, v.y, v.z);
            }
            self.blocks.push(block);
        }
        self.normals.clear();
        self.normals.extend(self.hull.normals.iter().map(|&n| turn * n));
    }

    /// Vertex relative to the centre, in the axes of the world.
    #[inline(always)]
    pub(crate) fn vertex(&self, k: usize) -> DVec3 {
        let (block, lane) = (&self.blocks[k / LANES], k % LANES);
        DVec3::new(block.x[lane], block.y[lane], block.z[lane])
    }

    #[inline(always)]
    pub(crate) fn edge_vector(&self, e: u32) -> DVec3 {
        let edge = self.hull.edges[e as usize];
        self.vertex(edge.end as usize) - self.vertex(edge.start as usize)
    }

    /// The vertex that is highest along a direction, the first of equals, and how high it is.
    #[inline(always)]
    pub(crate) fn highest<L: Lanes>(&self, direction: DVec3) -> (usize, f64) {
        let (dx, dy, dz) = (L::splat(direction.x), L::splat(direction.y), L::splat(direction.z));
        let first = &self.blocks[0];
        let mut best = L::load(&first.x) * dx + L::load(&first.y) * dy + L::load(&first.z) * dz;
        let mut number = L::load(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let mut count = number;
        for block in &self.blocks[1..] {
            count = count + L::splat(LANES as f64);
            let h = L::load(&block.x) * dx + L::load(&block.y) * dy + L::load(&block.z) * dz;
            let higher = best.less(h);
            best = L::select(higher, h, best);
            number = L::select(higher, count, number);
        }
        let top = largest(best.store());
        let lower = best.less(L::splat(top));
        let winner = smallest(L::select(lower, L::splat(f64::MAX), number).store());
        (winner as usize, top)
    }

    /// How high the highest vertex is.
    #[inline(always)]
    pub(crate) fn height<L: Lanes>(&self, direction: DVec3) -> f64 {
        let (dx, dy, dz) = (L::splat(direction.x), L::splat(direction.y), L::splat(direction.z));
        let mut best = L::splat(f64::MIN);
        for block in &self.blocks {
            best = best.max(L::load(&block.x) * dx + L::load(&block.y) * dy + L::load(&block.z) * dz);
        }
        largest(best.store())
    }
}

// Without branches, which could not be foreseen here.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn largest(v: [f64; LANES]) -> f64 {
    let (a, b) =
        (larger(larger(v[0], v[1]), larger(v[2], v[3])), larger(larger(v[4], v[5]), larger(v[6], v[7])));
    larger(a, b)
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn smallest(v: [f64; LANES]) -> f64 {
    let (a, b) = (
        smaller(smaller(v[0], v[1]), smaller(v[2], v[3])),
        smaller(smaller(v[4], v[5]), smaller(v[6], v[7])),
    );
    smaller(a, b)
}
