//! The step of Moreau and Jean (eqs 4-7 and Table 2 of contact-dynamics-2021).
//!
//! Positions and orientations are carried `(1 - theta) h` with the old velocities; there forces are taken and contacts
//! found; the contact problem gives the new velocities, and positions are carried `theta h` with them. That is eq. (4),
//! with the force of eq. (5) taken once, in between. With forces and contact points both at that place, linear and
//! angular momentum are kept to rounding: `x_(i+1) x m v_(i+1) - x_i x m v_i = x* x P` for any impulse P. For theta = 1/2
//! and no contacts it is the leapfrog.

use std::time::Instant;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;
use rubblepile_core::{
    Advice, Citation, Contact, Error, Extent, Fields, Frame, Method, Poses, Pulls, Report, Result,
    SurfaceRef, WallResponse, World, Wrench,
    rotation::turn_freely,
    settings::{Checked, MethodSettings},
    wall::catch::{self, HeldRows, WallTouch},
};
use rubblepile_geometry::{mesh::Surfaces, order};

use crate::{
    Settings,
    candidates::Candidates,
    detection::{self, ContactParameters, ContactPoint, Counterpart, DetectionInput, DetectionRange},
    history::NonsmoothState,
    parts::PlacedParts,
    problem::{ContactProblem, Free},
    solver::{self, Convergence},
    table, timestep,
    warm_start::PreviousContacts,
};

/// Bodies are sorted in space at steps that are multiples of this: the step number decides and not the state of the
/// neighbour list, so that the order of the rows survives a restart.
const SORT_EVERY: u64 = 1024;

/// Names in the report of a run.
pub const UNSOLVED_STEPS: &str = "unsolved steps";
pub const WORST_RESIDUAL: &str = "worst residual";

/// Contact dynamics.
pub struct ContactDynamics {
    settings: Settings,
    live: Option<Workspace>,
    surfaces: Surfaces,
}

/// Scratch that the world can rebuild.
pub(crate) struct Workspace {
    pub previous: PreviousContacts,
    pub candidates: Candidates,
    pub laws: Vec<ContactParameters>,
    parts: PlacedParts,
    /// What walls hold, and whether there are walls that do or that absorb.
    pub held: HeldRows,
    catches: bool,
}

impl Workspace {
    fn new(world: &World, previous: PreviousContacts) -> Result<Self> {
        let laws = world.pair_table().iter().map(ContactParameters::new).collect();
        Ok(Workspace {
            previous,
            candidates: Candidates::default(),
            laws,
            parts: PlacedParts::new(world)?,
            held: HeldRows::new(world),
            catches: catch::any(&world.walls),
        })
    }
}

