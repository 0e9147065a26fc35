//! What several tests are made of.

use std::f64::consts::TAU;

use glam::DVec2;
use rubblepile_meshfree::{
    bulk::Bulk,
    fill::{Density, fill},
    internals::{Damping, SampleGrain},
    law::Elasticity,
    outline::Outline,
    shape,
    step::{Scheme, Settings},
};

/// As in example 1 of meshfree-2016, Table I.
pub fn settings() -> Settings {
    Settings {
        scheme: Scheme::Composite,
        residual: 1e-12,
        gap: 1e-12,
        stiffness: 1e8,
        growth: 2.0,
        slack: 0.03,
        stale: 1e-3,
        newton: 20,
        augmentations: 400,
        reach: 0.2,
    }
}

/// A disc whose first node is its lowest.
pub fn disc(
    centre: DVec2,
    spacing: f64,
    grading: f64,
    law: Elasticity,
    density: f64,
    damping: Damping,
) -> SampleGrain {
    let points: Vec<DVec2> =
        (0..7200).map(|k| centre + DVec2::from_angle(TAU * (f64::from(k) / 7200.0 - 0.25))).collect();
    let filling = fill(&Outline::new(&points).unwrap(), Density { spacing, grading }).unwrap();
    let bulk = Bulk::new(&filling, law, density, shape::Interpolation::Radial).unwrap();
    SampleGrain { filling, bulk, damping, material: 0 }
}
