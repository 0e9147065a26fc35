//! What the tests share: a world of one material, a floor, a fall, a run.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Extent, Fields, Material, Measure, Method, Report, Shape, Solid, Surface, Wall, World, wall::Plane,
};
use rubblepile_gravity::Uniform;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

pub fn material(friction: f64, restitution: f64) -> Material {
    Material {
        name: "rock".into(),
        density: 2000.0,
        friction_sliding: friction,
        restitution_normal: restitution,
        ..Material::default()
    }
}

pub fn world(timestep: f64, material: Material) -> World {
    let mut world = World::new(timestep);
    world.materials.push(material);
    world.groups.push("grains".into());
    world
}

pub fn floor(world: &mut World) {
    world.walls.push(Wall::new(
        0,
        "floor",
        0,
        Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }),
    ));
}

/// A rock of its own shape.
#[allow(dead_code)] // not in the tests of spheres
pub fn add(world: &mut World, solid: Solid, position: DVec3, orientation: DQuat) -> usize {
    let id = world.shapes.len() as u32;
    let row = world.bodies.push_solid(position, orientation, (id, &solid), 2000.0, 0, 0);
    world.shapes.push(Shape::Solid(Arc::new(solid)));
    row
}

pub fn fall(g: DVec3) -> Fields {
    Fields { list: vec![Box::new(Uniform { acceleration: g })] }
}

/// Runs with a new method: nothing but the world is carried on.
pub fn run(world: &mut World, fields: &mut Fields, settings: &Settings, until: f64) {
    let mut method = ContactDynamics::new(settings.clone());
    method.advance(world, fields, until, &mut Report::new(Measure::ALL)).expect("a run");
    method.sync(world, Extent::Whole).expect("a world");
}
