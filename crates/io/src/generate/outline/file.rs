//! An outline from a file of points.

use glam::DVec2;
use rubblepile_core::settings::{Check, join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_POINTS, OutlineContext, OutlineSettings, Outlines};
use crate::{
    generate::{GenerateError, GenerateFault, shape::unit_of_length},
    input,
};

/// An outline from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileOutline {
    /// The file, with x and y of a point on each line, separated by a comma or by blanks; a relative path starts at the folder of
    /// the scenario.
    pub path: String,
    /// Its unit of length: `"m"`, `"mm"`.
    pub unit: String,
}

impl FileOutline {
    pub const ABOUT: &str = "An outline from a file.";
}

impl OutlineSettings for FileOutline {
    fn check(&self, c: &mut Check, at: &str) {
        c.check(!self.path.trim().is_empty(), at, "path", || "the path is empty".into());
        if let Err(message) = unit_of_length(&self.unit) {
            c.add_help(join(at, "unit"), message, "give a unit of length, such as `\"mm\"`");
        }
    }

    fn outlines(&self, context: &OutlineContext, at: &str) -> Result<Outlines, GenerateError> {
        let full = context.base.join(&self.path);
        let name = full.display().to_string();
        let help = "give x and y of a point on each line";
        let refuse = |message: String, help: &str| GenerateFault::new(message, help).at(join(at, "path"));
        let text = input::text(&full, help).map_err(|(message, help)| refuse(message, help))?;
        let unit = unit_of_length(&self.unit).unwrap_or(1.0);
        let mut points = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fields =
                line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|f| !f.is_empty());
            let numbers: Result<Vec<f64>, _> = fields.map(str::parse::<f64>).collect();
            match numbers.as_deref() {
                Ok([x, y]) => points.push(unit * DVec2::new(*x, *y)),
                _ => {
                    let shown: String = line.chars().take(60).collect();
                    let message = format!("{name}, line {}: `{shown}` is not a point", number + 1);
                    return Err(refuse(message, help).into());
                }
            }
            if points.len() > MOST_POINTS {
                let message = format!("{name} has more than {MOST_POINTS} points");
                return Err(refuse(message, "use every second one").into());
            }
        }
        Ok(Outlines::One(points))
    }
}
