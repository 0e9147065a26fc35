//! Closest points of walls.

use super::*;
use crate::Rng;
use glam::DVec3;

fn surfaces() -> Vec<Surface> {
    let n = DVec3::new(1.0, 2.0, -0.5).normalize();
    let u = n.any_orthonormal_vector();
    let centre = DVec3::new(0.3, -0.2, 0.1);
    vec![
        Surface::Plane(Plane { point: centre, normal: n }),
        Surface::Disk(Disk { centre, normal: n, radius: 1.3, hole: 0.0 }),
        Surface::Disk(Disk { centre, normal: n, radius: 1.3, hole: 0.4 }),
        Surface::Rectangle(Rectangle { centre, half_u: 0.8 * u, half_v: 1.7 * n.cross(u) }),
        Surface::Cylinder(Cylinder { centre, axis: n, radius: 0.9, length: None }),
        Surface::Cylinder(Cylinder { centre, axis: n, radius: 0.9, length: Some(1.1) }),
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
        Surface::Plane(Plane { point, normal }) => point + rng.range(0.0, 5.0) * round(normal),
        Surface::Disk(Disk { centre, normal, radius, hole }) => {
            centre + rng.range(hole, radius) * round(normal)
        }
        Surface::Rectangle(Rectangle { centre, half_u, half_v }) => {
            centre + rng.range(-1.0, 1.0) * half_u + rng.range(-1.0, 1.0) * half_v
        }
        Surface::Cylinder(Cylinder { centre, axis, radius, length }) => {
            let l = length.unwrap_or(8.0);
            centre + rng.range(-0.5, 0.5) * l * axis + radius * round(axis)
        }
        _ => unreachable!(),
    }
}

#[test]
fn no_sampled_point_is_nearer_than_the_nearest() {
    let mut rng = Rng::new(5);
    for surface in surfaces() {
        for _ in 0..200 {
            let x = DVec3::new(rng.normal(), rng.normal(), rng.normal());
            let near = surface.nearest(0, x);
            assert!((near.normal.length() - 1.0).abs() < 1e-12);
            assert!((x + near.distance * near.normal - near.point).length() < 1e-12);
            for _ in 0..50 {
                let p = sample(&surface, &mut rng);
                assert!((p - x).length() >= near.distance - 1e-12, "{surface:?} from {x}");
            }
            // The nearest point lies on the surface: it is its own nearest point.
            assert!(surface.nearest(0, near.point).distance < 1e-12);
        }
    }
}

#[test]
fn a_box_has_six_inner_faces() {
    let surface = Surface::Box(Cuboid { min: DVec3::ZERO, max: DVec3::splat(2.0) });
    let x = DVec3::new(0.5, 1.0, 1.75);
    let d: Vec<f64> = (0..6).map(|f| surface.nearest(f, x).distance).collect();
    assert_eq!(d, [0.5, 1.5, 1.0, 1.0, 1.75, 0.25]);
    assert_eq!(surface.nearest(5, DVec3::new(1.0, 1.0, 2.5)).distance, -0.5);
    assert_eq!(surface.nearest(0, x).normal, -DVec3::X);
}

#[test]
fn points_on_surface_and_axis_have_finite_normals() {
    for surface in surfaces() {
        let on = surface.nearest(0, surface.centre());
        assert!(on.normal.is_finite() && (on.normal.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_reciprocal_motion_keeps_the_area_of_a_box_and_knows_its_velocity() {
    let plane = Plane { point: DVec3::new(0.0, 3.0, 0.0), normal: -DVec3::Y };
    let mut lid = Wall::new(0, "lid", 0, plane);
    lid.set_motion(WallMotion::Translation { velocity: DVec3::new(0.0, -0.5, 0.0) }, 0.0);
    // Two seconds down, then as a box of width 5 grows by a tenth of it in a second.
    lid.set_motion(WallMotion::Reciprocal { size: DVec3::new(0.0, 2.0, 0.0), rate: 0.1 }, 2.0);
    let height = |t: f64| lid.pose(t).to_world(DVec3::new(0.0, 3.0, 0.0)).y;
    for t in [2.0, 3.5, 20.0] {
        let width = 5.0 * (1.0 + 0.1 * (t - 2.0));
        assert!((width * height(t) - 10.0).abs() < 1e-12, "{t}");
        let slope = (height(t + 1e-6) - height(t - 1e-6)) / 2e-6;
        assert!((slope - lid.pose(t).velocity.y).abs() < 1e-9, "{t}");
    }
    // Another motion begins where it is.
    let before = height(7.0);
    lid.set_motion(WallMotion::None, 7.0);
    assert_eq!(lid.pose(9.0).to_world(DVec3::new(0.0, 3.0, 0.0)).y, before);
}

#[test]
fn distances_to_walls() {
    let x = DVec3::new(3.0, 0.0, 4.0);
    let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    assert_eq!(plane.distance(-x), 4.0);
    let disk = Surface::Disk(Disk { centre: DVec3::ZERO, normal: DVec3::Z, radius: 3.0, hole: 1.0 });
    assert_eq!(disk.distance(x), 4.0);
    assert!((disk.distance(DVec3::Z) - 2f64.sqrt()).abs() < 1e-15);
    let rectangle = Surface::Rectangle(Rectangle { centre: DVec3::ZERO, half_u: DVec3::X, half_v: DVec3::Y });
    assert!((rectangle.distance(x) - 20f64.sqrt()).abs() < 1e-15);
    let cylinder =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: 1.0, length: Some(2.0) });
    assert!((cylinder.distance(x) - 13f64.sqrt()).abs() < 1e-15);
    let inside = Surface::Box(Cuboid { min: DVec3::splat(-5.0), max: DVec3::splat(5.0) });
    assert_eq!(inside.distance(x), 1.0);
    assert_eq!(inside.distance(2.0 * x), -3.0);
}
