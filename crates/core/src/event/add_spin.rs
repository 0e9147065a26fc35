//! Adds a rigid rotation to a group of bodies.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome};
use crate::{
    Error, Result, World,
    settings::{Check, join, quantity::*},
};

/// Adds a rigid rotation about the centre of mass, to velocities and spins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSpin {
    /// Name of the group of grains. Default: all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The angular velocity to add.
    pub spin: Vector<AngularVelocityKind>,
}

crate::archive_struct!(AddSpin { group, spin });

impl Act for AddSpin {
    const DEFORMABLE: bool = false;

    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.spin, at, "spin");
        if let Some(group) = &self.group {
            let scene = c.scene;
            c.known(group, scene.groups.iter().map(String::as_str), "group", join(at, "group"));
        }
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let group = match &self.group {
            None => None,
            Some(name) => Some(row(world, name)?),
        };
        add_spin(world, group, self.spin.0);
        Ok(Outcome::Continue)
    }
}

fn row(world: &World, name: &str) -> Result<u32> {
    let row = world.groups.iter().position(|g| g == name);
    row.map(|k| k as u32).ok_or_else(|| Error::no_such("group", name, &world.groups, world.time()))
}

fn add_spin(world: &mut World, group: Option<u32>, spin: DVec3) {
    let bodies = &mut world.bodies;
    let chosen = |k: usize| group.is_none_or(|g| bodies.group[k] == g);
    let mut rows: Vec<usize> = (0..bodies.len()).filter(|&k| chosen(k)).collect();
    // The rows move when grains are sorted, so sum in the order of the ids.
    rows.sort_unstable_by_key(|&k| bodies.id[k]);
    let mass: f64 = rows.iter().map(|&k| bodies.mass[k]).sum();
    if mass == 0.0 {
        return;
    }
    let centre = rows.iter().map(|&k| bodies.mass[k] * bodies.position[k]).sum::<DVec3>() / mass;
    for &k in &rows {
        bodies.velocity[k] += spin.cross(bodies.position[k] - centre);
        bodies.spin[k] += spin;
    }
}
