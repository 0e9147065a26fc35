//! Soft spheres: contact as springs, dashpots and sliders, stepped explicitly (asteroid-surface-2024, section 2).
//!
//! One step goes through four hops: [`SoftSpheres::advance`](step::SoftSpheres) (kick, drift, kick) calls
//! [`forces`] on every block of grains, which finds who touches and calls [`contact::resolve`] on eight contacts
//! at once, which asks a law ([`law::linear`], [`law::hertz`]) for its springs.
//!
//! Spheres only; orientations are not integrated.

// Kernels loop over indices: iterators with closures over lanes are not compiled for the wide instructions.
#![allow(clippy::needless_range_loop)]

mod blocks;
pub mod contact;
mod forces;
mod ground;
mod history;
mod integrate;
pub mod law;
pub mod settings;
mod step;
mod table;
mod timestep;
mod walls;

pub use history::{SoftState, SpringHistory};
pub use law::{ContactLaw, Law};
pub use settings::Settings;
pub use step::SoftSpheres;
pub use timestep::{ContactTime, STEPS_PER_CONTACT, shortest_contact_time};
