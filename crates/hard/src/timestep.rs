//! How long a drift may be.

use rubblepile_core::{Advice, World};

use crate::{Settings, grid::FEWEST_PERIODIC};

/// Part of the time in which a grain falls its own radius from rest.
const OF_FALL: f64 = 0.02;
/// Largest diameters that the fastest grain flies in a drift without fields.
const FLIGHT: f64 = 20.0;

/// A step for gravity of strength `acceleration` (m/s^2; 0: none) and the speeds that there are, s.
pub fn automatic_timestep(world: &World, acceleration: f64) -> Option<f64> {
    let b = &world.bodies;
    let smallest = b.radius.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = b.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    if !smallest.is_finite() {
        return None;
    }
    if acceleration > 0.0 {
        return Some(OF_FALL * (2.0 * smallest / acceleration).sqrt());
    }
    (fastest > 0.0).then(|| FLIGHT * 2.0 * smallest / fastest)
}

/// What this method cannot do.
pub fn check(world: &World, _settings: &Settings) -> Vec<Advice> {
    let mut advice = Vec::new();
    if !world.only_spheres() {
        advice.push(Advice::fatal(
            "hard spheres are spheres: this world has polyhedra; use [method.nonsmooth], or grains without `shape`",
        ));
    }
    let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
    let period = world.domain.period();
    for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
        if period[k] < f64::from(FEWEST_PERIODIC) * 2.001 * largest {
            advice.push(Advice::fatal(format!(
                "the periodic box is {} m wide along {name}: hard spheres need {FEWEST_PERIODIC} times the largest diameter ({} m)",
                period[k],
                2.0 * largest
            )));
        }
    }
    advice
}
