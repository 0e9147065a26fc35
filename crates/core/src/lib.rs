//! The foundation: what a world is, and how it is advanced and observed.
//!
//! Nothing here knows a contact law, a gravity model or a file format. A [`Method`] moves the bodies of a
//! [`World`], [`Field`]s accelerate them, [`Probe`]s measure them, and [`run::Engine`] ties the three together.

pub mod archive;
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
pub mod part;
pub mod pulls;
pub mod rng;
pub mod rotation;
pub mod run;
pub mod settings;
pub mod shape;
pub mod simd;
pub mod surface;
pub mod text;
pub mod units;
pub mod wall;
pub mod world;

pub use asteroid::{Asteroid, Mesh, Wrench};
pub use bodies::{Bodies, GroupId, MaterialId};
pub use cite::Citation;
pub use column::Column;
pub use contact::{Contact, Partner};
pub use deformable::{Deformation, GrainState};
pub use error::{Error, Result};
pub use event::{Action, Event, Trigger};
pub use material::{Material, PairOverride, PairValues};
pub use method::{
    Actions, Advice, Extent, Field, Fields, Measure, Method, Observer, Probe, REUSE_ERROR, Report, Severity,
};
pub use part::Part;
pub use pulls::Pulls;
pub use rng::Rng;
pub use shape::{Convex, Shape, ShapeId, Solid};
pub use surface::{PackedSurface, Poses, SurfaceRef};
pub use wall::{Surface, Wall, WallMotion, WallResponse};
pub use world::{Clock, Departed, Dissipation, Domain, Frame, Rates, World};

/// Newton's constant of gravitation, m^3 kg^-1 s^-2 (CODATA 2018).
pub const G: f64 = 6.67430e-11;
