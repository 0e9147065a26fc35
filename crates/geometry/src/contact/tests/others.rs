//! Hulls with spheres and with walls.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Rng, Surface, Wall,
    wall::{Cuboid, Cylinder, Disk, Plane, Pose, Rectangle},
};

use super::{MANY, hull, outside, shape, turn};
use crate::{contact::*, solid::block};

fn manifold(touch: Proximity) -> Manifold {
    let Proximity::Near(m) = touch else { panic!("{touch:?}") };
    assert!((m.normal.length() - 1.0).abs() < 1e-12 && !m.points.is_empty());
    m
}

fn at_rest(surface: Surface) -> Pose {
    Wall::new(0, "", 0, surface).pose(0.0)
}

#[test]
fn spheres_agree_with_all_faces_tried() {
    let mut rng = Rng::new(31);
    for k in 0..1500 * MANY {
        let a = Placed::new(hull(&shape(k, &mut rng)), DVec3::splat(3.0), turn(&mut rng));
        let radius = 10f64.powf(rng.range(-2.0, 1.0));
        let mut centre = a.centre + (a.hull.radius + radius) * rng.range(0.0, 1.02) * rng.direction();
        match k % 6 {
            0 => centre = a.centre + a.vertex(k % a.hull.vertices.len()),
            1 => centre = a.centre + 0.5 * (a.vertex(0) + a.vertex(k % a.hull.vertices.len())),
            2 => centre = a.centre + rng.range(0.0, 1.5) * a.vertex(k % a.hull.vertices.len()),
            3 => {
                let f = k % a.normals.len();
                let on = a.vertex(a.hull.face_vertices.of(f)[0] as usize) * rng.range(0.9, 1.0);
                centre = a.centre + on + rng.range(0.0, radius) * a.normals[f];
            }
            _ => {}
        }
        let (x, margin) = (centre - a.centre, 0.02);
        let out = outside(&a, centre);
        let exact = if out > 0.0 { (plain::on_surface(&a, x) - x).length() } else { out } - radius;
        match hull_sphere(&a, centre, radius, margin) {
            Proximity::Apart(bound) => assert!(bound > margin && bound <= exact + 1e-12),
            touch => {
                let m = manifold(touch);
                let p = m.points[0];
                assert!((p.gap - exact).abs() < 1e-11 && exact <= margin + 1e-12);
                assert!(m.points.len() == 1 && p.normal == m.normal);
                assert!(outside(&a, p.position - 0.5 * p.gap * p.normal).abs() < 1e-9);
                let from_centre = (p.position + 0.5 * p.gap * p.normal - centre).length();
                assert!((from_centre - radius).abs() < 1e-9);
                assert!(m.normal.dot(p.position - centre) < 1e-9 || p.gap < -radius, "points to the sphere");
            }
        }
    }
}

#[test]
fn planes_and_boxes_touch_the_lowest_vertices() {
    let mut rng = Rng::new(32);
    for k in 0..300 * MANY {
        let pose = Pose { translation: rng.direction(), rotation: turn(&mut rng), ..at_rest(plane(0.0)) };
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let up = pose.rotation * DVec3::Z;
        let mut a = Placed::new(hull(&shape(k, &mut rng)), DVec3::ZERO, turn(&mut rng));
        let lowest =
            (0..a.hull.vertices.len()).map(|v| side * up.dot(a.vertex(v))).fold(f64::INFINITY, f64::min);
        let gap = rng.range(-0.02, 0.01);
        a.centre = pose.translation + side * (gap - lowest) * up + pose.rotation * (3.0 * DVec3::X);
        let m = manifold(hull_wall(&a, &PlacedWall::new(&plane(0.0), 0, &pose), 0.01));
        assert!((m.normal + side * up).length() < 1e-12);
        assert!((m.points[0].gap - gap).abs() < 1e-12);
        for p in m.points.iter() {
            let on_a = p.position - 0.5 * p.gap * p.normal;
            let v = a.vertex(p.feature as usize) + a.centre;
            assert!((on_a - v).length() < 1e-12 && p.gap <= 0.01);
            assert!(up.dot(p.position + 0.5 * p.gap * p.normal - pose.translation).abs() < 1e-12);
        }
    }
    let room = Surface::Box(Cuboid { min: DVec3::ZERO, max: DVec3::splat(4.0) });
    let a = Placed::new(hull(&block(DVec3::ONE)), DVec3::new(0.49, 2.0, 3.6), DQuat::IDENTITY);
    let gaps = [-0.01, 3.01, 1.5, 1.5, 3.1, -0.1];
    for (face, gap) in gaps.into_iter().enumerate() {
        match hull_wall(&a, &PlacedWall::new(&room, face as u32, &at_rest(room)), 0.01) {
            Proximity::Apart(bound) => assert!((bound - gap).abs() < 1e-12 && gap > 0.01),
            Proximity::Near(m) => {
                assert!(m.points.len() == 4 && m.points.iter().all(|p| (p.gap - gap).abs() < 1e-12));
            }
        }
    }
}

