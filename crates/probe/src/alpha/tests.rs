//! Delaunay tetrahedra and alpha shapes of points whose answer is known, degenerate ones above all.

use std::collections::BTreeMap;

use rubblepile_core::Rng;

use super::{
    delaunay::OUTSIDE,
    points::{DIRECTIONS, OUT, golden_spiral},
    *,
};
use crate::testing::{boxes, world};

fn random(n: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.uniform() - 1.0))).collect()
}

fn grid(n: usize, step: f64) -> Vec<DVec3> {
    let at = |k: usize| step * k as f64;
    (0..n * n * n).map(|k| DVec3::new(at(k % n), at(k / n % n), at(k / n / n))).collect()
}

/// All that must hold of Delaunay tetrahedra: neighbours, orientation, empty spheres, and that they fill the hull.
fn check(d: &Delaunay, hull: Option<f64>) {
    // The predicates themselves can neither underflow nor overflow near 1; powers of two change no sign.
    let extent = d.points.iter().map(|p| p.abs().max_element()).fold(f64::MIN_POSITIVE, f64::max);
    let scale = extent.log2().floor().exp2();
    let exact = |p: DVec3| robust::Coord3D { x: p.x / scale, y: p.y / scale, z: p.z / scale };
    let mut used = vec![false; d.points.len()];
    for t in 0..d.tetrahedra.len() {
        let v = d.tetrahedra[t];
        v.iter().for_each(|&k| used[k as usize] = true);
        let [a, b, c, e] = d.corners(t).map(exact);
        assert!(robust::orient3d(a, b, c, e) > 0.0);
        for i in 0..4 {
            let n = d.neighbours[t][i];
            if n == OUTSIDE {
                continue;
            }
            let back = d.neighbours[n as usize].iter().position(|&m| m as usize == t).expect("a way back");
            let other = d.tetrahedra[n as usize];
            for (k, w) in v.iter().enumerate() {
                assert_eq!(other.contains(w), k != i, "they share the face and nothing else");
            }
            let beyond = d.points[other[back] as usize];
            assert!(robust::insphere(a, b, c, e, exact(beyond)) <= 0.0, "not Delaunay");
        }
        if d.points.len() <= 400 {
            assert!(d.points.iter().all(|&p| robust::insphere(a, b, c, e, exact(p)) <= 0.0));
        }
    }
    assert!(d.tetrahedra.is_empty() || used.iter().all(|&u| u), "every point is a corner");
    if let Some(hull) = hull {
        let sum: f64 = (0..d.tetrahedra.len()).map(|t| d.volume(t)).sum();
        assert!((sum - hull).abs() < 1e-12 * hull, "{sum} {hull}");
    }
}

