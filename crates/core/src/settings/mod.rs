//! What settings are made of: numbers with units, checks that name the key at fault, and what the tables of a scenario
//! know of each other.
//!
//! Each method, field, probe, law and generator owns a plain serde struct with its settings and checks it here. Tables
//! are externally tagged enums: flattened or internally tagged ones lose the places of their values in the text.

pub mod check;
pub mod field;
pub mod method;
pub mod names;
pub mod quantity;
pub mod sampling;
pub mod scene;

pub use check::{Check, Checked, Problem, join};
pub use field::FieldSettings;
pub use method::{MethodSettings, StartOverlap, restitution};
pub use names::{nearest, suggestion};
pub use quantity::*;
pub use sampling::Sampling;
pub use scene::ScenarioContext;
