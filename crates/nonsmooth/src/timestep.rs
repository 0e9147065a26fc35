//! The time step: set by gravity and by speed, not by a stiffness.

use rubblepile_core::{
    Advice, Frame, G, Pulls, Surface, World,
    settings::{Checked, Problem},
    wall::Cylinder,
};

/// Part of the smallest radius that a body may cover in a step.
const RADII_A_STEP: f64 = 0.05;
/// Steps in the shortest time of gravity, `1 / sqrt(G rho)` (eqs 3 and 5 of nbody-polyhedra-2017 allow a half).
const STEPS_A_FALL: f64 = 200.0;

/// A step from the speeds that there are and that gravity will make.
pub fn automatic(world: &World, pulls: &Pulls) -> Checked<f64> {
    choose(world, pulls).ok_or_else(|| {
        Problem::new(
            "method.nonsmooth",
            "the time step cannot be chosen: nothing moves and there are no forces",
        )
        .help("give `timestep` in [method.nonsmooth]")
    })
}

fn choose(world: &World, pulls: &Pulls) -> Option<f64> {
    let b = &world.bodies;
    if b.is_empty() {
        return None;
    }
    let smallest = b.radius.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = b.centre_of_mass().1;
    let mut fastest = b.velocity.iter().map(|v| (*v - mean).length()).fold(0.0, f64::max);
    let turning = (0..b.len()).map(|k| b.spin[k].length() * b.radius[k]).fold(0.0, f64::max);
    let mut steps = Vec::new();
    if pulls.own {
        let volume: f64 = (0..b.len()).map(|k| world.volume(k)).sum();
        let mass = b.total_mass();
        steps.push(1.0 / (G * mass / volume).sqrt() / STEPS_A_FALL);
        // The speed of escape from all of it in one ball: nothing that falls is faster.
        let radius = (volume * 0.75 / std::f64::consts::PI).cbrt();
        fastest += (2.0 * G * mass / radius).sqrt();
    }
    fastest += pulls.fall(world);
    let pull = pulls.strongest(world);
    if pull > 0.0 {
        // A fall through a radius takes a hundred steps.
        steps.push((2.0 * smallest / pull).sqrt() / 100.0);
    }
    if fastest + turning > 0.0 {
        steps.push(RADII_A_STEP * smallest / (fastest + turning));
    }
    steps.into_iter().filter(|s| s.is_finite() && *s > 0.0).reduce(f64::min)
}

/// What the method cannot do with this world, and what is doubtful.
pub fn check(world: &World) -> Vec<Advice> {
    let mut advice = Vec::new();
    if let (Frame::Rotating { .. }, false) = (world.frame, world.only_spheres()) {
        advice.push(Advice::fatal(
            "polyhedra cannot be run in a rotating frame: use the inertial frame and give the grains a `rotation`",
        ));
    }
    let thin = |s: &Surface| matches!(s, Surface::Cylinder(Cylinder { radius, length, .. }) if *radius == 0.0 || *length == Some(0.0));
    if !world.only_spheres() && world.walls.iter().any(|w| thin(&w.surface)) {
        advice.push(Advice::fatal(
            "polyhedra would fall through rings, lines and points: use thin cylinders or disks, or spheres only",
        ));
    }
    let b = &world.bodies;
    if world.materials.iter().any(|m| m.cohesion > 0.0) {
        advice.push(Advice::fatal(
            "`cohesion`, a strength in Pa, belongs to [method.soft]: contact dynamics takes `cohesion_force`, in N",
        ));
    }
    advice.extend(Advice::rolling_without_shape(world));
    let smallest = b.radius.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = b.centre_of_mass().1;
    let fastest = b.velocity.iter().map(|v| (*v - mean).length()).fold(0.0, f64::max);
    let way = fastest * world.clock.timestep;
    if !b.is_empty() && way > 0.2 * smallest {
        advice.push(Advice::warning(format!(
            "the fastest body covers {way:.3e} m in a step of {:.3e} s, and the smallest radius is {smallest:.3e} m: \
             bodies may pass through each other; shorten the time step",
            world.clock.timestep
        )));
    }
    let period = world.domain.period().min_element();
    let largest = b.radius.iter().copied().fold(0.0, f64::max);
    if period < 4.4 * largest {
        advice.push(Advice::fatal(format!(
            "the periodic box is {period:.3e} m wide: less than two of the largest bodies, so that one would touch \
             another from both sides"
        )));
    }
    advice
}
