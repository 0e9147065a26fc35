//! Simulates small solar-system bodies as what they are: piles of rubble, held together by gravity, friction and a little
//! cohesion.
//!
//! This is the library behind the `rubblepile` command: from a scenario to a simulation that is stepped, inspected, changed,
//! recorded and resumed.
//!
//! # Let a cloud fall together
//!
//! ```
//! use rubblepile::{Simulation, probe};
//!
//! # fn main() -> rubblepile::Result<()> {
//! let mut sim = Simulation::from_toml(
//!     r#"
//!     run = { end = "2 h", seed = 1 }
//!     method.soft.max_speed = "5 cm/s"
//!     gravity = [{ tree = { error = 1e-3 } }]
//!     material = [{ name = "rock", density = "2500 kg/m3" }]
//!     [[grains]]
//!     count = 50
//!     radius = "1 m"
//!     place = { random = { region = { sphere = { radius = "8 m" } } } }
//!     "#,
//! )?;
//! sim.run_until(5.0)?;
//! let momentum = sim.measure(&mut probe::Momentum)?;
//! println!("after {} s: {momentum:?}", sim.time());
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go next
//!
//! - [`Simulation`]: step, inspect, edit, record, resume.
//! - [`Scenario`]: a scenario file, read and checked, with what it will be.
//! - [`Builder`]: the same without a file.
//! - [`Simulation::add_force`], [`Field`], [`Probe`], [`Observer`]: your own physics and measurements.
//! - [`soft`], [`hard`], [`nonsmooth`], [`meshfree`]: the four ways to resolve contact; [`gravity`]; [`probe`].
//!
//! Everything is in SI units. The same scenario gives the same bits on any number of threads; [`on_threads`] chooses how
//! many.

#![warn(missing_docs)]

#[doc(hidden)]
pub mod assemble;
pub mod builder;
mod callbacks;
mod edit;
mod error;
mod saved;
mod scenario;
mod simulation;
mod threads;

pub use builder::{Builder, Spheres};
pub use callbacks::BoxError;
pub use error::{Error, Result};
pub use saved::SavedRun;
pub use scenario::{Scenario, is_sweep, open_sweep};
pub use simulation::{Simulation, default_directory};
pub use threads::on_threads;

pub use glam::{DQuat, DVec3};
pub use rubblepile_core as core;
pub use rubblepile_core::{
    Actions, Advice, Bodies, Column, Contact, Field, G, Material, Method, Observer, Partner, Probe, Report,
    Severity, World,
    method::Moment,
    run::{Ending, Progress},
    settings, units,
};
pub use rubblepile_gravity as gravity;
pub use rubblepile_hard as hard;
pub use rubblepile_io as io;
pub use rubblepile_io::session::Watcher;
pub use rubblepile_meshfree as meshfree;
pub use rubblepile_nonsmooth as nonsmooth;
pub use rubblepile_probe as probe;
pub use rubblepile_soft as soft;

/// What examples in this documentation start from.
#[doc(hidden)]
pub mod doc {
    /// Three grains at rest that attract each other.
    pub const THREE_GRAINS: &str = r#"
        run = { end = "1 h" }
        method.soft.max_speed = "10 cm/s"
        gravity = [{ direct = {} }]
        material = [{ name = "rock", density = "2500 kg/m3" }]
        [[grains]]
        radius = "1 m"
        place = { points = { positions = [[0, 0, 0], [2.5, 0, 0], [0, 2.5, 0]] } }
    "#;
}
