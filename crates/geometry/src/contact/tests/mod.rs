//! The fast way against all features tried one by one, and configurations that break such code.

mod others;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Convex, Rng, Solid};

use super::*;
use crate::solid::{block, overlap, random_boulder, random_polyhedron, scaled};

/// More where the code is optimised.
const MANY: usize = if cfg!(debug_assertions) { 1 } else { 12 };

fn hull(solid: &Solid) -> Arc<Hull> {
    Arc::new(Hull::new(&solid.parts[0]).unwrap())
}

fn turn(rng: &mut Rng) -> DQuat {
    DQuat::from_axis_angle(rng.direction(), rng.range(0.0, std::f64::consts::TAU))
}

/// The hull as it lies, relative to `origin`.
fn lying(p: &Placed, origin: DVec3) -> Convex {
    let n = p.hull.vertices.len();
    let vertices = (0..n).map(|k| p.centre - origin + p.vertex(k)).collect();
    let faces = (0..p.hull.normals.len()).map(|f| p.hull.face_vertices.of(f).to_vec()).collect();
    Convex { vertices, faces }
}

/// How far a point is outside of a hull's planes: 0 on the surface.
fn outside(p: &Placed, x: DVec3) -> f64 {
    let heights = (0..p.normals.len()).map(|f| p.normals[f].dot(x - p.centre) - p.hull.offsets[f]);
    heights.fold(f64::NEG_INFINITY, f64::max)
}

/// Checks a pair against the slow way; says how many points there are (none: apart).
fn check(a: &Placed, b: &Placed, margin: f64) -> usize {
    let scale = a.hull.radius + b.hull.radius;
    let (d, tolerance) = (b.centre - a.centre, 1e-9 * scale);
    let (world_a, world_b) = (lying(a, a.centre), lying(b, a.centre));
    let (separation, _) = overlap::separation(&world_a, &world_b);
    let (p, q) = plain::closest(a, b, d);
    let exact = if separation > 0.0 { (q - p).length() } else { separation };
    let touch = hulls(a, b, margin);
    let swapped = hulls(b, a, margin);
    match touch {
        Proximity::Apart(bound) => {
            assert!(bound > margin && bound <= exact + tolerance, "{bound:e} {exact:e}");
            assert_eq!(touch, swapped);
            0
        }
        Proximity::Near(manifold) => {
            let n = manifold.normal;
            assert!((n.length() - 1.0).abs() < 1e-12);
            assert!(exact <= margin + tolerance);
            let along = overlap::gap_along(&world_a.vertices, &world_b.vertices, n);
            // The gap along any direction is one that there is: if it is larger than what the slow way found among its
            // (for almost parallel edges not precise) directions, that was not the best.
            let exact = if separation > 0.0 { exact } else { exact.max(along) };
            // The closest points of edges that almost touch and are almost parallel move a lot for nothing: nobody knows
            // that direction better than to 1e-8.
            let known = if exact > -tolerance { 30.0 * tolerance } else { tolerance };
            assert!((along - exact).abs() <= known, "normal: {along:e} along it, {exact:e} exactly");
            if exact > 1e-5 * scale {
                // As far as rounding of the distance lets anybody know it.
                let off = (n - (q - p).normalize()).length();
                assert!(off * off * exact < 1e-12 * scale, "direction: off by {off:e} at {exact:e}");
            }
            let points = &manifold.points;
            assert!(!points.is_empty() && points.len() <= 4);
            assert!((points[0].gap - exact).abs() <= tolerance, "{:e} {exact:e}", points[0].gap);
            for p in points.iter() {
                assert!(p.normal == n && p.gap <= margin && p.gap >= points[0].gap - tolerance);
                // Half a gap away from the point are both surfaces.
                let (on_a, on_b) = (p.position - 0.5 * p.gap * n, p.position + 0.5 * p.gap * n);
                let (x, y) = (outside(a, on_a), outside(b, on_b));
                assert!(x.abs() < known && y.abs() < known, "{x:e} {y:e} of {points:?}");
            }
            for (i, p) in points.iter().enumerate() {
                for q in &points[..i] {
                    assert!(p.feature != q.feature && p.position != q.position, "twice the same: {points:?}");
                }
            }
            if d != DVec3::ZERO {
                let Proximity::Near(back) = swapped else { panic!("touches one way only") };
                assert_eq!(back.normal, -n);
                let same = |p: &Point, q: &Point| (p.position, p.gap) == (q.position, q.gap);
                assert!(points.len() == back.points.len());
                assert!(points.iter().zip(back.points.iter()).all(|(p, q)| same(p, q)));
            }
            points.len()
        }
    }
}

