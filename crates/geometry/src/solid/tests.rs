//! What is known in closed form, what must not depend on place and scale, and what random rocks must satisfy.

use glam::{DMat3, DQuat, DVec3};
use rubblepile_core::{Convex, Rng, Solid};

use super::*;

fn corners(size: DVec3) -> Vec<DVec3> {
    block(size).parts[0].vertices.clone()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

fn sorted(v: DVec3) -> [f64; 3] {
    let mut a = v.to_array();
    a.sort_by(f64::total_cmp);
    a
}

/// Closed, convex, outward and without leftovers.
fn check(convex: &Convex) {
    let edges: usize = convex.faces.iter().map(Vec::len).sum::<usize>() / 2;
    assert_eq!(convex.vertices.len() + convex.faces.len(), edges + 2, "Euler");
    let size = convex.vertices.iter().fold(0.0f64, |m, v| m.max((*v - convex.vertices[0]).length()));
    for (face, n) in convex.faces.iter().zip(overlap::normals(convex)) {
        assert!((n.length() - 1.0).abs() < 1e-12);
        let origin = convex.vertices[face[0] as usize];
        for (k, v) in convex.vertices.iter().enumerate() {
            let height = (*v - origin).dot(n);
            assert!(height <= 1e-8 * size, "vertex {k} sticks out by {height:e}");
        }
    }
    let mut directed: Vec<(u32, u32)> = Vec::new();
    for f in &convex.faces {
        directed.extend((0..f.len()).map(|k| (f[k], f[(k + 1) % f.len()])));
    }
    directed.sort_unstable();
    assert!(directed.windows(2).all(|w| w[0] != w[1]));
    assert!(directed.iter().all(|&(a, b)| directed.binary_search(&(b, a)).is_ok()));
}

#[test]
fn a_box_is_six_quadrilaterals_with_the_known_moments() {
    let size = DVec3::new(1.0, 2.0, 3.0);
    let made = from_points(&corners(size)).unwrap();
    let exact = block(size);
    check(&exact.parts[0]);
    check(&made.solid.parts[0]);
    assert!(made.solid.parts[0].faces.len() == 6 && made.solid.parts[0].faces.iter().all(|f| f.len() == 4));
    assert_eq!(made.orientation, DQuat::IDENTITY);
    assert!(close(made.solid.volume, 6.0, 1e-15));
    assert!((made.solid.inertia - exact.inertia).length() < 1e-14 * exact.inertia.length());
    assert!((exact.inertia - 0.5 * DVec3::new(13.0, 10.0, 5.0)).length() < 1e-14);
    assert!(close(made.solid.radius, 0.5 * 14f64.sqrt(), 1e-15));
}

#[test]
fn a_tetrahedron_has_the_known_moments() {
    // Corner of a cube of edge 1: volume 1/6, centre (1/4, 1/4, 1/4), moments about it with 1/80 on the diagonal
    // and 1/480 off it.
    let made = from_points(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    check(&made.solid.parts[0]);
    assert!(close(made.solid.volume, 1.0 / 6.0, 1e-15));
    assert!((made.centre - DVec3::splat(0.25)).length() < 1e-15);
    let moments = sorted(made.solid.inertia);
    assert!((0..3).all(|k| close(moments[k], [1.0 / 96.0, 1.0 / 96.0, 1.0 / 60.0][k], 1e-13)), "{moments:?}");
    let r = DMat3::from_quat(made.orientation);
    let tensor = r * DMat3::from_diagonal(made.solid.inertia) * r.transpose();
    assert!((tensor.y_axis.x - 1.0 / 480.0).abs() < 1e-16 && (tensor.x_axis.x - 1.0 / 80.0).abs() < 1e-15);
}

#[test]
fn a_prism_of_many_sides_keeps_its_two_polygons() {
    for sides in [3usize, 5, 6, 12, 40] {
        let mut points = Vec::new();
        for k in 0..sides {
            let angle = std::f64::consts::TAU * k as f64 / sides as f64;
            points.push(DVec3::new(angle.cos(), angle.sin(), 0.0));
            points.push(DVec3::new(angle.cos(), angle.sin(), 0.7));
        }
        let made = from_points(&points).unwrap();
        let part = &made.solid.parts[0];
        check(part);
        assert_eq!((part.vertices.len(), part.faces.len()), (2 * sides, sides + 2));
        let polygons = part.faces.iter().filter(|f| f.len() == sides).count();
        assert_eq!(polygons, 2);
        let n = sides as f64;
        let area = 0.5 * n * (std::f64::consts::TAU / n).sin();
        assert!(close(made.solid.volume, 0.7 * area, 1e-13));
        // Polar moment of a regular polygon: area / 6 (3 cos^2 + sin^2)(pi/n).
        let h = std::f64::consts::PI / n;
        let polar = 0.7 * area / 6.0 * (3.0 * h.cos().powi(2) + h.sin().powi(2));
        assert!(made.solid.inertia.to_array().iter().any(|&i| close(i, polar, 1e-12)), "{sides}");
    }
}

#[test]
fn duplicates_and_points_on_faces_and_edges_are_dropped_at_any_scale_place_and_turn() {
    let mut rng = Rng::new(8);
    let size = DVec3::new(1.0, 2.0, 3.0);
    let mut points = corners(size);
    points.extend(corners(size));
    for _ in 0..60 {
        let mut p = 0.5 * size * DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let (i, j) = (rng.next_u64() as usize % 3, rng.next_u64() as usize % 3);
        p[i] = 0.5 * size[i] * p[i].signum();
        p[j] = 0.5 * size[j] * p[j].signum();
        points.insert(0, p);
    }
    for scale in [1e-6, 1e-3, 1.0, 1e6] {
        for _ in 0..40 {
            let q = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 6.0));
            let shift = scale * 10.0 * rng.direction();
            let given: Vec<DVec3> = points.iter().map(|&p| shift + q * (scale * p)).collect();
            let made = from_points(&given).unwrap();
            let part = &made.solid.parts[0];
            check(part);
            assert_eq!((part.vertices.len(), part.faces.len()), (8, 6));
            assert!(close(made.solid.volume, 6.0 * scale.powi(3), 1e-12));
            let (a, b) = (sorted(made.solid.inertia / scale.powi(5)), sorted(block(size).inertia));
            assert!((0..3).all(|k| close(a[k], b[k], 1e-12)));
            // The way back to the points as given.
            for v in &part.vertices {
                let back = made.centre + made.orientation * *v;
                assert!(given.iter().any(|g| (*g - back).length() < 1e-13 * 20.0 * scale));
            }
        }
    }
}

