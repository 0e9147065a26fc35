//! The tree against the exact sum, and against itself.

use std::collections::HashMap;

use glam::DVec3;
use rubblepile_core::{Rng, simd::dispatch};

use super::{Polyhedron, PolyhedronTree, harmonics, layer::Layer};

type Surface = (Vec<DVec3>, Vec<[u32; 3]>);

/// A cube of 12 f^2 facets, blown up to a body with bumps and a waist.
fn bumpy(f: i32) -> Surface {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    for axis in 0..3 {
        for side in [-1, 1] {
            let mut corner = |i: i32, j: i32| {
                let mut at = [0; 3];
                (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side * f, 2 * i - f, 2 * j - f);
                *known.entry(at).or_insert_with(|| {
                    let u = DVec3::from_array(at.map(f64::from)).normalize();
                    let r = 1.0 + 0.5 * u.x * u.x + 0.1 * (5.0 * u.y).sin() * (4.0 * u.z).cos();
                    vertices.push(r * u);
                    vertices.len() as u32 - 1
                })
            };
            for (i, j) in (0..f * f).map(|k| (k / f, k % f)) {
                let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                let two = [[a, b, c], [a, c, d]];
                triangles.extend(if side > 0 { two } else { two.map(|[a, b, c]| [a, c, b]) });
            }
        }
    }
    (vertices, triangles)
}

fn tetrahedron() -> Surface {
    (vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

fn body((vertices, triangles): &Surface) -> Polyhedron {
    Polyhedron::new(vertices, triangles).expect("closed")
}

/// Points on corners, edges and facets, ever closer to them on either side, inside, around and far away.
fn points((vertices, triangles): &Surface, count: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|k| {
            let of = triangles[(rng.uniform() * triangles.len() as f64) as usize];
            let [a, b, c] = of.map(|k| vertices[k as usize]);
            let (s, t) = (rng.uniform().sqrt(), rng.uniform());
            let on = a + s * ((1.0 - t) * (b - a) + t * (c - a));
            let gap = 10f64.powf(rng.range(-12.0, 0.0)) * rng.direction();
            match k % 8 {
                0 => on,
                1 => a,
                2 => a + t * (b - a),
                3 => on + gap,
                4 => a + gap,
                5 => rng.uniform() * on,
                6 => rng.range(0.0, 5.0) * rng.direction(),
                // Farther out the exact sum loses more than the tree: its terms cancel.
                _ => 10f64.powf(rng.range(0.0, 2.0)) * rng.direction(),
            }
        })
        .collect()
}

/// The largest relative errors of acceleration and potential. Where there is next to no pull, over a thousandth of the usual.
fn errors(body: &Polyhedron, tree: &PolyhedronTree, points: &[DVec3]) -> (f64, f64) {
    let exact = body.pull(points);
    let most = exact.iter().map(|p| p.acceleration.length()).fold(0.0, f64::max);
    let (mut a, mut u) = (0.0f64, 0.0f64);
    for ((found, exact), at) in tree.potentials(points).iter().zip(&exact).zip(points) {
        let own = exact.acceleration.length();
        let own = if at.length() < 2.0 { own.max(1e-3 * most) } else { own };
        a = a.max(found.1.distance(exact.acceleration) / own);
        u = u.max((found.0 / exact.potential - 1.0).abs());
    }
    (a, u)
}

#[test]
fn the_error_stays_below_its_target_everywhere() {
    let surface = bumpy(20);
    let body = body(&surface);
    let points = points(&surface, 4000, 1);
    for target in [1e-2, 1e-4, 1e-6, 1e-9] {
        let tree = PolyhedronTree::new(&body, target);
        let (a, u) = errors(&body, &tree, &points);
        assert!(a < target && u < target, "asked {target}: acceleration {a}, potential {u}");
        // And it is not simply the exact sum.
        assert!(target < 1e-6 || a > 1e-3 * target, "asked {target}: {a}");
    }
}

#[test]
fn bodies_of_few_facets_are_exact() {
    for surface in [tetrahedron(), bumpy(1), bumpy(2)] {
        let body = body(&surface);
        let (a, u) = errors(&body, &PolyhedronTree::new(&body, 1e-6), &points(&surface, 2000, 2));
        assert!(a < 1e-6 && u < 1e-6, "{}: {a} {u}", body.facets());
    }
}

#[test]
fn threads_and_potentials_do_not_change_a_bit() {
    let surface = bumpy(12);
    let body = body(&surface);
    let points = points(&surface, 3001, 3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let tree = PolyhedronTree::new(&body, 1e-6);
            (tree.accelerations(&points), tree.potentials(&points))
        })
    };
    let one = on(1);
    assert!(one == on(2) && one == on(5));
    assert!(one.0.iter().zip(&one.1).all(|(a, (_, b))| a == b));
}

