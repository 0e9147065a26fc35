//! The exact sum, eqs (7)-(12) of asteroid-surface-2024 (Werner and Scheeres 1997).
//!
//! Every edge and every facet is summed, for eight points at a time. Of the logarithm of an edge, eq. (11), which is
//! 2 atanh(e / (x_i + x_j)), and of the angle of a facet, eq. (12), a polynomial is taken where the point is not near, and
//! the library's function, lane by lane, where it is.
//!
//! On an edge the logarithm is infinite and what it multiplies is zero; on a facet the angle jumps and what it multiplies is
//! zero. Both products go to zero, and are set to it there: potential and acceleration are finite and continuous
//! everywhere. The gradient is infinite on edges: of a point there, the edge is left out.

use glam::{DMat3, DVec3};
use rubblepile_core::simd::{Kernel, LANES, Lanes, V3};

use super::{Edge, Polyhedron, PolyhedronField};

/// Above this, of the argument, polynomials are not used.
const NEAR: f64 = 1.0 / 3.0;
/// atanh(z) / z in z^2, and atan(z) / z, for |z| up to 1/3: interpolation at Chebyshev's points, to 5e-17.
pub const ATANH: [f64; 10] = [
    1.0,
    0.33333333333341286,
    0.199999999976438,
    0.1428571455582858,
    0.11111095430673142,
    0.09091429900236955,
    0.07681838124445817,
    0.06795652742789947,
    0.04940394524382393,
    0.08890381913056651,
];
const ATAN: [f64; 10] = [
    1.0,
    -0.33333333333330456,
    0.19999999999142526,
    -0.1428571418645497,
    0.11111105259775887,
    -0.09090710196712389,
    0.07688167325161324,
    -0.06612775592192166,
    0.054498579657999355,
    -0.0324535590304272,
];

/// The sum for up to eight points.
pub struct FacetSum<'a> {
    pub body: &'a Polyhedron,
    pub points: &'a [DVec3],
    /// Whether the gradient is wanted.
    pub gradient: bool,
}

