//! Forces at a distance: uniform gravity, self-gravity by direct sum or by a tree, and the centrifugal term of a
//! rotating frame. All are [`rubblepile_core::Field`]s. Each file owns its field and its settings, an entry of
//! `[[gravity]]`; [`Gravity`] is the list.
//!
//! | field | cost | for |
//! |---|---|---|
//! | [`Uniform`] | N | experiments on a planet's surface |
//! | [`Direct`] | N^2 | up to some thousands of bodies, exact, keeps momentum to rounding |
//! | [`Tree`] | N | many bodies, to a chosen relative error |
//! | [`AsteroidField`] | N log F | asteroids with surfaces of F facets, on grains and on each other |
//! | [`Centrifugal`] | N | a rotating frame |
//!
//! Of a homogeneous polyhedron there are the exact sum and a tree over its facets, [`polyhedron`].
//!
//! No softening: bodies are kept apart by their contacts. Periodic images do not pull.

#[macro_use]
mod list;

mod cells;
pub mod centrifugal;
mod expansion;
mod near;
pub mod polyhedron;
mod simd;
mod solver;
mod sort;
mod topology;
mod walk;

fields! {
    uniform: Uniform(UniformGravity),
    direct: Direct(DirectGravity),
    tree: Tree(TreeGravity),
    asteroids: Polyhedron(PolyhedronGravity),
}

pub use asteroids::AsteroidField;
pub use centrifugal::Centrifugal;
pub use direct::{Direct, direct_sample, rms_relative_error};
pub use list::check;
pub use solver::{Settings, TreeSolver};
pub use tree::{Accuracy, Tree};
pub use uniform::Uniform;

/// Internals for benchmarks; not a stable interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::solver::{Settings, TreeSolver};
}

use rubblepile_core::{Advice, Domain, Result, World};

/// Self-gravity needs finite positions; a body without one is named.
fn check_finite(world: &World) -> Result<()> {
    let (low, high) = solver::bounds(&world.bodies.position);
    let finite = world.bodies.is_empty() || (low.is_finite() && high.is_finite());
    // A not-a-number passes through minima and maxima unseen, but not through a sum.
    let sum: glam::DVec3 = world.bodies.position.iter().sum();
    if finite && !sum.is_nan() { Ok(()) } else { world.bodies.check_finite(world.time()) }
}

/// Properties of self-gravity common to all solvers.
fn self_gravity_advice(world: &World) -> Vec<Advice> {
    match world.domain {
        Domain::Open => Vec::new(),
        Domain::Periodic { .. } => vec![Advice::warning(
            "self-gravity ignores that the domain is periodic: bodies pull on each other over the distance of their \
             positions as they are, without images on the other side",
        )],
    }
}
