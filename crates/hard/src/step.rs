//! Kick, drift, kick (section 2.1 of hard-sphere-2011): fields act at the ends of a step, collisions in between.

use std::time::Instant;

use glam::DQuat;
use rubblepile_core::{Advice, Contact, Fields, Frame, Method, Report, Result, World};
use rubblepile_geometry::order;

use crate::{
    Settings,
    bounce::Restitution,
    drift::{Drift, Scene},
    timestep,
};

/// Bodies are sorted in space at steps that are multiples of this: the step number decides, so that the order of the rows
/// survives a restart.
const SORT_EVERY: u64 = 256;
/// The rest speed, where it is not given, over what gravity adds in a step.
const REST_OVER_KICK: f64 = 10.0;

/// Hard spheres.
pub struct HardSpheres {
    settings: Settings,
}

impl HardSpheres {
    pub fn new(settings: Settings) -> Self {
        HardSpheres { settings }
    }

    fn step(&mut self, world: &mut World, fields: &mut Fields, report: &mut Report) -> Result<()> {
        let h = world.clock.timestep;
        let start = Instant::now();
        let all = world.rates.field.len() != world.bodies.len();
        if !fields.list.is_empty() && all {
            fields.update(world, true)?;
            report.add_time("gravity", start);
        }
        kick(world, 0.5 * h, true);

        let start = Instant::now();
        let table = world.pair_table();
        let restitution: Vec<Restitution> = table
            .iter()
            .map(|p| Restitution { normal: p.restitution_normal, tangential: p.restitution_tangential })
            .collect();
        let scene = Scene {
            domain: world.domain,
            walls: &world.walls,
            start: world.time(),
            h,
            restitution: &restitution,
            materials: world.materials.len(),
            rest_speed: self.settings.rest_speed.unwrap_or_else(|| rest_speed(world)),
            acceleration: &world.rates.field,
        };
        let drift = Drift::new(world, scene);
        report.add_time("prediction", start);
        let start = Instant::now();
        let (end, tally) = drift.run()?;
        for (k, (x, v, w)) in end.into_iter().enumerate() {
            world.bodies.position[k] = x;
            world.bodies.velocity[k] = v;
            world.bodies.spin[k] = w;
        }
        report.add_time("collisions", start);
        report.count("collisions of grains", tally.grain_collisions);
        report.count("collisions with walls", tally.wall_collisions);
        report.count("collisions below the rest speed", tally.slow);
        report.count("crossings of cells", tally.crossings);
        if world.keep_dissipation {
            world.dissipation.normal += tally.lost_normal;
            world.dissipation.sliding += tally.lost_tangential;
            world.dissipation.wall_work += tally.wall_work;
        }
        world.clock.tick();

        let start = Instant::now();
        if !fields.list.is_empty() && fields.update(world, false)? {
            report.add_time("gravity", start);
        }
        kick(world, 0.5 * h, false);
        Ok(())
    }
}

/// Half of what fields do in a step. In a turning frame velocities and spins turn against it, before or after: both halves
/// together are symmetric in time.
fn kick(world: &mut World, half: f64, first: bool) {
    let turn = |world: &mut World| {
        if let Frame::Rotating { angular_velocity } = world.frame {
            // -2 Omega x v for velocities, -Omega x w for spins
            let (twice, once) = (-2.0 * half * angular_velocity, -half * angular_velocity);
            let (v, w) = (DQuat::from_scaled_axis(twice), DQuat::from_scaled_axis(once));
            world.bodies.velocity.iter_mut().for_each(|x| *x = v * *x);
            world.bodies.spin.iter_mut().for_each(|x| *x = w * *x);
        }
    };
    if !first {
        turn(world);
    }
    for (v, a) in world.bodies.velocity.iter_mut().zip(&world.rates.field) {
        *v += half * *a;
    }
    if first {
        turn(world);
    }
}

/// Some times what the strongest pull adds to a speed in a step.
fn rest_speed(world: &World) -> f64 {
    let strongest = world.rates.field.iter().map(|a| a.length_squared()).fold(0.0, f64::max).sqrt();
    REST_OVER_KICK * world.clock.timestep * strongest
}

impl Method for HardSpheres {
    fn name(&self) -> &'static str {
        "hard"
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        timestep::check(world, &self.settings)
    }

    fn advance(
        &mut self,
        world: &mut World,
        fields: &mut Fields,
        until: f64,
        report: &mut Report,
    ) -> Result<()> {
        let steps = world.clock.steps_until(until);
        for _ in 0..steps {
            if world.bodies.is_empty() {
                world.clock.tick();
                continue;
            }
            world.bodies.check_finite(world.time())?;
            if world.clock.step.is_multiple_of(SORT_EVERY) {
                order::sort_bodies(world);
            }
            self.step(world, fields, report)?;
        }
        report.count("steps", steps);
        world.bodies.check_finite(world.time())
    }

    fn contacts(&mut self, _world: &World) -> Result<Vec<Contact>> {
        // Hard spheres meet in moments without length.
        Ok(Vec::new())
    }

    fn store(&mut self, _world: &mut World) {}

    fn reset(&mut self) {}
}
