//! Contact time, the time step that follows from it, and warnings.

use rubblepile_core::{
    Advice, Domain, World,
    settings::{Checked, Problem},
};

use crate::{Settings, law::Springy};

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
    shortest(world, settings.law.springs().as_ref(), settings)
}

/// `timestep = "auto"`.
pub(crate) fn automatic(world: &World, law: &dyn Springy, settings: &Settings) -> Checked<f64> {
    shortest(world, law, settings).map(|t| t.seconds / STEPS_PER_CONTACT).ok_or_else(|| {
        let message = "the time step cannot be chosen: the contact time is unknown";
        Problem::new("method.soft", message)
            .help("give `timestep` or `max_speed` in [method.soft], or `stiffness` to every material")
    })
}

pub(crate) fn shortest(world: &World, law: &dyn Springy, settings: &Settings) -> Option<ContactTime> {
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
        let time = law.contact_time(&table[a * n + b], settings, radius, mass);
        let seconds = time.filter(|t| t.is_finite() && *t > 0.0)?;
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

/// Everything the user should know before a run with this method.
pub(crate) fn check(world: &World, law: &dyn Springy, settings: &Settings, skin: f64) -> Vec<Advice> {
    let mut advice = Vec::new();
    if let Some(row) = world.bodies.shape.iter().position(|&s| s != 0) {
        advice.push(Advice::fatal(format!(
            "body {} is a polyhedron; use [method.nonsmooth]",
            world.bodies.id[row]
        )));
    }
    if world.materials.iter().any(|m| m.cohesion_force > 0.0) {
        advice.push(Advice::fatal(
            "`cohesion_force` belongs to [method.nonsmooth]: soft spheres use `cohesion`, a strength in Pa",
        ));
    }
    advice.extend(Advice::rolling_without_shape(world));
    advice.extend(missing_constants(world, law, settings));
    if let Some(t) = shortest(world, law, settings) {
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

fn missing_constants(world: &World, law: &dyn Springy, settings: &Settings) -> Option<Advice> {
    let used = |k: usize| {
        world.bodies.material.iter().any(|&m| m as usize == k)
            || world.walls.iter().any(|w| w.material as usize == k)
    };
    let present: Vec<usize> = (0..world.materials.len()).filter(|&k| used(k)).collect();
    law.missing(world, &present, settings).map(Advice::fatal)
}
