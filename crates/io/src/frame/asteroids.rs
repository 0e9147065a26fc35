//! The asteroids of a frame, and the frame that its columns are written in.

use std::path::Path;

use glam::DVec3;
use rubblepile_core::{Asteroid, Mesh, World, wall::Pose};
use serde::{Deserialize, Serialize};

use crate::{atomic, error::Result};

/// The frame of reference that positions, velocities, orientations and spins are written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// That of the world.
    #[default]
    Inertial,
    /// That of the first asteroid, which moves and rotates.
    Body,
    /// That of the world; positions and velocities are also given in that of the first asteroid.
    Both,
}

/// An asteroid where it is at the time of the frame, in the frame of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameAsteroid {
    pub name: String,
    /// Of the centre of mass.
    pub position: [f64; 3],
    pub velocity: [f64; 3],
    /// Quaternion, w first.
    pub orientation: [f64; 4],
    pub spin: [f64; 3],
    /// File beside the frames that has its surface, in its own frame.
    pub surface: String,
}

impl FrameAsteroid {
    pub fn of(asteroid: &Asteroid) -> Self {
        let q = asteroid.orientation;
        FrameAsteroid {
            name: asteroid.name.clone(),
            position: asteroid.position.to_array(),
            velocity: asteroid.velocity.to_array(),
            orientation: [q.w, q.x, q.y, q.z],
            spin: asteroid.spin.to_array(),
            surface: surface_name(asteroid),
        }
    }
}

fn surface_name(asteroid: &Asteroid) -> String {
    format!("asteroid-{}.obj", asteroid.id + 1)
}

/// Velocity as it is seen from a frame that moves and turns.
pub(super) fn relative_to(pose: &Pose, position: DVec3, velocity: DVec3) -> DVec3 {
    pose.rotation.inverse() * (velocity - pose.velocity_at(position))
}

/// Writes the surfaces of all asteroids into the folder of the frames.
pub(crate) fn write_surfaces(folder: &Path, world: &World) -> Result<()> {
    for asteroid in &world.asteroids {
        atomic::write_text(&folder.join(surface_name(asteroid)), &obj(&asteroid.mesh, &asteroid.name))?;
    }
    Ok(())
}

fn obj(mesh: &Mesh, name: &str) -> String {
    let mut text = format!(
        "# The surface of an asteroid in its own frame, m.\no {}\n",
        name.replace(char::is_whitespace, "_")
    );
    for v in &mesh.vertices {
        text += &format!("v {:?} {:?} {:?}\n", v.x, v.y, v.z);
    }
    for [a, b, c] in &mesh.triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    text
}
