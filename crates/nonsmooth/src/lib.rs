//! Contact dynamics (non-smooth): rigid bodies that do not overlap, at time steps set by gravity and speed and not by
//! a stiffness. Equations: contact-dynamics-2021, and nbody-polyhedra-2017 for the cone form and rotations.

mod batch;
mod candidates;
mod colours;
mod detection;
mod history;
#[doc(hidden)]
pub mod internals;
mod kernel;
mod parts;
mod problem;
mod relax;
pub mod settings;
mod solver;
mod step;
mod table;
mod timestep;
mod touching;
mod warm_start;

pub use history::{ImpulseHistory, NonsmoothState, SolverRecord};
pub use settings::{Settings, Solver};
pub use solver::Convergence;
pub use step::{ContactDynamics, UNSOLVED_STEPS, WORST_RESIDUAL};
pub use touching::TouchSearch;
