//! Small dense systems: the moments of one point's support, at most a few tens of unknowns.
//!
//! Not faer's, which solves the large ones (`sparse.rs`, `condense.rs`): these have no symmetry that its compiled factorisations
//! use, its LU would be one more to compile, and it sums in the order of the processor's vectors; shape functions are made once
//! and must not depend on the processor.

/// Of two rows, in eight sums that run side by side.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// A square matrix as the product of a lower and an upper triangle, rows exchanged.
#[derive(Debug)]
pub struct Lu {
    size: usize,
    /// Row by row; below the diagonal the factors of the lower triangle.
    entries: Vec<f64>,
    /// Which row of the matrix stands in each row.
    order: Vec<usize>,
}

/// A pivot this small, relative to the largest entry, counts as zero.
const SINGULAR: f64 = 1e-15;

impl Lu {
    /// `None`: the matrix is singular.
    pub fn new(mut entries: Vec<f64>, size: usize) -> Option<Self> {
        let largest = entries.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let mut order: Vec<usize> = (0..size).collect();
        for k in 0..size {
            let pivot = (k..size)
                .max_by(|&a, &b| entries[a * size + k].abs().total_cmp(&entries[b * size + k].abs()))?;
            let size_of_pivot = entries[pivot * size + k].abs();
            if size_of_pivot.is_nan() || size_of_pivot <= SINGULAR * largest {
                return None;
            }
            if pivot != k {
                order.swap(pivot, k);
                for j in 0..size {
                    entries.swap(pivot * size + j, k * size + j);
                }
            }
            let (above, below) = entries.split_at_mut((k + 1) * size);
            let row = &above[k * size..];
            for other in below.chunks_exact_mut(size) {
                let factor = other[k] / row[k];
                other[k] = factor;
                for (x, y) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                    *x -= factor * y;
                }
            }
        }
        Some(Lu { size, entries, order })
    }

    /// Several right-hand sides at once, in the columns of `sides`, replaced by the solutions.
    pub fn solve<const N: usize>(&self, sides: &mut [[f64; N]]) {
        let given: Vec<[f64; N]> = self.order.iter().map(|&k| sides[k]).collect();
        sides.copy_from_slice(&given);
        let row = |k: usize| &self.entries[k * self.size..(k + 1) * self.size];
        let less = |from: [f64; N], factor: f64, other: [f64; N]| -> [f64; N] {
            std::array::from_fn(|c| from[c] - factor * other[c])
        };
        for k in 0..self.size {
            let found = (0..k).fold(sides[k], |side, j| less(side, row(k)[j], sides[j]));
            sides[k] = found;
        }
        for k in (0..self.size).rev() {
            let found = (k + 1..self.size).fold(sides[k], |side, j| less(side, row(k)[j], sides[j]));
            sides[k] = found.map(|x| x / row(k)[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_can_and_says_what_it_cannot() {
        // The first pivot is zero.
        let matrix = vec![0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        let lu = Lu::new(matrix.clone(), 3).unwrap();
        let x = [[1.0, -2.0], [0.5, 3.0], [4.0, 0.25]];
        let mut b: Vec<[f64; 2]> = (0..3)
            .map(|i| std::array::from_fn(|c| (0..3).map(|j| matrix[i * 3 + j] * x[j][c]).sum()))
            .collect();
        lu.solve(&mut b);
        for (found, wanted) in b.iter().flatten().zip(x.iter().flatten()) {
            assert!((found - wanted).abs() < 1e-15, "{b:?}");
        }
        assert!(Lu::new(vec![1.0, 2.0, 2.0, 4.0], 2).is_none());
        assert!(Lu::new(vec![1.0, f64::NAN, 2.0, 4.0], 2).is_none());
    }
}
