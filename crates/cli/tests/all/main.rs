//! All integration tests of the crate in one binary: every further one would link the whole workspace again.

mod commands;
mod common;
mod kill;
mod shapes_and_maps;
mod sweep;
mod touching;
