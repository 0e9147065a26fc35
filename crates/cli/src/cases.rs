//! Cases of `bench` and `validate`: how they are chosen, run and printed.
//!
//! To add one: a type that implements [`Case`] in a file of its own in `bench/` or `validate/`, and a line in the list
//! in that folder's `mod.rs`. Names are fixed: scripts rely on them.

use std::path::PathBuf;

use serde::Serialize;

use crate::{failure::Failure, print, text};

/// What was asked for on the command line; a case takes what it knows.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// At the size of the paper.
    pub full: bool,
    /// Number of bodies.
    pub n: Option<usize>,
    /// Of a polyhedron.
    pub facets: Option<usize>,
    /// Share of the volume that is filled.
    pub fraction: Option<f64>,
    pub restitution: Option<f64>,
    pub kind: Option<String>,
    pub error: Option<f64>,
    pub state: Option<PathBuf>,
    /// Folder for pictures.
    pub pictures: Option<PathBuf>,
}

/// One case. `run` is called inside the thread pool that was asked for.
pub trait Case: Sync {
    type Row: Row;

    fn name(&self) -> &'static str;

    /// One line: what it does.
    fn about(&self) -> &'static str;

    fn run(&self, options: &Options) -> Result<Vec<Self::Row>, CaseError>;
}

pub type CaseError = Box<dyn std::error::Error + Send + Sync>;

/// A line of the result.
pub trait Row: Serialize + Send {
    fn header() -> Vec<&'static str>;
    fn cells(&self) -> Vec<String>;
    /// Whether it is as it should be.
    fn passed(&self) -> bool {
        true
    }
}

/// What is left of a set of cases.
pub struct Outcome {
    pub rows: usize,
    pub failed: usize,
}

/// Prints the names of the cases.
pub fn list<R: Row>(cases: &[Box<dyn Case<Row = R>>]) {
    let rows: Vec<Vec<String>> = cases.iter().map(|c| vec![c.name().into(), c.about().into()]).collect();
    print(&text::table(&rows));
}

/// Runs the case of this name, or all; prints each row as it comes with `json`, and a table otherwise.
pub fn run<R: Row>(
    cases: &[Box<dyn Case<Row = R>>],
    wanted: Option<&str>,
    options: &Options,
    json: bool,
) -> Result<Outcome, Failure> {
    let chosen: Vec<_> = cases.iter().filter(|c| wanted.is_none_or(|w| w == c.name())).collect();
    if let (Some(wanted), true) = (wanted, chosen.is_empty()) {
        let names: Vec<&str> = cases.iter().map(|c| c.name()).collect();
        return Err(Failure::bad_input(
            format!("there is no case `{wanted}`"),
            format!("cases there are: {}", names.join(", ")),
        ));
    }
    let mut table = vec![R::header().into_iter().map(String::from).collect()];
    let mut outcome = Outcome { rows: 0, failed: 0 };
    for case in chosen {
        let rows = case.run(options).map_err(|e| {
            Failure::RunFailed(miette::miette!("case `{}` could not be run: {e}", case.name()))
        })?;
        for row in rows {
            outcome.rows += 1;
            outcome.failed += usize::from(!row.passed());
            if json {
                let line = serde_json::to_string(&row)
                    .map_err(|e| Failure::RunFailed(miette::miette!("case `{}`: {e}", case.name())))?;
                print(&(line + "\n"));
            } else {
                table.push(row.cells());
            }
        }
    }
    if !json {
        print(&text::table(&table));
    }
    Ok(outcome)
}
