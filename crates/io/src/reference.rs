//! The output reference: every column, field and entry with its unit and definition, from the lists that the writers use.
//!
//! `rubblepile schema --output` prints it, docs/output-reference.md is made from it, and `info` explains columns with it.

use std::borrow::Cow;

use rubblepile_core::{Column, settings::ScenarioContext};
use rubblepile_probe::ProbeTable;
use serde::Serialize;

use crate::{campaign, contact_table, export, frame::fields, report, series};

/// A column of a table, a dataset of a frame or an entry of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub name: Cow<'static, str>,
    /// Empty for a pure number, a name or a text.
    pub unit: &'static str,
    /// What it is, with its formula where that is not obvious; no full stop at the end.
    pub definition: Cow<'static, str>,
}

impl Entry {
    pub const fn new(name: &'static str, unit: &'static str, definition: &'static str) -> Self {
        Entry { name: Cow::Borrowed(name), unit, definition: Cow::Borrowed(definition) }
    }
}

impl From<Column> for Entry {
    fn from(column: Column) -> Self {
        Entry { name: column.name.into(), unit: column.unit, definition: column.definition.into() }
    }
}

/// The entries of a file, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// As it is called in a run directory.
    pub file: &'static str,
    /// Which part of the file; empty: all of it.
    pub part: String,
    pub about: String,
    pub entries: Vec<Entry>,
}

/// The first line of a CSV file.
pub(crate) fn header(columns: &[Entry]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| &*c.name).collect();
    names.join(",") + "\n"
}

/// Stands for the name of a group, a wall or an asteroid.
const NAME: &str = "NAME";

/// Everything that a run writes, file by file.
pub fn sections() -> Vec<Section> {
    let section = |file, part: &str, about: &str, entries: &[Entry]| Section {
        file,
        part: part.into(),
        about: about.into(),
        entries: entries.to_vec(),
    };
    let mut all = vec![section(
        series::NAME,
        "",
        "One row per time at which a probe is due; cells of probes that are not due are blank. `nan` means that there is no \
         such value. Then the columns of the probes follow, in the order of the scenario. In column names below, `NAME` \
         stands for the name of a group, a wall or an asteroid; with `follow = 2` and more, `aggregates` has the columns of \
         further clusters as `aggregate2_...` and so on; `height_histogram` has one column per bin.",
        &series::own_columns().map(Entry::from),
    )];
    all.extend(probes());
    all.extend([
        section(
            "frames/*.vtkhdf",
            "point data of rigid grains",
            "VTKHDF PolyData: one point per body, in the order of the ids. The datasets are in `/VTKHDF/PointData`, `Points` \
             in `/VTKHDF`. Every point is also a cell, a vertex; cells have no data.",
            fields::bodies::ALL,
        ),
        section(
            "frames/*.vtkhdf",
            "field data of rigid grains",
            "In `/VTKHDF/FieldData`: one value per frame or per asteroid.",
            fields::world::ALL,
        ),
        section(
            "frames/*.vtkhdf",
            "point data of deformable grains",
            "One point per node, one grain after the other; triangles between the nodes are the cells, and have no data.",
            fields::nodes::ALL,
        ),
        section(
            "frames/*.vtkhdf",
            "field data of deformable grains",
            "In `/VTKHDF/FieldData`: one value per frame or per grain.",
            fields::grains::ALL,
        ),
        section(
            "frames/*.vtkhdf",
            "about",
            "A JSON text in `/Rubblepile/about`: what VTK has no place for.",
            fields::ABOUT,
        ),
        section(
            "contacts/*.csv",
            "",
            "One row per contact point, in the order of the ids. What rows there are depends on the method. **Soft spheres**: \
             every pair that overlaps, with the force and torque that springs, dashpots, friction and cohesion exert at this \
             moment; `overlap_m` is the depth of the overlap. **Contact dynamics**: every contact point that bore an impulse in \
             the last step or overlaps now; force and torque are that impulse over the time step, with cohesion; `overlap_m` is minus \
             the gap, so it is negative for a gap that closes within a step. **Hard spheres**: none, as collisions take no time. \
             **Deformable grains**: one row per node of an outline that is pressed, by ids of grains; forces are in N per metre \
             of depth, from the contact pressure alone, and there is no torque.",
            contact_table::COLUMNS,
        ),
        section(
            campaign::TABLE,
            "",
            "One row per run of a campaign. After `task` comes one column per key that the `[sweep]` table varies, named by \
             its path and in SI; after `state` the last value of every column of the runs' series.",
            campaign::COLUMNS,
        ),
        section(
            report::NAME,
            "",
            "`[]` stands for the elements of a list, `NAME` for any name.",
            report::ENTRIES,
        ),
        section(
            "rubblepile export --format csv",
            "rigid grains",
            "One row per body, in the order of the ids.",
            export::BODY_COLUMNS,
        ),
        section(
            "rubblepile export --format csv",
            "deformable grains",
            "One row per node, one grain after the other. Checkpoints have the columns up to `ay_m_s2`.",
            &[export::NODE_COLUMNS, export::FELT_COLUMNS].concat(),
        ),
    ]);
    all
}

