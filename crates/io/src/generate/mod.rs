//! Grains from rules: where they are, how large, how fast. Everything random comes from the generator that is
//! handed in, so that a seed gives the same grains for ever.

pub mod grid;
pub mod lattice;
pub mod obj;
pub mod random;
pub mod size;
pub mod surface;
pub mod table;
pub mod velocity;

use glam::DVec3;

pub use grid::Grid;
pub use size::{Sampler, SizeDistribution};

/// No machine that this runs on holds more (100 GB at 1 kB a grain), and rows are counted in 32 bits.
pub const MAX_GRAINS: u64 = 100_000_000;

/// Why grains cannot be made, and what to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub help: String,
}

impl Fault {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Fault { message: message.into(), help: help.into() }
    }
}

/// Where grains may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Region {
    Box {
        min: DVec3,
        max: DVec3,
    },
    Sphere {
        centre: DVec3,
        radius: f64,
    },
    /// `axis` is a unit vector; `length` is about the centre.
    Cylinder {
        centre: DVec3,
        axis: DVec3,
        radius: f64,
        length: f64,
    },
}

impl Region {
    pub fn volume(&self) -> f64 {
        use std::f64::consts::PI;
        match *self {
            Region::Box { min, max } => (max - min).element_product(),
            Region::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Region::Cylinder { radius, length, .. } => PI * radius * radius * length,
        }
    }

    pub fn centre(&self) -> DVec3 {
        match *self {
            Region::Box { min, max } => 0.5 * (min + max),
            Region::Sphere { centre, .. } | Region::Cylinder { centre, .. } => centre,
        }
    }

    /// Corners of the box around it.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        match *self {
            Region::Box { min, max } => (min, max),
            Region::Sphere { centre, radius } => (centre - radius, centre + radius),
            Region::Cylinder { centre, axis, radius, length } => {
                // A disk of radius r across the axis a reaches r sqrt(1 - a_k^2) along k.
                let across = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
                let half = 0.5 * length * axis.abs() + radius * across;
                (centre - half, centre + half)
            }
        }
    }

    /// Whether a sphere lies inside, to rounding.
    pub fn holds(&self, x: DVec3, r: f64) -> bool {
        // A grain that just fits fits: a part in 1e12 of the region's size is rounding.
        match *self {
            Region::Box { min, max } => {
                let slack = 1e-12 * (max - min).max_element();
                (x - r - min).min_element() >= -slack && (max - x - r).min_element() >= -slack
            }
            Region::Sphere { centre, radius } => x.distance(centre) + r <= radius * (1.0 + 1e-12),
            Region::Cylinder { centre, axis, radius, length } => {
                let d = x - centre;
                let along = d.dot(axis);
                let across = (d - along * axis).length();
                let slack = 1e-12 * radius.max(length);
                across + r <= radius + slack && along.abs() + r <= 0.5 * length + slack
            }
        }
    }
}
