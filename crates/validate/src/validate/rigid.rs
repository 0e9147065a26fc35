//! Small worlds of rigid bodies under contact dynamics: tools for the cases `free-rotation` and `stick-slip`.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Fields, Material, Method, Report, Shape, Solid, Surface, Wall, World, wall::Plane};
use rubblepile_gravity::Uniform;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

use crate::cases::CaseError;

pub const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 2000.0;

pub fn world(timestep: f64, friction: f64, restitution: f64) -> World {
    let mut world = World::new(timestep);
    world.materials = vec![Material {
        name: "rock".into(),
        density: DENSITY,
        friction_sliding: friction,
        restitution_normal: restitution,
        ..Material::default()
    }];
    world.groups = vec!["bodies".into()];
    world
}

/// The plane z = 0.
pub fn add_floor(world: &mut World) {
    let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    world.walls.push(Wall::new(0, "floor", 0, plane));
}

/// Adds a solid at rest and gives its row.
pub fn add_solid(world: &mut World, solid: Solid, position: DVec3, orientation: DQuat) -> usize {
    let shape = world.shapes.len() as u32;
    let row = world.bodies.push_solid(position, orientation, (shape, &solid), DENSITY, 0, 0);
    world.shapes.push(Shape::Solid(Arc::new(solid)));
    row
}

pub fn add_sphere(world: &mut World, position: DVec3, radius: f64) -> usize {
    world.bodies.push_sphere(position, radius, DENSITY, 0, 0)
}

pub fn falling(acceleration: DVec3) -> Fields {
    Fields { list: vec![Box::new(Uniform { acceleration })] }
}

/// So exact that what is left is the error of the time step.
pub fn tight() -> Settings {
    Settings { tolerance: 1e-9.into(), iterations: 3000, unsolved_steps: 0, ..Settings::default() }
}

/// A run of contact dynamics that can be inspected.
pub struct Run {
    pub world: World,
    pub fields: Fields,
    pub method: ContactDynamics,
}

impl Run {
    pub fn new(world: World, fields: Fields, settings: Settings) -> Self {
        Run { world, fields, method: ContactDynamics::new(settings) }
    }

    pub fn until(&mut self, time: f64) -> Result<(), CaseError> {
        self.method.advance(&mut self.world, &mut self.fields, time, &mut Report::default())?;
        Ok(())
    }

    /// Rows move when bodies are sorted: the row of the body that was made as number `id`.
    pub fn row(&self, id: usize) -> usize {
        self.world.bodies.id.iter().position(|&k| k == id as u64).unwrap_or(0)
    }

    pub fn position(&self, id: usize) -> DVec3 {
        self.world.bodies.position[self.row(id)]
    }

    pub fn velocity(&self, id: usize) -> DVec3 {
        self.world.bodies.velocity[self.row(id)]
    }

    /// Kinetic energy and that of the fields, J.
    pub fn energy(&mut self) -> Result<f64, CaseError> {
        let (t, r) = self.world.bodies.kinetic_energy();
        Ok(t + r + self.fields.potential_energy(&self.world)?)
    }
}
