//! Generalised minimal residuals (Saad and Schultz 1986), for matrices that differ little from one.

use crate::dense::dot;

const MOST: usize = 40;

/// Solves A x = b until no more than `left` is left of b; `x` is b at first. Where it does not end, x is the best that was found.
pub fn solve(x: &mut [f64], left: f64, mut times: impl FnMut(&[f64]) -> Vec<f64>) {
    let size = dot(x, x).sqrt();
    if size == 0.0 || !size.is_finite() {
        return;
    }
    let mut basis = vec![x.iter().map(|x| x / size).collect::<Vec<f64>>()];
    // Columns of the upper triangle that is left of Hessenberg's matrix, its turns, and the right-hand side turned.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut turns: Vec<(f64, f64)> = Vec::new();
    let mut side = vec![size];
    while columns.len() < MOST && side[columns.len()].abs() > left * size {
        let mut next = times(&basis[columns.len()]);
        let mut column = Vec::with_capacity(basis.len() + 1);
        for old in &basis {
            let part = dot(old, &next);
            next.iter_mut().zip(old).for_each(|(n, o)| *n -= part * o);
            column.push(part);
        }
        let length = dot(&next, &next).sqrt();
        for (k, (c, s)) in turns.iter().enumerate() {
            let (a, b) = (column[k], column[k + 1]);
            (column[k], column[k + 1]) = (c * a + s * b, c * b - s * a);
        }
        let k = columns.len();
        let radius = column[k].hypot(length);
        if radius == 0.0 || !radius.is_finite() {
            break;
        }
        let (c, s) = (column[k] / radius, length / radius);
        column[k] = radius;
        turns.push((c, s));
        side.push(-s * side[k]);
        side[k] *= c;
        columns.push(column);
        if length <= 1e-14 * radius {
            break;
        }
        basis.push(next.into_iter().map(|n| n / length).collect());
    }
    x.fill(0.0);
    let mut weights = side[..columns.len()].to_vec();
    for k in (0..columns.len()).rev() {
        weights[k] /= columns[k][k];
        let known = weights[k];
        weights.iter_mut().zip(&columns[k]).take(k).for_each(|(w, c)| *w -= known * c);
    }
    for (weight, direction) in weights.iter().zip(&basis) {
        x.iter_mut().zip(direction).for_each(|(x, d)| *x += weight * d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_is_not_symmetric() {
        let n = 30;
        let entry = |i: usize, j: usize| match (i == j, (i + 2 * j).is_multiple_of(7)) {
            (true, _) => 1.0,
            (_, true) => 0.3 * ((3 * i + j) as f64).sin(),
            _ => 0.0,
        };
        let times = |x: &[f64]| -> Vec<f64> {
            (0..n).map(|i| x.iter().enumerate().map(|(j, x)| entry(i, j) * x).sum()).collect()
        };
        let side: Vec<f64> = (0..n).map(|k| 1.0 + (k as f64).cos()).collect();
        let mut x = side.clone();
        solve(&mut x, 1e-12, times);
        for (found, side) in times(&x).iter().zip(&side) {
            assert!((found - side).abs() < 1e-10, "{found} {side}");
        }
        let mut zero = vec![0.0; n];
        solve(&mut zero, 1e-12, times);
        assert_eq!(zero, vec![0.0; n]);
    }
}