/// Distance of centres along `direction` at which the gap is `gap`.
fn distance_for(a: &Placed, b: &mut Placed, turn: DQuat, direction: DVec3, gap: f64) -> f64 {
    let scale = a.hull.radius + b.hull.radius;
    let (mut low, mut high) = (0.0, 1.01 * scale + gap);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        b.place(a.centre + middle * direction - turn * b.hull.centre, turn);
        let apart = match hulls(a, b, gap.max(0.0) + 1e-6 * scale) {
            Proximity::Apart(_) => true,
            Proximity::Near(m) => m.points[0].gap > gap,
        };
        if apart { high = middle } else { low = middle }
    }
    high
}

fn shape(kind: usize, rng: &mut Rng) -> Solid {
    match kind % 5 {
        0 => random_boulder(12, rng),
        1 => random_polyhedron(8 + rng.next_u64() as u32 % 20, rng),
        2 => block(DVec3::new(rng.range(0.2, 2.0), rng.range(0.2, 2.0), rng.range(0.2, 2.0))),
        3 => random_boulder(4 + rng.next_u64() as u32 % 8, rng),
        _ => crate::solid::from_points(&prism(3 + rng.next_u64() as usize % 9)).unwrap().solid,
    }
}

fn prism(sides: usize) -> Vec<DVec3> {
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / sides as f64;
    let ring = |z: f64| (0..sides).map(move |k| DVec3::new(angle(k).cos(), angle(k).sin(), z));
    ring(-0.4).chain(ring(0.5)).collect()
}

#[test]
fn random_pairs_agree_with_all_features_tried() {
    let mut rng = Rng::new(1);
    let mut counts = [0usize; 5];
    for k in 0..900 * MANY {
        let size = 10f64.powf(rng.range(-4.0, 4.0));
        let ratio = if k % 7 == 0 { 20.0 } else { 1.0 };
        let a = hull(&scaled(&shape(k, &mut rng), size));
        let b = hull(&scaled(&shape(k / 5, &mut rng), size * ratio));
        let (qa, qb) = (turn(&mut rng), turn(&mut rng));
        let position = size * 100.0 * rng.direction();
        let a = Placed::new(a, position, qa);
        let mut b = Placed::new(b, position, qb);
        let direction = rng.direction();
        let scale = a.hull.radius + b.hull.radius;
        // Far, near, touching and shallow and deep overlaps.
        let gap = scale
            * match k % 8 {
                0 => rng.range(0.0, 0.3),
                1 => 10f64.powf(rng.range(-12.0, -2.0)),
                2 => 0.0,
                3 => -(10f64.powf(rng.range(-12.0, -3.0))),
                4 => rng.range(-0.05, 0.0),
                5 => rng.range(-1.0, -0.1),
                6 => rng.range(-0.01, 0.01),
                _ => 10f64.powf(rng.range(-10.0, -7.0)),
            };
        let distance = distance_for(&a, &mut b, qb, direction, gap);
        b.place(a.centre + distance * direction - qb * b.hull.centre, qb);
        counts[check(&a, &b, 0.01 * scale)] += 1;
    }
    assert!(counts.iter().all(|&c| c > 5), "{counts:?}");
}

#[test]
fn large_random_pairs_agree_with_all_features_tried() {
    let mut rng = Rng::new(2);
    for k in 0..36 * MANY {
        let n = [25, 40, 70][k % 3];
        let a = Placed::new(hull(&random_polyhedron(n, &mut rng)), DVec3::ZERO, turn(&mut rng));
        let q = turn(&mut rng);
        let mut b = Placed::new(hull(&random_boulder(n, &mut rng)), DVec3::ZERO, q);
        let direction = rng.direction();
        let gap = [-0.02, -1e-3, -1e-7, 1e-7, 1e-3, 0.1][k / 3 % 6];
        let distance = distance_for(&a, &mut b, q, direction, gap);
        b.place(a.centre + distance * direction - q * b.hull.centre, q);
        check(&a, &b, 0.01);
    }
}