fn plane(height: f64) -> Surface {
    Surface::Plane(Plane { point: height * DVec3::Z, normal: DVec3::Z })
}

/// A rectangle is a box that is very thin.
#[test]
fn rectangles_agree_with_thin_boxes() {
    let mut rng = Rng::new(33);
    let surface =
        Surface::Rectangle(Rectangle { centre: DVec3::ZERO, half_u: 1.5 * DVec3::X, half_v: 0.8 * DVec3::Y });
    let thin = 1e-5;
    let slab = hull(&block(DVec3::new(3.0, 1.6, thin)));
    let mut near = 0;
    for k in 0..2000 * MANY {
        let pose = Pose { translation: rng.direction(), rotation: turn(&mut rng), ..at_rest(surface) };
        let wall = PlacedWall::new(&surface, 0, &pose);
        let slab = Placed::new(slab.clone(), pose.translation, pose.rotation);
        let x = DVec3::new(rng.range(-2.5, 2.5), rng.range(-1.8, 1.8), rng.range(-1.0, 1.0));
        let a = Placed::new(hull(&shape(k, &mut rng)), pose.to_world(x), turn(&mut rng));
        match (hull_wall(&a, &wall, 0.05), hulls(&a, &slab, 0.05)) {
            (Proximity::Near(m), Proximity::Near(n)) => {
                near += 1;
                // Where all of it is over the middle, the wall takes the side of the centre rather than the nearer one.
                let depth = (m.points[0].gap, n.points[0].gap);
                let same = (depth.0 - depth.1).abs() < 4.0 * thin;
                let through = (m.normal.dot(pose.rotation * DVec3::Z).abs() - 1.0).abs() < 1e-12;
                assert!(same || (through && depth.0 < -0.1), "{depth:?}");
            }
            (Proximity::Apart(bound), _) => {
                let (p, q) = plain::closest(&a, &slab, slab.centre - a.centre);
                assert!(bound <= (p - q).length() + 2.0 * thin && bound > 0.05);
            }
            (m, n) => assert!(matches!(n, Proximity::Apart(b) if b < 0.05 + 2.0 * thin), "{m:?} {n:?}"),
        }
    }
    assert!(near > 500);
}

#[test]
fn disks_hold_what_is_over_them_and_their_rims() {
    let cube = hull(&block(DVec3::ONE));
    let disk = |hole| Surface::Disk(Disk { centre: DVec3::ZERO, normal: DVec3::Z, radius: 2.0, hole });
    let touch = |x: DVec3, hole| {
        let a = Placed::new(cube.clone(), x, DQuat::IDENTITY);
        hull_wall(&a, &PlacedWall::new(&disk(hole), 0, &at_rest(disk(hole))), 0.01)
    };
    let over = manifold(touch(DVec3::new(0.3, 0.2, 0.501), 0.0));
    assert!(over.points.len() == 4 && over.points.iter().all(|p| (p.gap - 1e-3).abs() < 1e-12));
    // Half over the rim: no point beyond it.
    let rim = manifold(touch(DVec3::new(2.0, 0.0, -0.499), 0.0));
    assert!((rim.normal - DVec3::Z).length() < 1e-12 && (rim.points[0].gap + 1e-3).abs() < 1e-12);
    assert!(
        rim.points.len() >= 3 && rim.points.iter().all(|p| p.position.truncate().length() < 2.0 + 1e-9),
        "{rim:?}"
    );
    // Its side against the rim.
    let edge = manifold(touch(DVec3::new(2.505, 0.0, 0.1), 0.0));
    assert!((edge.normal + DVec3::X).length() < 1e-9 && (edge.points[0].gap - 5e-3).abs() < 2e-3 * 2.0);
    assert!(matches!(touch(DVec3::new(2.7, 0.0, 0.1), 0.0), Proximity::Apart(_)));
    // In the hole, and over the ring.
    assert!(matches!(touch(DVec3::new(0.0, 0.0, 0.4), 0.9), Proximity::Apart(_)));
    assert!(matches!(touch(DVec3::new(1.2, 0.0, 0.501), 0.3), Proximity::Near(_)));
}

