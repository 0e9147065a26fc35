//! `bench`: how fast this machine runs, one line a case.

mod accretion;
mod aggregation;
mod asteroid;
mod compaction;
mod contact;
mod files;
mod gas;
pub mod gravity;
mod polyhedron;
mod soft;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    args,
    cases::{self, Case, Options, Row},
    failure::Failure,
    text,
};

/// All cases, in the order they are run in.
fn all() -> Vec<Box<dyn Case<Row = BenchRow>>> {
    vec![
        Box::new(soft::Bed { name: "soft-s1", rolls: false }),
        Box::new(soft::Bed { name: "soft-s1-rolling", rolls: true }),
        Box::new(soft::Drum),
        Box::new(soft::Sizes),
        Box::new(gravity::SelfGravity),
        Box::new(polyhedron::Exact),
        Box::new(polyhedron::Grouped),
        Box::new(asteroid::Step),
        Box::new(asteroid::Contact),
        Box::new(contact::OneStep),
        Box::new(contact::Pairs),
        Box::new(aggregation::Aggregation),
        Box::new(accretion::Accretion),
        Box::new(gas::Gas),
        Box::new(compaction::Compaction),
        Box::new(files::Checkpoint),
        Box::new(files::Frame),
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

impl Row for BenchRow {
    fn header() -> Vec<&'static str> {
        vec!["case", "size", "threads", "seconds", "rate", "phases"]
    }

    fn cells(&self) -> Vec<String> {
        let phases: Vec<String> =
            self.phases.iter().map(|(name, s)| format!("{name} {}", text::number(*s))).collect();
        vec![
            self.case.clone(),
            self.size.to_string(),
            self.threads.to_string(),
            text::number(self.seconds),
            format!("{} {}", text::rate(self.rate), self.unit),
            phases.join(", "),
        ]
    }
}

pub fn bench(args: args::Bench) -> Result<(), Failure> {
    let cases = all();
    if args.list {
        cases::list(&cases);
        return Ok(());
    }
    let options = Options {
        n: args.n,
        facets: args.facets,
        fraction: args.fraction,
        restitution: args.restitution,
        kind: args.kind,
        error: args.error,
        state: args.state,
        ..Options::default()
    };
    rubblepile::on_threads(args.threads, || cases::run(&cases, args.case.as_deref(), &options, args.json))??;
    Ok(())
}
