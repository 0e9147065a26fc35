//! `cite`: the program and the papers behind what a run used.

use std::path::Path;

use rubblepile_io::{cite, report::RunReport};

use crate::{failure::Failure, print};

pub fn cite(directory: &Path) -> Result<(), Failure> {
    let report = RunReport::read(directory)?;
    let mut out = format!("% Cite these for the run in {}.\n\n", directory.display());
    out.push_str(&cite::program_bibtex(&report.version));
    for citation in report.citations.iter().filter_map(|key| cite::by_key(key)) {
        out.push_str(&format!("\n% {}\n{}", citation.about, citation.bibtex()));
    }
    print(&out);
    Ok(())
}
