//! Shape functions of field nodes, section 2 of meshfree-2016: radial point interpolation, eqs (1)-(10), and moving least
//! squares as an alternative. They are made once, on the reference configuration.

use glam::DVec2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dense::Lu;

/// Other field nodes in the domain of influence of a node (Table I).
pub const NEIGHBOURS: usize = 20;

/// Monomials 1, x, y, x², y², xy (eq. 8).
const MONOMIALS: usize = 6;

/// Interpolation of displacements between nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShapeFunctions")]
pub enum Interpolation {
    /// Radial point interpolation, which passes through the nodal values.
    #[default]
    Radial,
    /// Moving least squares: smoother, without passing through the nodal values.
    LeastSquares,
}

/// Values and slopes of the shape functions that are not zero at a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shapes {
    pub nodes: Vec<u32>,
    pub value: Vec<f64>,
    pub slope: Vec<DVec2>,
}

/// The domains of influence of all nodes of a grain.
#[derive(Debug, Clone)]
pub struct Domains<'a> {
    nodes: &'a [DVec2],
    radius: Vec<f64>,
    kind: Interpolation,
}

/// Why there are no shape functions at a point.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ShapeError {
    #[error("a grain needs at least {least} field nodes; this one has {0}", least = NEIGHBOURS + 1)]
    TooFew(usize),
    #[error("field nodes around ({}, {}) lie on a line or on a circle: shape functions are not determined", .0.x, .0.y)]
    Undetermined(DVec2),
}

impl<'a> Domains<'a> {
    /// Each radius such that it holds [`NEIGHBOURS`] other nodes.
    pub fn new(nodes: &'a [DVec2], kind: Interpolation) -> Result<Self, ShapeError> {
        if nodes.len() <= NEIGHBOURS {
            return Err(ShapeError::TooFew(nodes.len()));
        }
        let mut distances = Vec::with_capacity(nodes.len());
        let radius = nodes
            .iter()
            .map(|node| {
                distances.clear();
                distances.extend(nodes.iter().map(|other| node.distance(*other)));
                // The node itself is the first.
                let (_, farthest, _) = distances.select_nth_unstable_by(NEIGHBOURS, f64::total_cmp);
                // On regular grids several are equally far: rounding must not choose among them.
                *farthest * (1.0 + 1e-9)
            })
            .collect();
        Ok(Domains { nodes, radius, kind })
    }

    /// Of the domain of influence of a node, m.
    pub fn radius(&self, node: usize) -> f64 {
        self.radius[node]
    }

    /// Shape functions at a point.
    pub fn at(&self, point: DVec2) -> Result<Shapes, ShapeError> {
        let nodes: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|&k| point.distance(self.nodes[k as usize]) <= self.radius[k as usize])
            .collect();
        let undetermined = ShapeError::Undetermined(point);
        if nodes.len() < MONOMIALS {
            return Err(undetermined);
        }
        // Coordinates about the point and in units of the largest domain, so that all monomials are of one size.
        let size = nodes.iter().map(|&k| self.radius[k as usize]).fold(0.0, f64::max);
        let local: Vec<(DVec2, f64)> = nodes
            .iter()
            .map(|&k| ((self.nodes[k as usize] - point) / size, self.radius[k as usize] / size))
            .collect();
        let (value, slope) = match self.kind {
            Interpolation::Radial => radial(&local),
            Interpolation::LeastSquares => least_squares(&local),
        }
        .ok_or(undetermined)?;
        Ok(Shapes { nodes, value, slope: slope.into_iter().map(|s| s / size).collect() })
    }
}

type ShapeValues = Option<(Vec<f64>, Vec<DVec2>)>;

/// Eq. (2), zero outside the domain of influence, and its slope where the point moves.
fn gaussian(offset: DVec2, radius: f64) -> (f64, DVec2) {
    let rate = 9.0 / (radius * radius);
    let square = offset.length_squared();
    if square > radius * radius {
        return (0.0, DVec2::ZERO);
    }
    let r = (-rate * square).exp();
    (r, -2.0 * rate * r * offset)
}

fn monomials(x: DVec2) -> [f64; MONOMIALS] {
    [1.0, x.x, x.y, x.x * x.x, x.y * x.y, x.x * x.y]
}

