//! Boxes in boxes about the triangles of a surface.

use glam::DVec3;

use super::Mesh;

/// Triangles in a leaf.
const LEAF: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub low: DVec3,
    pub high: DVec3,
    /// Of a leaf: where its triangles begin in the order, and how many. Of others: the second child (the first follows
    /// its parent), and 0.
    pub start: u32,
    pub count: u32,
}

impl Node {
    /// Where the triangles of a leaf are in the order of the tree.
    pub fn slots(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// A surface that can be asked what is near.
#[derive(Debug, Clone)]
pub struct SurfaceTree {
    pub(super) nodes: Vec<Node>,
    order: Vec<u32>,
    /// Corners by triangle, in the order of the leaves.
    pub(super) corners: Vec<[DVec3; 3]>,
    /// Sums of the normals about vertices, weighted by angles, and about edges (of each triangle, from corner k to the next):
    /// which side of a surface one is on next to them (Baerentzen and Aanaes 2005).
    vertex_normal: Vec<[DVec3; 3]>,
    edge_normal: Vec<[DVec3; 3]>,
}

/// The nearest place of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    pub triangle: u32,
    pub point: DVec3,
    /// Negative inside.
    pub distance: f64,
}

impl SurfaceTree {
    /// Of a surface without flaws.
    pub fn new(mesh: &Mesh) -> Self {
        let n = mesh.triangles.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let corners: Vec<[DVec3; 3]> = (0..n).map(|k| mesh.corners(k)).collect();
        let mut nodes = Vec::with_capacity(n);
        if n > 0 {
            build(&corners, &mut order, 0, &mut nodes);
        }
        let normals: Vec<DVec3> =
            corners.iter().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect();
        let mut about_vertex = vec![DVec3::ZERO; mesh.vertices.len()];
        let mut about_edge = std::collections::HashMap::with_capacity(3 * n / 2);
        for (k, triangle) in mesh.triangles.iter().enumerate() {
            for c in 0..3 {
                let (i, j) = (triangle[c], triangle[(c + 1) % 3]);
                let (to, from) = (corners[k][(c + 1) % 3], corners[k][(c + 2) % 3]);
                let angle = (to - corners[k][c]).angle_between(from - corners[k][c]);
                about_vertex[i as usize] += angle * normals[k];
                *about_edge.entry([i.min(j), i.max(j)]).or_insert(DVec3::ZERO) += normals[k];
            }
        }
        let vertex_normal =
            order.iter().map(|&k| mesh.triangles[k as usize].map(|v| about_vertex[v as usize])).collect();
        let edge_normal = order
            .iter()
            .map(|&k| {
                let t = mesh.triangles[k as usize];
                std::array::from_fn(|c| {
                    let (i, j) = (t[c], t[(c + 1) % 3]);
                    about_edge[&[i.min(j), i.max(j)]]
                })
            })
            .collect();
        let corners = order.iter().map(|&k| corners[k as usize]).collect();
        SurfaceTree { nodes, order, corners, vertex_normal, edge_normal }
    }

    /// Every triangle that comes closer to `x` than `reach`, with its closest point.
    pub fn within(&self, x: DVec3, reach: f64, mut found: impl FnMut(u32, DVec3)) {
        self.places_within(x, reach, |triangle, point, _| found(triangle, point));
    }

    /// The same, with where on the triangle the point is.
    pub fn places_within(&self, x: DVec3, reach: f64, mut found: impl FnMut(u32, DVec3, TriangleFeature)) {
        self.slots_within(x, reach, |slot, point, place| found(self.order[slot], point, place));
    }

    /// The same as [`SurfaceTree::within`], with the corners.
    pub fn corners_within(&self, x: DVec3, reach: f64, mut found: impl FnMut(u32, &[DVec3; 3], DVec3)) {
        self.slots_within(x, reach, |slot, point, _| found(self.order[slot], &self.corners[slot], point));
    }