impl Kernel for FacetSum<'_> {
    type Output = [PolyhedronField; LANES];

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let FacetSum { body, points, gradient } = self;
        let mut at = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            let x = points[lane.min(points.len() - 1)];
            (at[0][lane], at[1][lane], at[2][lane]) = (x.x, x.y, x.z);
        }
        let at = V3(L::load(&at[0]), L::load(&at[1]), L::load(&at[2]));
        let zero = L::splat(0.0);
        // Distances to all corners, each of which has some six edges.
        let mut distance = vec![[0.0; LANES]; body.vertices.len()];
        for (v, d) in body.vertices.iter().zip(&mut distance) {
            let x = from::<L>(at, *v);
            *d = x.dot(x).sqrt().store();
        }
        let mut potential = zero;
        let mut sum = V3::<L>::zero();
        let mut slope = [zero; 6];
        for edge in &body.edges {
            let [i, j] = edge.ends.map(|k| k as usize);
            let x = from::<L>(at, body.vertices[i]);
            let both = L::load(&distance[i]) + L::load(&distance[j]);
            let z = L::splat(edge.length) / both;
            let mut log = z * series::<L>(&ATANH, z * z);
            log = log + log;
            if any_above::<L>(z, NEAR) {
                log = near_edge::<L>(log, z, body, edge, at);
            }
            let [xx, yy, zz, yz, xz, xy] = six::<L>(&edge.dyad);
            let y = V3(
                xx * x.0 + xy * x.1 + xz * x.2,
                xy * x.0 + yy * x.1 + yz * x.2,
                xz * x.0 + yz * x.1 + zz * x.2,
            ) * log;
            sum = sum + y;
            potential = potential + x.dot(y);
            if gradient {
                slope[0] = slope[0] + xx * log;
                slope[1] = slope[1] + yy * log;
                slope[2] = slope[2] + zz * log;
                slope[3] = slope[3] + yz * log;
                slope[4] = slope[4] + xz * log;
                slope[5] = slope[5] + xy * log;
            }
        }
        let mut angles = zero;
        for facet in &body.facets {
            let [i, j, k] = facet.corners.map(|k| k as usize);
            let (a, b, c) = (
                from::<L>(at, body.vertices[i]),
                from::<L>(at, body.vertices[j]),
                from::<L>(at, body.vertices[k]),
            );
            let (da, db, dc) = (L::load(&distance[i]), L::load(&distance[j]), L::load(&distance[k]));
            let n = V3(L::splat(facet.normal[0]), L::splat(facet.normal[1]), L::splat(facet.normal[2]));
            let height = n.dot(a);
            // The triple product of eq. (12) is that of vectors to the corners, which are -x.
            let over = -(height * L::splat(facet.twice_area));
            let under = da * (db * dc + b.dot(c)) + db * a.dot(c) + dc * a.dot(b);
            let t = over / under;
            let mut angle = t * series::<L>(&ATAN, t * t);
            angle = angle + angle;
            // Also where the denominator is not positive: then the facet fills half of the sky.
            if any_above::<L>(t.abs(), NEAR) || any_above::<L>(-under, 0.0) {
                angle = near_facet::<L>(angle, t, over, under);
            }
            let pull = height * angle;
            sum = sum - n * pull;
            potential = potential - height * pull;
            angles = angles + angle;
            if gradient {
                slope[0] = slope[0] - n.0 * n.0 * angle;
                slope[1] = slope[1] - n.1 * n.1 * angle;
                slope[2] = slope[2] - n.2 * n.2 * angle;
                slope[3] = slope[3] - n.1 * n.2 * angle;
                slope[4] = slope[4] - n.0 * n.2 * angle;
                slope[5] = slope[5] - n.0 * n.1 * angle;
            }
        }
        let (x, y, z) = (sum.0.store(), sum.1.store(), sum.2.store());
        let (potential, angles) = (potential.store(), angles.store());
        let slope = slope.map(|s| s.store());
        std::array::from_fn(|lane| {
            let [xx, yy, zz, yz, xz, xy] = slope.map(|s| s[lane]);
            PolyhedronField {
                potential: 0.5 * potential[lane],
                acceleration: DVec3::new(x[lane], y[lane], z[lane]),
                gradient: DMat3::from_cols(
                    DVec3::new(xx, xy, xz),
                    DVec3::new(xy, yy, yz),
                    DVec3::new(xz, yz, zz),
                ),
                laplacian: -angles[lane],
            }
        })
    }
}

/// Eq. (8).
#[inline(always)]
fn from<L: Lanes>(at: V3<L>, vertex: DVec3) -> V3<L> {
    V3(at.0 - L::splat(vertex.x), at.1 - L::splat(vertex.y), at.2 - L::splat(vertex.z))
}

#[inline(always)]
fn six<L: Lanes>(x: &[f64; 6]) -> [L; 6] {
    [L::splat(x[0]), L::splat(x[1]), L::splat(x[2]), L::splat(x[3]), L::splat(x[4]), L::splat(x[5])]
}

/// A polynomial, in pairs: the processor can do several at once.
#[inline(always)]
pub fn series<L: Lanes>(c: &[f64; 10], w: L) -> L {
    let w2 = w * w;
    let w4 = w2 * w2;
    let p0 = L::splat(c[0]) + L::splat(c[1]) * w;
    let p1 = L::splat(c[2]) + L::splat(c[3]) * w;
    let p2 = L::splat(c[4]) + L::splat(c[5]) * w;
    let p3 = L::splat(c[6]) + L::splat(c[7]) * w;
    let p4 = L::splat(c[8]) + L::splat(c[9]) * w;
    (p0 + p1 * w2) + ((p2 + p3 * w2) + p4 * w4) * w4
}

/// Whether any lane is, or is not a number.
#[inline(always)]
fn any_above<L: Lanes>(x: L, limit: f64) -> bool {
    x.store().iter().any(|&x| x > limit || x.is_nan())
}

