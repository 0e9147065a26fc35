//! A force: a uniform pull along -z.

use rubblepile::{Actions, DVec3, Field, World, core::Result};

pub struct Pull {
    /// m/s2
    pub g: f64,
}

impl Field for Pull {
    fn name(&self) -> &str {
        "pull"
    }

    fn act(&mut self, _: &World, on: &mut Actions) -> Result<()> {
        for a in on.accelerations.iter_mut() {
            *a -= self.g * DVec3::Z;
        }
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let bodies = &world.bodies;
        Ok(bodies.mass.iter().zip(&bodies.position).map(|(m, x)| m * self.g * x.z).sum())
    }
}
