//! Fields with a formula: uniform gravity, and the centrifugal acceleration of a rotating frame.
//!
//! The Coriolis acceleration of a rotating frame depends on the velocity, so the method applies it itself.

use glam::DVec3;
use rubblepile_core::{Advice, Field, Frame, Result, World, Wrench};

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

    fn accelerate(&mut self, _world: &World, out: &mut [DVec3]) -> Result<()> {
        for a in out {
            *a += self.acceleration;
        }
        Ok(())
    }

    fn push_asteroids(&mut self, world: &World, on: &mut [Wrench]) -> Result<()> {
        for (asteroid, on) in world.asteroids.iter().zip(on) {
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

/// -w x (w x r) about the origin, in a frame that turns with angular velocity w.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centrifugal {
    /// rad/s
    pub angular_velocity: DVec3,
}

impl Field for Centrifugal {
    fn name(&self) -> &'static str {
        "centrifugal"
    }

    fn accelerate(&mut self, world: &World, out: &mut [DVec3]) -> Result<()> {
        let w = self.angular_velocity;
        for (a, x) in out.iter_mut().zip(&world.bodies.position) {
            *a -= w.cross(w.cross(*x));
        }
        Ok(())
    }

    /// -sum m/2 |w x r|^2
    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let (w, bodies) = (self.angular_velocity, &world.bodies);
        let sum = bodies.mass.iter().zip(&bodies.position).map(|(m, x)| m * w.cross(*x).length_squared());
        Ok(-0.5 * sum.sum::<f64>())
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        match world.frame {
            Frame::Rotating { angular_velocity } if angular_velocity == self.angular_velocity => Vec::new(),
            Frame::Rotating { angular_velocity } => vec![Advice::warning(format!(
                "the centrifugal field turns with {} rad/s but the frame with {angular_velocity} rad/s",
                self.angular_velocity
            ))],
            Frame::Inertial => vec![Advice::warning(
                "a centrifugal field in an inertial frame: there is no Coriolis acceleration to go with it",
            )],
        }
    }
}