/// Eq. (11) for an edge between a and b from the point, from x_i + x_j - e = 2 |x_i x x_j|^2 / ((x_i x_j - x_i . x_j) (x_i +
/// x_j + e)), which loses nothing on the way to the edge. On it, zero.
pub fn log_of_edge(a: DVec3, b: DVec3, length: f64) -> f64 {
    let (da, db) = (a.length(), b.length());
    let sum = da + db + length;
    let (product, cosine) = (da * db, a.dot(b));
    // Beside the edge's own line; past its ends nothing cancels.
    let less = match cosine < 0.0 {
        true => 2.0 * a.cross(b).length_squared() / ((product - cosine) * sum),
        false => 2.0 * (product + cosine) / sum,
    };
    if less > 0.0 { (sum / less).ln() } else { 0.0 }
}

/// The logarithms of the lanes that are near an edge.
#[inline(never)]
fn near_edge<L: Lanes>(log: L, z: L, body: &Polyhedron, edge: &Edge, at: V3<L>) -> L {
    let (mut log, z) = (log.store(), z.store());
    let (x, y, zc) = (at.0.store(), at.1.store(), at.2.store());
    for lane in 0..LANES {
        if z[lane] > NEAR {
            let point = DVec3::new(x[lane], y[lane], zc[lane]);
            let [a, b] = edge.ends.map(|k| point - body.vertices[k as usize]);
            log[lane] = log_of_edge(a, b, edge.length);
        }
    }
    L::load(&log)
}

