//! Grains from a CSV file; how it is read is in `generate/table.rs`.

use rubblepile_core::settings::{Check, Checked, Problem, join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::{
    generate::{GenerateError, GenerateFault, GrainTable, table},
    input,
    scenario::ScenarioError,
};

/// A CSV file with a header: columns `x`, `y`, `z`, `radius` (or `r`), and optionally `vx`, `vy`, `vz`, `wx`,
/// `wy`, `wz` (spin) and `density`, all in SI. Other columns are left alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// The file; a relative path starts at the scenario's folder.
    pub path: String,
}

impl FilePlace {
    pub const ABOUT: &str = "From a CSV file.";

    /// The columns of the file, and how it is called in messages.
    fn read(&self, context: &PlaceContext, at: &str) -> Result<(GrainTable, String), GenerateError> {
        if let Some(table) = context.given.get(&self.path) {
            return Ok((table.clone(), self.path.clone()));
        }
        let path = context.base.join(&self.path);
        let text = input::text(&path, "it must be CSV in UTF-8")
            .map_err(|(message, help)| GenerateFault::new(message, help).at(join(at, "path")))?;
        let name = path.display().to_string();
        match table::read(&text) {
            Ok(table) => Ok((table, name)),
            Err(f) => Err(ScenarioError::at(f.message, &name, &text, f.span).with_help(f.help).into()),
        }
    }
}

impl PlaceSettings for FilePlace {
    fn check(&self, c: &mut Check, count: GroupCount, at: &str) {
        if self.path.trim().is_empty() {
            c.add(join(at, "path"), "the path is empty");
        }
        if count.given.is_some() {
            c.add(count.path(), "`count` is for generated grains; a file has as many as it has");
        }
    }

    /// Known when it is read.
    fn at_most(&self, _count: Option<u64>, _at: &str) -> Checked<u64> {
        Ok(0)
    }

    fn brings_radii(&self) -> bool {
        true
    }

    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError> {
        let (table, name) = self.read(context, at)?;
        let refuse =
            |at: String, message: String, help| GenerateError::from(Problem::new(at, message).help(help));
        match (&table.radius, context.size_key) {
            (None, _) if context.largest() <= 0.0 => {
                let message = format!("{name} has no column `radius`");
                return Err(refuse(
                    at.into(),
                    message,
                    "add the column, or `radius` or `size` to this table",
                ));
            }
            (Some(_), Some(key)) => {
                let message = format!("{name} has radii of its own");
                let help = "remove this key, or the column `radius` of the file";
                return Err(refuse(join(context.group, key), message, help));
            }
            _ => {}
        }
        if table.density.is_none() && context.density.is_none() {
            let message = "neither the file, nor this table, nor the material gives a density".to_string();
            return Err(refuse(at.into(), message, "add `density` to the material"));
        }
        Ok(table)
    }
}
