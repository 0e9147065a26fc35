//! Inside of a grain: what its deformation stores, and pushes its nodes with (appendix A of meshfree-2016).
//!
//! The paper sums over Gauss points with the shape functions that reach each. Here the six points of a triangle share one list of
//! nodes, those that reach any of them, so that sums run along rows without looking up and entries of the tangent are added once a triangle.

mod consistent;

use glam::DVec2;
use rubblepile_core::simd::{Kernel, LANES, Lanes, Portable, dispatch};

use crate::{
    fill::Filling,
    law::{Elasticity, Response, cauchy, green_lagrange},
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
}

/// A triangle with slopes, laid out as values are.
struct Sloped {
    cell: Cell,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// A grain as it was made.
#[derive(Debug, Clone)]
pub struct Bulk {
    nodes: usize,
    law: Elasticity,
    /// kg/m²
    density: f64,
    cells: Vec<Cell>,
    /// Slopes along x and y of eight nodes at a time, of a triangle's points one after the other, of all triangles: they are read in this order, and
    /// reading them is what takes the time.
    slopes: Vec<[[f64; LANES]; 2]>,
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

/// How a grain moves, for its damping. By default it has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flow<'a> {
    /// β of eq. (24), s, and velocities of the nodes.
    pub rayleigh: f64,
    pub velocity: &'a [DVec2],
    /// Time of [`Elasticity::answer_viscous`], s, the rate that goes with strain, 1/s, and what is added to it at every Gauss point.
    pub viscous: (f64, f64),
    pub constant: &'a [[f64; 3]],
}

impl Flow<'_> {
    #[inline]
    fn answer<const TANGENT: bool>(
        &self,
        law: &Elasticity,
        gradient: [f64; 4],
        point: usize,
    ) -> Option<Response> {
        match self.constant.get(point) {
            Some(constant) if self.viscous.0 != 0.0 => {
                law.answer_viscous::<TANGENT>(gradient, self.viscous, *constant)
            }
            _ => law.answer::<TANGENT>(gradient),
        }
    }
}

/// Three points of Gauss on every side of the outline: place, outward normal, and the length that it stands for.
fn edge_points(filling: &Filling) -> impl Iterator<Item = (DVec2, DVec2, f64)> {
    // Place from the middle of a side, in half lengths, and weight.
    const GAUSS: [(f64, f64); 3] =
        [(-0.774_596_669_241_483_4, 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.774_596_669_241_483_4, 5.0 / 18.0)];
    (0..filling.boundary).flat_map(|k| {
        let (a, b) = (filling.nodes[k], filling.nodes[(k + 1) % filling.boundary]);
        let normal = -(b - a).perp().normalize();
        GAUSS.map(|(along, weight)| (a.lerp(b, 0.5 + 0.5 * along), normal, weight * a.distance(b)))
    })
}

/// R_n of eq. (A.2): what a traction on the outline, Pa, puts on every node. It is asked for at places of the reference
/// configuration, with the outward normal there.
pub fn edge_load(
    filling: &Filling,
    kind: shape::Interpolation,
    traction: impl Fn(DVec2, DVec2) -> DVec2,
) -> Result<Vec<DVec2>, ShapeError> {
    let domains = Domains::new(&filling.nodes, kind)?;
    let mut load = vec![DVec2::ZERO; filling.nodes.len()];
    for (x, normal, length) in edge_points(filling) {
        let force = length * traction(x, normal);
        if force == DVec2::ZERO {
            continue;
        }
        let shapes = domains.at(x)?;
        for (node, value) in shapes.nodes.iter().zip(&shapes.value) {
            load[*node as usize] += *value * force;
        }
    }
    Ok(load)
}

