//! Method 4: grains that deform greatly, in two dimensions, without a mesh (meshfree-2016).

pub mod bulk;
mod condense;
mod deformation;
mod dense;
mod element;
pub mod fill;
mod gmres;
pub mod grain;
pub mod law;
mod losses;
mod method;
mod motion;
mod newton;
pub mod outline;
pub mod overlap;
mod pace;
pub mod packing;
mod quadrature;
mod sample;
pub mod scene;
pub mod settings;
pub mod shape;
mod skyline;
mod sparse;
mod spline;
pub mod step;
mod system;
mod timestep;

pub use grain::{Deformable, DeformableState, PressedNode, Reference, grains};
pub use method::DeformableGrains;
pub use settings::Settings;

/// Internals for validation and benchmarks; not a stable interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::{
        element::{Element, Friction, NODES, Pressure, on_grain, on_wall},
        losses::Losses,
        quadrature::points as quadrature_points,
        sample::{Damping, Flows, Grip, NodePartner, Sample, SampleGrain, StraightWall},
        spline::closest,
    };
}
