//! Worlds of hard spheres under gravity.
#![allow(dead_code)] // Each test file uses a part.

use glam::DVec3;
use rubblepile_core::{Actions, Field, Fields, Material, Measure, Method, Report, Result, World};
use rubblepile_hard::{HardSpheres, HardState, Settings};

struct Uniform(DVec3);

impl Field for Uniform {
    fn name(&self) -> &'static str {
        "uniform"
    }
    fn act(&mut self, _: &World, on: &mut Actions) -> Result<()> {
        on.accelerations.iter_mut().for_each(|a| *a += self.0);
        Ok(())
    }
    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let b = &world.bodies;
        Ok((0..b.len()).map(|k| -b.mass[k] * self.0.dot(b.position[k])).sum())
    }
}

pub fn world(timestep: f64, normal: f64, tangential: f64) -> World {
    let mut w = World::new(timestep);
    w.groups.push("grains".into());
    w.materials.push(Material {
        name: "m".into(),
        density: 1000.0,
        restitution_normal: normal,
        restitution_tangential: tangential,
        ..Material::default()
    });
    w
}

pub fn state(w: &World) -> &HardState {
    w.part().expect("a world that hard spheres have moved")
}

pub fn advance(w: &mut World, fields: &mut Fields, until: f64) -> Report {
    let mut report = Report::new(Measure::ALL);
    HardSpheres::new(Settings::default()).advance(w, fields, until, &mut report).expect("a run");
    report
}

pub fn gravity(g: DVec3) -> Fields {
    Fields { list: vec![Box::new(Uniform(g))] }
}

pub fn energy(w: &World, fields: &mut Fields) -> f64 {
    let (t, r) = w.bodies.kinetic_energy();
    t + r + fields.potential_energy(w).expect("energy")
}
