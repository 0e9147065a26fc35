use std::f64::consts::PI;

use glam::DVec3;
use rubblepile_core::Rng;

use super::{
    Flaw, Mesh, SurfaceTree, flaws,
    make::{Form, Relief, body, geodesic},
    mass,
};

fn bumpy(facets: usize) -> Mesh {
    let relief = Relief {
        craters: 30,
        crater_radius: [10.0, 80.0],
        boulders: 40,
        boulder_radius: [5.0, 20.0],
        roughness: 3.0,
    };
    body(Form::Top { equator: 250.0, pole: 220.0, ridge: 0.4 }, &relief, facets, 7)
}

#[test]
fn made_surfaces_are_closed_outward_and_do_not_cross() {
    for (parts, facets) in [(1, 20), (2, 80), (9, 1620)] {
        let mesh = geodesic(parts);
        assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (facets, facets / 2 + 2));
        assert_eq!(flaws(&mesh), []);
    }
    let mesh = bumpy(20_000);
    assert!(mesh.triangles.len() >= 20_000);
    assert_eq!(flaws(&mesh), []);
    // It is what was asked for, and another seed is another body.
    let volume = mass(&mesh).volume;
    let ellipsoid = 4.0 / 3.0 * PI * 250.0 * 250.0 * 220.0;
    assert!((0.5..1.05).contains(&(volume / ellipsoid)), "{}", volume / ellipsoid);
}

#[test]
fn roughness_has_the_height_asked_for() {
    let relief = Relief { roughness: 2.0, ..Relief::default() };
    let smooth = Form::Ellipsoid { axes: DVec3::splat(1000.0) };
    let mut squares = Vec::new();
    for seed in 0..20 {
        let mesh = body(smooth, &relief, 5000, seed);
        let heights: Vec<f64> = mesh.vertices.iter().map(|x| x.length() - 1000.0).collect();
        squares.push(heights.iter().map(|h| h * h).sum::<f64>() / heights.len() as f64);
    }
    let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!((rms - 2.0).abs() < 0.1, "{rms}");
}

#[test]
fn mass_of_an_ellipsoid_converges_to_the_closed_form() {
    let axes = DVec3::new(3.0, 2.0, 1.0);
    let exact = 4.0 / 3.0 * PI * 6.0;
    let error = |facets: usize| {
        let mut mesh = body(Form::Ellipsoid { axes }, &Relief::default(), facets, 0);
        mesh.vertices.iter_mut().for_each(|x| *x += DVec3::new(5.0, -7.0, 2.0));
        let mass = mass(&mesh);
        assert!((mass.centre - DVec3::new(5.0, -7.0, 2.0)).length() < 1e-13);
        let expected = mass.volume / 5.0 * axes * axes;
        let second = DVec3::new(mass.second.x_axis.x, mass.second.y_axis.y, mass.second.z_axis.z);
        assert!((second / expected - DVec3::ONE).length() < 0.05 * (2000.0 / facets as f64));
        1.0 - mass.volume / exact
    };
    // Second order: a quarter with four times the facets.
    let (coarse, fine) = (error(2000), error(8000));
    assert!((3.8..4.2).contains(&(coarse / fine)), "{coarse} {fine}");
}

#[test]
fn every_flaw_is_found() {
    let good = geodesic(3);
    let found = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = good.clone();
        change(&mut mesh);
        flaws(&mesh)
    };
    assert_eq!(found(&|m| m.triangles.clear()), [Flaw::Empty]);
    assert!(matches!(found(&|m| m.triangles.truncate(179))[..], [Flaw::Open { edges: 3, .. }]));
    assert!(matches!(found(&|m| m.triangles[5].swap(0, 1))[..], [Flaw::Twisted { edges: 3, .. }]));
    assert_eq!(found(&|m| m.triangles.iter_mut().for_each(|t| t.swap(0, 1))), [Flaw::Inverted]);
    assert!(matches!(found(&|m| m.triangles.push(m.triangles[0]))[..], [Flaw::Crowded { edges: 3, .. }]));
    assert!(matches!(
        found(&|m| m.triangles[4][1] = 9999)[..],
        [Flaw::NoSuchVertex { triangles: 1, first: 4 }]
    ));
    let degenerate = found(&|m| m.triangles[4][1] = m.triangles[4][0]);
    assert!(matches!(degenerate[..], [Flaw::Degenerate { triangles: 1, first: 4 }]));
    assert!(matches!(
        found(&|m| m.vertices[3].y = f64::NAN)[..],
        [Flaw::NotFinite { vertices: 1, first: 3 }]
    ));
    // A vertex pushed through the other side.
    let through = found(&|m| m.vertices[20] *= -1.3);
    assert!(matches!(through[..], [Flaw::Crossing { .. }]), "{through:?}");
    // Two balls, apart and into each other.
    let two = |way: f64| {
        found(&|m| {
            let n = m.vertices.len() as u32;
            m.vertices.extend(good.vertices.iter().map(|x| *x + way * DVec3::X));
            m.triangles.extend(good.triangles.iter().map(|t| t.map(|k| k + n)));
        })
    };
    assert_eq!(two(3.0), [Flaw::Pieces(2)]);
    for flaw in [through, two(3.0)].into_iter().flatten() {
        assert!(flaw.to_string().len() > 10);
    }
}