#[test]
fn what_is_no_solid_is_an_error() {
    let flat: Vec<DVec3> = corners(DVec3::ONE).into_iter().map(|p| DVec3::new(p.x, p.y, 0.3 * p.x)).collect();
    let line: Vec<DVec3> = (0..9).map(|k| f64::from(k) * DVec3::new(1.0, 2.0, 0.1)).collect();
    assert_eq!(from_points(&flat), Err(SolidError::Flat));
    assert_eq!(from_points(&line), Err(SolidError::Flat));
    assert_eq!(from_points(&[]), Err(SolidError::TooFew { distinct: 0 }));
    assert_eq!(from_points(&[DVec3::ONE; 9]), Err(SolidError::TooFew { distinct: 1 }));
    assert_eq!(from_points(&[DVec3::X, DVec3::Y, DVec3::Z]), Err(SolidError::TooFew { distinct: 3 }));
    assert_eq!(from_points(&[DVec3::X, DVec3::NAN]), Err(SolidError::NotFinite { index: 1 }));
    assert_eq!(from_points(&corners(DVec3::splat(f64::MAX))), Err(SolidError::Size));
    assert_eq!(from_parts(&[]), Err(SolidError::NoParts));
    assert!(matches!(from_parts(&[corners(DVec3::ONE), line]), Err(SolidError::Part { part: 1, .. })));
}

#[test]
fn nearly_flat_points_make_either_a_closed_hull_or_an_error() {
    let mut rng = Rng::new(77);
    for k in 0..600 {
        let noise = 10f64.powf(rng.range(-14.0, -4.0));
        let n = 5 + k % 40;
        let points: Vec<DVec3> = (0..n)
            .map(|i| {
                let z = if i % 2 == 0 { 0.0 } else { 1.0 };
                let (x, y) = ((rng.uniform() * 6.0).round() / 6.0, (rng.uniform() * 6.0).round() / 6.0);
                DVec3::new(x, y, z) + noise * DVec3::new(rng.normal(), rng.normal(), rng.normal())
            })
            .collect();
        if let Ok(convex) = convex_hull(&points) {
            check(&convex);
            let (a, n) = (&convex, overlap::normals(&convex));
            for p in &points {
                for (f, n) in a.faces.iter().zip(&n) {
                    assert!((*p - a.vertices[f[0] as usize]).dot(*n) < 1e-7, "a point was lost");
                }
            }
        }
    }
}

