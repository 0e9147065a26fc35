//! The smallest sphere that encloses spheres.
//!
//! The problem is of LP type: the answer is fixed by at most four of the spheres. From the answer of a few, the
//! sphere that sticks out farthest is added, the exact answer of these at most five is found among all their
//! subsets, and only the subset that fixes it is kept (the pivot of Gaertner, "Fast and robust smallest enclosing
//! balls", ESA 1999, with the sphere-of-spheres equations of Fischer and Gaertner, 2004). The radius grows at
//! every turn, so that it ends; a few to a few tens of passes over the grains are usual.
//!
//! What comes back always encloses every sphere, and its radius is within about 1e-12 of the smallest.

use glam::DVec3;
use rayon::prelude::*;

use crate::sum::CHUNK;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnclosingSphere {
    pub centre: DVec3,
    pub radius: f64,
}

impl EnclosingSphere {
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3)
    }
}

/// Enough for any input met; past it the best sphere so far is given, which still encloses all.
const TURNS: usize = 1000;

/// The smallest sphere around all spheres. `None` if there are none, or if a number is not finite.
pub fn enclosing_sphere(centres: &[DVec3], radii: &[f64]) -> Option<EnclosingSphere> {
    let n = centres.len().min(radii.len());
    if n == 0 {
        return None;
    }
    let (centres, radii) = (&centres[..n], &radii[..n]);
    let ball = |k: usize| EnclosingSphere { centre: centres[k], radius: radii[k] };
    let mut support = vec![ball(0)];
    let mut centre = centres[0];
    let mut floor = 0.0;
    let mut best: Option<EnclosingSphere> = None;
    for _ in 0..TURNS {
        let (far, reach) = farthest(centres, radii, centre);
        if !reach.is_finite() {
            return None;
        }
        if best.is_none_or(|b| reach < b.radius) {
            best = Some(EnclosingSphere { centre, radius: reach });
        }
        support.push(ball(far));
        let (next, basis) = smallest_of_few(&support);
        // `floor` is the radius that the support alone needs: no sphere around all can be smaller.
        if reach <= next.radius * (1.0 + 1e-14) || next.radius <= floor {
            break;
        }
        (centre, floor, support) = (next.centre, next.radius, basis);
    }
    best
}

/// The sphere that reaches farthest from a point, and how far; the first of them if several do.
fn farthest(centres: &[DVec3], radii: &[f64], from: DVec3) -> (usize, f64) {
    let of_chunk = |c: usize| {
        let mut best = (0, f64::NEG_INFINITY);
        for k in c * CHUNK..((c + 1) * CHUNK).min(centres.len()) {
            let reach = centres[k].distance(from) + radii[k];
            // A NaN is let through, for the caller to see.
            if reach > best.1 || reach.is_nan() {
                best = (k, reach);
            }
        }
        best
    };
    let chunks = centres.len().div_ceil(CHUNK);
    let found: Vec<(usize, f64)> = (0..chunks).into_par_iter().map(of_chunk).collect();
    found.into_iter().fold((0, f64::NEG_INFINITY), |a, b| if a.1.is_nan() || b.1 <= a.1 { a } else { b })
}

/// The smallest sphere around at most five, and those that fix it.
///
/// Every subset of one to four gives the spheres that touch its members from outside with the centre in their
/// span; the answer is one of them, namely the one with the centre from which all can be reached soonest.
fn smallest_of_few(balls: &[EnclosingSphere]) -> (EnclosingSphere, Vec<EnclosingSphere>) {
    let mut best = EnclosingSphere { centre: balls[0].centre, radius: f64::INFINITY };
    let mut basis = vec![balls[0]];
    for mask in 1u32..1 << balls.len() {
        if mask.count_ones() > 4 {
            continue;
        }
        let subset: Vec<EnclosingSphere> =
            (0..balls.len()).filter(|&k| mask >> k & 1 == 1).map(|k| balls[k]).collect();
        for centre in touching_centres(&subset) {
            let radius = balls.iter().map(|b| b.centre.distance(centre) + b.radius).fold(0.0, f64::max);
            if radius < best.radius {
                best = EnclosingSphere { centre, radius };
                basis = subset.clone();
            }
        }
    }
    (best, basis)
}