/// Boxes on a lattice of places and quarter and eighth turns: every degenerate case there is.
#[test]
fn aligned_boxes_agree_with_all_features_tried() {
    let sizes = [DVec3::ONE, DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.5, 0.5, 4.0)];
    let mut rng = Rng::new(3);
    let eighth = std::f64::consts::FRAC_PI_4;
    let common = [DQuat::IDENTITY, turn(&mut rng), turn(&mut rng)];
    let mut four = 0;
    for k in 0..6000 * MANY {
        let mut pick = |n: u64| rng.next_u64() % n;
        let (sa, sb) = (sizes[pick(3) as usize], sizes[pick(3) as usize]);
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][pick(3) as usize];
        let relative = DQuat::from_axis_angle(axis, eighth * pick(8) as f64);
        let place = DVec3::new(pick(9) as f64, pick(9) as f64, pick(9) as f64) * 0.25 - DVec3::ONE;
        let all = common[k % 3];
        let a = Placed::new(hull(&block(sa)), DVec3::ZERO, all);
        let b = Placed::new(hull(&block(sb)), all * place, all * relative);
        four += usize::from(check(&a, &b, 0.01) == 4);
    }
    assert!(four > 100);
}

#[test]
fn boxes_face_to_face_have_four_points() {
    let mut rng = Rng::new(4);
    for gap in [0.0, 1e-12, -1e-12, 1e-4, -1e-4, 5e-3] {
        for _ in 0..40 * MANY {
            let all = turn(&mut rng);
            // Turned about the normal by any angle, shifted by less than half: octagons and all between.
            let about = DQuat::from_rotation_z(rng.range(0.0, 6.3));
            let shift = DVec3::new(rng.range(-0.4, 0.4), rng.range(-0.4, 0.4), 1.0 + gap);
            let a = Placed::new(hull(&block(DVec3::ONE)), DVec3::splat(7.0), all);
            let b = Placed::new(hull(&block(DVec3::ONE)), DVec3::splat(7.0) + all * shift, all * about);
            assert!(check(&a, &b, 0.01) >= 3);
            let Proximity::Near(m) = hulls(&a, &b, 0.01) else { panic!() };
            assert!((m.normal - all * DVec3::Z).length() < 1e-9, "{gap} {:?}", m.normal - all * DVec3::Z);
            assert!(m.points.iter().all(|p| (p.gap - gap).abs() < 1e-12));
            let spread =
                m.points.iter().map(|p| (p.position - m.points[0].position).length()).fold(0.0, f64::max);
            assert!(spread > 0.3);
        }
    }
    // The same box in the same place.
    let a = Placed::new(hull(&block(DVec3::ONE)), DVec3::ZERO, DQuat::IDENTITY);
    let Proximity::Near(m) = hulls(&a, &a, 0.01) else { panic!() };
    assert!(m.points.len() == 4 && m.points.iter().all(|p| (p.gap + 1.0).abs() < 1e-12));
}

#[test]
fn edges_on_faces_have_two_points_and_crossing_edges_one() {
    let cube = hull(&block(DVec3::ONE));
    let floor = Placed::new(hull(&block(DVec3::new(4.0, 4.0, 1.0))), DVec3::ZERO, DQuat::IDENTITY);
    let half = 0.5 * 2f64.sqrt();
    for gap in [1e-3, 0.0, -1e-3] {
        let on_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let b = Placed::new(cube.clone(), DVec3::new(0.1, 0.2, 0.5 + half + gap), on_edge);
        assert_eq!(check(&floor, &b, 0.01), 2);
        // An edge across an edge.
        let ridge = Placed::new(cube.clone(), DVec3::ZERO, on_edge);
        let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
        let b = Placed::new(cube.clone(), DVec3::new(0.1, -0.2, 2.0 * half + gap), across);
        assert_eq!(check(&ridge, &b, 0.01), 1);
        // A corner on a face.
        let on_corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
        let b = Placed::new(cube.clone(), DVec3::new(0.1, 0.2, 0.5 + 0.5 * 3f64.sqrt() + gap), on_corner);
        assert_eq!(check(&floor, &b, 0.01), 1);
    }
}

