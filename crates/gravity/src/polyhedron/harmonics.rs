//! Solid harmonics: the moments of facets as layers, and the field of those moments.
//!
//! ```text
//! R_n^m(y) = r^n P_n^m(cos t) e^(i m f) / (n + m)!      I_n^m(x) = (n - m)! P_n^m(cos t) e^(i m f) / r^(n + 1)
//! 1 / |x - y| = sum_n sum_(m = -n..n) conj(R_n^m(y)) I_n^m(x)                                        for |y| < |x|
//! R_n^m(x + y) = sum_k sum_l R_k^l(x) R_(n-k)^(m-l)(y)      R_n^-m = (-1)^m conj(R_n^m)
//! ```
//!
//! P without the sign of Condon and Shortley. Both kinds come from recursions without functions:
//!
//! ```text
//! R_m^m = (x + i y) / (2 m) R_(m-1)^(m-1)        ((n + 1)^2 - m^2) R_(n+1)^m = (2 n + 1) z R_n^m - r^2 R_(n-1)^m
//! I_m^m = (2 m - 1) (x + i y) / r^2 I_(m-1)^(m-1)          r^2 I_(n+1)^m = (2 n + 1) z I_n^m - (n^2 - m^2) I_(n-1)^m
//! ```
//!
//! A moment is the integral of a strength times R over facets. As sum_m |I_n^m|^2 / ((n - m)! (n + m)!) = r^-(2n + 2), the
//! field of the moments of degree n is nowhere above their norm, sqrt(sum_m |M_n^m|^2 (n - m)! (n + m)!), over r^(n + 1).

use glam::DVec3;
use rubblepile_core::simd::{Kernel, LANES, Lanes, V3};

/// The highest degree of moments.
pub const DEGREE: usize = 14;
/// The highest degree whose field is taken: the norms of two more say what is left out.
pub const ORDER: usize = DEGREE - 2;
/// Moments of degrees up to [`DEGREE`], of orders from 0.
pub const TERMS: usize = index(DEGREE + 1, 0);
/// Strengths of a layer: the three components of the normal, and the distance of the facet's plane from the middle.
pub const STRENGTHS: usize = 4;

pub const fn index(n: usize, m: usize) -> usize {
    n * (n + 1) / 2 + m
}

/// The moments of the four strengths: four real parts, four imaginary ones.
pub type Moments = Vec<[f64; 2 * STRENGTHS]>;

/// Points (s, t) and weights on the unit square that integrate over a triangle, whose point is a + s ((1 - t) (b - a) + t (c -
/// a)), exactly up to a degree. The weight has the factor s, and is to be multiplied by twice the area.
pub fn rule(degree: usize) -> Vec<[f64; 3]> {
    let line = gauss(degree / 2 + 1);
    let mut points = Vec::with_capacity(line.len() * line.len());
    for &[s, ws] in &line {
        points.extend(line.iter().map(|&[t, wt]| [s, t, ws * wt * s]));
    }
    points
}

/// Gauss-Legendre on (0, 1): places and weights, exact up to degree 2 n - 1.
fn gauss(n: usize) -> Vec<[f64; 2]> {
    let count = n as f64;
    (0..n)
        .map(|k| {
            let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (count + 0.5)).cos();
            let mut slope = 1.0;
            // Newton's method; from this start five steps are more than enough.
            for _ in 0..8 {
                let (mut before, mut now) = (1.0, x);
                for j in 1..n {
                    let j = j as f64;
                    (before, now) = (now, ((2.0 * j + 1.0) * x * now - j * before) / (j + 1.0));
                }
                slope = count * (x * now - before) / (x * x - 1.0);
                x -= now / slope;
            }
            [0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope)]
        })
        .collect()
}

/// Integrals of R over up to eight facets, one per lane: real and imaginary parts of each term. Each facet is given by its corners,
/// from the centre of its own expansion.
pub struct Integrate<'a> {
    pub corners: &'a [[DVec3; 3]],
    pub degree: usize,
    pub rule: &'a [[f64; 3]],
}

