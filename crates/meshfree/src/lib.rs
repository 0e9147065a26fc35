//! Method 4: grains that deform greatly, in two dimensions, without a mesh (meshfree-2016).

pub mod bulk;
pub mod condense;
pub mod deformation;
pub mod dense;
pub mod element;
pub mod fill;
mod gmres;
pub mod grain;
pub mod law;
pub mod losses;
pub mod method;
mod motion;
mod newton;
pub mod outline;
pub mod overlap;
mod pace;
pub mod packing;
pub mod quadrature;
pub mod sample;
pub mod scene;
pub mod settings;
pub mod shape;
pub mod sparse;
pub mod spline;
pub mod step;
pub mod system;
pub mod timestep;
pub mod workload;

pub use grain::{Deformable, DeformableState, Pressed, Reference, grains};
pub use method::DeformableGrains;
pub use settings::Settings;
