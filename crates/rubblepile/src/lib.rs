//! Simulates small solar-system bodies as what they are: piles of rubble.
//!
//! This is the library behind the `rubblepile` command: from a scenario to a simulation that runs.

pub mod assemble;
mod error;

pub use error::Error;
