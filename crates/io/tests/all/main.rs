//! All integration tests of the crate in one binary: every further one would link the whole workspace again.

mod build;
mod hostile;
mod interop;
mod overrides;
mod scenarios;
mod shapes;
