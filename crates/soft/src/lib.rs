//! Soft spheres: contact as springs, dashpots and sliders, stepped explicitly.

pub mod settings;

pub use settings::{Law, Settings};
