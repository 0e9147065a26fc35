//! What the tests share: a world of one material, a floor, a fall, a run.

use glam::DVec3;
use rubblepile_core::{Fields, Material, Method, Report, Surface, Wall, World};
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
    world.keep_dissipation = true;
    world
}

pub fn floor(world: &mut World) {
    world.walls.push(Wall::new(0, "floor", 0, Surface::Plane { point: DVec3::ZERO, normal: DVec3::Z }));
}

pub fn fall(g: DVec3) -> Fields {
    Fields { list: vec![Box::new(Uniform { acceleration: g })] }
}

/// Runs with a new method: nothing but the world is carried on.
pub fn run(world: &mut World, fields: &mut Fields, settings: &Settings, until: f64) {
    let mut method = ContactDynamics::new(settings.clone());
    method.advance(world, fields, until, &mut Report::default()).expect("a run");
    method.store(world);
}