#[test]
fn turning_the_pair_turns_the_contact_and_names_stay() {
    let mut rng = Rng::new(6);
    for k in 0..200 {
        let (sa, sb) = (hull(&shape(k, &mut rng)), hull(&shape(k + 2, &mut rng)));
        let (qa, qb, all) = (turn(&mut rng), turn(&mut rng), turn(&mut rng));
        let a = Placed::new(sa.clone(), DVec3::ZERO, qa);
        let mut b = Placed::new(sb.clone(), DVec3::ZERO, qb);
        let direction = rng.direction();
        let gap = rng.range(-4e-3, 4e-3);
        let x = a.centre + distance_for(&a, &mut b, qb, direction, gap) * direction - qb * sb.centre;
        b.place(x, qb);
        let Proximity::Near(m) = hulls(&a, &b, 0.01) else { panic!() };
        let turned = |p: &Arc<Hull>, x: DVec3, q: DQuat| Placed::new(p.clone(), all * x, all * q);
        let Proximity::Near(t) = hulls(&turned(&sa, DVec3::ZERO, qa), &turned(&sb, x, qb), 0.01) else {
            panic!()
        };
        assert!((t.normal - all * m.normal).length() < 1e-9);
        for p in m.points.iter() {
            let twin = t.points.iter().find(|q| q.feature == p.feature);
            let twin = twin.unwrap_or_else(|| panic!("no {:x} in {:?}", p.feature, t.points));
            assert!((twin.position - all * p.position).length() < 1e-9 && (twin.gap - p.gap).abs() < 1e-9);
        }
    }
}

#[test]
fn bad_hulls_are_refused() {
    let good = block(DVec3::ONE).parts[0].clone();
    let mut open = good.clone();
    open.faces.pop();
    let mut beyond = good.clone();
    beyond.faces[0][0] = 99;
    let mut twisted = good.clone();
    twisted.faces[0].reverse();
    for bad in [open, beyond, twisted, Convex::default()] {
        assert!(Hull::new(&bad).is_err());
    }
}

/// As they lie in a pile: almost face to face, edge to face and edge to edge.
#[test]
fn almost_aligned_solids_agree_with_all_features_tried() {
    let mut rng = Rng::new(9);
    let eighth = std::f64::consts::FRAC_PI_4;
    let half = 0.5 * 2f64.sqrt();
    let cube = hull(&block(DVec3::ONE));
    let six = crate::solid::from_points(&prism(6)).unwrap().solid;
    let six = hull(&six);
    for k in 0..6000 * MANY {
        let all = turn(&mut rng);
        let tilt = DQuat::from_axis_angle(rng.direction(), 10f64.powf(rng.range(-17.0, -1.0)));
        let gap = 10f64.powf(rng.range(-17.0, -2.0)) * if k % 2 == 0 { 1.0 } else { -1.0 };
        let aside = [0.0, 0.5, 1.0, rng.range(-1.0, 1.0), 10f64.powf(rng.range(-16.0, 0.0))];
        let (x, y) = (aside[rng.next_u64() as usize % 5], aside[rng.next_u64() as usize % 5]);
        let on_edge = DQuat::from_rotation_x(eighth);
        let (a, b, qa, qb, z) = match k / 2 % 6 {
            0 => (&cube, &cube, DQuat::IDENTITY, DQuat::IDENTITY, 1.0),
            1 => (&cube, &cube, DQuat::IDENTITY, on_edge, 0.5 + half),
            2 => (&cube, &cube, on_edge, on_edge, 2.0 * half),
            3 => (&cube, &cube, on_edge, DQuat::from_rotation_y(eighth), 2.0 * half),
            4 => (&six, &cube, DQuat::IDENTITY, DQuat::from_rotation_z(rng.range(0.0, 6.0)), 0.95),
            _ => (&six, &six, DQuat::IDENTITY, DQuat::from_rotation_z(eighth), 0.9),
        };
        let a = Placed::new(a.clone(), DVec3::ZERO, all * qa);
        let b = Placed::new(b.clone(), all * DVec3::new(x, y, z + gap), all * tilt * qb);
        check(&a, &b, 0.01);
        check(&b, &a, 0.01);
    }
}

#[test]
fn plain_and_wide_lanes_give_the_same_bits() {
    use rubblepile_core::simd::Portable;
    let mut rng = Rng::new(7);
    let (margin, mut near) = (1e-3, 0);
    for _ in 0..400 {
        let mut boulder = |place: DVec3| {
            let hull = Arc::new(Hull::new(&random_boulder(20, &mut rng).parts[0]).expect("a hull"));
            let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, std::f64::consts::TAU));
            (Placed::new(hull, place, turn), rng.range(1.2, 2.0) * rng.direction())
        };
        let (a, apart) = boulder(DVec3::ZERO);
        let (b, _) = boulder(apart);
        let (a, b) = (&a, &b);
        let found = hulls(a, b, margin);
        assert_eq!(HullPair { a, b, margin }.run::<Portable>(), found);
        near += usize::from(matches!(found, Proximity::Near(_)));
    }
    assert!((100..300).contains(&near), "{near} of 400");
}
