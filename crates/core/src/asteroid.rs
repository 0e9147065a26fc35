//! Asteroids: rigid bodies with a surface of triangles. Grains rest on them and push them back; they move and turn.
//!
//! They are not rows of [`crate::Bodies`]: there are one or two of them, a million times heavier than a grain, and what
//! is done for every row (sorting in space, neighbour lists, self-gravity) is wrong for them.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use crate::{MaterialId, rotation::turn_freely, wall::Pose};

/// A surface of triangles. Corners go round their triangle against the clock, seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

crate::archive_struct!(Mesh { vertices, triangles });

impl Mesh {
    /// Corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|k| self.vertices[k as usize])
    }

    /// The largest distance of a vertex from the origin.
    pub fn radius(&self) -> f64 {
        self.vertices.iter().map(|v| v.length()).fold(0.0, f64::max)
    }
}

/// A force, and a torque about the centre of mass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wrench {
    /// N
    pub force: DVec3,
    /// N m
    pub torque: DVec3,
}

crate::archive_struct!(Wrench { force, torque });

impl Wrench {
    /// Adds a force that acts at `arm` from the centre of mass.
    pub fn push(&mut self, force: DVec3, arm: DVec3) {
        self.force += force;
        self.torque += arm.cross(force);
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Asteroid {
    /// Never reused in a world: contact history is kept under it.
    pub id: u32,
    pub name: String,
    pub material: MaterialId,
    /// kg/m^3
    pub density: f64,
    /// In the frame of the body, whose origin is the centre of mass. Latitudes and longitudes are of this frame.
    pub mesh: Arc<Mesh>,
    /// The largest distance of the surface from the centre of mass, m.
    pub radius: f64,
    pub mass: f64,
    /// Principal moments of inertia, kg m^2, and the rotation from the principal axes to the frame of the body.
    pub inertia: DVec3,
    pub axes: DQuat,
    /// Of the centre of mass.
    pub position: DVec3,
    pub velocity: DVec3,
    /// Of the body's frame in the world.
    pub orientation: DQuat,
    /// Angular velocity in the world frame, rad/s.
    pub spin: DVec3,
    /// Held where it is, turning as it turns: forces on it are without effect.
    pub fixed: bool,
}

crate::archive_struct!(Asteroid {
    id,
    name,
    material,
    density,
    mesh,
    radius,
    mass,
    inertia,
    axes,
    position,
    velocity,
    orientation,
    spin,
    fixed,
});

impl Asteroid {
    pub fn pose(&self) -> Pose {
        Pose {
            translation: self.position,
            rotation: self.orientation,
            velocity: self.velocity,
            spin: self.spin,
        }
    }

    /// I w in the world frame, kg m^2/s.
    pub fn spin_momentum(&self) -> DVec3 {
        let q = self.orientation * self.axes;
        q * (self.inertia * (q.inverse() * self.spin))
    }

    /// Energy of translation and of rotation, J.
    pub fn kinetic_energy(&self) -> [f64; 2] {
        let translation = 0.5 * self.mass * self.velocity.length_squared();
        [translation, 0.5 * self.spin.dot(self.spin_momentum())]
    }

    /// Changes velocity and spin as a force that acts for a time `h` does, eq. (15) of asteroid-surface-2024.
    pub fn kick(&mut self, on: &Wrench, h: f64) {
        if !self.fixed {
            self.velocity += h / self.mass * on.force;
            let q = self.orientation * self.axes;
            self.spin += q * ((q.inverse() * (h * on.torque)) / self.inertia);
        }
    }

    /// Moves and turns freely for a time `h`: the gyroscopic term of eq. (15).
    pub fn drift(&mut self, h: f64) {
        if self.fixed {
            let angle = h * self.spin.length();
            let axis = self.spin.normalize_or(DVec3::Z);
            self.orientation = (DQuat::from_axis_angle(axis, angle) * self.orientation).normalize();
            return;
        }
        self.position += h * self.velocity;
        let mut principal = self.orientation * self.axes;
        turn_freely(&mut principal, &mut self.spin, self.inertia, h);
        self.orientation = (principal * self.axes.inverse()).normalize();
    }

    /// The asteroid after a time `h` of free motion at its current spin.
    pub fn ahead(&self, h: f64) -> Asteroid {
        let mut later = self.clone();
        later.drift(h);
        later
    }
}
