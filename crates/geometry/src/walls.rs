//! The closest point of a wall to a grain's centre.
//!
//! Every wall is a surface without thickness that is touched from either side at its closest point: in the
//! middle of a disk or rectangle that is a face, near the rim it is the rim. Only a box is one-sided: its faces
//! are the inner sides of planes.

use glam::DVec3;
use rubblepile_core::{
    Surface, Wall,
    wall::{Motion, Pose},
};

/// A wall's surface seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Closest point of the surface.
    pub point: DVec3,
    /// Unit vector from the given point to the surface; for a point that lies on the surface, the surface's own
    /// normal.
    pub normal: DVec3,
    /// Distance to the surface; for a box, negative outside of that face.
    pub distance: f64,
}

/// Nearest point of one face of `surface` to `x`, both in the wall's frame.
pub fn nearest(surface: &Surface, face: u32, x: DVec3) -> Near {
    match *surface {
        Surface::Plane { point, normal } => {
            let h = (x - point).dot(normal);
            from_point(x, x - h * normal, normal)
        }
        Surface::Disk { centre, normal, radius, hole } => {
            let d = x - centre;
            let h = d.dot(normal);
            let flat = d - h * normal;
            let r = flat.length();
            let clamped = r.clamp(hole, radius);
            from_point(x, centre + clamped * outwards(flat, normal), normal)
        }
        Surface::Rectangle { centre, half_u, half_v } => {
            let d = x - centre;
            let part = |h: DVec3| (d.dot(h) / h.length_squared()).clamp(-1.0, 1.0) * h;
            from_point(x, centre + part(half_u) + part(half_v), half_u.cross(half_v).normalize())
        }
        Surface::Box { min, max } => {
            let axis = (face / 2) as usize;
            let mut normal = DVec3::ZERO;
            let mut point = x;
            let distance;
            if face.is_multiple_of(2) {
                normal[axis] = -1.0;
                distance = x[axis] - min[axis];
                point[axis] = min[axis];
            } else {
                normal[axis] = 1.0;
                distance = max[axis] - x[axis];
                point[axis] = max[axis];
            }
            Near { point, normal, distance }
        }
        Surface::Cylinder { centre, axis, radius, length } => {
            let d = x - centre;
            let along = d.dot(axis);
            let flat = d - along * axis;
            let out = outwards(flat, axis);
            let along = match length {
                Some(l) => along.clamp(-0.5 * l, 0.5 * l),
                None => along,
            };
            from_point(x, centre + along * axis + radius * out, -out)
        }
    }
}

/// Unit vector at right angles to an axis in the direction of `flat`, which is so already but for rounding. Within rounding of
/// the axis nothing is left of a direction, and all are as near: take any.
fn outwards(flat: DVec3, axis: DVec3) -> DVec3 {
    let u = flat.normalize_or_zero();
    let u = u - u.dot(axis) * axis;
    if u.length_squared() > 0.5 { u.normalize() } else { axis.any_orthonormal_vector() }
}

fn from_point(x: DVec3, point: DVec3, surface_normal: DVec3) -> Near {
    let d = point - x;
    let distance = d.length();
    let normal = if distance > 0.0 { d / distance } else { -surface_normal };
    Near { point, normal, distance }
}

/// As [`nearest`], in the world frame, with the wall at `pose`.
pub fn nearest_at(surface: &Surface, face: u32, pose: &Pose, x: DVec3) -> Near {
    let near = nearest(surface, face, pose.to_local(x));
    Near { point: pose.to_world(near.point), normal: pose.rotation * near.normal, distance: near.distance }
}