/// Centres c in the span of the subset's centres with `|c - p_i| + r_i` the same for all i.
///
/// With x = c - p_0, rho = R - r_0, q_i = p_i - p_0 and s_i = r_i - r_0, the differences of the squared equations
/// are linear: `2 q_i . x = |q_i|^2 - s_i^2 + 2 rho s_i`. So x = a + rho b, and `|x| = rho` is a quadratic.
fn touching_centres(subset: &[EnclosingSphere]) -> Vec<DVec3> {
    let p0 = subset[0].centre;
    let rest = &subset[1..];
    if rest.is_empty() {
        return vec![p0];
    }
    let m = rest.len();
    let q: Vec<DVec3> = rest.iter().map(|s| s.centre - p0).collect();
    let s: Vec<f64> = rest.iter().map(|b| b.radius - subset[0].radius).collect();
    // Columns of the augmented matrix: the Gram matrix, then the right-hand sides of a and of b.
    let mut rows = [[0.0; 5]; 3];
    for i in 0..m {
        for j in 0..m {
            rows[i][j] = 2.0 * q[i].dot(q[j]);
        }
        rows[i][3] = q[i].length_squared() - s[i] * s[i];
        rows[i][4] = 2.0 * s[i];
    }
    let Some(weights) = solve(&mut rows, m) else { return Vec::new() };
    let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
    for (k, w) in weights.iter().enumerate().take(m) {
        a += w[0] * q[k];
        b += w[1] * q[k];
    }
    // (|b|^2 - 1) rho^2 + 2 a.b rho + |a|^2 = 0
    let (qa, qb, qc) = (b.length_squared() - 1.0, a.dot(b), a.length_squared());
    let disc = qb * qb - qa * qc;
    if disc < 0.0 {
        return Vec::new();
    }
    let t = -(qb + disc.sqrt().copysign(qb));
    [t / qa, qc / t]
        .into_iter()
        .filter(|rho| rho.is_finite() && *rho >= 0.0)
        .map(|rho| p0 + a + rho * b)
        .collect()
}

