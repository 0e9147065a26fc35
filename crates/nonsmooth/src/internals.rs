//! Internals for benchmarks and comparisons of solvers; not a stable interface.

use glam::DVec3;
use rubblepile_core::{Poses, Result, World, wall::catch::HeldRows};
use rubblepile_geometry::mesh::Surfaces;

use crate::{
    Settings,
    candidates::Candidates,
    detection::{self, ContactParameters, ContactPoint, Counterpart, DetectionInput, DetectionRange},
    parts::PlacedParts,
    problem::{ContactProblem, Free},
    solver::{self, Convergence},
    step::inverse_inertia,
    warm_start::WarmStart,
};

/// A single contact problem: a packing at rest, one step long, with every gap closed (workload N1).
pub struct IsolatedProblem {
    contacts: Vec<ContactPoint>,
    laws: Vec<ContactParameters>,
    velocity: Vec<DVec3>,
    world: World,
    problem: ContactProblem,
}

impl IsolatedProblem {
    /// The bodies of `world`, pushed by `acceleration` for one of its steps; contacts are pairs and walls nearer than
    /// `reach`. An error if a shape cannot touch anything.
    pub fn new(world: World, acceleration: DVec3, reach: f64) -> Result<Self> {
        let laws: Vec<ContactParameters> = world.pair_table().iter().map(ContactParameters::new).collect();
        let walls = world.walls.iter().map(|w| w.pose(world.time())).collect();
        let poses = Poses { walls, asteroids: Vec::new() };
        let reach = DetectionRange::Fixed(reach);
        let mut candidates = Candidates::default();
        candidates.update(&world, &reach, &laws);
        let parts = PlacedParts::new(&world)?;
        let input = DetectionInput {
            world: &world,
            laws: &laws,
            reach,
            parts: &parts,
            poses: &poses,
            surfaces: &Surfaces::default(),
        };
        let mut contacts = detection::find(&input, &mut candidates);
        contacts.iter_mut().for_each(|s| s.gap = 0.0);
        let velocity: Vec<DVec3> =
            world.bodies.velocity.iter().map(|v| *v + world.clock.timestep * acceleration).collect();
        let problem = build(&world, &velocity, &contacts, &laws);
        Ok(IsolatedProblem { contacts, laws, velocity, world, problem })
    }

    /// Back to the start: no impulses.
    pub fn restart(&mut self) {
        self.problem = build(&self.world, &self.velocity, &self.contacts, &self.laws);
    }

    pub fn contacts(&self) -> usize {
        self.problem.contacts
    }

    pub fn solve(&mut self, settings: &Settings) -> Convergence {
        solver::solve(&mut self.problem, settings)
    }

    /// Sweeps of Gauss-Seidel without evaluating the residual.
    pub fn sweep(&mut self, count: u32) {
        solver::sweeps(&mut self.problem, count);
    }

    pub fn residual(&mut self) -> f64 {
        solver::residual(&mut self.problem)
    }

    /// Impulse on each partner, contact by contact.
    pub fn impulses(&self) -> Vec<DVec3> {
        self.problem.solution().into_iter().map(|s| s.0).collect()
    }

    /// Sum of the normal impulses on walls, N s.
    pub fn on_walls(&self) -> f64 {
        let at_wall = |(contact, p): (&ContactPoint, DVec3)| {
            if contact.partner_row().is_none() { p.dot(contact.normal) } else { 0.0 }
        };
        self.contacts.iter().zip(self.impulses()).map(at_wall).sum()
    }

    pub fn normals(&self) -> Vec<DVec3> {
        self.contacts.iter().map(|s| s.normal).collect()
    }

    /// Relative velocity at each contact as the solution stands.
    pub fn relative_velocities(&self) -> Vec<DVec3> {
        let b = &self.world.bodies;
        let at = |row: usize, centre: DVec3, point: DVec3| {
            let (v, w) = self.problem.velocity(row);
            v + w.cross(point - centre)
        };
        let one = |s: &ContactPoint| {
            let own = at(s.row as usize, b.position[s.row as usize], s.point);
            match s.partner {
                Counterpart::Body { row, image } => {
                    at(row as usize, b.position[row as usize] + image, s.point) - own
                }
                Counterpart::Surface { velocity, .. } => velocity - own,
            }
        };
        self.contacts.iter().map(one).collect()
    }

    /// Velocities of the bodies as the solution stands.
    pub fn velocities(&self) -> Vec<DVec3> {
        (0..self.world.bodies.len()).map(|k| self.problem.velocity(k).0).collect()
    }

    /// Spins of the bodies as the solution stands.
    pub fn spins(&self) -> Vec<DVec3> {
        (0..self.world.bodies.len()).map(|k| self.problem.velocity(k).1).collect()
    }
}

fn build(
    world: &World,
    velocity: &[DVec3],
    contacts: &[ContactPoint],
    laws: &[ContactParameters],
) -> ContactProblem {
    let timestep = world.clock.timestep;
    let inverse_inertia = &inverse_inertia(world);
    let held = &HeldRows::default();
    let free = Free { world, velocity, inverse_inertia, timestep, held };
    ContactProblem::new(&free, contacts, laws, &vec![WarmStart::default(); contacts.len()])
}
