//! The walls of a frame: surfaces in the world, as they are at its time.

use glam::DVec3;
use rubblepile_core::{Surface, Wall};
use serde::{Deserialize, Serialize};

use super::Look;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameWall {
    pub name: String,
    pub surface: FrameSurface,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// From 0, opaque, to 1, not seen.
    pub transparency: f64,
}

/// As [`Surface`], but placed: a box has directions of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameSurface {
    Plane { point: [f64; 3], normal: [f64; 3] },
    Disk { centre: [f64; 3], normal: [f64; 3], radius: f64, hole: f64 },
    Rectangle { centre: [f64; 3], half_u: [f64; 3], half_v: [f64; 3] },
    Box { centre: [f64; 3], halves: [[f64; 3]; 3] },
    Cylinder { centre: [f64; 3], axis: [f64; 3], radius: f64, length: Option<f64> },
}

impl FrameWall {
    /// Where a wall is at a time, with the default look.
    pub fn of(wall: &Wall, time: f64) -> Self {
        let pose = wall.pose(time);
        let at = |point| pose.to_world(point).to_array();
        let along = |direction: DVec3| (pose.rotation * direction).to_array();
        let surface = match wall.surface {
            Surface::Plane { point, normal } => {
                FrameSurface::Plane { point: at(point), normal: along(normal) }
            }
            Surface::Disk { centre, normal, radius, hole } => {
                FrameSurface::Disk { centre: at(centre), normal: along(normal), radius, hole }
            }
            Surface::Rectangle { centre, half_u, half_v } => {
                FrameSurface::Rectangle { centre: at(centre), half_u: along(half_u), half_v: along(half_v) }
            }
            Surface::Box { min, max } => {
                let half = 0.5 * (max - min);
                let halves = [half.x * DVec3::X, half.y * DVec3::Y, half.z * DVec3::Z];
                FrameSurface::Box { centre: at(0.5 * (min + max)), halves: halves.map(along) }
            }
            Surface::Cylinder { centre, axis, radius, length } => {
                FrameSurface::Cylinder { centre: at(centre), axis: along(axis), radius, length }
            }
        };
        let Look { colour, transparency } = Look::default();
        FrameWall { name: wall.name.clone(), surface, colour, transparency }
    }
}
