//! Kick, drift, kick (section 2.1 of hard-sphere-2011): fields act at the ends of a step, collisions in between.

use std::{collections::HashMap, time::Instant};

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Advice, Citation, Contact, Extent, Fields, Frame, Method, Pulls, Report, Result, World,
    settings::{Checked, MethodSettings},
    wall::{
        Pose,
        catch::{self, Held},
    },
};
use rubblepile_geometry::{mesh::Surfaces, order};

use crate::{
    Settings,
    bounce::Restitution,
    buffers::DriftBuffers,
    drift::{BroadPhase, Caught, Drift, DriftContext, End, flights},
    ground,
    lists::Lists,
    state::HardState,
    timestep,
};

/// Bodies are sorted in space at steps that are multiples of this: the step number decides, so that the order of the rows
/// survives a restart.
const SORT_EVERY: u64 = 256;
/// Gap over radius that counts as touching at the start.
const TOUCHING: f64 = 1e-6;
/// The rest speed, where it is not given, over what gravity adds in a step.
const REST_OVER_KICK: f64 = 10.0;

/// Hard spheres.
pub struct HardSpheres {
    settings: Settings,
    /// Scratch that the world can rebuild.
    lists: Lists,
    buffers: DriftBuffers,
    held: Vec<(u32, Held)>,
    surfaces: Surfaces,
}

impl HardSpheres {
    pub fn new(settings: Settings) -> Self {
        HardSpheres {
            settings,
            lists: Lists::default(),
            buffers: DriftBuffers::default(),
            held: Vec::new(),
            surfaces: Surfaces::default(),
        }
    }

    fn step(&mut self, world: &mut World, fields: &mut Fields, report: &mut Report) -> Result<()> {
        let h = world.clock.timestep;
        let all = world.rates.field.len() != world.bodies.len();
        if !fields.list.is_empty() && all {
            fields.update(world, true, report)?;
        }
        if self.surfaces.update(world) {
            self.buffers.clear.clear();
            ground::check_outside(&self.surfaces, world, TOUCHING)?;
        }
        if world.clock.step == 0 {
            catch::hold_at_start(world);
        }
        self.find_held(world);
        let keep_dissipation = report.measure.dissipation;
        let mut held_before = self.held_now(world, keep_dissipation);
        kick(world, 0.5 * h, true);

        let mut start = Instant::now();
        let table = world.pair_table();
        let restitution: Vec<Restitution> = table
            .iter()
            .map(|p| Restitution { normal: p.restitution_normal, tangential: p.restitution_tangential })
            .collect();
        let scene = DriftContext {
            held: &self.held,
            domain: world.domain,
            walls: &world.walls,
            asteroids: &world.asteroids,
            surfaces: &self.surfaces,
            start: world.time(),
            h,
            restitution: &restitution,
            materials: world.materials.len(),
            rest_speed: self.settings.rest_speed.value().unwrap_or_else(|| rest_speed(world)),
            acceleration: &world.rates.field,
            curvilinear: self.settings.curvilinear,
        };
        let mut broad_phase = match Lists::leash(world, h) {
            Some(leash) => {
                self.lists.prepare(world, leash);
                BroadPhase::Lists { lists: &self.lists, leash }
            }
            None => BroadPhase::cells(world),
        };
        let mut buffers = std::mem::take(&mut self.buffers);
        let end = loop {
            let drift = Drift::new(world, scene, broad_phase, buffers);
            report.add_time("prediction", start);
            start = Instant::now();
            match drift.run()? {
                Ok(end) => break end,
                // Someone flies further than lists reach: once more, with cells.
                Err(back) => (broad_phase, buffers) = (BroadPhase::cells(world), back),
            }
        };
        let End { buffers, caught, absorbed, walls, flights, tally } = end;
        buffers.write(world);
        flights.into_iter().zip(&mut world.asteroids).for_each(|(flight, asteroid)| flight.end(asteroid));
        self.buffers = buffers;
        report.add_time("collisions", start);
        world.part_or_default::<HardState>().grain_collisions += tally.grain_collisions;
        for new in walls.iter().filter(|t| t.collisions > 0 || t.impulse != DVec3::ZERO) {
            let sum = world.caught.tally_of(new.wall);
            sum.collisions += new.collisions;
            sum.impulse += new.impulse;
            sum.energy += new.energy;
            sum.absorbed += new.absorbed;
            sum.absorbed_mass += new.absorbed_mass;
            sum.absorbed_momentum += new.absorbed_momentum;
        }
        catch::count(report, caught.len() as u64, absorbed.len() as u64);
        world.caught.held.extend(caught.iter().map(|caught| caught.held));
        if keep_dissipation {
            held_before.extend(caught);
        }
        report.count("collisions of grains", tally.grain_collisions);
        report.count("collisions with walls", tally.wall_collisions);
        if !world.asteroids.is_empty() {
            report.count("collisions with asteroids", tally.asteroid_collisions);
        }
        report.count("collisions below the rest speed", tally.slow);
        report.count("crossings of cells", tally.crossings);
        if keep_dissipation {
            world.dissipation.normal += tally.lost_normal;
            world.dissipation.sliding += tally.lost_tangential;
            world.dissipation.wall_work += tally.wall_work;
        }
        world.clock.tick();
        if !absorbed.is_empty() {
            let mut gone = vec![false; world.bodies.len()];
            absorbed.iter().for_each(|&k| gone[k as usize] = true);
            let left: Vec<u32> = (0..world.bodies.len() as u32).filter(|&k| !gone[k as usize]).collect();
            world.permute(&left);
            self.forget();
        }

        if !fields.list.is_empty() {
            fields.update(world, false, report)?;
        }
        kick(world, 0.5 * h, false);
        // What walls hold is where they have it, to the last bit, whatever the drift and the kicks did.
        self.find_held(world);
        let time = world.time();
        let poses: Vec<(u32, Pose)> = world.walls.iter().map(|w| (w.id, w.pose(time))).collect();
        for &(row, held) in &self.held {
            if let Some((_, pose)) = poses.iter().find(|p| p.0 == held.wall) {
                let (row, x) = (row as usize, pose.to_world(held.place));
                world.bodies.position[row] = x;
                world.bodies.velocity[row] = pose.velocity_at(x);
                world.bodies.spin[row] = pose.spin;
            }
        }
        self.surfaces.check_apart(world)?;
        if keep_dissipation {
            let work: f64 = (held_before.iter().zip(self.held_now(world, true)).zip(&self.held))
                .map(|((before, after), &(row, _))| work_on(world, row as usize, before, &after))
                .sum();
            world.dissipation.wall_work += work;
        }
        Ok(())
    }