    fn slots_within(&self, x: DVec3, reach: f64, mut found: impl FnMut(usize, DVec3, TriangleFeature)) {
        let mut stack = vec![0usize];
        while let Some(k) = stack.pop() {
            let Some(node) = self.nodes.get(k) else { continue };
            if square_to_box(node, x) > reach * reach {
                continue;
            }
            if node.count == 0 {
                stack.extend([node.start as usize, k + 1]);
            }
            for slot in node.slots() {
                let (point, place) = closest(&self.corners[slot], x);
                if point.distance_squared(x) < reach * reach {
                    found(slot, point, place);
                }
            }
        }
    }

    /// Every triangle in a box of the tree (between a lower and an upper corner) that `wanted` does not rule out, nor those
    /// that it is in.
    pub fn in_boxes(&self, wanted: impl Fn(DVec3, DVec3) -> bool, mut found: impl FnMut(u32)) {
        let mut stack = vec![0usize];
        while let Some(k) = stack.pop() {
            let Some(node) = self.nodes.get(k) else { continue };
            if !wanted(node.low, node.high) {
                continue;
            }
            if node.count == 0 {
                stack.extend([node.start as usize, k + 1]);
            }
            for slot in node.slots() {
                found(self.order[slot]);
            }
        }
    }

    /// The nearest place, and on which side of it `x` is. Of several the one with the lowest number.
    pub fn nearest(&self, x: DVec3) -> Option<Nearest> {
        let mut best: Option<(f64, usize, DVec3, TriangleFeature)> = None;
        let mut stack = vec![(0usize, 0.0)];
        while let Some((k, bound)) = stack.pop() {
            let least = best.map_or(f64::INFINITY, |b| b.0);
            let Some(node) = self.nodes.get(k) else { continue };
            if bound > least {
                continue;
            }
            if node.count == 0 {
                let children = [k + 1, node.start as usize].map(|c| (c, square_to_box(&self.nodes[c], x)));
                // The nearer one first.
                let swap = children[0].1 < children[1].1;
                stack.extend(if swap { [children[1], children[0]] } else { children });
            }
            for slot in node.slots() {
                let (point, feature) = closest(&self.corners[slot], x);
                let square = point.distance_squared(x);
                let least = best.map_or((f64::INFINITY, u32::MAX), |b| (b.0, self.order[b.1]));
                if (square, self.order[slot]) < least {
                    best = Some((square, slot, point, feature));
                }
            }
        }
        let (square, slot, point, feature) = best?;
        let normal = match feature {
            TriangleFeature::Inside => {
                let [a, b, c] = self.corners[slot];
                (b - a).cross(c - a)
            }
            TriangleFeature::Edge(k) => self.edge_normal[slot][k],
            TriangleFeature::Vertex(k) => self.vertex_normal[slot][k],
        };
        let side = if (x - point).dot(normal) < 0.0 { -1.0 } else { 1.0 };
        Some(Nearest { triangle: self.order[slot], point, distance: side * square.sqrt() })
    }

    /// The first triangle that a ray meets, from either side, and how far away, in lengths of `way`.
    pub fn ray(&self, from: DVec3, way: DVec3) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        let mut stack = vec![0usize];
        while let Some(k) = stack.pop() {
            let Some(node) = self.nodes.get(k) else { continue };
            let least = best.map_or(f64::INFINITY, |b| b.0);
            // Where it enters and leaves the box; along a side it does so nowhere.
            let (mut enter, mut leave) = (0.0f64, least);
            for k in 0..3 {
                if way[k] == 0.0 {
                    if from[k] < node.low[k] || from[k] > node.high[k] {
                        leave = f64::NEG_INFINITY;
                    }
                } else {
                    let (a, b) = ((node.low[k] - from[k]) / way[k], (node.high[k] - from[k]) / way[k]);
                    (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
                }
            }
            if enter > leave {
                continue;
            }
            if node.count == 0 {
                stack.extend([node.start as usize, k + 1]);
            }
            for slot in node.slots() {
                let hit = meets(&self.corners[slot], from, way).map(|t| (t, self.order[slot]));
                if hit.is_some_and(|hit| best.is_none_or(|b| hit < b)) {
                    best = hit;
                }
            }
        }
        best
    }

