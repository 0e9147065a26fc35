//! What the choice of a time step needs to know of the forces on bodies.

use glam::DVec3;

use crate::{Asteroid, G, World};

#[derive(Debug, Clone, Default)]
pub struct Pulls<'a> {
    /// Acceleration of the uniform fields, m/s^2.
    pub uniform: DVec3,
    /// Whether the bodies attract each other.
    pub own: bool,
    /// Those whose gravity is a field.
    pub asteroids: Vec<&'a Asteroid>,
}

impl Pulls<'_> {
    /// The strongest acceleration from outside on any of the bodies, m/s^2. An asteroid counts as a point mass: at its surface
    /// that is right to a part of itself, and a step goes with the root of it.
    pub fn strongest(&self, world: &World) -> f64 {
        let of_asteroids = |x: &DVec3| {
            let one = |a: &&Asteroid| G * a.mass / (*x - a.position).length_squared();
            self.asteroids.iter().map(one).sum::<f64>()
        };
        self.uniform.length() + world.bodies.position.iter().map(of_asteroids).fold(0.0, f64::max)
    }

    /// The largest speed that a fall of a body from where it is down to an asteroid gives, m/s: to the ball of the same
    /// volume.
    pub fn fall(&self, world: &World) -> f64 {
        let square = |x: &DVec3, a: &Asteroid| {
            let ground = (a.mass / a.density * 0.75 / std::f64::consts::PI).cbrt();
            2.0 * G * a.mass * (1.0 / ground - 1.0 / (*x - a.position).length())
        };
        let of_body = |x: &DVec3| self.asteroids.iter().map(|a| square(x, a).max(0.0)).sum::<f64>();
        world.bodies.position.iter().map(of_body).fold(0.0, f64::max).sqrt()
    }
}
