//! One facet as a layer: the integral of dS / r over it, exactly, for eight points at a time.
//!
//! With y from the point to a corner, n the normal and m_e the normals of the sides in the plane, outward,
//!
//! ```text
//! integral of dS / r = sum_e (m_e . y_e) L_e - (n . y) w
//! ```
//!
//! with L_e of eq. (11) and w of eq. (12) of asteroid-surface-2024. Unlike in the exact sum, most points are near, so logarithm
//! and angle are taken for all lanes in the same way; only next to a side the logarithm is the library's. On the side and on
//! the facet what the infinite logarithm or the jumping angle multiplies is zero.

use glam::DVec3;
use rubblepile_core::simd::{LANES, Lanes, V3};

use super::exact::{ATANH, log_of_edge, series};

/// Below this, of x_i + x_j - e over x_i + x_j, too much is lost of the difference.
const BESIDE: f64 = 1e-6;
/// atan(z) / z in z^2, for |z| up to tan(pi / 8): interpolation at Chebyshev's points, to 2e-18.
const ATAN: [f64; 12] = [
    1.0,
    -0.3333333333333312,
    0.19999999999940837,
    -0.14285714279244968,
    0.11111110744657099,
    -0.09090896801472813,
    0.07692045194561481,
    -0.06662950246036792,
    0.05846866752275139,
    -0.05035049795312439,
    0.03796390316111083,
    -0.017803896394812564,
];

#[derive(Debug, Clone, Copy)]
pub struct Layer {
    pub corners: [[f64; 3]; 3],
    pub normal: [f64; 3],
    twice_area: f64,
    /// Of the sides from each corner to the next.
    length: [f64; 3],
    outward: [[f64; 3]; 3],
}

impl Layer {
    pub fn new([a, b, c]: [DVec3; 3]) -> Self {
        let normal = (b - a).cross(c - a);
        let twice_area = normal.length();
        let normal = normal / twice_area;
        let sides = [b - a, c - b, a - c];
        Layer {
            corners: [a, b, c].map(|x| x.to_array()),
            normal: normal.to_array(),
            twice_area,
            length: sides.map(|s| s.length()),
            outward: sides.map(|s| s.cross(normal).normalize().to_array()),
        }
    }

    /// The integral at `at`.
    #[inline(always)]
    pub fn integral<L: Lanes>(&self, at: V3<L>) -> L {
        let (a, b, c) = (
            vector::<L>(&self.corners[0]) - at,
            vector::<L>(&self.corners[1]) - at,
            vector::<L>(&self.corners[2]) - at,
        );
        let (ra, rb, rc) = (a.dot(a).sqrt(), b.dot(b).sqrt(), c.dot(c).sqrt());
        let sides = [ra + rb, rb + rc, rc + ra];
        let mut logs = [
            log::<L>(sides[0], self.length[0]),
            log::<L>(sides[1], self.length[1]),
            log::<L>(sides[2], self.length[2]),
        ];
        let mut beside = false;
        for (sum, length) in sides.iter().zip(&self.length) {
            let less = (*sum - L::splat(*length) - L::splat(BESIDE) * *sum).store();
            for less in less {
                beside |= less <= 0.0;
            }
        }
        if beside {
            logs = self.beside(logs, sides, [a, b, c]);
        }
        let height = vector::<L>(&self.normal).dot(a);
        let over = height * L::splat(self.twice_area);
        let under = ra * (rb * rc + b.dot(c)) + rb * a.dot(c) + rc * a.dot(b);
        vector::<L>(&self.outward[0]).dot(a) * logs[0]
            + vector::<L>(&self.outward[1]).dot(b) * logs[1]
            + vector::<L>(&self.outward[2]).dot(c) * logs[2]
            - height * angle(over, under)
    }