    /// Pairs of triangles whose boxes overlap, each once.
    pub(super) fn near_pairs(&self, mut found: impl FnMut(u32, u32)) {
        let mut stack = vec![(0usize, 0usize)];
        while let Some((i, j)) = stack.pop() {
            let (Some(a), Some(b)) = (self.nodes.get(i), self.nodes.get(j)) else { continue };
            if !(a.low.cmple(b.high).all() && b.low.cmple(a.high).all()) {
                continue;
            }
            match (a.count, b.count) {
                (0, _) if i == j => {
                    let second = a.start as usize;
                    stack.extend([(i + 1, i + 1), (second, second), (i + 1, second)]);
                }
                (0, _) => stack.extend([(i + 1, j), (a.start as usize, j)]),
                (_, 0) => stack.extend([(i, j + 1), (i, b.start as usize)]),
                _ => {
                    for p in a.start..a.start + a.count {
                        for q in b.start..b.start + b.count {
                            if i != j || p < q {
                                found(self.order[p as usize], self.order[q as usize]);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn build(corners: &[[DVec3; 3]], order: &mut [u32], start: u32, nodes: &mut Vec<Node>) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (mut first, mut last) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let middle = |k: u32| {
        let [a, b, c] = corners[k as usize];
        a + b + c
    };
    for &k in order.iter() {
        for x in corners[k as usize] {
            (low, high) = (low.min(x), high.max(x));
        }
        (first, last) = (first.min(middle(k)), last.max(middle(k)));
    }
    let me = nodes.len();
    nodes.push(Node { low, high, start, count: order.len() as u32 });
    if order.len() <= LEAF {
        return;
    }
    // Halves along the longest side; equal places go by number.
    let spread = last - first;
    let axis = if spread.x >= spread.max_element() {
        0
    } else if spread.y >= spread.z {
        1
    } else {
        2
    };
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&p, &q| middle(p)[axis].total_cmp(&middle(q)[axis]).then(p.cmp(&q)));
    let (left, right) = order.split_at_mut(half);
    build(corners, left, start, nodes);
    let second = nodes.len() as u32;
    build(corners, right, start + half as u32, nodes);
    (nodes[me].start, nodes[me].count) = (second, 0);
}

fn square_to_box(node: &Node, x: DVec3) -> f64 {
    (node.low - x).max(x - node.high).max(DVec3::ZERO).length_squared()
}

/// Where a ray meets a triangle (Moeller and Trumbore 1997), its edges included.
pub(super) fn meets(&[a, b, c]: &[DVec3; 3], from: DVec3, way: DVec3) -> Option<f64> {
    let (ab, ac, x) = (b - a, c - a, from - a);
    let p = way.cross(ac);
    let volume = ab.dot(p);
    let (u, q) = (x.dot(p) / volume, x.cross(ab));
    let (v, t) = (way.dot(q) / volume, ac.dot(q) / volume);
    // A little wider than it is: a ray through an edge must not slip between two.
    let edge = -1e-8;
    (u >= edge && v >= edge && u + v <= 1.0 - edge && t >= 0.0).then_some(t)
}

/// The closest point of a triangle.
pub fn closest_point(corners: &[DVec3; 3], x: DVec3) -> DVec3 {
    closest(corners, x).0
}

/// The feature of a triangle on which a point lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TriangleFeature {
    Inside,
    /// From corner k to the next.
    Edge(usize),
    Vertex(usize),
}

/// The closest point of a triangle, by the regions of its corners and edges (Ericson 2005, section 5.1.5).
fn closest(&[a, b, c]: &[DVec3; 3], x: DVec3) -> (DVec3, TriangleFeature) {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(ax), ac.dot(ax));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, TriangleFeature::Vertex(0));
    }
    let bx = x - b;
    let (d3, d4) = (ab.dot(bx), ac.dot(bx));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, TriangleFeature::Vertex(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + d1 / (d1 - d3) * ab, TriangleFeature::Edge(0));
    }
    let cx = x - c;
    let (d5, d6) = (ab.dot(cx), ac.dot(cx));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, TriangleFeature::Vertex(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + d2 / (d2 - d6) * ac, TriangleFeature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + t * (c - b), TriangleFeature::Edge(1));
    }
    let sum = va + vb + vc;
    (a + vb / sum * ab + vc / sum * ac, TriangleFeature::Inside)
}
