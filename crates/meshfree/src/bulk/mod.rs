//! Inside of a grain: what its deformation stores, and pushes its nodes with (appendix A of meshfree-2016).
//!
//! The paper sums over Gauss points with the shape functions that reach each. Here the six points of a triangle share one list of
//! nodes, those that reach any of them, so that sums run along rows without looking up and entries of the tangent are added once a triangle.

mod consistent;

use glam::DVec2;
use rubblepile_core::simd::{Kernel, LANES, Lanes, dispatch};

use crate::{
    fill::Filling,
    law::{Law, cauchy},
    quadrature,
    shape::{self, Domains, ShapeError},
};

/// Points of the quadrature in a triangle.
const POINTS: usize = 6;

/// The shape functions in one triangle of integration.
#[derive(Debug, Clone)]
struct Cell {
    nodes: Vec<u32>,
    /// Areas that the points stand for, m².
    weight: [f64; POINTS],
    /// Room for a point in what follows: the nodes, filled up with zeros to whole lanes.
    stride: usize,
    /// Of every node, for one point after the other.
    value: Vec<f64>,
    slope_x: Vec<f64>,
    slope_y: Vec<f64>,
}

/// A grain as it was made.
#[derive(Debug, Clone)]
pub struct Bulk {
    nodes: usize,
    law: Law,
    /// kg/m²
    density: f64,
    cells: Vec<Cell>,
    /// Eq. (A.13) for one direction, row by row: the other has the same.
    pub mass: Vec<f64>,
}

/// State of the material at a Gauss point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strained {
    /// In the reference configuration.
    pub place: DVec2,
    pub weight: f64,
    /// Gradient of deformation, eq. (A.9): xx, xy, yx, yy.
    pub gradient: [f64; 4],
    /// Cauchy stress xx, yy, xy, Pa.
    pub stress: [f64; 3],
}

/// R_n of eq. (A.2): what a traction on the outline, Pa, puts on every node. It is asked for at places of the reference
/// configuration, with the outward normal there.
pub fn edge_load(
    filling: &Filling,
    kind: shape::Kind,
    traction: impl Fn(DVec2, DVec2) -> DVec2,
) -> Result<Vec<DVec2>, ShapeError> {
    // Three points of Gauss: place from the middle, in half lengths, and weight.
    const GAUSS: [(f64, f64); 3] =
        [(-0.774_596_669_241_483_4, 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.774_596_669_241_483_4, 5.0 / 18.0)];
    let domains = Domains::new(&filling.nodes, kind)?;
    let mut load = vec![DVec2::ZERO; filling.nodes.len()];
    for k in 0..filling.boundary {
        let (a, b) = (filling.nodes[k], filling.nodes[(k + 1) % filling.boundary]);
        let normal = -(b - a).perp().normalize();
        for (along, weight) in GAUSS {
            let x = a.lerp(b, 0.5 + 0.5 * along);
            let force = weight * a.distance(b) * traction(x, normal);
            if force == DVec2::ZERO {
                continue;
            }
            let shapes = domains.at(x)?;
            for (node, value) in shapes.nodes.iter().zip(&shapes.value) {
                load[*node as usize] += *value * force;
            }
        }
    }
    Ok(load)
}

impl Bulk {
    pub fn new(filling: &Filling, law: Law, density: f64, kind: shape::Kind) -> Result<Self, ShapeError> {
        let domains = Domains::new(&filling.nodes, kind)?;
        let mut cells = filling
            .triangles
            .iter()
            .map(|corners| Cell::new(&domains, corners.map(|k| filling.nodes[k as usize])))
            .collect::<Result<Vec<_>, _>>()?;
        consistent::correct(&mut cells, filling, kind)?;
        let n = filling.nodes.len();
        let mut mass = vec![0.0; n * n];
        for cell in &cells {
            for (p, weight) in cell.weight.iter().enumerate() {
                let value = cell.values(p);
                for (a, va) in cell.nodes.iter().zip(value) {
                    for (b, vb) in cell.nodes.iter().zip(value) {
                        mass[*a as usize * n + *b as usize] += density * weight * va * vb;
                    }
                }
            }
        }
        Ok(Bulk { nodes: n, law, density, cells, mass })
    }

    pub fn nodes(&self) -> usize {
        self.nodes
    }

