//! Everything that touches files: checkpoints, frames, series, run directories and exporters.

pub mod atomic;
pub mod checkpoint;
pub mod error;
#[cfg(test)]
mod testing;

pub use error::FileError;