/// Eqs (4)-(10) at the origin. The matrix of eq. (4) is symmetric where all domains have one radius; where they have not, it is
/// its transpose that makes shape functions pass through the values at the nodes.
fn radial(nodes: &[(DVec2, f64)]) -> ShapeValues {
    let n = nodes.len();
    let size = n + MONOMIALS;
    let mut matrix = vec![0.0; size * size];
    for (j, (at, _)) in nodes.iter().enumerate() {
        for (i, (centre, radius)) in nodes.iter().enumerate() {
            matrix[i * size + j] = gaussian(*at - *centre, *radius).0;
        }
        for (m, p) in monomials(*at).into_iter().enumerate() {
            matrix[(n + m) * size + j] = p;
            matrix[j * size + n + m] = p;
        }
    }
    let lu = Lu::new(matrix, size)?;
    // The point is the origin: of the monomials only those of their order are left.
    let mut sides = vec![[0.0; 3]; size];
    for (side, (centre, radius)) in sides.iter_mut().zip(nodes) {
        let (r, slope) = gaussian(-*centre, *radius);
        *side = [r, slope.x, slope.y];
    }
    sides[n] = [1.0, 0.0, 0.0];
    sides[n + 1] = [0.0, 1.0, 0.0];
    sides[n + 2] = [0.0, 0.0, 1.0];
    lu.solve(&mut sides);
    sides.truncate(n);
    Some(split(&sides))
}

fn split(found: &[[f64; 3]]) -> (Vec<f64>, Vec<DVec2>) {
    found.iter().map(|[value, x, y]| (*value, DVec2::new(*x, *y))).unzip()
}

/// Weighted least squares of the same monomials, with the Gaussian of eq. (2) as weight: Belytschko, Lu and Gu (1994), eqs
/// (8)-(14) there.
fn least_squares(nodes: &[(DVec2, f64)]) -> ShapeValues {
    let mut moments = vec![0.0; MONOMIALS * MONOMIALS];
    let mut moment_slopes = vec![DVec2::ZERO; MONOMIALS * MONOMIALS];
    let weights: Vec<(f64, DVec2)> = nodes.iter().map(|(at, radius)| gaussian(-*at, *radius)).collect();
    for ((at, _), (weight, slope)) in nodes.iter().zip(&weights) {
        let p = monomials(*at);
        for i in 0..MONOMIALS {
            for j in 0..MONOMIALS {
                moments[i * MONOMIALS + j] += weight * p[i] * p[j];
                moment_slopes[i * MONOMIALS + j] += *slope * p[i] * p[j];
            }
        }
    }
    let lu = Lu::new(moments, MONOMIALS)?;
    // c = A⁻¹ p; its slopes are A⁻¹ (p' - A' c).
    let mut c = vec![[0.0; 1]; MONOMIALS];
    c[0] = [1.0];
    lu.solve(&mut c);
    let mut slopes: Vec<[f64; 2]> = (0..MONOMIALS)
        .map(|i| {
            let change: DVec2 = (0..MONOMIALS).map(|j| moment_slopes[i * MONOMIALS + j] * c[j][0]).sum();
            let own = [DVec2::ZERO, DVec2::X, DVec2::Y].get(i).copied().unwrap_or(DVec2::ZERO);
            (own - change).to_array()
        })
        .collect();
    lu.solve(&mut slopes);
    let found: Vec<[f64; 3]> = nodes
        .iter()
        .zip(&weights)
        .map(|((at, _), (weight, slope))| {
            let p = monomials(*at);
            let fit: f64 = (0..MONOMIALS).map(|i| p[i] * c[i][0]).sum();
            let change: DVec2 = (0..MONOMIALS).map(|i| p[i] * DVec2::from_array(slopes[i])).sum();
            [weight * fit, slope.x * fit + weight * change.x, slope.y * fit + weight * change.y]
        })
        .collect();
    Some(split(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    /// Nodes as they may lie in a grain: a grid, shaken.
    fn cloud(rng: &mut Rng) -> Vec<DVec2> {
        let mut nodes = Vec::new();
        for i in 0..9 {
            for j in 0..9 {
                let shake = DVec2::new(rng.range(-0.3, 0.3), rng.range(-0.3, 0.3));
                nodes.push(0.1 * (DVec2::new(f64::from(i), f64::from(j)) + shake) + DVec2::new(3.0, -7.0));
            }
        }
        nodes
    }

    #[test]
    fn every_domain_holds_twenty_other_nodes() {
        let nodes = cloud(&mut Rng::new(1));
        let domains = Domains::new(&nodes, Interpolation::Radial).unwrap();
        for (at, radius) in nodes.iter().zip(&domains.radius) {
            assert_eq!(nodes.iter().filter(|x| x.distance(*at) <= *radius).count(), NEIGHBOURS + 1);
        }
        assert_eq!(Domains::new(&nodes[..20], Interpolation::Radial).unwrap_err(), ShapeError::TooFew(20));
    }

    #[test]
    fn nodes_on_a_line_are_refused() {
        let nodes: Vec<DVec2> = (0..30).map(|k| DVec2::new(0.1 * f64::from(k), 0.5)).collect();
        let domains = Domains::new(&nodes, Interpolation::Radial).unwrap();
        let at = DVec2::new(1.5, 0.5);
        assert_eq!(domains.at(at), Err(ShapeError::Undetermined(at)));
    }
}