    pub fn area(&self) -> f64 {
        self.cells.iter().flat_map(|c| c.weight).sum()
    }

    /// Eq. (A.14): what a density of force, N/kg, puts on every node.
    pub fn body_force(&self, per_mass: DVec2) -> Vec<DVec2> {
        let mut force = vec![DVec2::ZERO; self.nodes];
        for cell in &self.cells {
            for (p, weight) in cell.weight.iter().enumerate() {
                for (node, value) in cell.nodes.iter().zip(cell.values(p)) {
                    force[*node as usize] += self.density * weight * value * per_mass;
                }
            }
        }
        force
    }

    /// Which nodes are in one triangle's list together: the pattern of the tangent, row by row.
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.nodes];
        for cell in &self.cells {
            for a in &cell.nodes {
                rows[*a as usize].extend_from_slice(&cell.nodes);
            }
        }
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
        }
        rows
    }

    /// Energy stored, J per metre of depth. Adds what the nodes are pushed back with, -R_i of eq. (A.4). `None`: somewhere the
    /// material is inside out.
    pub fn push(&self, displacement: &[DVec2], force: &mut [DVec2]) -> Option<f64> {
        let mut energy = 0.0;
        for cell in &self.cells {
            for p in 0..POINTS {
                let response = self.law.respond(cell.gradient(p, displacement))?;
                let weight = cell.weight[p];
                energy += weight * response.energy;
                let [xx, xy, yx, yy] = response.stress.map(|s| weight * s);
                let (sx, sy) = cell.slopes(p);
                for ((node, sx), sy) in cell.nodes.iter().zip(sx).zip(sy) {
                    force[*node as usize] -= DVec2::new(xx * sx + xy * sy, yx * sx + yy * sy);
                }
            }
        }
        Some(energy)
    }

    /// Adds eq. (A.3), the tangent, to a square matrix of two rows a node: its lower triangle only.
    pub fn stiffen(&self, displacement: &[DVec2], matrix: &mut [f64]) -> Option<()> {
        dispatch(Stiffen { bulk: self, displacement, matrix })
    }

    /// Strain and stress at all Gauss points.
    pub fn strained(&self, reference: &[DVec2], displacement: &[DVec2]) -> Option<Vec<Strained>> {
        let mut all = Vec::with_capacity(POINTS * self.cells.len());
        for cell in &self.cells {
            for p in 0..POINTS {
                let gradient = cell.gradient(p, displacement);
                let response = self.law.respond(gradient)?;
                let place =
                    cell.nodes.iter().zip(cell.values(p)).map(|(k, v)| *v * reference[*k as usize]).sum();
                let stress = cauchy(gradient, response.stress);
                all.push(Strained { place, weight: cell.weight[p], gradient, stress });
            }
        }
        Some(all)
    }
}

impl Cell {
    fn new(domains: &Domains, corners: [DVec2; 3]) -> Result<Self, ShapeError> {
        let points = quadrature::points(corners);
        let shapes = points.iter().map(|(x, _)| domains.at(*x)).collect::<Result<Vec<_>, _>>()?;
        let mut nodes: Vec<u32> = shapes.iter().flat_map(|s| s.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let stride = nodes.len().next_multiple_of(LANES);
        let zeros = vec![0.0; POINTS * stride];
        let mut cell = Cell {
            weight: points.map(|(_, weight)| weight),
            stride,
            value: zeros.clone(),
            slope_x: zeros.clone(),
            slope_y: zeros,
            nodes,
        };
        for (p, shapes) in shapes.iter().enumerate() {
            for ((node, value), slope) in shapes.nodes.iter().zip(&shapes.value).zip(&shapes.slope) {
                // It is there: the list is made of these.
                let at = p * stride + cell.nodes.partition_point(|k| k < node);
                (cell.value[at], cell.slope_x[at], cell.slope_y[at]) = (*value, slope.x, slope.y);
            }
        }
        Ok(cell)
    }

    fn values(&self, p: usize) -> &[f64] {
        &self.value[p * self.stride..p * self.stride + self.nodes.len()]
    }

    fn slopes(&self, p: usize) -> (&[f64], &[f64]) {
        let of_point = p * self.stride..p * self.stride + self.nodes.len();
        (&self.slope_x[of_point.clone()], &self.slope_y[of_point])
    }

    /// Eqs (A.8), (A.9).
    fn gradient(&self, p: usize, displacement: &[DVec2]) -> [f64; 4] {
        let (sx, sy) = self.slopes(p);
        let mut f = [1.0, 0.0, 0.0, 1.0];
        for ((node, sx), sy) in self.nodes.iter().zip(sx).zip(sy) {
            let u = displacement[*node as usize];
            f[0] += u.x * sx;
            f[1] += u.x * sy;
            f[2] += u.y * sx;
            f[3] += u.y * sy;
        }
        f
    }
}

/// Eq. (A.3) for all triangles, eight nodes at a time.
struct Stiffen<'a> {
    bulk: &'a Bulk,
    displacement: &'a [DVec2],
    matrix: &'a mut [f64],
}

