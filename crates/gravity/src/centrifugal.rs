//! The centrifugal acceleration of a rotating frame. Its settings are those of the frame.
//!
//! The Coriolis acceleration depends on the velocity, so the method applies it itself.

use glam::DVec3;
use rubblepile_core::{Actions, Advice, Field, Frame, Result, World};

/// -w x (w x r) about the origin, in a frame that turns with angular velocity w.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centrifugal {
    /// rad/s
    pub angular_velocity: DVec3,
}

impl Centrifugal {
    /// Of a frame, if it turns.
    pub fn of(frame: &Frame) -> Option<Self> {
        match *frame {
            Frame::Rotating { angular_velocity } => Some(Centrifugal { angular_velocity }),
            Frame::Inertial => None,
        }
    }
}

impl Field for Centrifugal {
    fn name(&self) -> &'static str {
        "centrifugal"
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()> {
        let w = self.angular_velocity;
        for (a, x) in on.accelerations.iter_mut().zip(&world.bodies.position) {
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
                "the centrifugal field rotates at {} rad/s but the frame at {angular_velocity} rad/s",
                self.angular_velocity
            ))],
            Frame::Inertial => vec![Advice::warning(
                "a centrifugal field in an inertial frame would lack the Coriolis acceleration",
            )],
        }
    }
}
