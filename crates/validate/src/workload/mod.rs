//! Problems that benchmarks, validation and tests share.

pub mod deformable;
pub mod gas;
pub mod gravity;
pub mod march;
pub mod pairs;
