//! Everything that touches files: checkpoints, frames, series, run directories and exporters.

pub mod atomic;
pub mod checkpoint;
pub mod error;
pub mod frame;
pub mod marks;
mod quiet;
#[cfg(test)]
mod testing;

pub use error::FileError;
