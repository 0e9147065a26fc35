//! Slopes of shape functions such that a stress that is the same everywhere balances.
//!
//! Six points a triangle do not integrate these functions, which are no polynomials, exactly: summed over a grain, the slope of a
//! function is not its integral along the outline, and a grain under an even stress has forces inside (of a linear patch test
//! almost one per cent is left). The paper leaves the order of integration open (section 2). Here the slopes in each triangle
//! are changed by the least that makes those sums right (as in the variational consistency of Chen, Hillman and Rueter 2013, *Int. J. Numer. Meth.
//! Engng* 95, 387, but for trial and test functions alike, so that the tangent stays symmetric), and that leaves quadratic fields exact.

use glam::DVec2;

use super::{Filling, POINTS, Sloped, edge_load};
use crate::{
    dense::Lu,
    shape::{self, ShapeError},
};

const MONOMIALS: usize = 6;

/// About a middle and in units of a size, so that all are of one size.
fn monomials(x: DVec2, middle: DVec2, size: f64) -> [f64; MONOMIALS] {
    let DVec2 { x, y } = (x - middle) / size;
    [1.0, x, y, x * x, y * y, x * y]
}

/// What is left of values at the nodes of a triangle when the best quadratic is taken out: a symmetric matrix, row by row.
fn without_quadratics(nodes: &[DVec2]) -> Option<Vec<f64>> {
    let m = nodes.len();
    let middle = nodes.iter().sum::<DVec2>() / m as f64;
    let size = nodes.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
    let q: Vec<[f64; MONOMIALS]> = nodes.iter().map(|x| monomials(*x, middle, size)).collect();
    let mut normal = vec![0.0; MONOMIALS * MONOMIALS];
    for row in &q {
        for i in 0..MONOMIALS {
            for j in 0..MONOMIALS {
                normal[i * MONOMIALS + j] += row[i] * row[j];
            }
        }
    }
    let lu = Lu::new(normal, MONOMIALS)?;
    let mut left = vec![0.0; m * m];
    for (b, row) in q.iter().enumerate() {
        let mut fit: Vec<[f64; 1]> = row.iter().map(|x| [*x]).collect();
        lu.solve(&mut fit);
        for (a, row) in q.iter().enumerate() {
            let part: f64 = row.iter().zip(&fit).map(|(x, f)| x * f[0]).sum();
            left[a * m + b] = f64::from(u8::from(a == b)) - part;
        }
    }
    Some(left)
}

pub(super) fn correct(
    cells: &mut [Sloped],
    filling: &Filling,
    kind: shape::Interpolation,
) -> Result<(), ShapeError> {
    let nodes = &filling.nodes;
    let n = nodes.len();
    let middle = nodes.iter().sum::<DVec2>() / n as f64;
    let undetermined = ShapeError::Undetermined(middle);
    // What is missing: the integral of every function along the outline, times the normal, less the sum of its slopes.
    let mut missing = edge_load(filling, kind, |_, normal| normal)?;
    for Sloped { cell, x, y } in cells.iter() {
        for p in 0..POINTS {
            let (sx, sy) = (&x[p * cell.stride..], &y[p * cell.stride..]);
            for ((node, sx), sy) in cell.nodes.iter().zip(sx).zip(sy) {
                missing[*node as usize] -= cell.weight[p] * DVec2::new(*sx, *sy);
            }
        }
    }
    // The least change in a triangle is a multiplier for every node, less its quadratic part there.
    let projections = cells
        .iter()
        .map(|s| without_quadratics(&s.cell.nodes.iter().map(|k| nodes[*k as usize]).collect::<Vec<_>>()))
        .collect::<Option<Vec<_>>>()
        .ok_or(undetermined)?;
    let mut matrix = vec![0.0; n * n];
    for (Sloped { cell, .. }, projection) in cells.iter().zip(&projections) {
        let area: f64 = cell.weight.iter().sum();
        for (a, row) in cell.nodes.iter().zip(projection.chunks_exact(cell.nodes.len())) {
            for (b, part) in cell.nodes.iter().zip(row) {
                matrix[*a as usize * n + *b as usize] += area * part;
            }
        }
    }
    // Multipliers that are quadratic everywhere change nothing, and are not needed: nothing is missing of quadratic fields.
    let size = nodes.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
    let area: f64 = cells.iter().flat_map(|c| c.cell.weight).sum();
    let q: Vec<[f64; MONOMIALS]> = nodes.iter().map(|x| monomials(*x, middle, size)).collect();
    for (a, x) in q.iter().enumerate() {
        for (b, y) in q.iter().enumerate() {
            matrix[a * n + b] += area / n as f64 * x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        }
    }
    let lu = Lu::new(matrix, n).ok_or(undetermined)?;
    let mut multipliers: Vec<[f64; 2]> = missing.iter().map(|m| m.to_array()).collect();
    lu.solve(&mut multipliers);
    for (Sloped { cell, x: slope_x, y: slope_y }, projection) in cells.iter_mut().zip(&projections) {
        let m = cell.nodes.len();
        for (a, row) in projection.chunks_exact(m).enumerate() {
            let of = |d: usize| {
                cell.nodes.iter().zip(row).map(|(b, part)| part * multipliers[*b as usize][d]).sum::<f64>()
            };
            let (x, y) = (of(0), of(1));
            for p in 0..POINTS {
                slope_x[p * cell.stride + a] += x;
                slope_y[p * cell.stride + a] += y;
            }
        }
    }
    Ok(())
}