impl Kernel for Integrate<'_> {
    type Output = Vec<[[f64; LANES]; 2]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let Integrate { corners, degree, rule } = self;
        let mut numbers = [[0.0; LANES]; 10];
        for (lane, [a, b, c]) in corners.iter().take(LANES).enumerate() {
            let (ab, ac) = (*b - *a, *c - *a);
            let all = [a.x, a.y, a.z, ab.x, ab.y, ab.z, ac.x, ac.y, ac.z, ab.cross(ac).length()];
            for (row, value) in numbers.iter_mut().zip(all) {
                row[lane] = value;
            }
        }
        let a = V3(L::load(&numbers[0]), L::load(&numbers[1]), L::load(&numbers[2]));
        let ab = V3(L::load(&numbers[3]), L::load(&numbers[4]), L::load(&numbers[5]));
        let ac = V3(L::load(&numbers[6]), L::load(&numbers[7]), L::load(&numbers[8]));
        let twice_area = L::load(&numbers[9]);
        let mut sums = [[L::splat(0.0); 2]; TERMS];
        for &[s, t, weight] in rule {
            let at = a + (ab * L::splat(1.0 - t) + ac * L::splat(t)) * L::splat(s);
            add_regular(at, L::splat(weight) * twice_area, degree, &mut sums);
        }
        let mut out = Vec::with_capacity(index(degree + 1, 0));
        for sum in &sums[..index(degree + 1, 0)] {
            out.push([sum[0].store(), sum[1].store()]);
        }
        out
    }
}

/// Adds weight times R(y).
#[inline(always)]
fn add_regular<L: Lanes>(y: V3<L>, weight: L, degree: usize, sums: &mut [[L; 2]; TERMS]) {
    let r2 = y.dot(y);
    let mut first = [weight, L::splat(0.0)];
    for m in 0..=degree {
        if m > 0 {
            let over = L::splat(0.5 / m as f64);
            first = [(first[0] * y.0 - first[1] * y.1) * over, (first[0] * y.1 + first[1] * y.0) * over];
        }
        let mut before = [L::splat(0.0); 2];
        let mut now = first;
        for n in m..=degree {
            let sum = &mut sums[index(n, m)];
            *sum = [sum[0] + now[0], sum[1] + now[1]];
            let under = ((n + 1) * (n + 1) - m * m) as f64;
            let (up, down) = (y.2 * L::splat((2 * n + 1) as f64 / under), r2 * L::splat(1.0 / under));
            let next = [up * now[0] - down * before[0], up * now[1] - down * before[1]];
            (before, now) = (now, next);
        }
    }
}

/// Adds a part's moments to those of a whole, whose centre the part's is `by` away from.
pub struct Shift<'a> {
    pub part: &'a Moments,
    pub by: DVec3,
    pub whole: &'a mut Moments,
}

impl Kernel for Shift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Shift { part, by, whole } = self;
        let mut steps = [[L::splat(0.0); 2]; TERMS];
        let at = V3(L::splat(by.x), L::splat(by.y), L::splat(by.z));
        add_regular(at, L::splat(1.0), DEGREE, &mut steps);
        // With negative orders: R_n^m at n^2 + n + m. Of the part also the product with i.
        let mut step = [[0.0; 2]; (DEGREE + 1) * (DEGREE + 1)];
        let mut moment = [[[0.0; LANES]; 2]; (DEGREE + 1) * (DEGREE + 1)];
        for n in 0..=DEGREE {
            for m in 0..=n {
                let [re, im] = [steps[index(n, m)][0].store()[0], steps[index(n, m)][1].store()[0]];
                let value = part[index(n, m)];
                let sign = if m % 2 == 0 { 1.0 } else { -1.0 };
                let middle = n * n + n;
                step[middle - m] = [sign * re, -sign * im];
                step[middle + m] = [re, im];
                let (mut below, mut below_i, mut above_i) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
                for k in 0..STRENGTHS {
                    let (re, im) = (value[k], value[k + STRENGTHS]);
                    (below[k], below[k + STRENGTHS]) = (sign * re, -sign * im);
                    (below_i[k], below_i[k + STRENGTHS]) = (sign * im, sign * re);
                    (above_i[k], above_i[k + STRENGTHS]) = (-im, re);
                }
                moment[middle - m] = [below, below_i];
                moment[middle + m] = [value, above_i];
            }
        }
        for n in 0..=DEGREE {
            for m in 0..=n {
                let mut sum = L::load(&whole[index(n, m)]);
                for k in 0..=n {
                    let j = n - k;
                    // Orders l of the part with |l| <= k and |m - l| <= j, counted from -k.
                    let low = (k + m).saturating_sub(j);
                    let high = (2 * k).min(k + m + j);
                    let steps = &step[j * j + (j + m + k - high)..=j * j + (j + m + k - low)];
                    for (moment, step) in moment[k * k + low..=k * k + high].iter().zip(steps.iter().rev()) {
                        sum = sum
                            + L::splat(step[0]) * L::load(&moment[0])
                            + L::splat(step[1]) * L::load(&moment[1]);
                    }
                }
                whole[index(n, m)] = sum.store();
            }
        }
    }
}

