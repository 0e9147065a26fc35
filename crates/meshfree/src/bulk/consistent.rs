//! Slopes of shape functions such that stresses that are linear in space balance.
//!
//! Wherever a node comes into or leaves the domains of influence, radial functions (eq. 4) jump: all others change at once. Six points
//! a triangle do not see these jumps, and integrate what lies between them, which is no polynomial, not exactly either. Summed over a grain,
//! the slope of a function is then not its integral along the outline, and a grain under an even stress has forces inside: of a linear
//! patch test almost one per cent is left, and a bent beam converges slowly and unevenly though the functions themselves interpolate
//! it to the third order. The paper leaves the order of integration open (section 2).
//!
//! Here the slopes in each triangle are changed by the least that makes those sums right for every stress that is linear in space (as in the variational
//! consistency of Chen, Hillman and Rueter 2013, *Int. J. Numer. Meth. Engng* 95, 387, but for trial and test functions alike, so that
//! the tangent stays symmetric), and that leaves quadratic fields exact. With uniform stresses alone a beam converges with order 1.2.

use glam::DVec2;

use super::{Filling, POINTS, Sloped, edge_points};
use crate::{
    dense::Lu,
    quadrature,
    shape::{Domains, ShapeError},
    skyline::Skyline,
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

/// Six nodes at which no quadratic field but zero is zero, as far apart as may be.
fn anchors(nodes: &[DVec2], middle: DVec2) -> [usize; MONOMIALS] {
    let radius = nodes.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
    let mut fields: Vec<[f64; MONOMIALS]> = nodes.iter().map(|x| monomials(*x, middle, radius)).collect();
    let product =
        |a: &[f64; MONOMIALS], b: &[f64; MONOMIALS]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    std::array::from_fn(|_| {
        let sizes = fields.iter().map(|f| product(f, f)).enumerate();
        let (most, size) = sizes.fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
        let chosen = fields[most];
        for field in &mut fields {
            let part = product(field, &chosen) / size;
            *field = std::array::from_fn(|k| field[k] - part * chosen[k]);
        }
        most
    })
}

/// Components of stresses that are linear: 1, x, y.
const TESTS: usize = 3;

pub(super) fn correct(cells: &mut [Sloped], filling: &Filling, domains: &Domains) -> Result<(), ShapeError> {
    let nodes = &filling.nodes;
    let n = nodes.len();
    let middle = nodes.iter().sum::<DVec2>() / n as f64;
    let undetermined = ShapeError::Undetermined(middle);
    let area: f64 = cells.iter().flat_map(|c| c.cell.weight).sum();
    let spacing = (area / n as f64).sqrt();
    // Every function is tested about its own node: about one place for all, tests would be nearly alike far from it.
    let tests = |x: DVec2, node: u32| {
        let offset = (x - nodes[node as usize]) / spacing;
        [1.0, offset.x, offset.y]
    };
    // Unknowns from one end of the grain to the other, so that those which are joined are near each other.
    let wide = nodes.iter().map(|x| (*x - middle).abs()).fold(DVec2::ZERO, DVec2::max);
    let along = if wide.x < wide.y { DVec2::Y } else { DVec2::X };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| nodes[*a].dot(along).total_cmp(&nodes[*b].dot(along)));
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(k, node)| place[*node] = k);
    let row = |node: u32, test: usize| TESTS * place[node as usize] + test;
    // What is missing: the integral of every function by every test along the outline, times the normal, less that of their slopes.
    let mut missing = vec![[0.0; 2]; TESTS * n];
    for (x, normal, length) in edge_points(filling) {
        let shapes = domains.at(x)?;
        for (node, value) in shapes.nodes.iter().zip(&shapes.value) {
            for (i, test) in tests(x, *node).into_iter().enumerate() {
                let part = length * value * test * normal;
                let sum = &mut missing[row(*node, i)];
                *sum = [sum[0] + part.x, sum[1] + part.y];
            }
        }
    }
    let points: Vec<[DVec2; POINTS]> = filling
        .triangles
        .iter()
        .map(|corners| quadrature::points(corners.map(|k| nodes[k as usize])).map(|(x, _)| x))
        .collect();
    for (Sloped { cell, x: slope_x, y: slope_y }, points) in cells.iter().zip(&points) {
        for (p, (x, weight)) in points.iter().zip(cell.weight).enumerate() {
            let (slope_x, slope_y) = (&slope_x[p * cell.stride..], &slope_y[p * cell.stride..]);
            for (k, (node, value)) in cell.nodes.iter().zip(cell.values(p)).enumerate() {
                for (i, test) in tests(*x, *node).into_iter().enumerate() {
                    let sum = &mut missing[row(*node, i)];
                    *sum = [sum[0] - weight * test * slope_x[k], sum[1] - weight * test * slope_y[k]];
                }
                missing[row(*node, 1)][0] -= weight * value / spacing;
                missing[row(*node, 2)][1] -= weight * value / spacing;
            }
        }
    }
    // The least change in a triangle is a linear field of multipliers for every node, less its quadratic part there.
    let projections = cells
        .iter()
        .map(|s| without_quadratics(&s.cell.nodes.iter().map(|k| nodes[*k as usize]).collect::<Vec<_>>()))
        .collect::<Option<Vec<_>>>()
        .ok_or(undetermined)?;
    let mut first: Vec<usize> = (0..TESTS * n).collect();
    for Sloped { cell, .. } in cells.iter() {
        let lowest = cell.nodes.iter().map(|node| row(*node, 0)).min().unwrap_or(0);
        for (node, test) in cell.nodes.iter().flat_map(|node| (0..TESTS).map(move |test| (*node, test))) {
            let at = row(node, test);
            first[at] = first[at].min(lowest);
        }
    }
    // Multipliers that are quadratic from node to node everywhere change nothing, and are not needed: nothing is missing of quadratic fields.
    // So they are zero at a few nodes.
    let mut fixed = vec![false; TESTS * n];
    for node in anchors(nodes, middle) {
        (0..TESTS).for_each(|test| fixed[row(node as u32, test)] = true);
    }
    let mut matrix = Skyline::new(first);
    for ((Sloped { cell, .. }, projection), points) in cells.iter().zip(&projections).zip(&points) {
        for (a, parts) in cell.nodes.iter().zip(projection.chunks_exact(cell.nodes.len())) {
            for (b, part) in cell.nodes.iter().zip(parts).filter(|(b, _)| row(**b, 0) <= row(*a, 0)) {
                let mut sums = [[0.0; TESTS]; TESTS];
                for (x, weight) in points.iter().zip(cell.weight) {
                    let (of_a, of_b) = (tests(*x, *a), tests(*x, *b));
                    for (sums, of_a) in sums.iter_mut().zip(of_a) {
                        for (sum, of_b) in sums.iter_mut().zip(of_b) {
                            *sum += weight * part * of_a * of_b;
                        }
                    }
                }
                for (i, sums) in sums.iter().enumerate() {
                    for (j, sum) in sums.iter().enumerate() {
                        let (i, j) = (row(*a, i), row(*b, j));
                        if j <= i && !fixed[i] && !fixed[j] {
                            matrix.add(i, j, *sum);
                        }
                    }
                }
            }
        }
    }
    let mut multipliers = missing;
    for (at, _) in fixed.iter().enumerate().filter(|(_, fixed)| **fixed) {
        matrix.add(at, at, area / n as f64);
        multipliers[at] = [0.0; 2];
    }
    matrix.solve(&mut multipliers).ok_or(undetermined)?;
    for ((Sloped { cell, x: slope_x, y: slope_y }, projection), points) in
        cells.iter_mut().zip(&projections).zip(&points)
    {
        for (p, x) in points.iter().enumerate() {
            let of_nodes: Vec<DVec2> = (cell.nodes.iter())
                .map(|node| {
                    let parts = tests(*x, *node).into_iter().enumerate();
                    parts.map(|(i, test)| test * DVec2::from_array(multipliers[row(*node, i)])).sum()
                })
                .collect();
            for (a, parts) in projection.chunks_exact(cell.nodes.len()).enumerate() {
                let change: DVec2 = of_nodes.iter().zip(parts).map(|(of, part)| *part * *of).sum();
                slope_x[p * cell.stride + a] += change.x;
                slope_y[p * cell.stride + a] += change.y;
            }
        }
    }
    Ok(())
}
