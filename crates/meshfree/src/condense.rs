//! A grain's system of equations with its inner nodes eliminated: only those on its outline meet other grains. All grains can be
//! condensed side by side, and one that has hardly deformed since need not be condensed again.

use faer::{
    Accum, MatMut, Par,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::ldlt::factor::{LdltRegularization, cholesky_in_place, cholesky_in_place_scratch},
        matmul::triangular::{BlockStructure, matmul},
        triangular_solve::solve_unit_lower_triangular_in_place,
    },
};

use crate::{dense::dot, sparse::Singular};

/// Lower triangle of a symmetric matrix, column by column: unknowns on the outline first, then inner ones.
#[derive(Debug, Clone, Default)]
pub struct Condensed {
    size: usize,
    outer: usize,
    /// Among outer unknowns: what is left of the matrix. Below: L⁻¹ of the coupling. Among inner unknowns: L, and D on the diagonal.
    entries: Vec<f64>,
}

impl Condensed {
    /// From the lower triangle of a matrix, of which the first `outer` unknowns stay.
    pub fn new(mut entries: Vec<f64>, outer: usize) -> Result<Self, Singular> {
        let size = entries.len().isqrt();
        if !entries.iter().all(|x| x.is_finite()) {
            return Err(Singular);
        }
        let inner = size - outer;
        let matrix = MatMut::from_column_major_slice_mut(&mut entries, size, size);
        let (left, _, mut coupling, mut own) = matrix.split_at_mut(outer, outer);
        let mut memory =
            MemBuffer::new(cholesky_in_place_scratch::<f64>(inner, Par::Seq, Default::default()));
        cholesky_in_place(
            own.as_mut(),
            LdltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|_| Singular)?;
        solve_unit_lower_triangular_in_place(own.as_ref(), coupling.as_mut(), Par::Seq);
        let mut scaled = coupling.to_owned();
        for row in 0..inner {
            let pivot = own[(row, row)];
            scaled.row_mut(row).iter_mut().for_each(|x| *x /= pivot);
        }
        matmul(
            left,
            BlockStructure::TriangularLower,
            Accum::Add,
            coupling.as_ref().transpose(),
            BlockStructure::Rectangular,
            scaled.as_ref(),
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
        Ok(Condensed { size, outer, entries })
    }

    /// A column of what is left, from its diagonal down.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.entries[k * self.size + k..k * self.size + self.outer]
    }

    fn below(&self, k: usize) -> &[f64] {
        &self.entries[k * self.size + self.outer.max(k + 1)..(k + 1) * self.size]
    }

    /// Eliminates the inner unknowns from a right-hand side.
    pub fn forward(&self, side: &mut [f64]) {
        let (outer, inner) = side.split_at_mut(self.outer);
        for k in 0..inner.len() {
            let (done, rest) = inner.split_at_mut(k + 1);
            let x = done[k];
            rest.iter_mut().zip(self.below(self.outer + k)).for_each(|(r, l)| *r -= l * x);
        }
        let scaled: Vec<f64> = inner.iter().enumerate().map(|(k, x)| x / self.pivot(k)).collect();
        for (k, side) in outer.iter_mut().enumerate() {
            *side -= dot(self.below(k), &scaled);
        }
    }

    /// The inner unknowns, where the outer ones are known.
    pub fn backward(&self, side: &mut [f64]) {
        let (outer, inner) = side.split_at_mut(self.outer);
        for (k, x) in outer.iter().enumerate() {
            inner.iter_mut().zip(self.below(k)).for_each(|(r, w)| *r -= w * x);
        }
        for k in (0..inner.len()).rev() {
            let (known, rest) = inner.split_at_mut(k + 1);
            known[k] = known[k] / self.pivot(k) - dot(self.below(self.outer + k), rest);
        }
    }

    fn pivot(&self, inner: usize) -> f64 {
        let k = self.outer + inner;
        self.entries[k * self.size + k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Lu;

    #[test]
    fn condensed_and_solved_is_solved() {
        let (size, outer) = (11, 4);
        // Symmetric, with a negative pivot among the inner ones.
        let entry = |i: usize, j: usize| {
            let far = i.abs_diff(j) as f64;
            (if i != j {
                0.0
            } else if i == 7 {
                -9.0
            } else {
                6.0
            }) + 1.0 / (1.0 + far * far)
        };
        let entries = (0..size * size).map(|k| entry(k % size, k / size)).collect();
        let condensed = Condensed::new(entries, outer).unwrap();
        let side: Vec<f64> = (0..size).map(|k| (k as f64).cos()).collect();
        let mut x = side.clone();
        condensed.forward(&mut x);
        // What is left, solved as a full matrix.
        let left = (0..outer * outer).map(|k| {
            let (i, j) = (k / outer, k % outer);
            condensed.column(i.min(j))[i.abs_diff(j)]
        });
        let mut known: Vec<[f64; 1]> = x[..outer].iter().map(|x| [*x]).collect();
        Lu::new(left.collect(), outer).unwrap().solve(&mut known);
        x[..outer].copy_from_slice(known.as_flattened());
        condensed.backward(&mut x);
        for (i, side) in side.iter().enumerate() {
            let sum: f64 = x.iter().enumerate().map(|(j, x)| entry(i, j) * x).sum();
            assert!((sum - side).abs() < 1e-14, "{i}: {sum} {side}");
        }
        assert_eq!(Condensed::new(vec![f64::NAN; 4], 1).map(|_| ()), Err(Singular));
    }
}
