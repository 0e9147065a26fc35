//! Contact dynamics (non-smooth): rigid bodies that do not overlap, at time steps set by gravity and speed and not by
//! a stiffness. Equations: contact-dynamics-2021, and nbody-polyhedra-2017 for the cone form and rotations.

mod batch;
mod colours;
mod history;
#[doc(hidden)]
pub mod internals;
mod kernel;
mod memory;
mod near;
mod problem;
mod rocks;
pub mod settings;
mod solver;
mod spots;
mod step;
mod table;
mod timestep;

pub use history::{ImpulseHistory, NonsmoothState};
pub use settings::{Settings, Solver};
pub use solver::Convergence;
pub use step::ContactDynamics;