/// Columns of every probe, with names as [`NAME`].
fn probes() -> Vec<Section> {
    let names = || vec![NAME.to_string()];
    let scene = ScenarioContext {
        up: glam::DVec3::Z,
        method: "hard",
        walls_catch: true,
        counts_collisions: true,
        groups: names(),
        walls: names(),
        asteroids: names(),
        ..ScenarioContext::default()
    };
    let section = |(mut table, about): (ProbeTable, &str)| {
        table.settings_mut().fill_defaults(&scene);
        let columns = table.settings().probe(&scene).columns();
        Section {
            file: series::NAME,
            part: format!("probe `{}`", table.name()),
            about: about.replace('\n', " "),
            entries: columns.into_iter().map(Entry::from).collect(),
        }
    };
    ProbeTable::examples().into_iter().map(section).collect()
}

/// As JSON: a list of sections with their entries.
pub fn json() -> serde_json::Value {
    serde_json::to_value(sections()).unwrap_or_default()
}

/// The reference page.
pub fn markdown() -> String {
    let mut out = String::from(
        "# What a run writes\n\nThis page is made from the program's own lists (`rubblepile schema --output --markdown`); do \
         not edit it. Without `--markdown` the same comes as JSON; `rubblepile info DIR --columns` lists the columns of one \
         run.\n\nNumbers are SI. Names of columns end in their unit, so that tables explain themselves; an empty unit means a \
         pure number or a text. Formulas: m mass, I tensor of inertia, x position, v velocity, w angular velocity, f force, G \
         Newton's constant.\n",
    );
    let mut file = "";
    for section in sections() {
        if section.file != file {
            file = section.file;
            out += &format!("\n## `{file}`\n");
        }
        if !section.part.is_empty() {
            out += &format!("\n### {}\n", section.part);
        }
        out += &format!("\n{}\n\n| name | unit | definition |\n|---|---|---|\n", section.about);
        for entry in &section.entries {
            let definition = entry.definition.replace('|', "\\|");
            out += &format!("| `{}` | {} | {definition} |\n", entry.name, entry.unit);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Rewrites the page with RUBBLEPILE_WRITE_REFERENCE=1.
    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/output-reference.md");
        let page = markdown();
        if std::env::var_os("RUBBLEPILE_WRITE_REFERENCE").is_some() {
            std::fs::write(&path, &page).expect("written");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == page,
            "docs/output-reference.md is stale: set RUBBLEPILE_WRITE_REFERENCE=1 and test again"
        );
    }

    #[test]
    fn every_entry_is_there_once_and_is_explained() {
        for section in sections() {
            let mut names = BTreeSet::new();
            for entry in &section.entries {
                assert!(names.insert(entry.name.clone()), "{} twice in {}", entry.name, section.file);
                assert!(
                    entry.definition.split_whitespace().count() > 1 && !entry.definition.ends_with('.'),
                    "{entry:?}"
                );
            }
            assert!(!names.is_empty(), "{} {}", section.file, section.part);
        }
        let json = json();
        assert_eq!(json.as_array().map(Vec::len), Some(sections().len()));
        assert_eq!(json[0]["entries"][0]["name"], "time_s");
    }
}
