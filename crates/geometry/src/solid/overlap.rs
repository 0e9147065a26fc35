//! How far two convex polyhedra are apart along the best of their own directions: all normals of faces and all
//! cross products of edges, one by one. Slow and plain: what the fast way in `contact` is tested against.

use glam::DVec3;
use rubblepile_core::Convex;

use super::mass::face_normal;

/// Unit normals of the faces, outwards.
pub fn normals(convex: &Convex) -> Vec<DVec3> {
    convex.faces.iter().map(|f| face_normal(&convex.vertices, f)).collect()
}

/// Directions of the edges, each once.
pub fn edges(convex: &Convex) -> Vec<DVec3> {
    let mut all = Vec::new();
    for face in &convex.faces {
        for (k, &u) in face.iter().enumerate() {
            let v = face[(k + 1) % face.len()];
            if u < v {
                all.push((convex.vertices[v as usize] - convex.vertices[u as usize]).normalize_or_zero());
            }
        }
    }
    all
}

/// Gap between the two along a direction from `a` to `b`.
pub fn gap_along(a: &[DVec3], b: &[DVec3], direction: DVec3) -> f64 {
    let top = a.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(direction)));
    let bottom = b.iter().fold(f64::INFINITY, |m, p| m.min(p.dot(direction)));
    bottom - top
}

/// The largest gap over all directions of faces and pairs of edges, and its direction from `a` to `b`. Negative:
/// they overlap, and this is the shortest way out. Positive: they are apart, by at least this.
pub fn separation(a: &Convex, b: &Convex) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, DVec3::X);
    let mut consider = |direction: DVec3| {
        let gap = gap_along(&a.vertices, &b.vertices, direction);
        if gap > best.0 {
            best = (gap, direction);
        }
    };
    normals(a).into_iter().for_each(&mut consider);
    normals(b).into_iter().for_each(|n| consider(-n));
    let others = edges(b);
    for u in edges(a) {
        for v in &others {
            let n = u.cross(*v);
            let length = n.length();
            // Parallel edges add nothing that faces have not said.
            if length > 1e-9 {
                consider(n / length);
                consider(-n / length);
            }
        }
    }
    best
}
