//! Walls: surfaces that grains touch and that feel nothing. Where they are at a time is analytic in the time
//! since their motion was set, so a restart needs no more than these fields.

use glam::{DQuat, DVec3};

/// A surface in the wall's own frame. Grains touch it from either side, at its closest point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surface {
    /// Infinite plane through `point`.
    Plane { point: DVec3, normal: DVec3 },
    /// Flat disk; `hole` is the radius of a round hole in its middle (0: none).
    Disk { centre: DVec3, normal: DVec3, radius: f64, hole: f64 },
    /// Flat rectangle: `centre` +- `half_u` +- `half_v`, the two at right angles.
    Rectangle { centre: DVec3, half_u: DVec3, half_v: DVec3 },
    /// The six faces of a box, seen from the inside: each face is an infinite plane.
    Box { min: DVec3, max: DVec3 },
    /// Cylinder about `axis` (unit vector) through `centre`: infinite, or `length` long about the centre, open
    /// at both ends. Touched from the inside and from the outside.
    Cylinder { centre: DVec3, axis: DVec3, radius: f64, length: Option<f64> },
}

crate::archive_enum!(Surface {
    0 => Plane { point, normal },
    1 => Disk { centre, normal, radius, hole },
    2 => Rectangle { centre, half_u, half_v },
    3 => Box { min, max },
    4 => Cylinder { centre, axis, radius, length },
});

impl Surface {
    /// How many contacts a grain can have with it at once.
    pub fn faces(&self) -> u32 {
        if matches!(self, Surface::Box { .. }) { 6 } else { 1 }
    }

    /// The surface's own axis, about which `Motion::Rotation` turns by default.
    pub fn axis(&self) -> DVec3 {
        match *self {
            Surface::Plane { normal, .. } | Surface::Disk { normal, .. } => normal,
            Surface::Rectangle { half_u, half_v, .. } => half_u.cross(half_v).normalize(),
            Surface::Box { .. } => DVec3::Z,
            Surface::Cylinder { axis, .. } => axis,
        }
    }

    pub fn centre(&self) -> DVec3 {
        match *self {
            Surface::Plane { point, .. } => point,
            Surface::Disk { centre, .. }
            | Surface::Rectangle { centre, .. }
            | Surface::Cylinder { centre, .. } => centre,
            Surface::Box { min, max } => 0.5 * (min + max),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    None,
    /// Constant velocity, m/s.
    Translation {
        velocity: DVec3,
    },
    /// Displacement `amplitude * sin(2 pi frequency t + phase)`, amplitude a vector in m, t since the motion was
    /// set, less its value at the start, so that the wall does not jump.
    Oscillation {
        amplitude: DVec3,
        frequency: f64,
        phase: f64,
    },
    /// Displacement `size * (1 / (1 + rate t) - 1)`, size a vector in m, t since the motion was set: keeps the area of a box whose
    /// other side grows steadily.
    Reciprocal {
        size: DVec3,
        /// 1/s, not below 0.
        rate: f64,
    },
    /// Rotation about an axis (unit vector) through `centre`, rad/s; both move with the wall's first pose.
    Rotation {
        centre: DVec3,
        axis: DVec3,
        rate: f64,
    },
}

crate::archive_enum!(Motion {
    0 => None {},
    1 => Translation { velocity },
    2 => Oscillation { amplitude, frequency, phase },
    3 => Rotation { centre, axis, rate },
    4 => Reciprocal { size, rate },
});

/// Where a rigid frame is and how it moves.
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

/// What a wall does with a grain that touches it. Hard spheres alone know more than the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Touch {
    #[default]
    Bounce,
    /// It is held, and moves with the wall as if it were a part of it.
    Stick,
    /// It is taken out of the world.
    Absorb,
}

crate::archive_enum!(Touch { 0 => Bounce {}, 1 => Stick {}, 2 => Absorb {} });

#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Never reused in a world: contact history is kept under it.
    pub id: u32,
    pub name: String,
    pub material: u32,
    pub surface: Surface,
    pub motion: Motion,
    /// Time at which `motion` was set, and where the wall was then.
    pub since: f64,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub touch: Touch,
}

crate::archive_struct!(Wall { id, name, material, surface, motion, since, translation, rotation, touch });

impl Wall {
    pub fn new(id: u32, name: impl Into<String>, material: u32, surface: Surface) -> Self {
        Wall {
            id,
            name: name.into(),
            material,
            surface,
            motion: Motion::None,
            since: 0.0,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            touch: Touch::Bounce,
        }
    }

    /// The pose of the surface's frame at `time`.
    pub fn pose(&self, time: f64) -> Pose {
        let t = time - self.since;
        let mut pose = Pose {
            translation: self.translation,
            rotation: self.rotation,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        match self.motion {
            Motion::None => {}
            Motion::Translation { velocity } => {
                pose.translation += velocity * t;
                pose.velocity = velocity;
            }
            Motion::Oscillation { amplitude, frequency, phase } => {
                let omega = std::f64::consts::TAU * frequency;
                pose.translation += amplitude * ((omega * t + phase).sin() - phase.sin());
                pose.velocity = amplitude * omega * (omega * t + phase).cos();
            }
            Motion::Reciprocal { size, rate } => {
                let shrunk = 1.0 / (1.0 + rate * t);
                pose.translation += size * (shrunk - 1.0);
                pose.velocity = -size * rate * shrunk * shrunk;
            }
            Motion::Rotation { centre, axis, rate } => {
                let (c, axis) = (pose.to_world(centre), self.rotation * axis);
                let turn = DQuat::from_axis_angle(axis, rate * t);
                pose.translation = c + turn * (self.translation - c);
                pose.rotation = turn * self.rotation;
                pose.spin = rate * axis;
                pose.velocity = pose.spin.cross(pose.translation - c);
            }
        }
        pose
    }

    /// Gives the wall another motion from `time` on, from where it is then.
    pub fn set_motion(&mut self, motion: Motion, time: f64) {
        let pose = self.pose(time);
        self.translation = pose.translation;
        self.rotation = pose.rotation;
        self.since = time;
        self.motion = motion;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reciprocal_motion_keeps_the_area_of_a_box_and_knows_its_velocity() {
        let plane = Surface::Plane { point: DVec3::new(0.0, 3.0, 0.0), normal: -DVec3::Y };
        let mut lid = Wall::new(0, "lid", 0, plane);
        lid.set_motion(Motion::Translation { velocity: DVec3::new(0.0, -0.5, 0.0) }, 0.0);
        // Two seconds down, then as a box of width 5 grows by a tenth of it in a second.
        lid.set_motion(Motion::Reciprocal { size: DVec3::new(0.0, 2.0, 0.0), rate: 0.1 }, 2.0);
        let height = |t: f64| lid.pose(t).to_world(DVec3::new(0.0, 3.0, 0.0)).y;
        for t in [2.0, 3.5, 20.0] {
            let width = 5.0 * (1.0 + 0.1 * (t - 2.0));
            assert!((width * height(t) - 10.0).abs() < 1e-12, "{t}");
            let slope = (height(t + 1e-6) - height(t - 1e-6)) / 2e-6;
            assert!((slope - lid.pose(t).velocity.y).abs() < 1e-9, "{t}");
        }
        // Another motion begins where it is.
        let before = height(7.0);
        lid.set_motion(Motion::None, 7.0);
        assert_eq!(lid.pose(9.0).to_world(DVec3::new(0.0, 3.0, 0.0)).y, before);
    }
}