#[test]
fn parts_add_up_and_may_not_overlap() {
    // An L of three unit cubes as two parts: compared with the same as three.
    let at = |shift: DVec3, size: DVec3| -> Vec<DVec3> { corners(size).iter().map(|&p| p + shift).collect() };
    let two = [at(DVec3::new(0.5, 0.0, 0.0), DVec3::new(2.0, 1.0, 1.0)), at(DVec3::Y, DVec3::ONE)];
    let three = [at(DVec3::ZERO, DVec3::ONE), at(DVec3::X, DVec3::ONE), at(DVec3::Y, DVec3::ONE)];
    let (a, b) = (from_parts(&two).unwrap(), from_parts(&three).unwrap());
    assert!(close(a.solid.volume, 3.0, 1e-14));
    assert!((a.centre - DVec3::new(1.0 / 3.0, 1.0 / 3.0, 0.0)).length() < 1e-14);
    assert!((a.centre - b.centre).length() < 1e-14);
    assert!((a.solid.inertia - b.solid.inertia).length() < 1e-13);
    assert_eq!((a.solid.parts.len(), b.solid.parts.len()), (2, 3));
    let error = from_parts(&[at(DVec3::ZERO, DVec3::ONE), at(DVec3::new(0.9, 0.2, 0.0), DVec3::ONE)]);
    let Err(SolidError::PartsOverlap { first: 0, second: 1, depth }) = error else { panic!("{error:?}") };
    assert!(close(depth, 0.1, 1e-12));
}

fn check_solid(solid: &Solid) {
    check(&solid.parts[0]);
    let mass = mass_of(&solid.parts[0]);
    assert!(close(mass.volume, solid.volume, 1e-12) && mass.centre.length() < 1e-12);
    let tensor = mass.inertia();
    let diagonal = DMat3::from_diagonal(solid.inertia);
    assert!(tensor.abs_diff_eq(diagonal, 1e-12 * solid.inertia.max_element()));
    assert!(close(radius(&solid.parts), solid.radius, 1e-14));
}

#[test]
fn random_grains_are_as_the_paper_says() {
    let mut rng = Rng::new(21);
    for n in [4, 10, 12, 25, 40, 70, 300] {
        for _ in 0..if n > 100 { 2 } else { 12 } {
            let solid = random_polyhedron(n, &mut rng);
            check_solid(&solid);
            let part = &solid.parts[0];
            assert_eq!((part.vertices.len(), part.faces.len()), (n as usize, 2 * n as usize - 4));
            let [a, b, c] = principal_lengths(&solid);
            assert!(a >= b && b >= c && b >= 0.5 * a && c >= 0.5 * b);
            // On a sphere of radius 1: four vertices give its centre.
            let v = &part.vertices;
            let m = DMat3::from_cols(v[1] - v[0], v[2] - v[0], v[3] - v[0]).transpose();
            let rhs =
                DVec3::from_array([1, 2, 3].map(|k| 0.5 * (v[k].length_squared() - v[0].length_squared())));
            let centre = m.inverse() * rhs;
            assert!(v.iter().all(|p| ((*p - centre).length() - 1.0).abs() < 1e-6 / m.determinant().abs()));
        }
    }
}

#[test]
fn random_boulders_have_the_corners_asked_for_and_radius_one() {
    let mut rng = Rng::new(22);
    for n in [4, 8, 12, 40, 200] {
        for _ in 0..if n > 100 { 1 } else { 10 } {
            let solid = random_boulder(n, &mut rng);
            check_solid(&solid);
            assert_eq!(solid.parts[0].vertices.len(), n as usize);
            assert!(close(solid.radius, 1.0, 1e-14));
        }
    }
    let (a, b) = (random_boulder(12, &mut Rng::new(5)), random_boulder(12, &mut Rng::new(5)));
    assert_eq!(a, b);
    let big = scaled(&a, 50.0);
    assert!(close(big.volume, 125_000.0 * a.volume, 1e-14) && close(big.radius, 50.0, 1e-14));
    check_solid(&scaled(&a, 3.0));
}