/// Whether turning as `motion` says leaves the surface where it is.
pub fn keeps_its_place(wall: &Wall) -> bool {
    match wall.motion {
        Motion::None => true,
        Motion::Translation { velocity } => velocity == DVec3::ZERO,
        Motion::Oscillation { amplitude, .. } => amplitude == DVec3::ZERO,
        Motion::Reciprocal { size, rate } => size == DVec3::ZERO || rate == 0.0,
        Motion::Rotation { centre, axis, .. } => {
            let own = wall.surface.axis();
            let parallel = axis.cross(own).length() < 1e-12;
            let d = centre - wall.surface.centre();
            let on_axis = (d - d.dot(own) * own).length() <= 1e-12 * (1.0 + d.length());
            match wall.surface {
                Surface::Plane { .. } => parallel,
                Surface::Disk { .. } | Surface::Cylinder { .. } => parallel && on_axis,
                Surface::Rectangle { .. } | Surface::Box { .. } => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    fn surfaces() -> Vec<Surface> {
        let n = DVec3::new(1.0, 2.0, -0.5).normalize();
        let u = n.any_orthonormal_vector();
        let centre = DVec3::new(0.3, -0.2, 0.1);
        vec![
            Surface::Plane { point: centre, normal: n },
            Surface::Disk { centre, normal: n, radius: 1.3, hole: 0.0 },
            Surface::Disk { centre, normal: n, radius: 1.3, hole: 0.4 },
            Surface::Rectangle { centre, half_u: 0.8 * u, half_v: 1.7 * n.cross(u) },
            Surface::Cylinder { centre, axis: n, radius: 0.9, length: None },
            Surface::Cylinder { centre, axis: n, radius: 0.9, length: Some(1.1) },
        ]
    }

    /// A point of the surface, at random.
    fn sample(surface: &Surface, rng: &mut Rng) -> DVec3 {
        let angle = rng.range(0.0, std::f64::consts::TAU);
        let round = |axis: DVec3| {
            let a = axis.any_orthonormal_vector();
            angle.cos() * a + angle.sin() * axis.cross(a)
        };
        match *surface {
            Surface::Plane { point, normal } => point + rng.range(0.0, 5.0) * round(normal),
            Surface::Disk { centre, normal, radius, hole } => {
                centre + rng.range(hole, radius) * round(normal)
            }
            Surface::Rectangle { centre, half_u, half_v } => {
                centre + rng.range(-1.0, 1.0) * half_u + rng.range(-1.0, 1.0) * half_v
            }
            Surface::Cylinder { centre, axis, radius, length } => {
                let l = length.unwrap_or(8.0);
                centre + rng.range(-0.5, 0.5) * l * axis + radius * round(axis)
            }
            Surface::Box { .. } => unreachable!(),
        }
    }

    #[test]
    fn no_sampled_point_is_nearer_than_the_nearest() {
        let mut rng = Rng::new(5);
        for surface in surfaces() {
            for _ in 0..200 {
                let x = DVec3::new(rng.normal(), rng.normal(), rng.normal());
                let near = nearest(&surface, 0, x);
                assert!((near.normal.length() - 1.0).abs() < 1e-12);
                assert!((x + near.distance * near.normal - near.point).length() < 1e-12);
                for _ in 0..50 {
                    let p = sample(&surface, &mut rng);
                    assert!((p - x).length() >= near.distance - 1e-12, "{surface:?} from {x}");
                }
                // The nearest point lies on the surface: it is its own nearest point.
                assert!(nearest(&surface, 0, near.point).distance < 1e-12);
            }
        }
    }

    #[test]
    fn a_box_has_six_inner_faces() {
        let surface = Surface::Box { min: DVec3::ZERO, max: DVec3::splat(2.0) };
        let x = DVec3::new(0.5, 1.0, 1.75);
        let d: Vec<f64> = (0..6).map(|f| nearest(&surface, f, x).distance).collect();
        assert_eq!(d, [0.5, 1.5, 1.0, 1.0, 1.75, 0.25]);
        assert_eq!(nearest(&surface, 5, DVec3::new(1.0, 1.0, 2.5)).distance, -0.5);
        assert_eq!(nearest(&surface, 0, x).normal, -DVec3::X);
    }

    #[test]
    fn points_on_surface_and_axis_have_finite_normals() {
        for surface in surfaces() {
            let on = nearest(&surface, 0, surface.centre());
            assert!(on.normal.is_finite() && (on.normal.length() - 1.0).abs() < 1e-12);
        }
    }
}
