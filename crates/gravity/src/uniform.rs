//! The same acceleration everywhere.

use glam::DVec3;
use rubblepile_core::{
    Actions, Advice, Field, Pulls, Result, World,
    settings::{AccelerationKind, Check, FieldSettings, ScenarioContext, Vector},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The same acceleration everywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformGravity {
    /// Acceleration of every grain.
    pub acceleration: Vector<AccelerationKind>,
}

impl UniformGravity {
    pub const ABOUT: &str = "The same acceleration everywhere.";
}

impl FieldSettings for UniformGravity {
    fn check(&self, check: &mut Check, at: &str) {
        check.modest(self.acceleration, at, "acceleration");
    }

    fn uniform(&self) -> Option<DVec3> {
        Some(self.acceleration.0)
    }

    fn field(&self, _scene: &ScenarioContext) -> Box<dyn Field> {
        Box::new(Uniform { acceleration: self.acceleration.0 })
    }
}

/// The same acceleration everywhere, as in a laboratory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    /// m/s^2
    pub acceleration: DVec3,
}

impl Field for Uniform {
    fn name(&self) -> &'static str {
        "uniform gravity"
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()> {
        for a in on.accelerations.iter_mut() {
            *a += self.acceleration;
        }
        for (asteroid, on) in world.asteroids.iter().zip(on.on_asteroids.iter_mut()) {
            on.force += asteroid.mass * self.acceleration;
        }
        Ok(())
    }

    /// -sum m g . x: zero at the origin.
    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let bodies = &world.bodies;
        let asteroids = world.asteroids.iter().map(|a| (&a.mass, &a.position));
        let all = bodies.mass.iter().zip(&bodies.position).chain(asteroids);
        Ok(-all.map(|(m, x)| m * self.acceleration.dot(*x)).sum::<f64>())
    }

    fn uniform(&self) -> Option<DVec3> {
        Some(self.acceleration)
    }

    fn pulls<'a>(&self, _world: &'a World, pulls: &mut Pulls<'a>) {
        pulls.uniform += self.acceleration;
    }

    /// It never changes.
    fn every(&self) -> u64 {
        u64::MAX
    }

    fn check(&self, _world: &World) -> Vec<Advice> {
        if self.acceleration.is_finite() {
            Vec::new()
        } else {
            vec![Advice::fatal("the uniform acceleration is not a finite vector")]
        }
    }
}
