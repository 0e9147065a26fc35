//! The scenario file: TOML in, a world out.
//!
//! [`Scenario::load`] reads and checks a text, with every mistake at its line; [`build`] makes the world, the
//! method's settings and the plans of gravity, probes and output from it; [`summary()`] says what a run will be;
//! [`schema`] and [`reference_markdown`] describe the format from the same structs.
//!
//! The tables are plain serde structs and externally tagged enums: flattened or internally tagged ones lose the
//! places of their values in the text.

pub mod asteroids;
pub mod build;
pub mod check;
mod check_events;
pub mod deformables;
pub mod document;
pub mod error;
pub mod grains;
mod load;
pub mod methods;
mod scene;
pub use rubblepile_core::settings::quantity;
pub mod reference;
pub mod summary;
pub mod sweep;
pub mod tables;

pub use crate::generate::shape::unit_of_length;
pub use build::{Built, OutputPlan, build, build_asteroids_only, build_without_grains};
pub use error::ScenarioError;
pub use grains::Place;
pub use load::Loaded;
pub use methods::Method;
pub use quantity::Interval;
pub use reference::{reference_markdown, schema};
pub use rubblepile_gravity::Gravity;
pub use summary::{Solids, Summary, summary};
pub use sweep::Sweep;
pub use tables::Scenario;
