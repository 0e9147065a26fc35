//! `bench`: how fast this machine runs, one row per size of each case.

mod accretion;
mod aggregation;
mod asteroid;
mod compaction;
mod contact;
mod files;
mod gas;
pub(crate) mod gravity;
mod iterations;
mod polyhedron;
mod soft;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cases::{Case, Row};

/// All cases, in the order they are run in.
pub fn cases() -> Vec<Box<dyn Case<Row = BenchRow>>> {
    vec![
        Box::new(soft::Bed { name: "soft-s1", rolls: false }),
        Box::new(soft::Bed { name: "soft-s1-rolling", rolls: true }),
        Box::new(soft::Drum),
        Box::new(soft::Sizes),
        Box::new(gravity::SelfGravity),
        Box::new(polyhedron::Exact),
        Box::new(polyhedron::Grouped),
        Box::new(asteroid::Step),
        Box::new(asteroid::SurfaceContact),
        Box::new(contact::OneStep),
        Box::new(contact::Pairs),
        Box::new(iterations::Iterations),
        Box::new(aggregation::Aggregation),
        Box::new(accretion::Accretion),
        Box::new(gas::Gas),
        Box::new(compaction::Compaction),
        Box::new(files::WriteCheckpoint),
        Box::new(files::WriteFrame),
    ]
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchRow {
    pub case: String,
    /// Number of bodies, or of what the case counts.
    pub size: u64,
    pub threads: usize,
    pub seconds: f64,
    pub rate: f64,
    /// Unit of the rate.
    pub unit: String,
    /// s in each phase, or other numbers by name.
    pub phases: BTreeMap<String, f64>,
}

impl Row for BenchRow {}
