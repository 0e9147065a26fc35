//! Contact dynamics (non-smooth): rigid bodies that do not overlap, at time steps set by gravity and speed and not by
//! a stiffness. Equations: contact-dynamics-2021, and nbody-polyhedra-2017 for the cone form and rotations.

mod colours;
mod rotation;
pub mod settings;

pub use settings::{Settings, Solver};
