//! A hull and a sphere: one point.

use glam::DVec3;

use super::{Manifold, ManifoldPoints, Placed, Point, Proximity, plain::on_face};

/// Contact of a hull with a sphere whose surfaces are at most `margin` apart.
pub fn hull_sphere(a: &Placed, centre: DVec3, radius: f64, margin: f64) -> Proximity {
    let x = centre - a.centre;
    let between = x.length() - a.hull.radius - radius;
    if between > margin {
        return Proximity::Apart(between);
    }
    let height = |f: usize| a.normals[f].dot(x) - a.hull.offsets[f];
    let (mut top, mut face) = (f64::NEG_INFINITY, 0);
    for f in 0..a.normals.len() {
        let h = height(f);
        if h > top {
            (top, face) = (h, f);
        }
    }
    if top - radius > margin {
        return Proximity::Apart(top - radius);
    }
    let from_face = |h: f64| (a.normals[face], h - radius, x - h * a.normals[face]);
    // Inside, the nearest plane is the nearest surface. From so near that the direction would be rounding, it says
    // the direction as well.
    let (normal, gap, on_a) = if top <= 1e-9 * a.hull.radius {
        from_face(top)
    } else {
        let (mut best, mut point) = on_face(a, face, x);
        // No plane is farther away than the one that is farthest: over its own face that is the answer.
        if best <= top * top * (1.0 + 1e-14) {
            from_face(top)
        } else {
            for f in (0..a.normals.len()).filter(|&f| f != face && height(f) > 0.0) {
                let (square, p) = on_face(a, f, x);
                if square < best {
                    (best, point) = (square, p);
                }
            }
            let distance = (x - point).length();
            ((x - point) / distance, distance - radius, point)
        }
    };
    if gap > margin {
        return Proximity::Apart(gap);
    }
    let mut points = ManifoldPoints::default();
    points.push(Point { position: a.centre + on_a + 0.5 * gap * normal, gap, normal, feature: 0 });
    Proximity::Near(Manifold { normal, points })
}
