//! Symmetric sparse systems: the order of elimination is kept as long as the pattern stays.

use faer::{
    Conj, MatMut, Par, Side,
    dyn_stack::{MemBuffer, MemStack, StackReq},
    linalg::cholesky::ldlt::factor::LdltRegularization,
    sparse::{
        SparseColMatRef, SymbolicSparseColMat,
        linalg::{
            SupernodalThreshold,
            cholesky::{
                CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymmetricOrdering,
                factorize_symbolic_cholesky,
            },
        },
    },
};

/// A symmetric matrix with a fixed pattern: the lower triangle, column by column.
pub struct Symmetric {
    pattern: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

/// The matrix cannot be factorised: it is singular, or not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system of equations is singular")]
pub struct Singular;

impl Symmetric {
    /// From the rows of every column, sorted, the diagonal first.
    pub fn new(columns: &[Vec<usize>]) -> Result<Self, Singular> {
        let n = columns.len();
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for column in columns {
            rows.extend_from_slice(column);
            starts.push(rows.len());
        }
        let values = vec![0.0; rows.len()];
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            // Grains are dense blocks: columns in bundles are faster however few there are.
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                ..Default::default()
            },
        )
        .map_err(|_| Singular)?;
        let factor = vec![0.0; symbolic.len_val()];
        let memory = MemBuffer::new(StackReq::any_of(&[
            symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]));
        Ok(Symmetric { pattern, values, symbolic, factor, memory })
    }

    /// Where in `values` an entry of the lower triangle is.
    fn place(&self, row: usize, column: usize) -> Option<usize> {
        let (start, end) = (self.pattern.col_ptr()[column], self.pattern.col_ptr()[column + 1]);
        self.pattern.row_idx()[start..end].binary_search(&row).ok().map(|k| start + k)
    }

    /// Sets the first entries of a column, from its diagonal down, and the others to 0.
    pub fn set_column(&mut self, column: usize, entries: &[f64]) {
        let (start, end) = (self.pattern.col_ptr()[column], self.pattern.col_ptr()[column + 1]);
        let (first, rest) = self.values[start..end].split_at_mut(entries.len());
        first.copy_from_slice(entries);
        rest.fill(0.0);
    }

    /// Adds to an entry of the lower triangle that is in the pattern.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if let Some(at) = self.place(row, column) {
            self.values[at] += value;
        }
    }

    pub fn factorise(&mut self) -> Result<(), Singular> {
        // The library is not to be asked about what is no number.
        if !self.values.iter().all(|v| v.is_finite()) {
            return Err(Singular);
        }
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values);
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factor,
                matrix,
                Side::Lower,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|_| Singular)
    }

    /// With the factors of the last `factorise`.
    pub fn solve(&mut self, side: &mut [f64]) {
        let n = side.len();
        LdltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(side, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_springs() {
        // 2 -1 0 ..; -1 2 -1 ..: the solution of a unit load everywhere is a parabola.
        let n = 50;
        let columns: Vec<Vec<usize>> = (0..n).map(|k| (k..(k + 2).min(n)).collect()).collect();
        let mut chain = Symmetric::new(&columns).unwrap();
        for scale in [1.0, 3.0] {
            for k in 0..n {
                let diagonal = chain.place(k, k).unwrap();
                chain.values[diagonal] = 2.0 * scale;
                if let Some(at) = chain.place(k + 1, k) {
                    chain.values[at] = -scale;
                }
            }
            assert_eq!(chain.place(9, 3), None);
            chain.factorise().unwrap();
            let mut x = vec![scale; n];
            chain.solve(&mut x);
            for (k, x) in x.iter().enumerate() {
                let k = (k + 1) as f64;
                assert!((x - 0.5 * k * (n as f64 + 1.0 - k)).abs() < 1e-9, "{k}: {x}");
            }
        }
        chain.values.fill(f64::NAN);
        assert_eq!(chain.factorise(), Err(Singular));
    }
}
