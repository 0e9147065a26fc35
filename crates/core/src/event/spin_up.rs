//! Changes the rotation rate of an asteroid.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome};
use crate::{
    Result, World,
    settings::{Check, join, quantity::*},
};

/// Changes the rotation period of an asteroid instantly; the grains are carried along as if part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinUp {
    /// Name of the asteroid.
    pub asteroid: String,
    /// Rotation period; negative for retrograde rotation.
    pub period: Time,
}

crate::archive_struct!(SpinUp { asteroid, period });

impl Act for SpinUp {
    const DEFORMABLE: bool = false;

    fn check(&self, c: &mut Check, at: &str) {
        let scene = c.scene;
        let names = scene.asteroids.iter().map(String::as_str);
        c.known(&self.asteroid, names, "asteroid", join(at, "asteroid"));
        let period = self.period.0.abs();
        c.check((1e-30..=1e30).contains(&period), at, "period", || "the period must not be 0".into());
    }

    /// An asteroid that is not there any more is left alone.
    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let rate = std::f64::consts::TAU / self.period.0;
        if let Some(asteroid) = world.asteroids.iter_mut().find(|a| a.name == self.asteroid) {
            let spin = asteroid.orientation * (rate * DVec3::Z);
            let more = spin - asteroid.spin;
            asteroid.spin = spin;
            let bodies = &mut world.bodies;
            for k in 0..bodies.len() {
                bodies.velocity[k] += more.cross(bodies.position[k] - asteroid.position);
                bodies.spin[k] += more;
            }
        }
        Ok(Outcome::Continue)
    }
}
