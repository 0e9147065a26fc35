//! Validation and benchmarks: the cases behind `rubblepile validate` and `rubblepile bench`.
//!
//! [`validate::cases`] compares with published results and exact solutions, [`bench::cases`] measures speed. [`run`] runs
//! them and reports each row as soon as it is known; printing is left to the caller. What the cases need to set up their
//! problems and no user does is in [`workload`].

pub mod bench;
mod cases;
pub mod claims;
mod scenario;
pub mod validate;
pub mod workload;

pub use cases::{
    Case, CaseError, CaseEvent, CaseResult, CaseRun, NoSuchCase, NoSuchWrong, Options, Row, Rows, StartError,
    Wrong, choose, run,
};