    /// The grains that walls hold, for the balance of the energy.
    fn held_now(&self, world: &World, wanted: bool) -> Vec<Caught> {
        let b = &world.bodies;
        let list: &[(u32, Held)] = if wanted { &self.held } else { &[] };
        list.iter()
            .map(|&(row, held)| {
                let row = row as usize;
                let (position, velocity, spin) = (b.position[row], b.velocity[row], b.spin[row]);
                Caught { held, position, velocity, spin }
            })
            .collect()
    }

    /// Finds the rows of the bodies that walls hold, unless they are known.
    fn find_held(&mut self, world: &World) {
        let known = |&(row, held): &(u32, Held)| world.bodies.id.get(row as usize) == Some(&held.body);
        let all = &world.caught.held;
        if self.held.len() == all.len() && self.held.iter().all(known) {
            return;
        }
        let rows: HashMap<u64, u32> = world.bodies.id.iter().zip(0..).map(|(&id, row)| (id, row)).collect();
        self.held = all.iter().filter_map(|held| Some((*rows.get(&held.body)?, *held))).collect();
    }
}

/// What a wall has done to a grain that it carried: kinetic energy, and work against the fields (those at the end of the way,
/// which are those of all of it where they are uniform).
fn work_on(world: &World, row: usize, before: &Caught, after: &Caught) -> f64 {
    let b = &world.bodies;
    let (m, inertia) = (b.mass[row], 0.4 * b.mass[row] * b.radius[row].powi(2));
    let kinetic = |c: &Caught| 0.5 * (m * c.velocity.length_squared() + inertia * c.spin.length_squared());
    let field = world.rates.field.get(row).copied().unwrap_or(DVec3::ZERO);
    kinetic(after) - kinetic(before) - m * field.dot(after.position - before.position)
}

/// A step of a world without grains: asteroids go on, if there are any.
fn step_of_asteroids(world: &mut World, fields: &mut Fields, report: &mut Report) -> Result<()> {
    let h = world.clock.timestep;
    if world.asteroids.is_empty() {
        world.clock.tick();
        return Ok(());
    }
    if !fields.list.is_empty() && world.rates.field_on_asteroids.len() != world.asteroids.len() {
        fields.update(world, true, report)?;
    }
    kick(world, 0.5 * h, true);
    let flights = flights(world, h);
    flights.into_iter().zip(&mut world.asteroids).for_each(|(flight, asteroid)| flight.end(asteroid));
    world.clock.tick();
    fields.update(world, false, report)?;
    kick(world, 0.5 * h, false);
    Ok(())
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
    for (asteroid, on) in world.asteroids.iter_mut().zip(&world.rates.field_on_asteroids) {
        asteroid.kick(on, half);
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
        timestep::check(world)
    }

    fn automatic_timestep(&self, world: &World, pulls: &Pulls) -> Checked<f64> {
        timestep::automatic(world, pulls)
    }

    fn citations(&self) -> Vec<Citation> {
        Settings::papers()
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
                step_of_asteroids(world, fields, report)?;
                self.surfaces.update(world);
                self.surfaces.check_apart(world)?;
                continue;
            }
            world.bodies.check_finite(world.time())?;
            // Without fields a step is long, and grains mix in it.
            if fields.list.is_empty() || world.clock.step.is_multiple_of(SORT_EVERY) {
                order::sort_bodies(world);
                self.lists.forget();
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

    fn sync(&mut self, _world: &mut World, _extent: Extent) -> Result<()> {
        Ok(())
    }

    fn forget(&mut self) {
        self.lists.forget();
        self.held.clear();
    }
}