    /// The logarithms anew in the lanes that are next to a side. `corners` are seen from the points, `sums` those of their
    /// distances.
    #[inline(never)]
    fn beside<L: Lanes>(&self, mut logs: [L; 3], sums: [L; 3], corners: [V3<L>; 3]) -> [L; 3] {
        let mut at = [[[0.0; LANES]; 3]; 3];
        for k in 0..3 {
            at[k] = [corners[k].0.store(), corners[k].1.store(), corners[k].2.store()];
        }
        for k in 0..3 {
            let (mut log, sum) = (logs[k].store(), sums[k].store());
            for lane in 0..LANES {
                if sum[lane] - self.length[k] - BESIDE * sum[lane] <= 0.0 {
                    let [from, to] = [k, (k + 1) % 3].map(|k| DVec3::from_array(at[k].map(|x| x[lane])));
                    log[lane] = log_of_edge(from, to, self.length[k]);
                }
            }
            logs[k] = L::load(&log);
        }
        logs
    }
}

#[inline(always)]
pub fn vector<L: Lanes>(x: &[f64; 3]) -> V3<L> {
    V3(L::splat(x[0]), L::splat(x[1]), L::splat(x[2]))
}

/// Eq. (11), with the sum of the distances of the ends and the length.
#[inline(always)]
fn log<L: Lanes>(sum: L, length: f64) -> L {
    let (m, k) = split(sum + L::splat(length));
    let (n, l) = split(sum - L::splat(length));
    // m / n is between 1/2 and 2.
    let z = (m - n) / (m + n);
    let half = z * series::<L>(&ATANH, z * z);
    half + half + (k - l) * L::splat(std::f64::consts::LN_2)
}

/// A positive number as one between 1 and 2, and its power of two, which is counted from somewhere.
#[inline(always)]
fn split<L: Lanes>(x: L) -> (L, L) {
    const POWER: u64 = 0x3ff << 52;
    const WHOLE: f64 = (1u64 << 52) as f64;
    let x = x.store();
    let (mut m, mut k) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let bits = x[lane].to_bits();
        m[lane] = f64::from_bits((bits & ((1 << 52) - 1)) | POWER);
        // An integer below 2^52, as the last bits of a number between 2^52 and 2^53.
        k[lane] = f64::from_bits((bits >> 52) | WHOLE.to_bits());
    }
    (L::load(&m), L::load(&k))
}

/// Twice the angle of (under, over), between -2 pi and 2 pi: tan(u / 2) = sin u / (1 + cos u), then less pi / 4 if that is near.
#[inline(always)]
fn angle<L: Lanes>(over: L, under: L) -> L {
    use std::f64::consts::{FRAC_PI_8, PI};
    let (y, x) = (over.abs(), under.abs());
    // At a corner both are zero.
    let x = x + (y * y + x * x).sqrt() + L::splat(f64::MIN_POSITIVE);
    let steep = (x * L::splat(FRAC_PI_8.tan())).less(y);
    let z = L::select(steep, y - x, y) / L::select(steep, y + x, x);
    let w = z * z;
    let (w2, w4) = (w * w, w * w * (w * w));
    let p0 = L::splat(ATAN[0]) + L::splat(ATAN[1]) * w + (L::splat(ATAN[2]) + L::splat(ATAN[3]) * w) * w2;
    let p1 = L::splat(ATAN[4]) + L::splat(ATAN[5]) * w + (L::splat(ATAN[6]) + L::splat(ATAN[7]) * w) * w2;
    let p2 = L::splat(ATAN[8]) + L::splat(ATAN[9]) * w + (L::splat(ATAN[10]) + L::splat(ATAN[11]) * w) * w2;
    let quarter = z * (p0 + (p1 + p2 * w4) * w4) + L::select(steep, L::splat(0.25 * PI), L::splat(0.0));
    let quarter = quarter + quarter;
    let half = L::select(under.less(L::splat(0.0)), L::splat(PI) - quarter, quarter);
    let half = L::select(over.less(L::splat(0.0)), -half, half);
    half + half
}