#[test]
fn cylinders_are_touched_from_inside_and_outside() {
    let mut rng = Rng::new(35);
    for k in 0..400 * MANY {
        let axis = rng.direction();
        let (radius, margin) = (3.0, 0.05);
        let length = (k % 3 == 0).then_some(40.0);
        let surface = Surface::Cylinder(Cylinder { centre: rng.direction(), axis, radius, length });
        let wall = PlacedWall::new(&surface, 0, &at_rest(surface));
        let (out, along) = (axis.any_orthonormal_vector(), rng.range(-3.0, 3.0));
        let foot = surface.centre() + along * axis;
        let a = Placed::new(hull(&shape(k, &mut rng)), foot + rng.range(1.5, 4.5) * out, turn(&mut rng));
        let radial = |x: DVec3| (x - foot).reject_from_normalized(axis).length();
        let inside = radial(a.centre) < radius;
        let exact = if inside {
            let far = (0..a.hull.vertices.len()).map(|v| radial(a.centre + a.vertex(v))).fold(0.0, f64::max);
            radius - far
        } else {
            // The distance of the hull to points of the axis is convex along it.
            let (mut low, mut high) = (-5.0, 5.0);
            let off = |t: f64| {
                let x = foot + t * axis - a.centre;
                (plain::on_surface(&a, x) - x).length()
            };
            for _ in 0..120 {
                let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if off(s) < off(t) { high = t } else { low = s }
            }
            off(0.5 * (low + high)) - radius
        };
        match hull_wall(&a, &wall, margin) {
            Proximity::Apart(bound) => assert!(bound > margin && bound <= exact + 1e-9),
            touch => {
                let m = manifold(touch);
                assert!((m.points[0].gap - exact).abs() < 1e-7, "{inside} {} {exact}", m.points[0].gap);
                for p in m.points.iter() {
                    let (on_a, on_wall) =
                        (p.position - 0.5 * p.gap * p.normal, p.position + 0.5 * p.gap * p.normal);
                    assert!(outside(&a, on_a).abs() < 1e-8);
                    assert!((radial(on_wall) - radius).abs() < 1e-2);
                    assert!(p.normal.dot(on_wall - foot) * if inside { 1.0 } else { -1.0 } > 0.0);
                }
            }
        }
    }
    // A box lying along a cylinder rests on two points.
    let surface =
        Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::X, radius: 2.0, length: None });
    let a = Placed::new(hull(&block(DVec3::ONE)), DVec3::new(9.0, 0.0, 2.501), DQuat::IDENTITY);
    let m = manifold(hull_wall(&a, &PlacedWall::new(&surface, 0, &at_rest(surface)), 0.01));
    assert!(m.points.len() == 2 && m.points.iter().all(|p| (p.gap - 1e-3).abs() < 1e-12));
}

#[test]
fn numbers_that_are_not_finite_end_and_do_not_panic() {
    let cube = hull(&block(DVec3::ONE));
    let good = Placed::new(cube.clone(), DVec3::ZERO, DQuat::IDENTITY);
    for x in [f64::NAN, f64::INFINITY, 1e300, f64::MIN_POSITIVE] {
        let (v, q) = (DVec3::new(x, 0.0, 0.1), DQuat::from_xyzw(x, 0.0, 0.0, 1.0));
        let bad = [Placed::new(cube.clone(), v, DQuat::IDENTITY), Placed::new(cube.clone(), v, q)];
        for b in &bad {
            for margin in [0.01, -1.0, x] {
                let _ = (hulls(&good, b, margin), hulls(b, &good, margin), hulls(b, b, margin));
                let _ = (hull_sphere(b, DVec3::ZERO, 1.0, margin), hull_sphere(&good, v, x, margin));
                for surface in [plane(x), Surface::Box(Cuboid { min: v, max: DVec3::ONE })] {
                    let _ = hull_wall(b, &PlacedWall::new(&surface, 0, &at_rest(surface)), margin);
                }
                let round =
                    Surface::Cylinder(Cylinder { centre: v, axis: DVec3::Z, radius: x, length: Some(x) });
                let disk = Surface::Disk(Disk { centre: v, normal: DVec3::Z, radius: x, hole: 0.0 });
                for surface in [round, disk] {
                    let _ = hull_wall(&good, &PlacedWall::new(&surface, 0, &at_rest(surface)), margin);
                    let _ = hull_wall(b, &PlacedWall::new(&surface, 0, &at_rest(surface)), margin);
                }
            }
        }
    }
}
