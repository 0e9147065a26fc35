//! How long a drift may be.

use glam::DVec3;
use rubblepile_core::{Advice, Asteroid, G, World};

use crate::{Settings, grid::FEWEST_PERIODIC};

/// Steps in the time in which the smallest grain falls its own radius from rest.
const STEPS_A_FALL: f64 = 50.0;
/// Steps in the shortest time of the bodies' own gravity, `1 / sqrt(G rho)`.
const STEPS_A_COLLAPSE: f64 = 200.0;
/// Smallest diameters that the fastest grain flies in a drift without fields.
const FLIGHT: f64 = 20.0;

/// A step from gravity, or without it from the speeds that there are; `None` if nothing moves and nothing pulls.
///
/// `uniform` is the acceleration of a uniform field; `self_gravity`: whether the bodies attract each other; `of_asteroids`:
/// whether asteroids attract them.
pub fn automatic_timestep(
    world: &World,
    uniform: DVec3,
    self_gravity: bool,
    of_asteroids: bool,
) -> Option<f64> {
    let b = &world.bodies;
    let smallest = b.radius.iter().copied().fold(f64::INFINITY, f64::min);
    let mut steps = Vec::new();
    let fall = |pull: f64| (2.0 * smallest / pull).sqrt() / STEPS_A_FALL;
    if uniform != DVec3::ZERO {
        steps.push(fall(uniform.length()));
    }
    if of_asteroids {
        // About what the strongest pull on a surface is: that of a ball of the same density as large as the body reaches.
        let pull = |a: &Asteroid| 4.0 / 3.0 * std::f64::consts::PI * G * a.density * a.radius;
        steps.extend(world.asteroids.iter().map(|a| fall(pull(a))));
    }
    if self_gravity {
        let volume: f64 = (0..b.len()).map(|k| world.volume(k)).sum();
        steps.push(1.0 / (G * b.total_mass() / volume).sqrt() / STEPS_A_COLLAPSE);
    }
    if steps.is_empty() {
        let fastest = b.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        steps.push(FLIGHT * 2.0 * smallest / fastest);
    }
    steps.into_iter().filter(|s| s.is_finite() && *s > 0.0).reduce(f64::min)
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