impl Kernel for Stiffen<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<()> {
        let size = 2 * self.bulk.nodes;
        for cell in &self.bulk.cells {
            let mut tangents = [[[0.0; 4]; 4]; POINTS];
            for (p, tangent) in tangents.iter_mut().enumerate() {
                let response = self.bulk.law.respond(cell.gradient(p, self.displacement))?;
                for (row, from) in tangent.iter_mut().zip(&response.tangent) {
                    for (entry, from) in row.iter_mut().zip(from) {
                        *entry = cell.weight[p] * from;
                    }
                }
            }
            let blocks = cell.stride / LANES;
            let (slope_x, slope_y) =
                (cell.slope_x.as_chunks::<LANES>().0, cell.slope_y.as_chunks::<LANES>().0);
            for (b, &nb) in cell.nodes.iter().enumerate() {
                // For directions i of one node and k of the other: what slopes along x and y of the first count for.
                let mut factors = [[[0.0; 2]; 4]; POINTS];
                for (p, (factors, c)) in factors.iter_mut().zip(&tangents).enumerate() {
                    let (x, y) = (cell.slope_x[p * cell.stride + b], cell.slope_y[p * cell.stride + b]);
                    for (ik, factor) in factors.iter_mut().enumerate() {
                        let (i, k) = (ik / 2, ik % 2);
                        *factor = [
                            c[2 * i][2 * k] * x + c[2 * i][2 * k + 1] * y,
                            c[2 * i + 1][2 * k] * x + c[2 * i + 1][2 * k + 1] * y,
                        ];
                    }
                }
                // Nodes are sorted: what follows b is in the lower triangle.
                for block in b / LANES..blocks {
                    let mut sums = [L::splat(0.0); 4];
                    for (p, factors) in factors.iter().enumerate() {
                        let (x, y) =
                            (L::load(&slope_x[p * blocks + block]), L::load(&slope_y[p * blocks + block]));
                        for (sum, factor) in sums.iter_mut().zip(factors) {
                            *sum = *sum + x * L::splat(factor[0]) + y * L::splat(factor[1]);
                        }
                    }
                    let [xx, xy, yx, yy] =
                        [sums[0].store(), sums[1].store(), sums[2].store(), sums[3].store()];
                    let first = block * LANES;
                    for a in first.max(b)..(first + LANES).min(cell.nodes.len()) {
                        let (row, lane) = (2 * cell.nodes[a] as usize, a - first);
                        let (upper, lower) = self.matrix[row * size..(row + 2) * size].split_at_mut(size);
                        let column = 2 * nb as usize;
                        upper[column] += xx[lane];
                        upper[column + 1] += xy[lane];
                        lower[column] += yx[lane];
                        lower[column + 1] += yy[lane];
                    }
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;
    use crate::{
        fill::{Density, fill},
        law::{Kind, Plane},
        outline::Outline,
    };

    fn disc(kind: Kind) -> (Filling, Bulk) {
        let outline = Outline::ellipse(DVec2::new(3.0, 1.0), DVec2::ONE, 720).unwrap();
        let filling = fill(&outline, Density { spacing: TAU / 36.0, grading: 0.1 }).unwrap();
        let law = Law::new(kind, Plane::Strain, 1e6, 0.4).unwrap();
        let bulk = Bulk::new(&filling, law, 1000.0, shape::Kind::Radial).unwrap();
        (filling, bulk)
    }

    /// Something with all kinds of strain in it.
    fn bent(nodes: &[DVec2]) -> Vec<DVec2> {
        nodes.iter().map(|x| 0.1 * DVec2::new((1.3 * x.y + x.x).sin(), (0.7 * x.x * x.y).cos())).collect()
    }

    #[test]
    fn mass_and_weight_are_those_of_the_grain() {
        let (filling, bulk) = disc(Kind::SaintVenantKirchhoff);
        let area = bulk.area();
        assert!((area / PI - 1.0).abs() < 6e-3, "{area}");
        let mass: f64 = bulk.mass.iter().sum();
        assert!((mass / (1000.0 * area) - 1.0).abs() < 1e-10);
        let weight: DVec2 = bulk.body_force(DVec2::new(0.0, -9.81)).iter().sum();
        assert!((weight.y / (-9810.0 * area) - 1.0).abs() < 1e-10 && weight.x.abs() < 1e-6);
        // Moment of inertia about the middle, by rigid velocities.
        let n = filling.nodes.len();
        let v: Vec<DVec2> = filling.nodes.iter().map(|x| (*x - DVec2::new(3.0, 1.0)).perp()).collect();
        let twice: f64 = (0..n * n).map(|k| bulk.mass[k] * v[k / n].dot(v[k % n])).sum();
        assert!((twice / (1000.0 * area * area / TAU) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn forces_are_the_slope_of_energy_and_the_tangent_that_of_forces() {
        for kind in [Kind::SaintVenantKirchhoff, Kind::NeoHookean] {
            let (filling, bulk) = disc(kind);
            let n = filling.nodes.len();
            let u = bent(&filling.nodes);
            let push = |u: &[DVec2]| {
                let mut force = vec![DVec2::ZERO; n];
                let energy = bulk.push(u, &mut force).unwrap();
                (energy, force)
            };
            let (_, force) = push(&u);
            let mut matrix = vec![0.0; 4 * n * n];
            bulk.stiffen(&u, &mut matrix).unwrap();
            let entry = |a: usize, b: usize| matrix[a.max(b) * 2 * n + a.min(b)];
            let largest = (0..2 * n).map(|k| entry(k, k)).fold(0.0, f64::max);
            for node in [0, 17, n - 1] {
                for direction in 0..2 {
                    let h = 1e-6;
                    let moved = |by: f64| {
                        let mut u = u.clone();
                        u[node][direction] += by;
                        push(&u)
                    };
                    let (plus, minus) = (moved(h), moved(-h));
                    let slope = (plus.0 - minus.0) / (2.0 * h);
                    let size = force.iter().map(|f| f.length()).fold(0.0, f64::max);
                    assert!((slope + force[node][direction]).abs() < 1e-6 * size, "{kind:?} {node}");
                    for other in 0..n {
                        for d in 0..2 {
                            let slope = -(plus.1[other][d] - minus.1[other][d]) / (2.0 * h);
                            let ours = entry(2 * other + d, 2 * node + direction);
                            assert!(
                                (slope - ours).abs() < 1e-6 * largest,
                                "{kind:?} {node} {other}: {slope} {ours}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_grain_that_is_carried_and_turned_far_has_no_stress() {
        for kind in [Kind::SaintVenantKirchhoff, Kind::NeoHookean] {
            let (filling, bulk) = disc(kind);
            let turn = DVec2::from_angle(2.5);
            let u: Vec<DVec2> =
                filling.nodes.iter().map(|x| turn.rotate(*x) + DVec2::new(5.0, -3.0) - *x).collect();
            let mut force = vec![DVec2::ZERO; filling.nodes.len()];
            let energy = bulk.push(&u, &mut force).unwrap();
            let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
            // Against a modulus of 1e6 Pa and an area of 3 m².
            assert!(energy.abs() < 1e-10 && largest < 1e-6, "{kind:?}: {energy:e} {largest:e}");
        }
    }

    #[test]
    fn inner_forces_balance() {
        let (filling, bulk) = disc(Kind::SaintVenantKirchhoff);
        let u = bent(&filling.nodes);
        let mut force = vec![DVec2::ZERO; filling.nodes.len()];
        bulk.push(&u, &mut force).unwrap();
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let sum: DVec2 = force.iter().sum();
        let torque: f64 =
            filling.nodes.iter().zip(&u).zip(&force).map(|((x, u), f)| (*x + *u).perp_dot(*f)).sum();
        assert!(sum.length() < 1e-12 * size && torque.abs() < 1e-11 * size, "{sum} {torque}");
    }
}
