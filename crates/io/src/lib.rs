//! Everything that touches files: scenarios and the worlds made from them, checkpoints, frames, series, run
//! directories and exporters.

pub mod atomic;
pub mod campaign;
pub mod checkpoint;
pub mod cite;
mod colours;
pub mod contact_table;
pub mod diagnostic;
pub mod error;
pub mod export;
pub mod frame;
pub mod generate;
pub mod input;
pub mod map;
pub mod marks;
pub mod picture;
pub mod plot;
mod quiet;
pub mod reference;
pub mod report;
pub mod rundir;
pub mod scenario;
pub mod series;
pub mod session;
pub mod shape_model;
pub mod table;
#[cfg(test)]
mod testing;

pub use diagnostic::Diagnostic;
pub use error::FileError;
