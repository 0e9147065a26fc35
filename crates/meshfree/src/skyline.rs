//! Symmetric positive definite systems whose unknowns are joined to near ones only: Cholesky's factors, each row from its first entry on.
//! As in `dense.rs`, sums do not depend on the processor.

use crate::dense::dot;

#[derive(Debug)]
pub struct Skyline {
    /// First column of each row, and the row from there to its diagonal.
    first: Vec<usize>,
    rows: Vec<Vec<f64>>,
}

impl Skyline {
    /// Zero everywhere; `first`: the first column of each row.
    pub fn new(first: Vec<usize>) -> Self {
        let rows = first.iter().enumerate().map(|(i, first)| vec![0.0; i + 1 - first]).collect();
        Skyline { first, rows }
    }

    /// Adds to an entry in the lower triangle.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.rows[i][j - self.first[i]] += value;
    }

    /// Solves for two right sides; `None`: the matrix is not positive definite.
    pub fn solve(mut self, sides: &mut [[f64; 2]]) -> Option<()> {
        let Skyline { first, rows } = &mut self;
        for i in 0..rows.len() {
            let (above, own) = rows.split_at_mut(i);
            let (own, from) = (&mut own[0], first[i]);
            for j in from..i {
                let start = from.max(first[j]);
                let (left, other) = (&own[start - from..j - from], &above[j]);
                let sum = dot(left, &other[start - first[j]..j - first[j]]);
                own[j - from] = (own[j - from] - sum) / other[j - first[j]];
            }
            let (diagonal, left) = own.split_last_mut()?;
            let square = *diagonal - dot(left, left);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            *diagonal = square.sqrt();
        }
        for i in 0..rows.len() {
            let (diagonal, left) = rows[i].split_last()?;
            for side in 0..2 {
                let sum: f64 = left.iter().zip(&sides[first[i]..i]).map(|(l, x)| l * x[side]).sum();
                sides[i][side] = (sides[i][side] - sum) / diagonal;
            }
        }
        for i in (0..rows.len()).rev() {
            let (diagonal, left) = rows[i].split_last()?;
            let found = sides[i].map(|x| x / diagonal);
            sides[i] = found;
            for (l, x) in left.iter().zip(&mut sides[first[i]..i]) {
                *x = [x[0] - l * found[0], x[1] - l * found[1]];
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of springs, each node joined to three before it.
    #[test]
    fn a_chain_is_solved_and_one_that_nothing_holds_is_not() {
        let n = 20;
        let matrix = |held: f64| {
            let mut matrix = Skyline::new((0..n).map(|i: usize| i.saturating_sub(3)).collect());
            matrix.add(0, 0, held);
            for i in 0..n {
                for j in i.saturating_sub(3)..i {
                    let stiffness = 1.0 + (i * j) as f64;
                    matrix.add(i, i, stiffness);
                    matrix.add(j, j, stiffness);
                    matrix.add(i, j, -stiffness);
                }
            }
            matrix
        };
        let exact: Vec<[f64; 2]> = (0..n).map(|i| [(i as f64).sin(), 1.0 - i as f64]).collect();
        let whole = matrix(2.0);
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            if j < whole.first[i] { 0.0 } else { whole.rows[i][j - whole.first[i]] }
        };
        let mut sides: Vec<[f64; 2]> =
            (0..n).map(|i| [0, 1].map(|side| (0..n).map(|j| entry(i, j) * exact[j][side]).sum())).collect();
        matrix(2.0).solve(&mut sides).unwrap();
        for (found, exact) in sides.iter().zip(&exact) {
            assert!((found[0] - exact[0]).abs() < 1e-11 && (found[1] - exact[1]).abs() < 1e-11);
        }
        assert!(matrix(-1.0).solve(&mut sides).is_none());
    }
}
