//! placeholder

pub mod generate;
pub mod scenario;
