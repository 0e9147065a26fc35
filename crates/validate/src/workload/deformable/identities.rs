//! What must hold exactly, or to the error of a finite difference: shape functions, tangents, rigid rotation without stress.

use std::f64::consts::TAU;

use glam::DVec2;
use rubblepile_meshfree::{
    bulk::Flow,
    internals::{
        Damping, Element, Friction, NODES, Pressure, SampleGrain, closest, on_grain, on_wall,
        quadrature_points,
    },
    law::{ElasticLaw, Elasticity, PlaneCondition},
    shape::{self, Domains},
};

use super::{Result, WorkloadError, disc};
use crate::cases::Wrong;

/// Largest errors of shape functions, over all places of integration of a disc.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShapeErrors {
    /// Of the number of other nodes in a domain of influence, which is 20 (Table I), the last on its edge.
    pub neighbours: f64,
    /// Of the integral of x⁴ + x²y² over the triangles, against that along the outline.
    pub quadrature: f64,
    /// Of their sum, which is 1.
    pub unity: f64,
    /// Of a quadratic field and of its slope.
    pub quadratic: f64,
    pub slope: f64,
    /// At the nodes, where each is 1 at its own and 0 at the others (eq. 10).
    pub delta: f64,
    /// Of slopes against differences of values, over the largest slope.
    pub difference: f64,
}

/// The disc of example 1.
fn grain(law: Elasticity) -> Result<SampleGrain> {
    disc(DVec2::new(3.0, 1.0), TAU / 36.0, 0.1, law, 1000.0, Damping::default())
}

fn larger(a: &mut f64, b: f64) {
    // NaN must not be lost.
    *a = if b.is_nan() { b } else { a.max(b) };
}

/// `wrong` may have `value`, `slope`, `radius` and `weight`.
pub fn shape_functions(kind: shape::Interpolation, wrong: &Wrong) -> Result<ShapeErrors> {
    let [value_of, slope_of, radius_of, weight_of] =
        ["value", "slope", "radius", "weight"].map(|quantity| wrong.factor(quantity));
    let filling =
        grain(Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, 1e6, 0.3)?)?.filling;
    let nodes = &filling.nodes;
    let domains = Domains::new(nodes, kind)?;
    let at = |x: DVec2| {
        let mut shapes = domains.at(x)?;
        shapes.value.iter_mut().for_each(|value| *value *= value_of);
        shapes.slope.iter_mut().for_each(|slope| *slope *= slope_of);
        Ok::<_, WorkloadError>(shapes)
    };
    let field = |x: DVec2| {
        let DVec2 { x, y } = x - DVec2::new(2.7, 1.2);
        let value = 0.3 - 0.8 * x + 0.5 * y + 0.9 * x * x - 0.4 * y * y + 0.7 * x * y;
        (value, DVec2::new(-0.8 + 1.8 * x + 0.7 * y, 0.5 - 0.8 * y + 0.7 * x))
    };
    let mut errors = ShapeErrors::default();
    let h = 1e-6;
    // About the middle of the disc: x⁴ + x²y², and what has it as its slope along x.
    let middle = nodes.iter().sum::<DVec2>() / nodes.len() as f64;
    let quartic = |x: DVec2| {
        let DVec2 { x, y } = x - middle;
        x.powi(4) + x * x * y * y
    };
    let along_x = |x: DVec2| {
        let DVec2 { x, y } = x - middle;
        x.powi(5) / 5.0 + x.powi(3) * y * y / 3.0
    };
    let mut integral = 0.0;
    for corners in &filling.triangles {
        for (x, weight) in quadrature_points(corners.map(|k| nodes[k as usize])) {
            integral += weight_of * weight * quartic(x);
            let here = at(x)?;
            let (mut unity, mut value, mut slope) = (-1.0, -field(x).0, -field(x).1);
            for ((node, n), d) in here.nodes.iter().zip(&here.value).zip(&here.slope) {
                let there = field(nodes[*node as usize]).0;
                unity += n;
                value += n * there;
                slope += *d * there;
            }
            larger(&mut errors.unity, unity.abs());
            larger(&mut errors.quadratic, value.abs());
            larger(&mut errors.slope, slope.length());
            let around = [DVec2::X, -DVec2::X, DVec2::Y, -DVec2::Y].map(|d| at(x + h * d));
            let [east, west, north, south] = around;
            let (east, west, north, south) = (east?, west?, north?, south?);
            // At the edge of a domain a function begins with a step (eq. 2).
            if [&east, &west, &north, &south].iter().any(|s| s.nodes != here.nodes) {
                continue;
            }
            let largest = here.slope.iter().map(|s| s.length()).fold(0.0, f64::max);
            for (k, slope) in here.slope.iter().enumerate() {
                let difference = DVec2::new(east.value[k] - west.value[k], north.value[k] - south.value[k]);
                larger(&mut errors.difference, (difference / (2.0 * h)).distance(*slope) / largest);
            }
        }
    }
    for (k, x) in nodes.iter().enumerate() {
        let here = at(*x)?;
        // Several may be equally far: then all of them are on its edge.
        let within = |part: f64| {
            nodes.iter().filter(|y| y.distance(*x) <= part * radius_of * domains.radius(k)).count() as f64
                - 1.0
        };
        larger(&mut errors.neighbours, (20.0 - within(1.0)).max(within(1.0 - 1e-6) - 19.0).max(0.0));
        for (node, value) in here.nodes.iter().zip(&here.value) {
            let wanted = if *node as usize == k { 1.0 } else { 0.0 };
            larger(&mut errors.delta, (value - wanted).abs());
        }
    }
    let along_outline: f64 = (0..filling.boundary)
        .map(|k| {
            let (a, b) = (nodes[k], nodes[(k + 1) % filling.boundary]);
            let root = 0.6_f64.sqrt();
            let points = [(-root, 5.0), (0.0, 8.0), (root, 5.0)];
            let mean: f64 = points.iter().map(|(s, w)| w / 18.0 * along_x(a.lerp(b, 0.5 + 0.5 * s))).sum();
            mean * (b.y - a.y)
        })
        .sum();
    errors.quadrature = (integral / along_outline - 1.0).abs();
    Ok(errors)
}

