//! Sums that keep what plain addition loses, and that give the same bits on any number of threads.
//!
//! Neumaier's variant of compensated summation (Z. angew. Math. Mech. 54, 39, 1974): the rounding error of every
//! addition is gathered beside the sum. The error of the result is then of the order of one rounding of the
//! result, plus the square of the unit roundoff times the sum of the magnitudes: totals that should vanish, such
//! as momentum, can be followed to 1e-15 of the sum of the magnitudes. Rounding inside a term is not repaired.

use rayon::prelude::*;

/// Length of the chunks a long sum is cut into: fixed, so that threads do not change the order of additions.
pub const CHUNK: usize = 4096;

/// A running compensated sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompensatedSum {
    sum: f64,
    carry: f64,
}

impl CompensatedSum {
    #[inline]
    pub fn add(&mut self, x: f64) {
        let t = self.sum + x;
        self.carry += if self.sum.abs() >= x.abs() { (self.sum - t) + x } else { (x - t) + self.sum };
        self.sum = t;
    }

    pub fn merge(&mut self, other: &CompensatedSum) {
        self.add(other.sum);
        self.carry += other.carry;
    }

    pub fn value(&self) -> f64 {
        // Past the largest number the carry is not a number; the sum itself still says which infinity.
        if self.sum.is_finite() { self.sum + self.carry } else { self.sum }
    }
}

/// Sums `K` quantities over `0..n`: `term(k)` gives those of item `k`.
pub fn reduce<const K: usize>(n: usize, term: impl Fn(usize) -> [f64; K] + Sync) -> [f64; K] {
    let chunk = |c: usize| {
        let mut sums = [CompensatedSum::default(); K];
        for k in c * CHUNK..((c + 1) * CHUNK).min(n) {
            for (sum, x) in sums.iter_mut().zip(term(k)) {
                sum.add(x);
            }
        }
        sums
    };
    let chunks = n.div_ceil(CHUNK);
    let partial: Vec<[CompensatedSum; K]> = if chunks <= 1 {
        (0..chunks).map(chunk).collect()
    } else {
        (0..chunks).into_par_iter().map(chunk).collect()
    };
    let mut total = [CompensatedSum::default(); K];
    for part in &partial {
        for (sum, p) in total.iter_mut().zip(part) {
            sum.merge(p);
        }
    }
    total.map(|s| s.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_plain_addition_loses() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(terms.iter().sum::<f64>(), 0.0);
        assert_eq!(reduce(4, |k| [terms[k]]), [2.0]);
    }

    #[test]
    fn across_chunks_too() {
        // A large term in the first chunk, its opposite in the last, and small ones between.
        let n = 5 * CHUNK;
        let term = |k: usize| {
            [if k == 0 {
                1e20
            } else if k == n - 1 {
                -1e20
            } else {
                0.25
            }]
        };
        assert_eq!(reduce(n, term), [0.25 * (n - 2) as f64]);
    }

    #[test]
    fn same_bits_on_one_and_on_three_threads() {
        let term = |k: usize| [(k as f64).sin() * 1e6, 1.0 / (k as f64 + 1.0)];
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| reduce(100_000, term).map(f64::to_bits))
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn nothing_sums_to_zero_and_infinity_stays() {
        assert_eq!(reduce(0, |_| [1.0]), [0.0]);
        assert_eq!(reduce(2, |_| [f64::INFINITY]), [f64::INFINITY]);
    }
}
