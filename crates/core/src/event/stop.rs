//! Ends the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome};
use crate::{
    Result, World,
    settings::{Check, quantity::*},
};

/// Ends the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Only if the total kinetic energy of the grains is below this. Default: unconditionally.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinetic_energy_below: Option<Energy>,
}

crate::archive_struct!(Stop { kinetic_energy_below });

impl Act for Stop {
    fn check(&self, c: &mut Check, at: &str) {
        if let Some(energy) = self.kinetic_energy_below {
            c.positive(energy, at, "kinetic_energy_below");
        }
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let Some(energy) = self.kinetic_energy_below.map(|e| e.0) else {
            return Ok(Outcome::Stop { reason: "an event ends the run".into() });
        };
        let kinetic = relative_kinetic_energy(world);
        if kinetic < energy {
            let reason = format!("kinetic energy {kinetic:.3e} J is below {energy:.3e} J");
            return Ok(Outcome::Stop { reason });
        }
        Ok(Outcome::Continue)
    }
}

/// Kinetic energy of the bodies, seen from the first asteroid if there is one: grains that rest on it move with it.
fn relative_kinetic_energy(world: &World) -> f64 {
    let bodies = &world.bodies;
    let Some(asteroid) = world.asteroids.first() else {
        return world.kinetic_energy();
    };
    let pose = asteroid.pose();
    let mut sum = 0.0;
    // The rows move when grains are sorted, so sum in the order of the ids.
    for row in bodies.rows_by_id() {
        let k = row as usize;
        let v = bodies.velocity[k] - pose.velocity_at(bodies.position[k]);
        let w = bodies.orientation[k].inverse() * (bodies.spin[k] - pose.spin);
        sum += 0.5 * (bodies.mass[k] * v.length_squared() + (bodies.inertia[k] * w * w).element_sum());
    }
    sum
}
