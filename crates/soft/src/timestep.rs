//! How long a contact lasts, the step that follows from it, and what to warn of.

use std::f64::consts::PI;

use rubblepile_core::{Advice, Domain, PairValues, World};

use crate::{
    Settings,
    law::{damping, linear::speed_factor},
    settings::Law,
};

/// `timestep = "auto"` is the shortest contact time over this (asteroid-surface-2024, section 3.1).
pub const STEPS_PER_CONTACT: f64 = 50.0;

/// Fewer steps a contact than this and the integration is not to be trusted (Cleary 2000: 20 to 50).
const FEWEST_STEPS: f64 = 20.0;

/// The shortest contact there can be, and between what.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactTime {
    /// s
    pub seconds: f64,
    /// Names of the two materials.
    pub between: (String, String),
}

/// The shortest contact time over all pairs of materials present, for the smallest grains of each; `None` when a
/// stiffness or, for Hertz-Mindlin, the largest speed is not known, or there is nothing that can touch.
pub fn shortest_contact_time(world: &World, settings: &Settings) -> Option<ContactTime> {
    let table = world.pair_table();
    let n = world.materials.len();
    // Smallest grain of each material: radius and mass.
    let mut smallest: Vec<Option<(f64, f64)>> = vec![None; n];
    for k in 0..world.bodies.len() {
        let entry = &mut smallest[world.bodies.material[k] as usize];
        let (r, m) = (world.bodies.radius[k], world.bodies.mass[k]);
        *entry = Some(entry.map_or((r, m), |(r0, m0)| (r0.min(r), m0.min(m))));
    }
    let mut shortest: Option<ContactTime> = None;
    let mut consider = |a: usize, b: usize, radius: f64, mass: f64| -> Option<()> {
        let seconds = contact_time(&table[a * n + b], settings, radius, mass)?;
        if shortest.as_ref().is_none_or(|s| seconds < s.seconds) {
            let name = |k: usize| world.materials[k].name.clone();
            shortest = Some(ContactTime { seconds, between: (name(a), name(b)) });
        }
        Some(())
    };
    for a in 0..n {
        let Some((ra, ma)) = smallest[a] else { continue };
        for (b, other) in smallest.iter().enumerate().skip(a) {
            let Some((rb, mb)) = *other else { continue };
            consider(a, b, ra * rb / (ra + rb), ma * mb / (ma + mb))?;
        }
        for wall in &world.walls {
            consider(a, wall.material as usize, ra, ma)?;
        }
    }
    shortest
}

/// Duration of a collision with reduced radius and mass.
fn contact_time(pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
    match settings.law {
        Law::Linear => {
            let k = match pair.stiffness {
                Some(k) => k,
                None => speed_factor(settings.max_speed?) * mass / (radius * radius),
            };
            // Half a period of the damped oscillator: pi / omega / sqrt(1 - zeta^2).
            let zeta = 0.5 * damping(pair.restitution_normal);
            Some(PI * (mass / k / (1.0 - zeta * zeta)).sqrt())
        }
        Law::HertzMindlin => {
            let v = settings.max_speed?;
            // 2.8683 (m^2 / (R E*^2 v))^(1/5), exact for an elastic collision.
            let e = pair.modulus;
            Some(2.8683 * (mass * mass / (radius * e * e * v)).powf(0.2))
        }
    }
    .filter(|t| t.is_finite() && *t > 0.0)
}

/// Everything the user should know before a run with this method.
pub fn check(world: &World, settings: &Settings, skin: f64) -> Vec<Advice> {
    let mut advice = Vec::new();
    if let Some(row) = world.bodies.shape.iter().position(|&s| s != 0) {
        advice.push(Advice::fatal(format!(
            "body {} is a polyhedron, and soft spheres are spheres: use [method.nonsmooth]",
            world.bodies.id[row]
        )));
    }
    if world.materials.iter().any(|m| m.cohesion_force > 0.0) {
        advice.push(Advice::fatal(
            "`cohesion_force` belongs to [method.nonsmooth]: soft spheres stick by `cohesion`, a strength in Pa",
        ));
    }
    missing_constants(world, settings, &mut advice);
    if let Some(t) = shortest_contact_time(world, settings) {
        let dt = world.clock.timestep;
        let steps = t.seconds / dt;
        let between = format!("`{}` and `{}`", t.between.0, t.between.1);
        if steps < FEWEST_STEPS {
            advice.push(Advice::warning(format!(
                "the time step {dt:.3e} s is too long: the shortest contact, between {between}, lasts \
                 {:.3e} s, {steps:.1} steps; 20 to 50 are needed. `timestep = \"auto\"` takes {:.3e} s",
                t.seconds,
                t.seconds / STEPS_PER_CONTACT
            )));
        } else {
            advice.push(Advice::note(format!(
                "shortest contact {:.3e} s, between {between}: {steps:.0} steps of {dt:.3e} s",
                t.seconds
            )));
        }
    }
    if let Domain::Periodic { .. } = world.domain {
        let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
        let need = 2.0 * (2.0 * largest + skin);
        let period = world.domain.period();
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            if period[axis] < need {
                advice.push(Advice::fatal(format!(
                    "the periodic box is {:.3e} m along {name}: less than two of the largest grains \
                     ({need:.3e} m), so a grain would touch another from both sides",
                    period[axis]
                )));
            }
        }
    }
    advice
}

fn missing_constants(world: &World, settings: &Settings, advice: &mut Vec<Advice>) {
    let used = |k: usize| {
        world.bodies.material.iter().any(|&m| m as usize == k)
            || world.walls.iter().any(|w| w.material as usize == k)
    };
    let present: Vec<usize> = (0..world.materials.len()).filter(|&k| used(k)).collect();
    let table = world.pair_table();
    match settings.law {
        Law::Linear => {
            let n = world.materials.len();
            let unknown = present
                .iter()
                .flat_map(|&a| present.iter().map(move |&b| (a, b)))
                .find(|&(a, b)| table[a * n + b].stiffness.is_none());
            if let (Some((a, b)), None) = (unknown, settings.max_speed) {
                advice.push(Advice::fatal(format!(
                    "no stiffness is known for contacts of `{}` with `{}`: give the material a \
                     `stiffness`, or `method.soft` the largest speed you expect as `max_speed`",
                    world.materials[a].name, world.materials[b].name
                )));
            }
        }
        Law::HertzMindlin => {
            if let Some(&k) = present.iter().find(|&&k| world.materials[k].young.is_none()) {
                advice.push(Advice::fatal(format!(
                    "the Hertz-Mindlin law needs `young` (and `poisson`) for material `{}`",
                    world.materials[k].name
                )));
            }
        }
    }
}
