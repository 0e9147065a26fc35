//! A shape model from a file; how it is read and repaired is in `shape_model.rs`.

use rubblepile_core::settings::{Check, join};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AsteroidSettings, MadeSurface, SurfaceContext};
use crate::{
    generate::{GenerateError, GenerateFault, shape::unit_of_length},
    shape_model::{self, ShapeModel},
};

/// A shape model from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAsteroid {
    /// The file; a relative path starts at the scenario's folder.
    pub path: String,
    /// Its unit of length: `"m"`, `"km"`.
    pub unit: String,
    /// Repairs flaws of the mesh where possible and reports them. Otherwise a flaw is an error.
    #[serde(default)]
    pub heal: bool,
}

impl FileAsteroid {
    pub const ABOUT: &str =
        "A shape model: Wavefront OBJ, or a plate model of the Planetary Data System (TAB).";
}

impl AsteroidSettings for FileAsteroid {
    fn check(&self, c: &mut Check, at: &str) {
        c.check(!self.path.trim().is_empty(), at, "path", || "the path is empty".into());
        if let Err(message) = unit_of_length(&self.unit) {
            c.add_help(join(at, "unit"), message, "give a unit of length, such as `\"km\"`");
        }
    }

    fn takes_relief(&self) -> bool {
        false
    }

    fn surface(&self, context: &SurfaceContext, at: &str) -> Result<MadeSurface, GenerateError> {
        let refuse = |message: String, help: &str| GenerateFault::new(message, help).at(join(at, "path"));
        let full = context.base.join(&self.path);
        let text = shape_model::text(&full).map_err(|(message, help)| refuse(message, help))?;
        let name = full.display().to_string();
        let unit = unit_of_length(&self.unit).unwrap_or(1.0);
        let ShapeModel { mesh, repairs, flaws } = ShapeModel::read(&name, &text, unit, self.heal)?;
        match flaws.first() {
            None => {
                let repairs = repairs.iter().map(|done| format!("{}: {done}", self.path)).collect();
                Ok(MadeSurface { mesh, repairs })
            }
            Some(flaw) if self.heal => {
                let done =
                    if repairs.is_empty() { "no repair was possible" } else { "the repairs were not enough" };
                let tried: String = repairs.iter().map(|done| format!("{done}; ")).collect();
                let message = format!("{name} cannot be healed: {tried}{done}: {flaw}");
                Err(refuse(message, "repair it in a mesh editor, or use another model").into())
            }
            Some(flaw) => Err(refuse(
                format!("{name} is not a closed surface: {flaw}"),
                "give `heal = true` to have repaired what can be; \
                 `rubblepile info FILE --unit UNIT --heal` shows what that does",
            )
            .into()),
        }
    }
}
