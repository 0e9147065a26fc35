//! Simulations from scenario text.

use rubblepile_core::run::Engine;

use crate::CaseError;

/// The simulation of a scenario; nothing is written. Each of `sets` replaces the value of a key: `run.end=10`.
pub fn simulation(name: &str, text: &str, sets: &[String]) -> Result<Engine, CaseError> {
    rubblepile::assemble::in_memory(name, text, sets).map_err(|e| format!("{e:?}").into())
}
