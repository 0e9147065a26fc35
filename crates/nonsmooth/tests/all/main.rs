//! All integration tests of the crate in one binary: every further one would link the whole workspace again.

mod asteroid;
mod catch;
mod common;
mod physics;
mod rocks_on_asteroid;
mod solids;
