//! Hard spheres: collisions are found before they happen and carried out one by one, in the order of time. Equations:
//! hard-sphere-2011.

mod bounce;
mod buffers;
mod drift;
mod flight;
mod grid;
mod ground;
mod lists;
mod predict;
mod queue;
mod resolve;
pub mod settings;
mod sight;
mod state;
mod step;
mod timestep;

pub use settings::Settings;
pub use state::HardState;
pub use step::HardSpheres;
