//! The time step of hard spheres.

use rubblepile_core::{
    Advice, G, Pulls, World,
    settings::{Checked, Problem},
};

use crate::grid::FEWEST_PERIODIC;

/// Steps in the time in which the smallest grain falls its own radius from rest.
const STEPS_A_FALL: f64 = 50.0;
/// Steps in the shortest time of the bodies' own gravity, `1 / sqrt(G rho)`.
const STEPS_A_COLLAPSE: f64 = 200.0;
/// Smallest diameters that the fastest grain flies in a drift without fields.
const FLIGHT: f64 = 20.0;

/// A step from gravity, or without it from the speeds that there are.
pub fn automatic(world: &World, pulls: &Pulls) -> Checked<f64> {
    choose(world, pulls).ok_or_else(|| {
        Problem::new("method.hard", "the time step cannot be chosen: nothing moves and there are no forces")
            .help("give `timestep` in [method.hard]")
    })
}

fn choose(world: &World, pulls: &Pulls) -> Option<f64> {
    let b = &world.bodies;
    let smallest = b.radius.iter().copied().fold(f64::INFINITY, f64::min);
    let mut steps = Vec::new();
    let pull = pulls.strongest(world);
    if pull > 0.0 {
        steps.push((2.0 * smallest / pull).sqrt() / STEPS_A_FALL);
    }
    if pulls.own {
        let volume: f64 = (0..b.len()).map(|k| world.volume(k)).sum();
        steps.push(1.0 / (G * b.total_mass() / volume).sqrt() / STEPS_A_COLLAPSE);
    }
    if steps.is_empty() {
        let fastest = b.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        steps.push(FLIGHT * 2.0 * smallest / fastest);
    }
    steps.into_iter().filter(|s| s.is_finite() && *s > 0.0).reduce(f64::min)
}

/// Unsupported features.
pub fn check(world: &World) -> Vec<Advice> {
    let mut advice = Vec::new();
    if !world.only_spheres() {
        advice.push(Advice::fatal(
            "hard spheres cannot be polyhedra: use [method.nonsmooth], or grains without `shape`",
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DQuat, DVec3};
    use rubblepile_core::{Asteroid, Mesh};

    use super::*;

    #[test]
    fn an_asteroid_pulls_as_a_uniform_field_does() {
        let mut world = World::new(1.0);
        world.bodies.push_sphere(DVec3::new(0.0, 0.0, 300.0), 0.2, 2500.0, 0, 0);
        let asteroid = Asteroid {
            id: 0,
            name: String::new(),
            material: 0,
            density: 2000.0,
            mesh: Arc::new(Mesh::default()),
            radius: 290.0,
            mass: 1e11,
            inertia: DVec3::ONE,
            axes: DQuat::IDENTITY,
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            spin: DVec3::ZERO,
            fixed: false,
        };
        let near = Pulls { asteroids: vec![&asteroid], ..Pulls::default() };
        let uniform = Pulls { uniform: DVec3::Y * G * 1e11 / 300f64.powi(2), ..Pulls::default() };
        let step = |pulls: &Pulls| choose(&world, pulls);
        assert_eq!(step(&Pulls::default()), None);
        let (a, b) = (step(&near).expect("a step"), step(&uniform).expect("a step"));
        assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    }
}