/// Gauss elimination with pivots for two right-hand sides, in columns 3 and 4. `None` if singular.
fn solve(rows: &mut [[f64; 5]; 3], m: usize) -> Option<[[f64; 2]; 3]> {
    let scale = (0..m).map(|i| rows[i][i].abs()).fold(0.0, f64::max);
    for k in 0..m {
        let pivot = (k..m).fold(k, |p, i| if rows[i][k].abs() > rows[p][k].abs() { i } else { p });
        rows.swap(k, pivot);
        if rows[k][k].is_nan() || rows[k][k].abs() <= 1e-14 * scale {
            return None;
        }
        let upper = rows[k];
        for row in rows.iter_mut().take(m).skip(k + 1) {
            let f = row[k] / upper[k];
            for (x, u) in row.iter_mut().zip(upper).skip(k) {
                *x -= f * u;
            }
        }
    }
    let mut x = [[0.0; 2]; 3];
    for k in (0..m).rev() {
        for c in 0..2 {
            let known: f64 = (k + 1..m).map(|j| rows[k][j] * x[j][c]).sum();
            x[k][c] = (rows[k][3 + c] - known) / rows[k][k];
        }
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use rubblepile_core::Rng;

    use super::*;
    use crate::testing::cloud;

    fn check(spheres: &[(DVec3, f64)], centre: DVec3, radius: f64) {
        let (c, r): (Vec<DVec3>, Vec<f64>) = spheres.iter().copied().unzip();
        let s = enclosing_sphere(&c, &r).expect("a sphere");
        assert!((s.radius - radius).abs() < 1e-12 * radius, "{} and not {radius}", s.radius);
        assert!((s.centre - centre).length() < 1e-6 * radius, "{} and not {centre}", s.centre);
    }

    #[test]
    fn of_few_spheres_by_hand() {
        check(&[(DVec3::X, 2.0)], DVec3::X, 2.0);
        check(&[(DVec3::ZERO, 1.0), (DVec3::new(4.0, 0.0, 0.0), 1.0)], DVec3::new(2.0, 0.0, 0.0), 3.0);
        // Unequal radii: the ends are at -1 and 7.
        check(&[(DVec3::ZERO, 1.0), (DVec3::new(4.0, 0.0, 0.0), 3.0)], DVec3::new(3.0, 0.0, 0.0), 4.0);
        // One within the other.
        check(&[(DVec3::ZERO, 5.0), (DVec3::X, 1.0)], DVec3::ZERO, 5.0);
        // The corners of a cube: the four that fix it are not unique.
        let cube: Vec<_> = (0..8)
            .map(|k| (DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64), 0.25))
            .collect();
        check(&cube, DVec3::splat(0.5), 0.75f64.sqrt() + 0.25);
        // A regular tetrahedron and its middle.
        let tetra =
            [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0), (0.0, 0.0, 0.0)]
                .map(|(x, y, z)| (DVec3::new(x, y, z), 0.1));
        check(&tetra, DVec3::ZERO, 3f64.sqrt() + 0.1);
    }

    #[test]
    fn spheres_on_a_line_or_twice_in_one_place() {
        let line: Vec<_> = (0..100).map(|k| (DVec3::new(k as f64, 0.0, 0.0), 0.5)).collect();
        check(&line, DVec3::new(49.5, 0.0, 0.0), 50.0);
        check(&[(DVec3::Y, 1.0); 10], DVec3::Y, 1.0);
    }

    #[test]
    fn a_cloud_of_known_answer_far_from_the_origin() {
        // Spheres inside one of radius 50, among them enough that touch it from inside.
        let (mut rng, middle) = (Rng::new(3), DVec3::new(1e4, -2e4, 3e4));
        let mut spheres: Vec<(DVec3, f64)> = Vec::new();
        for k in 0..20_000 {
            let r = 0.1 + 0.9 * rng.uniform();
            let reach = if k % 100 == 0 { 50.0 - r } else { (50.0 - r) * rng.uniform() };
            spheres.push((middle + reach * rng.direction(), r));
        }
        let (c, r): (Vec<DVec3>, Vec<f64>) = spheres.into_iter().unzip();
        let s = enclosing_sphere(&c, &r).expect("a sphere");
        assert!((s.radius - 50.0).abs() < 1e-9, "{}", s.radius);
        assert!(c.iter().zip(&r).all(|(c, r)| c.distance(s.centre) + r <= s.radius));
    }

    #[test]
    fn no_smaller_one_is_found_by_a_search() {
        let w = cloud(500, 11);
        let (c, r) = (&w.bodies.position, &w.bodies.radius);
        let s = enclosing_sphere(c, r).expect("a sphere");
        let reach = |at: DVec3| c.iter().zip(r).map(|(c, r)| c.distance(at) + r).fold(0.0, f64::max);
        let mut rng = Rng::new(4);
        for k in 0..2000 {
            let step = 10f64.powi(-1 - k % 8);
            assert!(reach(s.centre + step * rng.direction()) >= s.radius * (1.0 - 1e-12));
        }
    }

    #[test]
    fn same_bits_on_any_number_of_threads_and_none_without_spheres() {
        let w = cloud(30_000, 12);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| enclosing_sphere(&w.bodies.position, &w.bodies.radius))
        };
        assert_eq!(on(1), on(3));
        assert_eq!(enclosing_sphere(&[], &[]), None);
        assert_eq!(enclosing_sphere(&[DVec3::NAN, DVec3::X], &[1.0, 1.0]), None);
        assert_eq!(enclosing_sphere(&[DVec3::X, DVec3::NAN], &[1.0, 1.0]), None);
    }
}