#[inline(never)]
fn near_facet<L: Lanes>(angle: L, t: L, over: L, under: L) -> L {
    let (mut angle, t, over, under) = (angle.store(), t.store(), over.store(), under.store());
    for lane in 0..LANES {
        // Not a number where both are zero: at a corner, whose facet then has no height.
        if t[lane].is_nan() || t[lane].abs() > NEAR || under[lane] <= 0.0 {
            angle[lane] = 2.0 * over[lane].atan2(under[lane]);
        }
    }
    L::load(&angle)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use rubblepile_core::Rng;

    use super::{super::NotClosed, *};

    fn cube() -> Polyhedron {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1));
        let vertices: Vec<DVec3> = (0..8).map(|k| 2.0 * corner(k) - DVec3::ONE).collect();
        let squares = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[u32; 3]> =
            squares.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        Polyhedron::new(&vertices, &triangles).expect("a cube")
    }

    /// The cube's potential by Gauss-Legendre points, for points that are not too near.
    fn by_sum(at: DVec3) -> (f64, DVec3) {
        let n = 40;
        let h = 2.0 / f64::from(n);
        let (mut u, mut a) = (0.0, DVec3::ZERO);
        // Two Gauss points in each interval, along each axis.
        let nodes: Vec<f64> = (0..n)
            .flat_map(|k| [-1.0, 1.0].map(|s| -1.0 + h * (f64::from(k) + 0.5 + 0.5 * s / 3f64.sqrt())))
            .collect();
        for &x in &nodes {
            for &y in &nodes {
                for &z in &nodes {
                    let d = DVec3::new(x, y, z) - at;
                    let r = d.length();
                    u += 1.0 / r;
                    a += d / r.powi(3);
                }
            }
        }
        let weight = (0.5 * h).powi(3);
        (u * weight, a * weight)
    }

    #[test]
    fn a_cube_pulls_as_the_sum_of_its_parts() {
        let points = [DVec3::new(2.0, 0.3, -0.4), DVec3::new(1.5, 1.4, 1.6), DVec3::new(-3.0, 0.0, 0.0)];
        for (pull, at) in cube().pull(&points).iter().zip(points) {
            let (u, a) = by_sum(at);
            assert!((pull.potential - u).abs() < 1e-7 * u, "{} {u}", pull.potential);
            assert!((pull.acceleration - a).length() < 1e-6 * a.length(), "{} {a}", pull.acceleration);
            assert!(pull.laplacian.abs() < 1e-12);
        }
    }

    #[test]
    fn at_the_middle_of_a_cube_is_what_the_books_have() {
        // Potential at the centre and at a corner of a cube of side a: a^2 (3 ln(2 + sqrt 3)... ) in closed form.
        let side2 = 4.0;
        let centre = 6.0 * ((1.0 + 3f64.sqrt()) / 2f64.sqrt()).ln() - PI / 2.0;
        let corner = 0.5 * centre;
        let pulls = cube().pull(&[DVec3::ZERO, DVec3::ONE]);
        assert!(
            (pulls[0].potential / side2 - centre).abs() < 1e-13,
            "{} {centre}",
            pulls[0].potential / side2
        );
        assert!(
            (pulls[1].potential / side2 - corner).abs() < 1e-13,
            "{} {corner}",
            pulls[1].potential / side2
        );
        assert!(pulls[0].acceleration.length() < 1e-14);
        assert!((pulls[0].laplacian + 4.0 * PI).abs() < 1e-13);
    }

    #[test]
    fn nothing_is_lost_on_facets_edges_and_corners() {
        let body = cube();
        let mut rng = Rng::new(1);
        for _ in 0..200 {
            // A point on the surface: of a facet, an edge, a corner, or a mid-diagonal; and points ever nearer to it.
            let mut at = DVec3::from_array(std::array::from_fn(|_| rng.range(-1.0, 1.0)));
            for axis in 0..3 {
                if rng.uniform() < 0.5 {
                    at[axis] = at[axis].signum();
                }
            }
            let away = rng.direction();
            let gaps = [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3];
            let points: Vec<DVec3> = gaps.iter().map(|gap| at + *gap * away).collect();
            let pulls = body.pull(&points);
            for (gap, pull) in gaps.iter().zip(&pulls) {
                let change = (pull.acceleration - pulls[0].acceleration).length();
                // It changes as d ln d.
                assert!(change < 1e-13 + 60.0 * gap * (1.0 - gap.max(1e-300).ln()), "{gap} {change}");
                assert!(pull.potential.is_finite() && pull.gradient.is_finite());
            }
        }
    }

    #[test]
    fn the_acceleration_is_the_gradient_of_the_potential_and_so_on() {
        let body = cube();
        let mut rng = Rng::new(7);
        for k in 0..100 {
            let at = rng.range(0.1, 3.0) * rng.direction();
            let (nearest, inside) = (1.0 - at.abs().max_element(), at.abs().max_element() < 1.0);
            if nearest.abs() < 0.05 {
                continue;
            }
            let h = 1e-5;
            let points: Vec<DVec3> = [at]
                .into_iter()
                .chain((0..6).map(|k| at + if k % 2 == 0 { h } else { -h } * DVec3::AXES[k / 2]))
                .collect();
            let pulls = body.pull(&points);
            for axis in 0..3 {
                let (up, down) = (&pulls[1 + 2 * axis], &pulls[2 + 2 * axis]);
                let slope = (up.potential - down.potential) / (2.0 * h);
                assert!((slope - pulls[0].acceleration[axis]).abs() < 1e-8, "{k}");
                let slope = (up.acceleration - down.acceleration) / (2.0 * h);
                assert!((slope - pulls[0].gradient.col(axis)).length() < 1e-6, "{k}");
            }
            let trace = (0..3).map(|k| pulls[0].gradient.col(k)[k]).sum::<f64>();
            let expected = if inside { -4.0 * PI } else { 0.0 };
            assert!((trace - expected).abs() < 1e-11 && (pulls[0].laplacian - expected).abs() < 1e-11);
        }
    }

    #[test]
    fn an_open_or_twisted_surface_is_refused() {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let good = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        assert!(Polyhedron::new(&vertices, &good).is_ok());
        assert_eq!(Polyhedron::new(&vertices, &good[..3]).unwrap_err(), NotClosed::Edge(2, 1));
        let twisted = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]];
        assert!(matches!(Polyhedron::new(&vertices, &twisted), Err(NotClosed::Edge(..))));
        assert_eq!(Polyhedron::new(&vertices, &[[0, 1, 1]]).unwrap_err(), NotClosed::Degenerate(0));
        assert_eq!(Polyhedron::new(&vertices, &[[0, 1, 9]]).unwrap_err(), NotClosed::Degenerate(0));
    }
}
