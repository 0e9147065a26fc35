//! How fast the gravity of a polyhedron is summed.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec3;
use rubblepile_geometry::mesh::make::frequency;
use rubblepile_gravity::polyhedron::PolyhedronTree;

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    validate::polyhedron::{bumpy, polyhedron, radius},
};

/// Every facet for every point.
pub struct Exact;

/// Points around the bumpy body, from just above its surface to half a radius away.
fn points(n: usize) -> Vec<DVec3> {
    above(n, 1.0, [0.002, 0.5])
}

/// Points between two heights over the bumpy body, over the radius, around all of it or on a cap of that height.
fn above(n: usize, cap: f64, [low, high]: [f64; 2]) -> Vec<DVec3> {
    (0..n)
        .map(|k| {
            let z = 1.0 - cap * (2.0 * k as f64 + 1.0) / n as f64;
            let (s, turn) = ((1.0 - z * z).sqrt(), k as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt()));
            let u = DVec3::new(s * turn.cos(), s * turn.sin(), z);
            radius(u) * (1.0 + low + (high - low) * (k as f64 * 0.6180339887498949).fract()) * u
        })
        .collect()
}

impl Case for Exact {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "polyhedron-exact"
    }

    fn about(&self) -> &'static str {
        "exact gravity of a polyhedron (--facets, default 9,680; --points, default 1,000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let body = polyhedron(&bumpy(frequency(options.facets.unwrap_or(9680))))?;
        let points = points(options.n.unwrap_or(1000).max(1));
        let mut seconds = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let sum: DVec3 = body.accelerations(&points).iter().sum();
            seconds = seconds.min(start.elapsed().as_secs_f64());
            if !sum.is_finite() {
                return Err("the field is not finite".into());
            }
        }
        rows.push(BenchRow {
            case: self.name().into(),
            size: body.facets() as u64,
            threads: rayon::current_num_threads(),
            seconds,
            rate: (body.facets() * points.len()) as f64 / seconds,
            unit: "point-facets/s".into(),
            phases: BTreeMap::from([("points".into(), points.len() as f64)]),
        });
        Ok(())
    }
}

/// Far facets in groups.
pub struct Grouped;

/// Points whose error is measured.
const SAMPLE: usize = 200;

impl Case for Grouped {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "polyhedron-tree"
    }

    fn about(&self) -> &'static str {
        "gravity of a polyhedron by a tree of facets (--facets, --points, --kind near|patch, --error; prints the largest error)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let target = options.error.unwrap_or(1e-6);
        let body = polyhedron(&bumpy(frequency(options.facets.unwrap_or(100_000))))?;
        let start = Instant::now();
        let tree = PolyhedronTree::new(&body, target);
        let build = start.elapsed().as_secs_f64();
        let n = options.n.unwrap_or(25_088).max(1);
        for kind in options.kind.as_deref().map_or(vec!["near", "patch"], |k| vec![k]) {
            let points = match kind {
                // Within 2 % of the radius, all over the body.
                "near" => above(n, 1.0, [0.0, 0.02]),
                // A pile: within 2 %, on a cap of a tenth of the radius.
                "patch" => above(n, 0.0025, [0.0, 0.02]),
                other => return Err(format!("there is no kind `{other}`: near or patch").into()),
            };
            let mut seconds = f64::INFINITY;
            let mut found = Vec::new();
            for _ in 0..7 {
                let start = Instant::now();
                found = tree.accelerations(&points);
                seconds = seconds.min(start.elapsed().as_secs_f64());
            }
            let sample: Vec<usize> = (0..SAMPLE.min(n)).map(|k| k * n / SAMPLE.min(n)).collect();
            let at: Vec<DVec3> = sample.iter().map(|&k| points[k]).collect();
            let start = Instant::now();
            let exact = body.accelerations(&at);
            let exact_seconds = start.elapsed().as_secs_f64() / at.len() as f64 * n as f64;
            let error = sample
                .iter()
                .zip(&exact)
                .map(|(&k, a)| found[k].distance(*a) / a.length())
                .fold(0.0, f64::max);
            if !error.is_finite() {
                return Err("the field is not finite".into());
            }
            rows.push(BenchRow {
                case: self.name().into(),
                size: body.facets() as u64,
                threads: rayon::current_num_threads(),
                seconds,
                rate: n as f64 / seconds,
                unit: "points/s".into(),
                phases: BTreeMap::from([
                    ("points".into(), n as f64),
                    (format!("kind {kind}"), 1.0),
                    ("target".into(), target),
                    ("largest error".into(), error),
                    ("build".into(), build),
                    ("times the exact sum".into(), exact_seconds / seconds),
                ]),
            });
        }
        Ok(())
    }
}
