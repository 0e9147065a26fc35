//! Walls: surfaces that grains touch and that feel no reaction. Their position is analytic in the time since their
//! motion was set, so a restart needs no more than these fields.
//!
//! Each shape is one file here, named in the list of `shapes.rs`; motions are in `motion.rs`, what sticky and absorbing walls do
//! in `catch.rs`, the `[[wall]]` table of a scenario in `table.rs`.

pub mod catch;
mod cuboid;
mod cylinder;
mod disk;
pub mod drawing;
mod line;
mod motion;
mod plane;
mod point;
mod rectangle;
mod ring;
pub mod shapes;
mod table;
#[cfg(test)]
mod tests;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cuboid::{BoxShape, Cuboid, PlacedCuboid};
pub use cylinder::{Cylinder, CylinderShape};
pub use disk::{Disk, DiskShape};
pub use line::LineShape;
pub use motion::{
    MotionBounds, MotionTable, OscillationMotion, ReciprocalMotion, RotationMotion, TranslationMotion,
    WallMotion,
};
pub use plane::{Plane, PlaneShape};
pub use point::PointShape;
pub use rectangle::{Rectangle, RectangleShape};
pub use ring::RingShape;
pub use shapes::{ClosestPoint, Curvature, Draw, Geometry, PlacedSurface, ShapeSettings, Surface, WallShape};
pub use table::{Colour, TRANSPARENCY, WallTable, check};

/// Position, orientation and velocity of a rigid frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    pub translation: DVec3,
    pub rotation: DQuat,
    /// Velocity of the frame's origin (the point at `translation`), m/s.
    pub velocity: DVec3,
    /// rad/s
    pub spin: DVec3,
}

impl Pose {
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        self.rotation.inverse() * (world - self.translation)
    }

    pub fn to_world(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// Velocity of the material point of the frame that is at `world` now.
    pub fn velocity_at(&self, world: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(world - self.translation)
    }
}

/// The effect of a wall on a grain that touches it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TouchName")]
pub enum WallResponse {
    /// The grain bounces, slides or rolls, according to the materials.
    #[default]
    Bounce,
    /// The grain sticks and moves with the wall; others bounce off it.
    Stick,
    /// The grain is removed and counted.
    Absorb,
}

crate::archive_enum!(WallResponse { 0 => Bounce {}, 1 => Stick {}, 2 => Absorb {} });

#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Never reused in a world: contact history is kept under it.
    pub id: u32,
    pub name: String,
    pub material: u32,
    pub surface: Surface,
    pub motion: WallMotion,
    /// Time at which `motion` was set, and where the wall was then.
    pub since: f64,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub touch: WallResponse,
}

crate::archive_struct!(Wall { id, name, material, surface, motion, since, translation, rotation, touch });

impl Wall {
    pub fn new(id: u32, name: impl Into<String>, material: u32, surface: impl Into<Surface>) -> Self {
        Wall {
            id,
            name: name.into(),
            material,
            surface: surface.into(),
            motion: WallMotion::None,
            since: 0.0,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            touch: WallResponse::Bounce,
        }
    }

    /// The pose of the surface's frame at `time`.
    pub fn pose(&self, time: f64) -> Pose {
        let start = Pose {
            translation: self.translation,
            rotation: self.rotation,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        self.motion.pose(start, time - self.since)
    }

    /// Gives the wall another motion from `time` on, from where it is then.
    pub fn set_motion(&mut self, motion: WallMotion, time: f64) {
        let pose = self.pose(time);
        self.translation = pose.translation;
        self.rotation = pose.rotation;
        self.since = time;
        self.motion = motion;
    }

    /// Whether its surface stays where it is, though the wall may turn.
    pub fn keeps_its_place(&self) -> bool {
        match self.motion {
            WallMotion::Rotation { centre, axis, .. } => {
                self.surface.is_invariant_under_rotation(centre, axis)
            }
            motion => motion.is_still(),
        }
    }
}
