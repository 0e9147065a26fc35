//! Closest points of two hulls by trying all vertices against faces and all pairs of edges. Slow and sure: for the
//! pairs where the fast way cannot decide, and for checking it.

use glam::DVec3;

use super::prepared::Placed;

/// Closest points of a and b, both relative to the centre of a. Right for hulls that are apart; where they overlap,
/// one is found to touch the other's surface.
pub fn closest(a: &Placed, b: &Placed, d: DVec3) -> (DVec3, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    let mut consider = |p: DVec3, q: DVec3| {
        let distance = (q - p).length_squared();
        if distance < best.0 {
            best = (distance, p, q);
        }
    };
    for k in 0..b.hull.vertices.len() {
        let q = d + b.vertex(k);
        consider(on_surface(a, q), q);
    }
    for k in 0..a.hull.vertices.len() {
        let p = a.vertex(k);
        consider(p, d + on_surface(b, p - d));
    }
    for ea in &a.hull.edges {
        for eb in &b.hull.edges {
            let (p, q) = between_segments(
                (a.vertex(ea.start as usize), a.vertex(ea.end as usize)),
                (d + b.vertex(eb.start as usize), d + b.vertex(eb.end as usize)),
            );
            consider(p, q);
        }
    }
    (best.1, best.2)
}

/// The point of the surface closest to `x`, both relative to the centre.
pub fn on_surface(hull: &Placed, x: DVec3) -> DVec3 {
    let mut best = (f64::INFINITY, x);
    for f in 0..hull.normals.len() {
        let (distance, p) = on_face(hull, f, x);
        if distance < best.0 {
            best = (distance, p);
        }
    }
    best.1
}

/// The point of one face closest to `x` and the square of the distance.
pub fn on_face(hull: &Placed, face: usize, x: DVec3) -> (f64, DVec3) {
    let (n, corners) = (hull.normals[face], hull.hull.face_vertices.of(face));
    let mut inside = true;
    let mut best = (f64::INFINITY, x);
    for (k, &i) in corners.iter().enumerate() {
        let (u, v) = (hull.vertex(i as usize), hull.vertex(corners[(k + 1) % corners.len()] as usize));
        if n.dot((v - u).cross(x - u)) < 0.0 {
            inside = false;
        }
        let e = v - u;
        let t = ((x - u).dot(e) / e.length_squared()).clamp(0.0, 1.0);
        let p = u + t * e;
        let distance = (x - p).length_squared();
        if distance < best.0 {
            best = (distance, p);
        }
    }
    if inside {
        let h = n.dot(x) - hull.hull.offsets[face];
        best = (h * h, x - h * n);
    }
    best
}

/// Closest points of two segments.
pub fn between_segments((p, p2): (DVec3, DVec3), (q, q2): (DVec3, DVec3)) -> (DVec3, DVec3) {
    let (u, v, w) = (p2 - p, q2 - q, p - q);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let n = u.cross(v);
    let square = n.length_squared();
    // By cross products, not by dot products: those would lose all digits for segments that are almost parallel. If they
    // are parallel any point of the first will do, the clamping below finds its partner.
    let s = if square > 1e-30 * uu * vv { (v.cross(w).dot(n) / square).clamp(0.0, 1.0) } else { 0.0 };
    let t = ((uv * s + v.dot(w)) / vv).clamp(0.0, 1.0);
    // Where the second was clamped, the first moves to its closest point.
    let s = if t > 0.0 && t < 1.0 { s } else { ((uv * t - u.dot(w)) / uu).clamp(0.0, 1.0) };
    (p + s * u, q + t * v)
}
