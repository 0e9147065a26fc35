//! All integration tests of the crate in one binary: every further one would link the whole workspace again.

// The example of a page is written as a file of the crate: `crate::generate` is there.
use rubblepile_io::generate;

mod add_a_place;
mod build;
mod heap;
mod hostile;
mod interop;
mod overrides;
mod scenarios;
mod shapes;
