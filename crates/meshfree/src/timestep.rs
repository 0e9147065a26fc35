//! The time step: of how nodes come to touch, and of how a blow runs through a grain. The scheme is implicit, and stable with any.

use glam::DVec2;
use rubblepile_core::{
    Pulls, Wall, World,
    settings::{Checked, Problem},
};

use crate::{Settings, grains};

/// Steps of a fall through the distance of two nodes.
const STEPS_A_FALL: f64 = 20.0;
/// Part of the distance of two nodes that the fastest one, or a wall, covers in a step.
const SPACINGS_A_STEP: f64 = 0.25;

/// Not longer than a wave takes to cross the smallest grain.
pub fn automatic(world: &World, settings: &Settings, pulls: &Pulls) -> Checked<f64> {
    choose(world, settings, pulls).ok_or_else(|| {
        Problem::new("method.meshfree", "the time step cannot be chosen: there are no grains")
            .help("add a [[deformable]] table")
    })
}

/// `None` without grains, or where a material has no modulus.
fn choose(world: &World, settings: &Settings, pulls: &Pulls) -> Option<f64> {
    let pull = pulls.uniform.truncate().length();
    let of_wall = |w: &Wall| w.pose(world.time()).velocity.truncate().length();
    let wall = world.walls.iter().map(of_wall).fold(0.0, f64::max);
    let mut shortest: Option<f64> = None;
    for grain in grains(world) {
        let material = &world.materials[grain.material as usize];
        let law = settings.law_of(material.young, material.poisson).ok()?;
        let spacing = grain.reference.spacing();
        let diameter = 2.0 * (grain.reference.area() / std::f64::consts::PI).sqrt();
        let mut step = diameter / law.wave_speed(material.density);
        if pull > 0.0 {
            step = step.min((2.0 * spacing / pull).sqrt() / STEPS_A_FALL);
        }
        let speed = wall + grain.velocity.iter().copied().map(DVec2::length).fold(0.0, f64::max);
        if speed > 0.0 {
            step = step.min(SPACINGS_A_STEP * spacing / speed);
        }
        shortest = Some(shortest.map_or(step, |s| s.min(step)));
    }
    shortest.filter(|s| s.is_finite() && *s > 0.0)
}
