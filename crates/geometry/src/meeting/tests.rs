//! Times of meeting against a march along the path in small steps.

use glam::DVec3;
use rubblepile_core::{
    Surface,
    wall::{Cylinder, Disk, Plane},
};

use super::*;

#[test]
fn a_sphere_on_the_axis_of_a_ring_meets_all_of_it_at_once() {
    // Two metres above a ring of 0.6 m, radius 1 m: the centre stops 0.8 m above it.
    let path = Path {
        position: 2.0 * DVec3::Z,
        velocity: -DVec3::Z,
        acceleration: DVec3::ZERO,
        radius: 1.0,
        within: 10.0,
    };
    let t = ring(&path, DVec3::Z, 0.6).expect("a touch");
    assert!((t - 1.2).abs() < 1e-12, "{t}");
    // A smaller one falls through.
    assert_eq!(ring(&Path { radius: 0.5, ..path }, DVec3::Z, 0.6), None);
}

#[test]
fn what_touches_meets_at_once_if_it_comes_nearer_and_not_if_it_leaves() {
    let path = Path {
        position: DVec3::new(0.0, 0.0, 1.0),
        velocity: -DVec3::Z,
        acceleration: DVec3::ZERO,
        radius: 1.0,
        within: 1.0,
    };
    let away = Path { velocity: DVec3::Z, ..path };
    let beside = Path { velocity: DVec3::X, ..path };
    for (surface, can_slide) in [
        (Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }), true),
        (Surface::Disk(Disk { centre: DVec3::ZERO, normal: DVec3::Z, radius: 3.0, hole: 0.0 }), true),
        (
            Surface::Cylinder(Cylinder {
                centre: DVec3::new(0.0, 0.0, 5.0),
                axis: DVec3::X,
                radius: 5.0,
                length: None,
            }),
            true,
        ),
        (
            Surface::Cylinder(Cylinder {
                centre: DVec3::ZERO,
                axis: DVec3::X,
                radius: 0.0,
                length: Some(0.0),
            }),
            true,
        ),
    ] {
        assert_eq!(first_touch(&surface, &path).map(|t| t.0), Some(0.0), "{surface:?}");
        assert_eq!(first_touch(&surface, &away), None, "{surface:?}");
        assert!(!can_slide || first_touch(&surface, &beside).is_none(), "{surface:?}");
    }
}
