//! How fast the gravity of a polyhedron is summed.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec3;
use rubblepile_geometry::mesh::make::frequency;

use super::BenchRow;
use crate::{
    cases::{Case, CaseError, Options},
    validate::polyhedron::{bumpy, polyhedron, radius},
};

/// Every facet for every point.
pub struct Exact;

/// Points around the bumpy body, from just above its surface to half a radius away.
fn points(n: usize) -> Vec<DVec3> {
    (0..n)
        .map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (s, turn) = ((1.0 - z * z).sqrt(), k as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt()));
            let u = DVec3::new(s * turn.cos(), s * turn.sin(), z);
            radius(u) * (1.002 + 0.498 * (k as f64 * 0.6180339887498949).fract()) * u
        })
        .collect()
}

impl Case for Exact {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "polyhedron-exact"
    }

    fn about(&self) -> &'static str {
        "exact gravity of a polyhedron (--facets of it, at --n points; 9,680 and 1,000)"
    }

    fn run(&self, options: &Options) -> Result<Vec<BenchRow>, CaseError> {
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
        Ok(vec![BenchRow {
            case: self.name().into(),
            size: body.facets() as u64,
            threads: rayon::current_num_threads(),
            seconds,
            rate: (body.facets() * points.len()) as f64 / seconds,
            unit: "point-facets/s".into(),
            phases: BTreeMap::from([("points".into(), points.len() as f64)]),
        }])
    }
}
