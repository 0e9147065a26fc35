//! Lift-off: the smallest speed, relative to the surface, at which a grain that moves along the surface leaves it, whichever
//! way it goes (Guibout and Scheeres 2003; Van wal and Scheeres 2016).
//!
//! To follow the surface along a unit vector t at speed v, a grain must be accelerated by k v^2 inwards, k being the curvature
//! of the surface that way. What presses it down is the normal component g of minus the effective acceleration, and the
//! Coriolis term 2 v n.(w x t). It leaves where k v^2 - 2 v n.(w x t) = g. On a sphere, eastwards along the equator, that is the
//! speed of a circular orbit less that of the ground.

use std::f64::consts::TAU;

use glam::DVec3;

use super::curvature::SecondFundamentalForm;

/// Directions that are tried: two degrees apart, the smallest speed is right to a few parts in ten thousand.
const DIRECTIONS: usize = 180;

pub fn speed(normal: DVec3, acceleration: DVec3, spin: DVec3, bend: &SecondFundamentalForm) -> f64 {
    let pressed = -acceleration.dot(normal);
    if pressed <= 0.0 {
        return 0.0;
    }
    let turned = bend.along.map(|t| normal.dot(spin.cross(t)));
    // The root is g / (sqrt(c^2 + k g) - c): the largest denominator counts.
    let mut largest = 0.0f64;
    for k in 0..DIRECTIONS {
        let (s, c) = (TAU * k as f64 / DIRECTIONS as f64).sin_cos();
        let coriolis = c * turned[0] + s * turned[1];
        let square = coriolis * coriolis + bend.towards(c, s) * pressed;
        if square >= 0.0 {
            largest = largest.max(square.sqrt() - coriolis);
        }
    }
    if largest > 0.0 { pressed / largest } else { f64::INFINITY }
}
