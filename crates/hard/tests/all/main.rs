//! All integration tests of the crate in one binary: every further one would link the whole workspace again.

mod asteroids;
mod common;
mod held;
mod walls;