/// The norm of the moments of each degree, of the three components together.
pub fn norms(moments: &[[f64; 2 * STRENGTHS]]) -> [f64; DEGREE + 1] {
    let mut out = [0.0; DEGREE + 1];
    for (n, norm) in out.iter_mut().enumerate() {
        if index(n + 1, 0) > moments.len() {
            break;
        }
        for m in 0..=n {
            let weight = factorial(n - m) * factorial(n + m) * if m == 0 { 1.0 } else { 2.0 };
            let v = &moments[index(n, m)];
            *norm += weight * [0, 1, 2, 4, 5, 6].iter().map(|&k| v[k] * v[k]).sum::<f64>();
        }
        *norm = norm.sqrt();
    }
    out
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// Appends moments as [`add_field`] reads them: order 0 by degree, real parts of the strengths; then orders 1, 2, ..., real and
/// imaginary parts, twice, as the negative orders give the same.
pub fn pack<const S: usize>(moments: &[[f64; 2 * STRENGTHS]], order: usize, to: &mut Vec<f64>) {
    for m in 0..=order {
        for n in m..=order {
            let value = &moments[index(n, m)];
            let twice = if m == 0 { 1.0 } else { 2.0 };
            to.extend(value[..S].iter().map(|x| twice * x));
            if m > 0 {
                to.extend(value[STRENGTHS..STRENGTHS + S].iter().map(|x| twice * x));
            }
        }
    }
}

/// Adds to `sums` the first `N` of `S` fields, at `x` from the centre, of moments that are kept up to the order `kept` and taken
/// up to `P`, which is a constant so that all loops are unrolled.
#[inline(always)]
pub fn add_field<L: Lanes, const S: usize, const N: usize, const P: usize>(
    moments: &[f64],
    kept: usize,
    x: V3<L>,
    sums: &mut [L; N],
) {
    let w = L::splat(1.0) / x.dot(x);
    let direction = [x.0 * w, x.1 * w, x.2 * w, w];
    let mut first = [w.sqrt(), L::splat(0.0)];
    let (zonal, mut rest) = moments.split_at(S * (kept + 1));
    let zonal = &zonal[..S * (P + 1)];
    let (mut before, mut now) = (L::splat(0.0), first[0]);
    for n in 0..=P {
        for k in 0..N {
            sums[k] = sums[k] + L::splat(zonal[S * n + k]) * now;
        }
        let up = direction[2] * L::splat((2 * n + 1) as f64);
        let down = w * L::splat((n * n) as f64);
        (before, now) = (now, up * now - down * before);
    }
    macro_rules! columns {
        ($($m:literal)*) => {$(
            if $m <= P {
                let (block, after) = rest.split_at(2 * S * (kept + 1 - $m));
                rest = after;
                add_column::<L, S, N, P, $m>(block, direction, &mut first, sums);
            }
        )*};
    }
    columns!(1 2 3 4 5 6 7 8 9 10 11 12);
    let _ = (rest, before);
}

/// The fields of the order `M`: `first` is I_(M-1)^(M-1), and becomes I_M^M.
#[inline(always)]
fn add_column<L: Lanes, const S: usize, const N: usize, const P: usize, const M: usize>(
    moments: &[f64],
    [x, y, z, w]: [L; 4],
    first: &mut [L; 2],
    sums: &mut [L; N],
) {
    let factor = L::splat((2 * M - 1) as f64);
    *first = [(first[0] * x - first[1] * y) * factor, (first[0] * y + first[1] * x) * factor];
    let mut before = [L::splat(0.0); 2];
    let mut now = *first;
    let moments = &moments[..2 * S * (P + 1 - M)];
    for n in M..=P {
        let value = &moments[2 * S * (n - M)..2 * S * (n - M + 1)];
        for k in 0..N {
            sums[k] = sums[k] + (L::splat(value[k]) * now[0] + L::splat(value[S + k]) * now[1]);
        }
        let up = z * L::splat((2 * n + 1) as f64);
        let down = w * L::splat((n * n - M * M) as f64);
        let next = [up * now[0] - down * before[0], up * now[1] - down * before[1]];
        (before, now) = (now, next);
    }
}