impl Bulk {
    pub fn new(
        filling: &Filling,
        law: Elasticity,
        density: f64,
        kind: shape::Interpolation,
    ) -> Result<Self, ShapeError> {
        let domains = Domains::new(&filling.nodes, kind)?;
        let mut sloped = filling
            .triangles
            .iter()
            .map(|corners| Sloped::new(&domains, corners.map(|k| filling.nodes[k as usize])))
            .collect::<Result<Vec<_>, _>>()?;
        consistent::correct(&mut sloped, filling, &domains)?;
        let eights = |s: &Sloped| {
            let (x, y) = (s.x.as_chunks::<LANES>().0.to_vec(), s.y.as_chunks::<LANES>().0.to_vec());
            x.into_iter().zip(y).map(|(x, y)| [x, y])
        };
        let slopes = sloped.iter().flat_map(eights).collect();
        let cells: Vec<Cell> = sloped.into_iter().map(|s| s.cell).collect();
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
        Ok(Bulk { nodes: n, law, density, cells, slopes, mass })
    }

    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// All triangles with their slopes.
    fn cells(&self) -> impl Iterator<Item = (&Cell, &[[[f64; LANES]; 2]])> {
        self.cells.iter().scan(&self.slopes[..], |rest, cell| {
            let (own, after) = rest.split_at(POINTS * cell.stride / LANES);
            *rest = after;
            Some((cell, own))
        })
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

    pub fn shear_modulus(&self) -> f64 {
        self.law.shear_modulus()
    }

    /// Mean distance of nodes, m.
    pub fn spacing(&self) -> f64 {
        (self.area() / self.nodes as f64).sqrt()
    }

    /// Energy stored, J per metre of depth. Adds what the nodes are pushed back with, -R_i of eq. (A.4), and by damping. `None`: somewhere
    /// the material is inside out.
    pub fn push(&self, displacement: &[DVec2], flow: &Flow, force: &mut [DVec2]) -> Option<f64> {
        dispatch(Push { bulk: self, displacement, flow, force })
    }

    /// Adds eq. (A.3), the tangent, to a square matrix of two columns a node, column after column: its lower triangle only. Of damping
    /// only the viscous part is in it.
    pub fn stiffen(&self, displacement: &[DVec2], flow: &Flow, matrix: &mut [f64]) -> Option<()> {
        dispatch(Stiffen { bulk: self, displacement, flow, matrix })
    }

    /// Green-Lagrange strain at all Gauss points, and its rate for velocities of the nodes.
    pub fn strain_rates(&self, displacement: &[DVec2], velocity: &[DVec2]) -> Vec<([f64; 3], [f64; 3])> {
        let mut local = Local::default();
        let mut all = Vec::with_capacity(POINTS * self.cells.len());
        for (cell, slopes) in self.cells() {
            let gradients = cell.gradients::<Portable>(slopes, [displacement, velocity], &mut local);
            all.extend(gradients.into_iter().map(|[f, v]| {
                let f = deformation(f);
                (green_lagrange(f), green_lagrange_rate(f, v))
            }));
        }
        all
    }

    /// Area over that at the start, at the Gauss point where it is smallest.
    pub fn smallest_area(&self, displacement: &[DVec2]) -> f64 {
        let mut local = Local::default();
        let areas = self.cells().flat_map(|(cell, slopes)| {
            cell.gradients::<Portable>(slopes, [displacement; 2], &mut local).map(|[f, _]| {
                let [xx, xy, yx, yy] = deformation(f);
                xx * yy - xy * yx
            })
        });
        areas.fold(f64::INFINITY, f64::min)
    }

    /// What Rayleigh's β (eq. 24) and a viscous stress, with their times, take while the nodes have velocities, W per metre of depth.
    pub fn damped(&self, displacement: &[DVec2], velocity: &[DVec2], (rayleigh, viscous): (f64, f64)) -> f64 {
        let mut local = Local::default();
        let mut power = 0.0;
        let work = |rate: [f64; 3]| {
            let stress = self.law.small_stress(rate);
            stress[0] * rate[0] + stress[1] * rate[1] + 2.0 * stress[2] * rate[2]
        };
        for (cell, slopes) in self.cells() {
            let gradients = cell.gradients::<Portable>(slopes, [displacement, velocity], &mut local);
            for (weight, [f, v]) in cell.weight.iter().zip(gradients) {
                let rate = green_lagrange_rate(deformation(f), v);
                let [xx, xy, yx, yy] = v;
                power += weight * (rayleigh * work([xx, yy, 0.5 * (xy + yx)]) + viscous * work(rate));
            }
        }
        power
    }

    /// Strain and stress at all Gauss points.
    pub fn strained(&self, reference: &[DVec2], displacement: &[DVec2]) -> Option<Vec<Strained>> {
        let mut all = Vec::with_capacity(POINTS * self.cells.len());
        let mut local = Local::default();
        for (cell, slopes) in self.cells() {
            let gradients = cell.gradients::<Portable>(slopes, [displacement; 2], &mut local);
            for (p, [gradient, _]) in gradients.into_iter().enumerate() {
                let gradient = deformation(gradient);
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

impl Sloped {
    fn new(domains: &Domains, corners: [DVec2; 3]) -> Result<Self, ShapeError> {
        let points = quadrature::points(corners);
        let shapes = points.iter().map(|(x, _)| domains.at(*x)).collect::<Result<Vec<_>, _>>()?;
        let mut nodes: Vec<u32> = shapes.iter().flat_map(|s| s.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let stride = nodes.len().next_multiple_of(LANES);
        let [mut value, mut x, mut y] = [(); 3].map(|()| vec![0.0; POINTS * stride]);
        for (p, shapes) in shapes.iter().enumerate() {
            for ((node, v), slope) in shapes.nodes.iter().zip(&shapes.value).zip(&shapes.slope) {
                // It is there: the list is made of these.
                let at = p * stride + nodes.partition_point(|k| k < node);
                (value[at], x[at], y[at]) = (*v, slope.x, slope.y);
            }
        }
        Ok(Sloped { cell: Cell { weight: points.map(|(_, weight)| weight), stride, value, nodes }, x, y })
    }
}

impl Cell {
    fn values(&self, p: usize) -> &[f64] {
        &self.value[p * self.stride..p * self.stride + self.nodes.len()]
    }

    /// Eqs (A.8), (A.9) at every point, without the 1 of the diagonal: gradients of a displacement and of a velocity.
    #[inline(always)]
    fn gradients<L: Lanes>(
        &self,
        slopes: &[[[f64; LANES]; 2]],
        fields: [&[DVec2]; 2],
        local: &mut Local,
    ) -> [[[f64; 4]; 2]; POINTS] {
        local.gather(fields, &self.nodes, self.stride);
        let [ux, uy, vx, vy] = local.of_nodes.each_ref().map(|column| column.as_chunks::<LANES>().0);
        let mut gradients = [[[0.0; 4]; 2]; POINTS];
        for (p, f) in gradients.iter_mut().enumerate() {
            let mut sums = [L::splat(0.0); 8];
            let of_point = slopes[p * ux.len()..].iter().take(ux.len());
            for (block, [sx, sy]) in of_point.enumerate() {
                let (sx, sy) = (L::load(sx), L::load(sy));
                for (k, field) in [ux, uy, vx, vy].into_iter().enumerate() {
                    let field = L::load(&field[block]);
                    sums[2 * k] = sums[2 * k] + field * sx;
                    sums[2 * k + 1] = sums[2 * k + 1] + field * sy;
                }
            }
            // Loops and no closures over lanes: those would not be compiled for the wide instructions.
            let mut stored = [[0.0; LANES]; 8];
            for (to, sum) in stored.iter_mut().zip(sums) {
                *to = sum.store();
            }
            let [mut all, others @ ..] = L::columns8(stored.each_ref());
            for other in others {
                all = all + other;
            }
            f.as_flattened_mut().copy_from_slice(&all.store());
        }
        gradients
    }
}

/// Two vectors of the nodes of one triangle, filled up with zeros to whole lanes: x and y of the first, of the second.
#[derive(Default)]
struct Local {
    of_nodes: [Vec<f64>; 4],
}

impl Local {
    #[inline(always)]
    fn gather(&mut self, [first, second]: [&[DVec2]; 2], nodes: &[u32], stride: usize) {
        for column in &mut self.of_nodes {
            column.resize(stride, 0.0);
            column[nodes.len()..].fill(0.0);
        }
        let [ux, uy, vx, vy] = &mut self.of_nodes;
        for (k, node) in nodes.iter().enumerate() {
            let (u, v) = (first[*node as usize], second[*node as usize]);
            (ux[k], uy[k], vx[k], vy[k]) = (u.x, u.y, v.x, v.y);
        }
    }
}

/// The gradient of deformation of that of a displacement, eq. (A.9).
#[inline(always)]
fn deformation([xx, xy, yx, yy]: [f64; 4]) -> [f64; 4] {
    [1.0 + xx, xy, yx, 1.0 + yy]
}

/// The rate of the Green-Lagrange strain for a gradient of deformation and one of velocity.
fn green_lagrange_rate(f: [f64; 4], v: [f64; 4]) -> [f64; 3] {
    [
        f[0] * v[0] + f[2] * v[2],
        f[1] * v[1] + f[3] * v[3],
        0.5 * (f[0] * v[1] + f[1] * v[0] + f[2] * v[3] + f[3] * v[2]),
    ]
}

/// Eq. (A.4) for all triangles, eight nodes at a time.
struct Push<'a> {
    bulk: &'a Bulk,
    displacement: &'a [DVec2],
    flow: &'a Flow<'a>,
    force: &'a mut [DVec2],
}

impl Kernel for Push<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<f64> {
        let mut energy = 0.0;
        let mut local = Local::default();
        let Push { bulk, flow, .. } = self;
        let velocity = if flow.rayleigh == 0.0 { self.displacement } else { flow.velocity };
        for (c, (cell, slopes)) in bulk.cells().enumerate() {
            let gradients = cell.gradients::<L>(slopes, [self.displacement, velocity], &mut local);
            let mut stresses = [[L::splat(0.0); 4]; POINTS];
            for (p, [gradient, [xx, xy, yx, yy]]) in gradients.into_iter().enumerate() {
                let response = flow.answer::<false>(&bulk.law, deformation(gradient), POINTS * c + p)?;
                let weight = cell.weight[p];
                energy += weight * response.energy;
                let slow = bulk.law.small_stress([xx, yy, 0.5 * (xy + yx)]);
                let slow = [slow[0], slow[2], slow[2], slow[1]];
                stresses[p] = std::array::from_fn(|k| {
                    L::splat(weight * (response.stress[k] + flow.rayleigh * slow[k]))
                });
            }
            let blocks = cell.stride / LANES;
            for block in 0..blocks {
                let (mut x, mut y) = (L::splat(0.0), L::splat(0.0));
                for (p, [xx, xy, yx, yy]) in stresses.iter().enumerate() {
                    let [sx, sy] = &slopes[p * blocks + block];
                    let (sx, sy) = (L::load(sx), L::load(sy));
                    x = x + *xx * sx + *xy * sy;
                    y = y + *yx * sx + *yy * sy;
                }
                let nodes = &cell.nodes[block * LANES..cell.nodes.len().min((block + 1) * LANES)];
                for (node, (x, y)) in nodes.iter().zip(x.store().into_iter().zip(y.store())) {
                    self.force[*node as usize] -= DVec2::new(x, y);
                }
            }
        }
        Some(energy)
    }
}

/// Eq. (A.3) for all triangles, eight nodes at a time.
struct Stiffen<'a> {
    bulk: &'a Bulk,
    displacement: &'a [DVec2],
    flow: &'a Flow<'a>,
    matrix: &'a mut [f64],
}

impl Kernel for Stiffen<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<()> {
        let size = 2 * self.bulk.nodes;
        let mut local = Local::default();
        for (c, (cell, slopes)) in self.bulk.cells().enumerate() {
            let gradients = cell.gradients::<L>(slopes, [self.displacement; 2], &mut local);
            let mut tangents = [[[0.0; 4]; 4]; POINTS];
            for (p, (tangent, [gradient, _])) in tangents.iter_mut().zip(gradients).enumerate() {
                let response =
                    self.flow.answer::<true>(&self.bulk.law, deformation(gradient), POINTS * c + p)?;
                for (row, from) in tangent.iter_mut().zip(&response.tangent) {
                    for (entry, from) in row.iter_mut().zip(from) {
                        *entry = cell.weight[p] * from;
                    }
                }
            }
            let blocks = cell.stride / LANES;
            for (b, &nb) in cell.nodes.iter().enumerate() {
                // For directions i of one node and k of the other: what slopes along x and y of the first count for.
                let mut factors = [[[0.0; 2]; 4]; POINTS];
                for (p, (factors, c)) in factors.iter_mut().zip(&tangents).enumerate() {
                    let [x, y] = slopes[p * blocks + b / LANES].map(|slope| slope[b % LANES]);
                    for (ik, factor) in factors.iter_mut().enumerate() {
                        let (i, k) = (ik / 2, ik % 2);
                        *factor = [
                            c[2 * i][2 * k] * x + c[2 * i][2 * k + 1] * y,
                            c[2 * i + 1][2 * k] * x + c[2 * i + 1][2 * k + 1] * y,
                        ];
                    }
                }
                let (first, second) =
                    self.matrix[2 * nb as usize * size..(2 * nb as usize + 2) * size].split_at_mut(size);
                // Nodes are sorted: what follows b is in the lower triangle.
                for block in b / LANES..blocks {
                    let mut sums = [L::splat(0.0); 4];
                    for (p, factors) in factors.iter().enumerate() {
                        let [x, y] = &slopes[p * blocks + block];
                        let (x, y) = (L::load(x), L::load(y));
                        for (sum, factor) in sums.iter_mut().zip(factors) {
                            *sum = *sum + x * L::splat(factor[0]) + y * L::splat(factor[1]);
                        }
                    }
                    let [xx, xy, yx, yy] =
                        [sums[0].store(), sums[1].store(), sums[2].store(), sums[3].store()];
                    let start = block * LANES;
                    for a in start.max(b)..(start + LANES).min(cell.nodes.len()) {
                        let (row, lane) = (2 * cell.nodes[a] as usize, a - start);
                        first[row] += xx[lane];
                        first[row + 1] += yx[lane];
                        second[row] += xy[lane];
                        second[row + 1] += yy[lane];
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
        law::{ElasticLaw, PlaneCondition},
        outline::Outline,
    };

    fn disc(kind: ElasticLaw) -> (Filling, Bulk) {
        let outline = Outline::ellipse(DVec2::new(3.0, 1.0), DVec2::ONE, 720).unwrap();
        let filling = fill(&outline, Density { spacing: TAU / 36.0, grading: 0.1 }).unwrap();
        let law = Elasticity::new(kind, PlaneCondition::Strain, 1e6, 0.4).unwrap();
        let bulk = Bulk::new(&filling, law, 1000.0, shape::Interpolation::Radial).unwrap();
        (filling, bulk)
    }

    /// Something with all kinds of strain in it.
    fn bent(nodes: &[DVec2]) -> Vec<DVec2> {
        nodes.iter().map(|x| 0.1 * DVec2::new((1.3 * x.y + x.x).sin(), (0.7 * x.x * x.y).cos())).collect()
    }

    #[test]
    fn mass_and_weight_are_those_of_the_grain() {
        let (filling, bulk) = disc(ElasticLaw::SaintVenantKirchhoff);
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
    fn inner_forces_balance() {
        let (filling, bulk) = disc(ElasticLaw::SaintVenantKirchhoff);
        let u = bent(&filling.nodes);
        let mut force = vec![DVec2::ZERO; filling.nodes.len()];
        bulk.push(&u, &Flow::default(), &mut force).unwrap();
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let sum: DVec2 = force.iter().sum();
        let torque: f64 =
            filling.nodes.iter().zip(&u).zip(&force).map(|((x, u), f)| (*x + *u).perp_dot(*f)).sum();
        assert!(sum.length() < 1e-12 * size && torque.abs() < 1e-11 * size, "{sum} {torque}");
    }
}