impl ContactDynamics {
    pub fn new(settings: Settings) -> Self {
        ContactDynamics { settings, live: None, surfaces: Surfaces::default() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn live(&mut self, world: &World) -> Result<Workspace> {
        match self.live.take() {
            Some(live) => Ok(live),
            None => Workspace::new(world, PreviousContacts::from_history(world)),
        }
    }

    fn sort(&mut self, world: &mut World) -> Result<()> {
        let mut previous = self.live(world)?.previous;
        if let Some(order) = order::sort_bodies(world) {
            previous.permute(&order);
        }
        self.live = Some(Workspace::new(world, previous)?);
        Ok(())
    }

    fn step(
        &mut self,
        live: &mut Workspace,
        world: &mut World,
        fields: &mut Fields,
        report: &mut Report,
    ) -> Result<()> {
        let h = world.clock.timestep;
        let (before, ahead) = ((1.0 - self.settings.theta.0) * h, self.settings.theta.0 * h);
        let account = report.measure.dissipation;
        let start = Instant::now();
        drift(world, before);
        let middle = world.time() + before;
        live.held.carry(world, middle, account);
        report.add_time("drift", start);

        let all = world.rates.field.len() != world.bodies.len() && !fields.list.is_empty();
        fields.update(world, all, report)?;

        let start = Instant::now();
        // Between two contact detections a body moves by h v, part of it in the next step.
        let reach = DetectionRange::of_step(&self.settings, h);
        live.parts.place(world);
        self.surfaces.update(world);
        let poses = poses(world, middle);
        if live.candidates.update(world, &reach, &live.laws) {
            world.bodies.check_finite(world.time())?;
            self.surfaces.check_outside(world)?;
            report.count("neighbour lists", 1);
        }
        let input = DetectionInput {
            world,
            laws: &live.laws,
            reach,
            parts: &live.parts,
            poses: &poses,
            surfaces: &self.surfaces,
        };
        let mut contacts = detection::find(&input, &mut live.candidates);
        let solids = if live.catches { sift(world, &live.held, &mut contacts, ahead) } else { Vec::new() };
        report.add_time("detection", start);

        let start = Instant::now();
        let mut velocity = free_velocities(world, h);
        if let Frame::Rotating { angular_velocity: w } = world.frame {
            // Seen from the frame, the spin of a sphere turns against it.
            let back = DQuat::from_scaled_axis(-h * w);
            world.bodies.spin.iter_mut().for_each(|spin| *spin = back * *spin);
        }
        let mut inverse_inertia = inverse_inertia(world);
        live.held.restore(world);
        for row in live.held.rows() {
            velocity[row] = world.bodies.velocity[row];
            if let Some(inverse) = inverse_inertia.get_mut(row) {
                *inverse = DMat3::ZERO;
            }
        }
        let free = Free {
            world,
            velocity: &velocity,
            inverse_inertia: &inverse_inertia,
            timestep: h,
            held: &live.held,
        };
        let mut problem = ContactProblem::new(&free, &contacts, &live.laws, &live.previous.start(&contacts));
        report.add_time("contact problem", start);

        let start = Instant::now();
        let outcome = solver::solve(&mut problem, &self.settings);
        report.add_time("solver", start);

        let start = Instant::now();
        let solution = problem.solution();
        if account {
            count_losses(world, &live.held, &problem, &contacts, &solution);
        }
        push_asteroids(world, &problem, &contacts, &solution);
        live.previous = PreviousContacts::of(&contacts, &solution);
        for k in 0..world.bodies.len() {
            (world.bodies.velocity[k], world.bodies.spin[k]) = problem.velocity(k);
        }
        drift(world, ahead);
        world.clock.tick();
        let now = world.time();
        live.held.carry(world, now, account);
        if live.catches {
            catch_touching(live, world, solids, report)?;
        }
        report.add_time("drift", start);
        // After the step is whole: a run that ends here leaves a world to go on from.
        self.note(outcome, contacts.len(), world, report)?;
        self.surfaces.check_apart(world)
    }

    /// Counts what the solver did; too many failures in a row end the run.
    fn note(
        &self,
        outcome: Convergence,
        contacts: usize,
        world: &mut World,
        report: &mut Report,
    ) -> Result<()> {
        let iterations = u64::from(outcome.iterations);
        report.count("solver iterations", iterations);
        report.count("contact updates", iterations * contacts as u64);
        let time = world.time();
        let record = &mut world.part_or_default::<NonsmoothState>().solver;
        record.steps += 1;
        record.iterations += iterations;
        if outcome.solved {
            record.unsolved_in_a_row = 0;
            return Ok(());
        }
        record.unsolved += 1;
        record.unsolved_in_a_row += 1;
        record.worst_residual = record.worst_residual.max(outcome.residual);
        report.count(UNSOLVED_STEPS, 1);
        report.largest(WORST_RESIDUAL, outcome.residual);
        // Not a number is no residual that more iterations could help.
        let lost = !outcome.residual.is_finite();
        let limit = self.settings.unsolved_steps;
        if lost || (limit > 0 && record.unsolved_in_a_row >= limit) {
            return Err(Error::NotConverged {
                steps: record.unsolved_in_a_row,
                residual: outcome.residual,
                tolerance: self.settings.tolerance.0,
                time,
            });
        }
        Ok(())
    }
}

/// Takes out the contacts with walls that hold or absorb what touches them, which exert no force, and those of held bodies with
/// walls and with each other. Gives the solids that touch such walls, with their places a time `ahead`.
pub(crate) fn sift(
    world: &World,
    held: &HeldRows,
    contacts: &mut Vec<ContactPoint>,
    ahead: f64,
) -> Vec<WallTouch> {
    let mut solids: Vec<WallTouch> = Vec::new();
    let b = &world.bodies;
    contacts.retain(|contact| {
        let row = contact.row as usize;
        match contact.partner {
            Counterpart::Body { row: other, .. } => !(held.holds(row) && held.holds(other as usize)),
            Counterpart::Surface { surface: SurfaceRef::Wall(wall), velocity, .. }
                if world.walls[wall as usize].touch != WallResponse::Bounce =>
            {
                let own = b.velocity[row] + b.spin[row].cross(contact.point - b.position[row]);
                let inside = (own - velocity).dot(contact.normal) * ahead - contact.gap;
                if inside >= 0.0 && b.shape[row] != 0 && !held.holds(row) {
                    let position = b.position[row] + ahead * b.velocity[row] - inside * contact.normal;
                    match solids.last_mut().filter(|last| last.row == contact.row) {
                        // The deepest of its points decides; the first wall has it.
                        Some(last) if last.wall == wall => {
                            let deeper = (position - last.position).dot(contact.normal) < 0.0;
                            *last = if deeper { WallTouch { position, ..*last } } else { *last };
                        }
                        Some(_) => {}
                        None => solids.push(WallTouch { row: contact.row, wall, position }),
                    }
                }
                false
            }
            Counterpart::Surface { .. } => !held.holds(row),
        }
    });
    solids
}

/// What has got into sticky and absorbing walls is held or taken out.
fn catch_touching(
    live: &mut Workspace,
    world: &mut World,
    solids: Vec<WallTouch>,
    report: &mut Report,
) -> Result<()> {
    let mut touches = catch::touches(world, &live.held);
    touches.extend(solids);
    if touches.is_empty() {
        return Ok(());
    }
    let outcome = catch::catch(world, &touches, report.measure.dissipation);
    catch::count(report, outcome.stuck, outcome.absorbed);
    let mut previous = std::mem::take(&mut live.previous);
    if let Some(left) = &outcome.left {
        previous.keep(left);
    }
    *live = Workspace::new(world, previous)?;
    Ok(())
}

/// Carries all bodies on for a time `h` as they move.
fn drift(world: &mut World, h: f64) {
    if h == 0.0 {
        return;
    }
    world.asteroids.iter_mut().for_each(|asteroid| asteroid.drift(h));
    let b = &mut world.bodies;
    b.position.iter_mut().zip(&b.velocity).for_each(|(x, v)| *x += h * *v);
    if b.shape.iter().all(|&s| s == 0) {
        return;
    }
    let columns =
        (b.orientation.par_iter_mut(), b.spin.par_iter_mut(), b.inertia.par_iter(), b.shape.par_iter());
    columns
        .into_par_iter()
        .with_min_len(256)
        .filter(|(.., shape)| **shape != 0)
        .for_each(|(q, w, inertia, _)| turn_freely(q, w, *inertia, h));
}

/// Where walls and asteroids are; asteroids move as they will with what fields do to them in this step.
pub(crate) fn poses(world: &World, time: f64) -> Poses {
    let walls = world.walls.iter().map(|w| w.pose(time));
    let asteroids = world.asteroids.iter().enumerate().map(|(k, asteroid)| {
        let mut asteroid = asteroid.clone();
        if let Some(on) = world.rates.field_on_asteroids.get(k) {
            asteroid.kick(on, world.clock.timestep);
        }
        asteroid.pose()
    });
    Poses { walls: walls.collect(), asteroids: asteroids.collect() }
}

/// What fields and contacts do to the asteroids in a step: eqs (13) and (14) of asteroid-surface-2024. To the grains they are
/// walls that move: they are heavier by far.
fn push_asteroids(
    world: &mut World,
    problem: &ContactProblem,
    contacts: &[ContactPoint],
    solution: &[(DVec3, DVec3)],
) {
    let h = world.clock.timestep;
    let mut on: Vec<Wrench> = vec![Wrench::default(); world.asteroids.len()];
    for (i, (contact, &(impulse, torque))) in contacts.iter().zip(solution).enumerate() {
        if let Counterpart::Surface { surface, .. } = contact.partner
            && let Some(k) = surface.asteroid()
        {
            let impulse = impulse - problem.attraction.get(i).copied().unwrap_or(0.0) * contact.normal;
            on[k].push(impulse / h, contact.point - world.asteroids[k].position);
            on[k].torque += torque / h;
        }
    }
    for (k, asteroid) in world.asteroids.iter_mut().enumerate() {
        if let Some(field) = world.rates.field_on_asteroids.get(k) {
            on[k] += *field;
        }
        asteroid.kick(&on[k], h);
    }
}

/// Velocities at the end of the step without contacts, eq. (5).
fn free_velocities(world: &World, h: f64) -> Vec<DVec3> {
    let none = DVec3::ZERO;
    let b = &world.bodies;
    let kick = |k: usize| b.velocity[k] + h * world.rates.field.get(k).copied().unwrap_or(none);
    match world.frame {
        Frame::Inertial => (0..b.len()).map(kick).collect(),
        // -2 Omega x v, half before and half after the kick: keeps the energy.
        Frame::Rotating { angular_velocity } => {
            let c = h * angular_velocity;
            let turned = |k: usize| {
                let y = kick(k) - c.cross(b.velocity[k]);
                (y - c.cross(y) + c * c.dot(y)) / (1.0 + c.length_squared())
            };
            (0..b.len()).map(turned).collect()
        }
    }
}

/// Of all bodies in the world frame; empty if all are spheres.
pub(crate) fn inverse_inertia(world: &World) -> Vec<DMat3> {
    if world.only_spheres() {
        return Vec::new();
    }
    let b = &world.bodies;
    let one = |k: usize| {
        let axes = DMat3::from_quat(b.orientation[k]);
        axes * DMat3::from_diagonal(1.0 / b.inertia[k]) * axes.transpose()
    };
    (0..b.len()).map(one).collect()
}

/// Energy lost at the contacts, by cause. Bodies move with the mean of the velocities at the start and at the end of the
/// step, and an impulse does its work along that way: a body at rest loses nothing, whatever presses it.
fn count_losses(
    world: &mut World,
    held: &HeldRows,
    problem: &ContactProblem,
    contacts: &[ContactPoint],
    solution: &[(DVec3, DVec3)],
) {
    let b = &world.bodies;
    let mut lost = [0.0; 4];
    let mut wall_work = 0.0;
    for (k, (contact, &(p, t))) in contacts.iter().zip(solution).enumerate() {
        let p = p - problem.attraction.get(k).copied().unwrap_or(0.0) * contact.normal;
        let at = |row: usize, centre: DVec3| {
            let (v, w) = problem.velocity(row);
            let arm = contact.point - centre;
            let mean = 0.5 * (b.velocity[row] + v) + 0.5 * (b.spin[row] + w).cross(arm);
            (mean, 0.5 * (b.spin[row] + w))
        };
        let i = contact.row as usize;
        let (ua, wa) = at(i, b.position[i]);
        // Walls work through what they hold.
        if held.holds(i) {
            wall_work += p.dot(ua) + t.dot(wa);
        }
        let (ub, wb) = match contact.partner {
            Counterpart::Body { row, image } => {
                let (u, w) = at(row as usize, b.position[row as usize] + image);
                if held.holds(row as usize) {
                    wall_work -= p.dot(u) + t.dot(w);
                }
                (u, w)
            }
            Counterpart::Surface { surface, velocity, .. } => {
                // An asteroid that is free to move has energy of its own, which is counted.
                if surface.asteroid().is_none_or(|k| world.asteroids[k].fixed) {
                    wall_work -= p.dot(velocity);
                }
                (velocity, DVec3::ZERO)
            }
        };
        let (u, n) = (ub - ua, contact.normal);
        let (un, pn) = (u.dot(n), p.dot(n));
        lost[0] -= pn * un;
        lost[1] -= (p - n * pn).dot(u - n * un);
        let (spin, about) = (wb - wa, (wb - wa).dot(n));
        lost[3] -= t.dot(n) * about;
        lost[2] -= t.dot(spin) - t.dot(n) * about;
    }
    let d = &mut world.dissipation;
    d.normal += lost[0];
    d.sliding += lost[1];
    d.rolling += lost[2];
    d.twisting += lost[3];
    d.wall_work += wall_work;
}

impl Method for ContactDynamics {
    fn name(&self) -> &'static str {
        "nonsmooth"
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
        if world.clock.step == 0 {
            catch::hold_at_start(world);
        }
        for _ in 0..steps {
            if world.bodies.is_empty() && world.asteroids.is_empty() {
                world.clock.tick();
                continue;
            }
            if world.clock.step.is_multiple_of(SORT_EVERY) {
                world.bodies.check_finite(world.time())?;
                self.sort(world)?;
            }
            let mut live = self.live(world)?;
            let done = self.step(&mut live, world, fields, report);
            self.live = Some(live);
            done?;
        }
        report.count("steps", steps);
        world.bodies.check_finite(world.time())
    }

    fn contacts(&mut self, world: &World) -> Result<Vec<Contact>> {
        if world.bodies.is_empty() {
            return Ok(Vec::new());
        }
        let live = self.live(world)?;
        self.surfaces.update(world);
        let contacts = table::contacts(world, &live, &self.surfaces, &self.settings);
        self.live = Some(live);
        contacts
    }

    fn sync(&mut self, world: &mut World, extent: Extent) -> Result<()> {
        if let (Some(live), Extent::Whole) = (&self.live, extent) {
            let contacts = live.previous.to_history(world);
            world.part_or_default::<NonsmoothState>().contacts = contacts;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.live = None;
    }
}