/// Inside of a grain.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BulkErrors {
    /// Forces against differences of the energy, over the largest.
    pub force: f64,
    /// The tangent against differences of forces, over its largest entry.
    pub tangent: f64,
    /// Forces after a turn by 2.5 and a way of six radii, over modulus by diameter.
    pub turned: f64,
}

/// A disc with all kinds of strain in it; `viscous`: the time of its viscous stress, s. `wrong` may have `force`, `tangent` and `turn`.
pub fn bulk(law: Elasticity, viscous: f64, wrong: &Wrong) -> Result<BulkErrors> {
    let tangent_of = wrong.factor("tangent");
    let SampleGrain { filling, bulk, .. } = grain(law)?;
    let n = filling.nodes.len();
    let bent = |x: &DVec2| 0.1 * DVec2::new((1.3 * x.y + x.x).sin(), (0.7 * x.x * x.y).cos());
    let at: Vec<DVec2> = filling.nodes.iter().map(bent).collect();
    // The rate of strain is 3 times the strain, and something.
    let constant = vec![[0.4, -0.2, 0.3]; if viscous > 0.0 { 6 * filling.triangles.len() } else { 0 }];
    let flow = Flow { viscous: (viscous, 3.0), constant: &constant, ..Flow::default() };
    let push = |u: &[DVec2]| {
        let mut force = vec![DVec2::ZERO; n];
        let energy = bulk.push(u, &flow, &mut force).ok_or(WorkloadError::NoTangent)?;
        force.iter_mut().for_each(|f| *f *= wrong.factor("force"));
        Ok::<_, WorkloadError>((energy, force))
    };
    let (_, force) = push(&at)?;
    let mut matrix = vec![0.0; 4 * n * n];
    bulk.stiffen(&at, &flow, &mut matrix).ok_or(WorkloadError::NoTangent)?;
    let entry = |a: usize, b: usize| matrix[a.min(b) * 2 * n + a.max(b)];
    let stiffest = (0..2 * n).map(|k| entry(k, k)).fold(0.0, f64::max);
    let strongest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    let mut errors = BulkErrors::default();
    let h = 1e-6;
    for node in [0, n / 5, n / 2, n - 1] {
        for axis in 0..2 {
            let moved = |by: f64| {
                let mut at = at.clone();
                at[node][axis] += by;
                push(&at)
            };
            let (plus, minus) = (moved(h)?, moved(-h)?);
            if viscous == 0.0 {
                let slope = (plus.0 - minus.0) / (2.0 * h);
                larger(&mut errors.force, (slope + force[node][axis]).abs() / strongest);
            }
            for row in 0..2 * n {
                let slope = -(plus.1[row / 2][row % 2] - minus.1[row / 2][row % 2]) / (2.0 * h);
                let off = (slope - tangent_of * entry(row, 2 * node + axis)).abs();
                larger(&mut errors.tangent, off / stiffest);
            }
        }
    }
    let turn = wrong.factor("turn") * DVec2::from_angle(2.5);
    let turned: Vec<DVec2> =
        filling.nodes.iter().map(|x| turn.rotate(*x) + DVec2::new(5.0, -3.0) - *x).collect();
    let mut force = vec![DVec2::ZERO; n];
    bulk.push(&turned, &Flow::default(), &mut force).ok_or(WorkloadError::NoTangent)?;
    errors.turned = force.iter().map(|f| f.length()).fold(0.0, f64::max) / (2.0 * law.shear_modulus());
    Ok(errors)
}