#[test]
fn the_nearest_place_and_its_side_are_what_a_look_at_all_triangles_finds() {
    let mesh = bumpy(2000);
    let tree = SurfaceTree::new(&mesh);
    let mut rng = Rng::new(3);
    let mut inside = 0;
    for _ in 0..3000 {
        let x = rng.range(0.0, 400.0) * rng.direction();
        let near = tree.nearest(x).expect("a surface");
        // Nothing is nearer, and the point is that far away.
        assert!((near.point.distance(x) - near.distance.abs()).abs() < 1e-9);
        let mut closer = 0;
        tree.within(x, near.distance.abs() * (1.0 - 1e-12), |_, _| closer += 1);
        assert_eq!(closer, 0);
        let least = (0..mesh.triangles.len())
            .flat_map(|k| mesh.corners(k))
            .map(|v| v.distance(x))
            .fold(f64::INFINITY, f64::min);
        assert!(near.distance.abs() <= least + 1e-12);
        // The side by the solid angle, which is 4 pi inside and 0 outside.
        let angle: f64 = (0..mesh.triangles.len())
            .map(|k| {
                let [a, b, c] = mesh.corners(k).map(|v| v - x);
                let (la, lb, lc) = (a.length(), b.length(), c.length());
                let under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
                2.0 * a.dot(b.cross(c)).atan2(under)
            })
            .sum();
        assert_eq!(near.distance < 0.0, angle > 2.0 * PI, "{x} {near:?} {angle}");
        inside += usize::from(near.distance < 0.0);
    }
    assert!(inside > 300);
    assert!(SurfaceTree::new(&Mesh::default()).nearest(DVec3::ZERO).is_none());
}

#[test]
fn a_ray_to_the_middle_meets_the_surface_where_it_was_made() {
    let form = Form::Ellipsoid { axes: DVec3::new(3.0, 2.0, 1.0) };
    let mesh = body(form, &Relief::default(), 20_000, 0);
    let tree = SurfaceTree::new(&mesh);
    let mut rng = Rng::new(6);
    let ways = (0..500).map(|_| rng.direction()).chain([DVec3::X, DVec3::NEG_Y, DVec3::Z]);
    for way in ways.chain(mesh.vertices.iter().step_by(97).map(|v| v.normalize())) {
        let (distance, _) = tree.ray(10.0 * way, -way).expect("it meets");
        let expected = 10.0 - (way / DVec3::new(3.0, 2.0, 1.0)).length().recip();
        // Facets lie below the ellipsoid, deepest where it is sharp: a side of 0.1 over a curvature of a third.
        assert!((0.0..5e-3).contains(&(distance - expected + 1e-12)), "{way} {}", distance - expected);
        assert!(tree.nearest((10.0 - distance) * way).expect("a surface").distance.abs() < 1e-12);
        assert_eq!(tree.ray(10.0 * way, way), None);
    }
}

#[test]
fn all_triangles_within_reach_are_found_once() {
    let mesh = bumpy(1000);
    let tree = SurfaceTree::new(&mesh);
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let x = rng.range(150.0, 300.0) * rng.direction();
        let reach = rng.range(1.0, 100.0);
        let mut found = Vec::new();
        tree.within(x, reach, |k, point| {
            assert!(point.distance(x) < reach);
            found.push(k);
        });
        found.sort_unstable();
        let mut expected: Vec<u32> = Vec::new();
        for k in 0..mesh.triangles.len() as u32 {
            let one = Mesh { vertices: mesh.vertices.clone(), triangles: vec![mesh.triangles[k as usize]] };
            if SurfaceTree::new(&one).nearest(x).is_some_and(|n| n.distance.abs() < reach) {
                expected.push(k);
            }
        }
        assert_eq!(found, expected);
    }
}
