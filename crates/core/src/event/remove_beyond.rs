//! Removes and counts bodies that are far away.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome};
use crate::{
    Result, World,
    settings::{Check, quantity::Length},
};

// In a scenario just the distance. No doc comment: that of the key counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct RemoveBeyond {
    pub distance: Length,
}

crate::archive_struct!(RemoveBeyond { distance });

impl Act for RemoveBeyond {
    const DEFORMABLE: bool = false;

    fn check(&self, c: &mut Check, at: &str) {
        let (event, key) = at.rsplit_once('.').unwrap_or(("", at));
        c.positive(self.distance, event, key);
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        remove_beyond(world, self.distance.0);
        Ok(Outcome::Continue)
    }
}

/// Takes out the bodies that are farther away than this from the first asteroid, or else from the origin.
fn remove_beyond(world: &mut World, distance: f64) {
    let centre = world.asteroids.first().map_or(DVec3::ZERO, |a| a.position);
    let bodies = &world.bodies;
    let far = |k: usize| (bodies.position[k] - centre).length() > distance;
    let gone: Vec<u32> = bodies.rows_by_id().into_iter().filter(|&k| far(k as usize)).collect();
    for k in gone.iter().map(|&k| k as usize) {
        let momentum = bodies.mass[k] * bodies.velocity[k];
        let q = bodies.orientation[k];
        let own = q * (bodies.inertia[k] * (q.inverse() * bodies.spin[k]));
        world.departed.count += 1;
        world.departed.mass += bodies.mass[k];
        world.departed.momentum += momentum;
        world.departed.angular_momentum += bodies.position[k].cross(momentum) + own;
    }
    if !gone.is_empty() {
        let left: Vec<u32> = (0..bodies.len()).filter(|&k| !far(k)).map(|k| k as u32).collect();
        world.permute(&left);
    }
}