/// What a boundary node meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opposite {
    Grain,
    Wall,
}

/// Seven nodes of a contact: one between its neighbours, and four of a bent outline.
const PLACES: [DVec2; NODES] = [
    DVec2::new(0.9, 0.5),
    DVec2::new(0.6, 0.16),
    DVec2::new(0.1, 0.4),
    DVec2::new(2.0, -0.4),
    DVec2::new(1.0, 0.0),
    DVec2::new(0.2, 0.25),
    DVec2::new(-0.9, -0.1),
];

/// The contact of a node that is `height` above where it is in the list, or has come in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeMeeting {
    pub opposite: Opposite,
    pub friction: f64,
    pub height: f64,
}

impl NodeMeeting {
    pub fn places(&self) -> [DVec2; NODES] {
        let mut places = PLACES;
        places[..3].iter_mut().for_each(|x| x.y += self.height);
        places
    }

    /// None where the outline has no closest point.
    pub fn element(&self, nodes: [DVec2; NODES]) -> Option<Element> {
        const STIFFNESS: f64 = 50.0;
        let push = |gap: f64| Pressure { pressure: 3.0 - STIFFNESS * gap, stiffness: STIFFNESS };
        let began = |k: usize| 0.02 * DVec2::new((3.0 * k as f64).sin(), (5.0 * k as f64).cos());
        let friction = Friction {
            coefficient: self.friction,
            bond: 0.5,
            traction: 0.2,
            moves: std::array::from_fn(|k| nodes[k] - PLACES[k] + began(k)),
            wall: DVec2::new(0.01, 0.0),
        };
        let friction = (self.friction > 0.0).then_some(&friction);
        let [a, b, c, m0, m1, m2, m3] = nodes;
        match self.opposite {
            Opposite::Wall => {
                let normal = DVec2::new(0.6, 0.8);
                Some(on_wall([a, b, c], normal, push(b.dot(normal) - 0.49), friction))
            }
            Opposite::Grain => {
                let at = closest([m0, m1, m2, m3], b)?;
                Some(on_grain([a, b, c], &at, push(at.gap), friction))
            }
        }
    }

    /// Residual of eq. (18): the tangent at the closest point times the vector to the node, m². `None` for a wall.
    pub fn closest_point_error(&self, wrong: &Wrong) -> Option<f64> {
        let [_, node, _, m0, m1, m2, m3] = self.places();
        let found = closest([m0, m1, m2, m3], node)?;
        let xi = found.xi * wrong.factor("closest");
        // Eq. (16), as it is printed, and its slope.
        let (q, m, p) = (xi * xi - 1.0, xi - 1.0, xi + 1.0);
        let (low, high) = (q * m, q * p);
        let n =
            [-low / 16.0, -m / 2.0 + low / 8.0 + high / 16.0, p / 2.0 - low / 16.0 - high / 8.0, high / 16.0];
        let (low, high) = (2.0 * xi * m + q, 2.0 * xi * p + q);
        let d = [-low / 16.0, -0.5 + low / 8.0 + high / 16.0, 0.5 - low / 16.0 - high / 8.0, high / 16.0];
        let sum = |w: [f64; 4]| w[0] * m0 + w[1] * m1 + w[2] * m2 + w[3] * m3;
        Some((sum(n) - node).dot(sum(d)).abs())
    }

    /// The tangent (appendices B and C) against differences of forces, over its largest entry. `wrong` may have `tangent`.
    pub fn tangent_error(&self, wrong: &Wrong) -> Option<f64> {
        let (here, h) = (self.element(self.places())?, 1e-6);
        let tangent_of = wrong.factor("tangent");
        let mut largest = 0.0;
        let size = here.symmetric.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
        for j in 0..2 * NODES {
            let moved = |by: f64| {
                let mut nodes = self.places();
                nodes[j / 2][j % 2] += by;
                Some(self.element(nodes)?.force)
            };
            let (plus, minus) = (moved(h)?, moved(-h)?);
            for i in 0..2 * NODES {
                let slope = -(plus[i / 2][i % 2] - minus[i / 2][i % 2]) / (2.0 * h);
                larger(
                    &mut largest,
                    (slope - tangent_of * (here.symmetric[i][j] + here.rest[i][j])).abs() / size,
                );
            }
        }
        Some(largest)
    }
}
