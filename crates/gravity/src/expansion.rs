//! Multipole and local expansions of the potential, of orders 2, 4, 5 and 6.
//!
//! The operators themselves are written by `build.rs`, where their equations stand. Here is what they have in
//! common. All work on sixteen things at once: bodies (P2M, L2P), children (M2M, L2L) or sources (M2L).
//!
//! A node's record is what an M2L reads of a source: its centre as three numbers and what rounding left of them
//! (so that single precision knows the difference of two centres to rounding), then its multipoles.

use crate::simd::{Lanes, Real};

/// Numbers of a record before the multipoles.
pub const RECORD_HEAD: usize = 6;
/// The most multipoles, locals and numbers in a record of any order.
pub const MOST_MULTIPOLES: usize = 46;
pub const MOST_LOCALS: usize = 49;
pub const MOST_RECORD: usize = 64;

/// The operators of one order. Slices must be at least as long as the constants say; else nothing is done.
pub trait Expansion: Send + Sync + 'static {
    const ORDER: usize;
    const MULTIPOLES: usize;
    const LOCALS: usize;
    /// Numbers in a record, a multiple of sixteen.
    const RECORD: usize;

    /// Multipoles of sixteen bodies at `(x, y, z)` from the centre.
    fn p2m<S: Real, V: Lanes<S>>(x: V, y: V, z: V, mass: V, out: &mut [S]);
    /// Multipoles of a parent from those of its children, whose centres are at `(x, y, z)` from the parent's.
    fn m2m<S: Real, V: Lanes<S>>(x: V, y: V, z: V, multipoles: &[V], out: &mut [S]);
    /// Adds the local expansion of sixteen sources to `locals`, lane by lane; `(x, y, z)` is target less source.
    /// The potential itself (local 0) is left out unless asked for: forces do not need it.
    fn m2l<S: Real, V: Lanes<S>, const POTENTIAL: bool>(x: V, y: V, z: V, multipoles: &[V], locals: &mut [V]);
    /// The parent's local expansion about its children's centres.
    fn l2l<S: Real, V: Lanes<S>>(x: V, y: V, z: V, locals: &[S], out: &mut [V]);
    /// Gradient and potential at bodies.
    fn l2p<S: Real, V: Lanes<S>>(x: V, y: V, z: V, locals: &[S], out: &mut [V; 4]);
}

// The generated code writes a mechanical sum for every component; clippy's taste does not apply to it.
#[allow(clippy::all, unused_variables, unused_mut)]
mod operators {
    use super::Expansion;
    use crate::simd::{Lanes, Real, Register};

    include!(concat!(env!("OUT_DIR"), "/operators.rs"));
}
pub use operators::{Order2, Order4, Order5, Order6};
