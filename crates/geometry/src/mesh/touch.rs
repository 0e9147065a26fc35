//! How a sphere touches one triangle of a surface: eq. (6) of asteroid-surface-2024.
//!
//! The plane of the triangle cuts the sphere in a circle, and the triangle has a share of that circle's area. Forces of all
//! triangles that a sphere touches are added up by these shares: on a plane the shares sum to 1 however it is cut into
//! triangles, and a triangle comes in with no share and goes out with none, so that the sum does not jump at edges.
//! Sharp ridges and spikes push less than their overlap would have it, because less of the circle is theirs: the method's
//! own limit.

use glam::{DVec2, DVec3};

/// A sphere at a triangle that faces it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetTouch {
    /// Unit normal of the triangle, outwards.
    pub normal: DVec3,
    /// Distance of the centre from the plane, and the foot of its perpendicular: where the force acts.
    pub distance: f64,
    pub foot: DVec3,
    /// S_P / S_O of eq. (6), above 0 and up to 1.
    pub share: f64,
    /// How deep the triangle is in the sphere, m: less than the distance says where the foot is beside the triangle. Next to
    /// corners, at most this.
    pub depth: f64,
}

/// How a sphere touches a triangle from outside; `None`: it does not.
pub fn touch([a, b, c]: [DVec3; 3], centre: DVec3, radius: f64) -> Option<FacetTouch> {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let distance = (centre - a).dot(normal);
    // From behind, or not at all.
    if !(distance >= 0.0 && distance < radius) {
        return None;
    }
    let foot = centre - distance * normal;
    let circle = ((radius - distance) * (radius + distance)).sqrt();
    // In the plane, seen from the foot.
    let along = (b - a).normalize_or_zero();
    let across = normal.cross(along);
    let flat = |x: DVec3| DVec2::new((x - foot).dot(along), (x - foot).dot(across));
    let corners = [flat(a), flat(b), flat(c)];
    // How far the foot is to the left of each side.
    let left: [f64; 3] = std::array::from_fn(|k| {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        p.perp_dot(q) / (q - p).length()
    });
    if left.iter().any(|d| *d <= -circle) {
        return None;
    }
    let beside = left.iter().fold(0.0, |far: f64, d| far.max(-d));
    let share = if left.iter().all(|d| *d >= circle) {
        1.0
    } else {
        let area: f64 = (0..3).map(|k| wedge(corners[k], corners[(k + 1) % 3], circle)).sum();
        (area / (std::f64::consts::PI * circle * circle)).min(1.0)
    };
    (share > 0.0).then_some(FacetTouch {
        normal,
        distance,
        foot,
        share,
        depth: radius - distance.hypot(beside),
    })
}

/// Area of the part of the triangle of the origin, `p` and `q` that is inside a circle about the origin; negative where
/// it is gone round with the clock.
fn wedge(p: DVec2, q: DVec2, radius: f64) -> f64 {
    let sector = |u: DVec2, v: DVec2| 0.5 * radius * radius * u.perp_dot(v).atan2(u.dot(v));
    let way = q - p;
    let (square, half_b) = (way.length_squared(), p.dot(way));
    let under = half_b * half_b - square * (p.length_squared() - radius * radius);
    if under <= 0.0 || square == 0.0 {
        return sector(p, q);
    }
    // Where the line through both enters and leaves the circle.
    let root = under.sqrt();
    let (enter, leave) = ((-half_b - root) / square, (-half_b + root) / square);
    if enter >= 1.0 || leave <= 0.0 {
        return sector(p, q);
    }
    let first = if enter > 0.0 { p + enter * way } else { p };
    let last = if leave < 1.0 { p + leave * way } else { q };
    let before = if enter > 0.0 { sector(p, first) } else { 0.0 };
    let after = if leave < 1.0 { sector(last, q) } else { 0.0 };
    before + 0.5 * first.perp_dot(last) + after
}

#[cfg(test)]
mod tests {
    use rubblepile_core::Rng;

    use super::*;

    #[test]
    fn shares_are_areas() {
        let mut rng = Rng::new(4);
        for _ in 0..200 {
            let corners: [DVec3; 3] =
                std::array::from_fn(|_| DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0));
            let corners = if (corners[1] - corners[0]).cross(corners[2] - corners[0]).z > 0.0 {
                corners
            } else {
                [corners[0], corners[2], corners[1]]
            };
            let (distance, radius) = (rng.range(0.0, 1.0), 1.0);
            let found = touch(corners, DVec3::new(0.0, 0.0, distance), radius).map_or(0.0, |t| t.share);
            // Points evenly over the circle.
            let circle = (radius * radius - distance * distance).sqrt();
            let (mut hits, n) = (0, 40_000);
            for k in 0..n {
                let (r, angle) =
                    (circle * ((f64::from(k) + 0.5) / f64::from(n)).sqrt(), 2.399963229728653 * f64::from(k));
                let x = DVec3::new(r * angle.cos(), r * angle.sin(), 0.0);
                let left = |p: DVec3, q: DVec3| (q - p).cross(x - p).z > 0.0;
                let [a, b, c] = corners;
                hits += i32::from(left(a, b) && left(b, c) && left(c, a));
            }
            let expected = f64::from(hits) / f64::from(n);
            assert!((found - expected).abs() < 2e-3, "{found} {expected}");
        }
    }

    #[test]
    fn a_plane_cut_into_triangles_is_a_plane() {
        let mut rng = Rng::new(8);
        let (n, side) = (12, 0.17);
        let at = |i: i32, j: i32| DVec3::new(side * f64::from(i), side * f64::from(j), 0.0);
        for _ in 0..500 {
            let middle = 0.5 * side * f64::from(n);
            let x =
                DVec3::new(middle + rng.range(-0.2, 0.2), middle + rng.range(-0.2, 0.2), rng.range(0.1, 0.5));
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                    for t in [[a, b, c], [a, c, d]] {
                        sum += touch(t, x, 0.5).map_or(0.0, |t| t.share);
                    }
                }
            }
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn from_behind_and_from_afar_there_is_no_touch() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let inside = DVec3::new(0.2, 0.2, 0.0);
        assert_eq!(touch(corners, inside - 0.1 * DVec3::Z, 0.5), None);
        assert_eq!(touch(corners, inside + 0.5 * DVec3::Z, 0.5), None);
        assert_eq!(touch(corners, DVec3::new(-0.5, 0.5, 0.0), 0.5), None);
        let near = touch(corners, inside + 0.19 * DVec3::Z, 0.2).expect("it touches");
        assert_eq!((near.share, near.normal), (1.0, DVec3::Z));
        assert!((near.depth - 0.01).abs() < 1e-15);
        // No area, no touch.
        assert_eq!(touch([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], inside, 0.5), None);
    }
}
