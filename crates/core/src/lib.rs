//! The ground floor: what a world is, how it is advanced and observed.
//!
//! Nothing here knows a contact law, a gravity model or a file format. A [`Method`] moves the bodies of a
//! [`World`], [`Field`]s push them, [`Probe`]s look at them, and [`run::Simulation`] ties the three together.

pub mod asteroid;
pub mod bodies;
pub mod cite;
pub mod column;
pub mod contact;
pub mod deformable;
pub mod error;
pub mod event;
pub mod material;
pub mod method;
pub mod pulls;
pub mod rng;
pub mod rotation;
pub mod run;
pub mod settings;
pub mod shape;
pub mod simd;
pub mod units;
pub mod wall;
pub mod world;

pub use asteroid::{Asteroid, Mesh, Wrench};
pub use bodies::{Bodies, GroupId, MaterialId};
pub use cite::Citation;
pub use column::Column;
pub use contact::{Contact, History, Partner};
pub use deformable::{Deformable, Deformation, GrainState, Pressed, Reference};
pub use error::{Error, Result};
pub use event::{Action, Event, Trigger};
pub use material::{Material, PairOverride, PairValues};
pub use method::{Actions, Advice, Field, Fields, KEPT_ERROR, Method, Observer, Probe, Report, Severity};
pub use pulls::Pulls;
pub use rng::Rng;
pub use shape::{Convex, Shape, ShapeId, Solid};
pub use wall::{Motion, Surface, Touch, Wall};
pub use world::{Clock, Departed, Dissipation, Domain, Frame, Rates, World};

/// Newton's constant of gravitation, m^3 kg^-1 s^-2 (CODATA 2018).
pub const G: f64 = 6.67430e-11;