fn check_closed(surface: &AlphaSurface) {
    let mut edges = BTreeMap::new();
    for t in &surface.triangles {
        for k in 0..3 {
            // Each way once: an oriented closed surface has as many one way as the other.
            let (a, b) = (t[k], t[(k + 1) % 3]);
            *edges.entry((a.min(b), a.max(b))).or_insert(0i32) += if a < b { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&sum| sum == 0), "the surface has a rim");
}

#[test]
fn random_points() {
    for (n, seed) in [(4, 1), (5, 2), (20, 3), (300, 4), (5000, 5)] {
        let d = Delaunay::new(&random(n, seed)).expect("tetrahedra");
        check(&d, None);
        let hull = AlphaComplex::new(&d);
        let surface = hull.surface(&vec![true; d.tetrahedra.len()]);
        check_closed(&surface);
        let sum = hull.volume(&vec![true; d.tetrahedra.len()]);
        assert!((surface.volume() - sum).abs() < 1e-12 * sum);
        // A convex surface: all points are behind every face.
        for k in 0..surface.triangles.len().min(200) {
            let [a, b, c] = surface.corners(k);
            let normal = (b - a).cross(c - a).normalize();
            assert!(d.points.iter().all(|&p| normal.dot(p - a) < 1e-12));
        }
    }
}

#[test]
fn grids_spheres_planes_and_points_given_twice() {
    // Coordinates that are exact and coordinates that are not.
    for step in [1.0, 0.1, 1e-150, 1e150] {
        let d = Delaunay::new(&grid(6, step)).expect("tetrahedra");
        check(&d, if step > 1e-100 && step < 1e100 { Some((5.0 * step).powi(3)) } else { None });
        assert!(d.tetrahedra.len() >= 5 * 125);
    }
    check(&Delaunay::new(&golden_spiral(400)).expect("tetrahedra"), None);
    let twice: Vec<DVec3> = grid(4, 0.3).into_iter().chain(grid(4, 0.3)).chain(grid(4, 0.3)).collect();
    let d = Delaunay::new(&twice).expect("tetrahedra");
    check(&d, Some(0.9f64.powi(3)));
    assert_eq!((d.points.len(), d.of_input[0]), (64, d.of_input[64]));
    // Two parallel planes; a plane with one point off; a line with a triangle.
    let plane = |z: f64| (0..100).map(move |k| DVec3::new(f64::from(k % 10), f64::from(k / 10), z));
    check(
        &Delaunay::new(&plane(0.0).chain(plane(0.7)).collect::<Vec<_>>()).expect("tetrahedra"),
        Some(81.0 * 0.7),
    );
    let off: Vec<DVec3> = plane(0.0).chain([DVec3::new(3.3, 4.4, 5.0)]).collect();
    check(&Delaunay::new(&off).expect("tetrahedra"), Some(81.0 * 5.0 / 3.0));
    let line: Vec<DVec3> = (0..50)
        .map(|k| DVec3::new(0.0, 0.0, f64::from(k)))
        .chain([DVec3::X, DVec3::Y, DVec3::new(-1.0, -1.0, 3.0)])
        .collect();
    check(&Delaunay::new(&line).expect("tetrahedra"), None);
}

#[test]
fn the_same_whatever_the_order_of_the_points() {
    let mut points = random(500, 9);
    let a = Delaunay::new(&points).expect("tetrahedra");
    points.reverse();
    let b = Delaunay::new(&points).expect("tetrahedra");
    assert_eq!((&a.tetrahedra, &a.points), (&b.tetrahedra, &b.points));
}

#[test]
fn flat_sets_have_no_tetrahedra_and_numbers_are_asked_for() {
    let plane: Vec<DVec3> = random(50, 3).into_iter().map(|p| DVec3::new(p.x, p.y, 0.25)).collect();
    for flat in [&plane[..], &plane[..3], &[], &[DVec3::ONE; 9]] {
        let d = Delaunay::new(flat).expect("an answer");
        assert!(d.tetrahedra.is_empty());
    }
    assert!(Delaunay::new(&[DVec3::NAN]).is_none());
    assert!(Delaunay::new(&[DVec3::INFINITY, DVec3::ZERO]).is_none());
}

#[test]
fn a_cube_of_points_is_whole_from_half_its_diagonal_on() {
    let d = Delaunay::new(&grid(5, 0.1)).expect("tetrahedra");
    let complex = AlphaComplex::new(&d);
    let half = 0.05 * 3f64.sqrt();
    for pores in [Pores::Filled, Pores::Open] {
        let inside = complex.inside(1.001 * half, pores);
        assert!((complex.volume(&inside) - 0.064).abs() < 1e-12);
        check_closed(&complex.surface(&inside));
    }
    assert!(complex.volume(&complex.inside(0.6 * half, Pores::Open)) < 1e-12);
}

#[test]
fn far_apart_they_stay_apart_and_a_hollow_is_filled_or_not() {
    let shell = golden_spiral(600);
    let two: Vec<DVec3> = shell.iter().flat_map(|&p| [p, p + DVec3::X * 10.0]).collect();
    let d = Delaunay::new(&two).expect("tetrahedra");
    let complex = AlphaComplex::new(&d);
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    // As large as the balls: both are whole, and nothing is between them.
    let inside = complex.inside(1.01, Pores::Filled);
    let surface = complex.surface(&inside);
    check_closed(&surface);
    assert!((complex.volume(&inside) / (2.0 * ball) - 1.0).abs() < 0.02, "{}", complex.volume(&inside));
    assert!((surface.volume() / complex.volume(&inside) - 1.0).abs() < 1e-12);
    assert!((surface.area() / (8.0 * std::f64::consts::PI) - 1.0).abs() < 0.02);
    // A small ball does not get through the shells' meshes, but fills nothing by itself.
    let filled = complex.volume(&complex.inside(0.2, Pores::Filled));
    assert!((filled / (2.0 * ball) - 1.0).abs() < 0.02, "{filled}");
    assert!(complex.volume(&complex.inside(0.2, Pores::Open)) < 1e-3);
    // Without a limit it is the hull.
    let hull = complex.volume(&complex.inside(f64::INFINITY, Pores::Filled));
    assert!((hull / (ball + 10.0 * std::f64::consts::PI) - 1.0).abs() < 0.02, "{hull}");
}

#[test]
fn points_on_a_sphere_have_its_volume() {
    for (n, error) in [(100, 0.12), (1000, 0.012), (10_000, 0.0012)] {
        let d = Delaunay::new(&golden_spiral(n)).expect("tetrahedra");
        let complex = AlphaComplex::new(&d);
        let volume = complex.volume(&complex.inside(1.0 + 1e-6, Pores::Filled));
        let short = 1.0 - volume / (4.0 / 3.0 * std::f64::consts::PI);
        assert!(short > 0.0 && short < error, "{n}: {short}");
    }
}

#[test]
fn one_sphere_has_its_own_volume_and_no_pores() {
    let w = world(&[(DVec3::new(1e6, 2e6, 3e6), 2.0)]);
    let e = Envelope::of_rows(&w, &[0], None).expect("an envelope");
    assert_eq!(e.surface.vertices.len(), DIRECTIONS);
    assert!(e.porosity().abs() < 1e-9, "{}", e.porosity());
    assert!((e.bulk_density() - 1.0).abs() < 1e-9);
    assert!(e.surface.vertices.iter().all(|v| (v.distance(w.bodies.position[0]) - 2.0 * OUT).abs() < 1e-8));
}

#[test]
fn boxes_side_by_side_have_no_pores_and_a_hole_in_a_wall_of_boxes_is_seen() {
    let at = |x: i32, y: i32| (DVec3::new(2.0 * f64::from(x), 2.0 * f64::from(y), 0.0), 0.0);
    let places: Vec<_> = (0..9).map(|k| at(k % 3, k / 3)).collect();
    let w = boxes(&places);
    let all: Vec<u32> = (0..9).collect();
    let e = Envelope::of_rows(&w, &all, None).expect("an envelope");
    assert!(e.porosity().abs() < 1e-12 && (e.volume - 72.0).abs() < 1e-9, "{e:?}");
    check_closed(&e.surface);
    assert!((e.surface.area() - (2.0 * 36.0 + 4.0 * 12.0)).abs() < 1e-9);
    // Without the middle one: a hole right through, too narrow for an alpha that the cubes' faces need (1.41 m).
    let ring: Vec<u32> = all.iter().copied().filter(|&k| k != 4).collect();
    let e = Envelope::of_rows(&w, &ring, None).expect("an envelope");
    assert!((e.porosity() - 1.0 / 9.0).abs() < 1e-12);
    assert!((e.hull_porosity() - 1.0 / 9.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_is_an_error() {
    let w = world(&[(DVec3::ZERO, 1.0)]);
    assert!(surface_of(&w, &[1], None).is_err());
    assert!(surface_of(&w, &[0], Some(0.0)).is_err());
    assert!(surface_of(&w, &[0], Some(f64::NAN)).is_err());
    assert!(surface_of(&w, &[], None).expect("nothing").triangles.is_empty());
    assert_eq!(surface_of(&w, &[0], Some(f64::INFINITY)).expect("a hull").triangles.len(), 60);
}

#[test]
fn a_few_long_rocks_have_no_negative_porosity() {
    let mut world = rubblepile_core::World::new(1.0);
    let mut rng = rubblepile_core::Rng::new(31);
    for k in 0..3 {
        let size = DVec3::new(rng.range(4.0, 9.0), rng.range(1.0, 2.0), rng.range(0.3, 0.6));
        let block = rubblepile_geometry::solid::block(size);
        let id = world.shapes.len() as u32;
        let place = DVec3::new(0.0, 0.0, 1.5 * f64::from(k));
        world.bodies.push_solid(place, glam::DQuat::IDENTITY, (id, &block), 1000.0, 0, 0);
        world.shapes.push(rubblepile_core::Shape::Solid(std::sync::Arc::new(block)));
    }
    let envelope = Envelope::of_rows(&world, &[0, 1, 2], None).expect("a surface");
    assert!(envelope.porosity() >= 0.0 && envelope.porosity() < 0.9, "{}", envelope.porosity());
}

#[test]
fn a_large_rock_or_sphere_among_small_ones_is_held_whole() {
    for large_is_rock in [true, false] {
        let mut world = rubblepile_core::World::new(1.0);
        let block = rubblepile_geometry::solid::block(DVec3::new(40.0, 30.0, 20.0));
        if large_is_rock {
            world.bodies.push_solid(DVec3::ZERO, glam::DQuat::IDENTITY, (1, &block), 1000.0, 0, 0);
            world.shapes.push(rubblepile_core::Shape::Solid(std::sync::Arc::new(block)));
        } else {
            world.bodies.push_sphere(DVec3::ZERO, 10.0, 1000.0, 0, 0);
        }
        // Pebbles on its upper side: what the ball leaves around them is less than the layer that they are in.
        let (grid, dome) =
            (|k: i32| DVec3::new(f64::from(k % 7 - 3), f64::from(k / 7 - 3), 0.0), golden_spiral(98));
        for k in 0..49 {
            let place = if large_is_rock { 2.4 * grid(k) + 11.0 * DVec3::Z } else { 11.0 * dome[k as usize] };
            world.bodies.push_sphere(place, 1.0, 1000.0, 0, 0);
        }
        let layer =
            if large_is_rock { 2.0 * 18.8f64.powi(2) } else { 2.0 / 3.0 * std::f64::consts::PI * 728.0 };
        let alone = Envelope::of_rows(&world, &[0], Some(3.0)).expect("a surface");
        assert!(alone.porosity().abs() < 1e-9, "{}", alone.porosity());
        let rows: Vec<u32> = (0..50).collect();
        let all = Envelope::of_rows(&world, &rows, Some(3.0)).expect("a surface");
        check_closed(&all.surface);
        let pores = all.volume - all.solid_volume;
        assert!(pores > 0.0 && pores < layer - 49.0 * 4.18, "{pores}");
    }
    let w = world(&[(DVec3::ZERO, 1.0)]);
    let error = surface_of(&w, &[0], Some(1e-5)).expect_err("too many points").to_string();
    assert!(error.contains("too small"), "{error}");
}