#[test]
fn scale_and_place_do_not_matter() {
    let surface = bumpy(10);
    let points = points(&surface, 500, 4);
    let small = PolyhedronTree::new(&body(&surface), 1e-6).accelerations(&points);
    for (scale, by, error) in [
        (2f64.powi(20), DVec3::ZERO, 0.0),
        (2f64.powi(-30), DVec3::ZERO, 0.0),
        (1e6, DVec3::ZERO, 1e-6),
        (1e-3, DVec3::ZERO, 1e-6),
        (1.0, DVec3::new(300.0, -200.0, 1000.0), 1e-6),
    ] {
        let moved: Surface = (surface.0.iter().map(|v| scale * *v + by).collect(), surface.1.clone());
        let at: Vec<DVec3> = points.iter().map(|x| scale * *x + by).collect();
        let large = PolyhedronTree::new(&body(&moved), 1e-6).accelerations(&at);
        for ((small, large), x) in small.iter().zip(&large).zip(&points) {
            // Far away a shift is lost in the rounding of places.
            if by == DVec3::ZERO || x.length() < 10.0 {
                let off = (scale * *small).distance(*large);
                assert!(off <= error * large.length().max(1e-3 * scale), "{scale} {by} {x}: {off}");
            }
        }
    }
}

#[test]
fn far_away_it_is_a_point() {
    let surface = bumpy(12);
    let body = body(&surface);
    let volume: f64 = body
        .facets
        .iter()
        .map(|f| f.corners.map(|c| surface.0[c as usize]))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    let tree = PolyhedronTree::new(&body, 1e-6);
    let points = [1e4, 1e6, 1e8, 1e12, 1e20].map(|d| d * DVec3::new(0.6, -0.64, 0.48));
    for (x, (u, a)) in points.iter().zip(tree.potentials(&points)) {
        let d = x.length();
        assert!((u * d / volume - 1.0).abs() < 2.0 / d + 1e-12, "{x}: {u}");
        assert!((a + volume / (d * d * d) * *x).length() * d * d < (4.0 / d + 1e-12) * volume, "{x}: {a}");
    }
}

#[test]
fn no_point_stops_it() {
    let tree = PolyhedronTree::new(&body(&bumpy(4)), 1e-6);
    assert_eq!(tree.accelerations(&[]), []);
    let odd = [DVec3::NAN, DVec3::INFINITY, DVec3::ZERO, DVec3::splat(1e200), DVec3::splat(-1e-300)];
    let found = tree.accelerations(&odd);
    assert!(found[2].is_finite() && found[4].is_finite());
    assert_eq!(found[2], found[4]);
}

#[test]
fn a_layer_is_the_same_far_and_near() {
    // The integral of a facet, by its moments about some other place, shifted there in two steps, and exactly.
    let corners = [DVec3::new(0.1, 0.0, 0.2), DVec3::new(0.4, 0.1, 0.0), DVec3::new(0.2, 0.35, 0.1)];
    let rule = harmonics::rule(harmonics::DEGREE + 1);
    let near = DVec3::new(0.15, 0.1, 0.05);
    let around = corners.map(|c| c - near);
    let integrals =
        dispatch(harmonics::Integrate { corners: &[around], degree: harmonics::DEGREE, rule: &rule });
    let part: harmonics::Moments =
        integrals.iter().map(|[re, im]| [re[0], 0.0, 0.0, 0.0, im[0], 0.0, 0.0, 0.0]).collect();
    let mut whole = vec![[0.0; 8]; harmonics::TERMS];
    dispatch(harmonics::Shift { part: &part, by: near, whole: &mut whole });
    let (first, again) = (harmonics::norms(&part), harmonics::norms(&whole));
    assert!(first[3] < again[3]);
    let layer = Layer::new(corners);
    for (moments, centre, distance, error) in [(&part, near, 3.0, 1e-12), (&whole, DVec3::ZERO, 3.0, 1e-9)] {
        let mut packed = Vec::new();
        harmonics::pack::<4>(moments, harmonics::ORDER, &mut packed);
        let mut rng = Rng::new(5);
        for _ in 0..50 {
            let at = centre + distance * rng.direction();
            let (exactly, found) = dispatch(Both { layer: &layer, moments: &packed, at, centre });
            assert!((found / exactly - 1.0).abs() < error, "{exactly} {found}");
        }
    }
}

/// A layer's field at a point, exactly and by moments.
struct Both<'a> {
    layer: &'a Layer,
    moments: &'a [f64],
    at: DVec3,
    centre: DVec3,
}

impl rubblepile_core::simd::Kernel for Both<'_> {
    type Output = (f64, f64);
    fn run<L: rubblepile_core::simd::Lanes>(self) -> (f64, f64) {
        let at = super::layer::vector::<L>(&self.at.to_array());
        let mut sum = [L::splat(0.0); 1];
        let x = at - super::layer::vector(&self.centre.to_array());
        harmonics::add_field::<L, 4, 1, { harmonics::ORDER }>(self.moments, harmonics::ORDER, x, &mut sum);
        (self.layer.integral(at).store()[0], sum[0].store()[0])
    }
}
