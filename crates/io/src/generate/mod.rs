//! Grains from rules: where they are, how large, of what shape, how fast; and the surfaces of asteroids.
//!
//! Each place, size distribution, region, outline and form of an asteroid is one file with its settings, their check and what
//! it makes. A list names them: `choices!` in the `mod.rs` of each folder. docs/add-a-generator.md adds a place.
//!
//! Everything random comes from the generator that is handed in, so that a seed gives the same grains for ever. The tables
//! that these settings are part of, `[[grains]]`, `[[deformable]]` and `[[asteroid]]`, are in `scenario`.

#[macro_use]
mod list;

pub mod asteroid;
pub mod grid;
pub mod insertion;
pub mod obj;
pub mod outline;
pub mod place;
pub mod region;
pub mod shape;
pub mod size;
pub mod spin;
pub mod surface;
pub mod table;
pub(crate) mod vector_or_table;
pub mod velocity;

pub use grid::SphereGrid;
pub use region::Region;
pub use table::GrainTable;

use rubblepile_core::settings::Problem;

use crate::scenario::{ScenarioError, document::Sources};

/// No machine that this runs on holds more (100 GB at 1 kB per grain), and rows are counted in 32 bits.
pub const MAX_GRAINS: u64 = 100_000_000;

/// Why grains cannot be made, and what to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateFault {
    pub message: String,
    pub help: String,
}

impl GenerateFault {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        GenerateFault { message: message.into(), help: help.into() }
    }

    /// The problem of the key with this path.
    pub fn at(self, path: impl Into<String>) -> Problem {
        Problem::new(path, self.message).help(self.help)
    }
}

/// What is at fault when nothing is made: a setting, or a line of a file that it names.
#[derive(Debug)]
pub enum GenerateError {
    Setting(Problem),
    File(ScenarioError),
}

impl From<Problem> for GenerateError {
    fn from(problem: Problem) -> Self {
        GenerateError::Setting(problem)
    }
}

impl From<ScenarioError> for GenerateError {
    fn from(error: ScenarioError) -> Self {
        GenerateError::File(error)
    }
}

impl GenerateError {
    /// As it is shown: a setting at its place in the scenario's text.
    pub fn located(self, sources: &Sources) -> ScenarioError {
        match self {
            GenerateError::File(error) => error,
            GenerateError::Setting(problem) => {
                let message = problem.message.clone();
                sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain(message))
            }
        }
    }
}
