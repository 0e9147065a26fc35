//! Motions of walls: for each its settings, its check, and the position and velocity of the wall.
//!
//! A new motion is a variant and an arm of each function here.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Pose, Surface};
use crate::settings::{Check, join, quantity::*};

/// The motion of a wall. Rotations are about the wall's own axis and centre unless others are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WallMotion {
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

crate::archive_enum!(WallMotion {
    0 => None {},
    1 => Translation { velocity },
    2 => Oscillation { amplitude, frequency, phase },
    3 => Rotation { centre, axis, rate },
    4 => Reciprocal { size, rate },
});

/// How a wall moves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotionTable {
    /// At rest.
    #[default]
    None,
    /// At a constant velocity.
    Translation(TranslationMotion),
    /// Sinusoidal oscillation.
    Oscillation(OscillationMotion),
    /// At a falling speed, so that a box whose other side grows steadily keeps its area.
    Reciprocal(ReciprocalMotion),
    /// About an axis.
    Rotation(RotationMotion),
}

/// At a constant velocity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslationMotion {
    /// The velocity.
    pub velocity: Vector<SpeedKind>,
}

/// Sinusoidal oscillation: displacement `amplitude * sin(2 pi frequency t + phase)`, less its value at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OscillationMotion {
    /// Amplitude, with its direction.
    pub amplitude: Vector<LengthKind>,
    /// Frequency.
    pub frequency: Frequency,
    /// Phase at the start.
    #[serde(default = "no_angle")]
    pub phase: Angle,
}

fn no_angle() -> Angle {
    Quantity::new(0.0)
}

/// Displacement `size * (1 / (1 + rate * t) - 1)`: a wall that is `size` away from the opposite one comes closer as a box becomes wider by
/// `rate` of its width in a second, and its area stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReciprocalMotion {
    /// From the opposite side to this one, at the start.
    pub size: Vector<LengthKind>,
    /// Growth of the other side in a second, over its length at the start.
    pub rate: Frequency,
}

/// About an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationMotion {
    /// Angular speed: `"2 rpm"`, `"30 deg/s"`; negative for the opposite sense.
    pub rate: AngularVelocity,
    /// The axis, of any length. Default: the wall's own axis or normal (z for a box).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
    /// A point of the axis. Default: the middle of the wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Vector<LengthKind>>,
}

crate::archive_struct!(TranslationMotion { velocity });
crate::archive_struct!(OscillationMotion { amplitude, frequency, phase });
crate::archive_struct!(ReciprocalMotion { size, rate });
crate::archive_struct!(RotationMotion { rate, axis, centre });
crate::archive_enum!(MotionTable {
    0 => None {},
    1 => Translation { 0: motion },
    2 => Oscillation { 0: motion },
    3 => Rotation { 0: motion },
    4 => Reciprocal { 0: motion },
});

impl MotionTable {
    /// Adds what is wrong with it; `at` is its path.
    pub fn check(&self, c: &mut Check, at: &str) {
        match self {
            MotionTable::None => {}
            MotionTable::Translation(t) => c.modest(t.velocity, &join(at, "translation"), "velocity"),
            MotionTable::Oscillation(o) => {
                let at = join(at, "oscillation");
                c.modest(o.amplitude, &at, "amplitude");
                c.positive(o.frequency, &at, "frequency");
            }
            MotionTable::Reciprocal(r) => {
                let at = join(at, "reciprocal");
                c.modest(r.size, &at, "size");
                c.not_negative(r.rate, &at, "rate");
            }
            MotionTable::Rotation(r) => {
                let at = join(at, "rotation");
                c.modest(Vector::<NumberKind>::new(r.rate.0, 0.0, 0.0), &at, "rate");
                if let Some(axis) = r.axis {
                    c.direction(axis, &at, "axis");
                }
                if let Some(centre) = r.centre {
                    c.modest(centre, &at, "centre");
                }
            }
        }
    }

    /// The motion of a wall with this surface; checked before.
    pub fn motion(&self, surface: &Surface) -> WallMotion {
        match self {
            MotionTable::None => WallMotion::None,
            MotionTable::Translation(t) => WallMotion::Translation { velocity: t.velocity.0 },
            MotionTable::Oscillation(o) => WallMotion::Oscillation {
                amplitude: o.amplitude.0,
                frequency: o.frequency.0,
                phase: o.phase.0,
            },
            MotionTable::Reciprocal(r) => WallMotion::Reciprocal { size: r.size.0, rate: r.rate.0 },
            MotionTable::Rotation(r) => WallMotion::Rotation {
                centre: r.centre.map_or(surface.centre(), |c| c.0),
                axis: r.axis.map_or(surface.axis(), |a| a.0.normalize_or(DVec3::Z)),
                rate: r.rate.0,
            },
        }
    }
}

/// A motion that is known in full, such as that of a wall that an event moves.
impl From<WallMotion> for MotionTable {
    fn from(motion: WallMotion) -> Self {
        match motion {
            WallMotion::None => MotionTable::None,
            WallMotion::Translation { velocity } => {
                MotionTable::Translation(TranslationMotion { velocity: velocity.into() })
            }
            WallMotion::Oscillation { amplitude, frequency, phase } => {
                MotionTable::Oscillation(OscillationMotion {
                    amplitude: amplitude.into(),
                    frequency: frequency.into(),
                    phase: phase.into(),
                })
            }
            WallMotion::Reciprocal { size, rate } => {
                MotionTable::Reciprocal(ReciprocalMotion { size: size.into(), rate: rate.into() })
            }
            WallMotion::Rotation { centre, axis, rate } => MotionTable::Rotation(RotationMotion {
                rate: rate.into(),
                axis: Some(axis.into()),
                centre: Some(centre.into()),
            }),
        }
    }
}

/// Bounds on how a wall moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionBounds {
    /// Of any of its points that are looked at, m/s.
    pub fastest: f64,
    /// Largest inertial acceleration in its frame, m/s^2.
    pub acceleration: f64,
}

impl WallMotion {
    /// The pose of a wall that was at `start` a time `t` ago.
    pub(super) fn pose(&self, start: Pose, t: f64) -> Pose {
        let mut pose = start;
        match *self {
            WallMotion::None => {}
            WallMotion::Translation { velocity } => {
                pose.translation += velocity * t;
                pose.velocity = velocity;
            }
            WallMotion::Oscillation { amplitude, frequency, phase } => {
                let omega = TAU * frequency;
                pose.translation += amplitude * ((omega * t + phase).sin() - phase.sin());
                pose.velocity = amplitude * omega * (omega * t + phase).cos();
            }
            WallMotion::Reciprocal { size, rate } => {
                let shrunk = 1.0 / (1.0 + rate * t);
                pose.translation += size * (shrunk - 1.0);
                pose.velocity = -size * rate * shrunk * shrunk;
            }
            WallMotion::Rotation { centre, axis, rate } => {
                let (c, axis) = (start.to_world(centre), start.rotation * axis);
                let turn = DQuat::from_axis_angle(axis, rate * t);
                pose.translation = c + turn * (start.translation - c);
                pose.rotation = turn * start.rotation;
                pose.spin = rate * axis;
                pose.velocity = pose.spin.cross(pose.translation - c);
            }
        }
        pose
    }

    /// Whether it moves nothing.
    pub fn is_still(&self) -> bool {
        match *self {
            WallMotion::None => true,
            WallMotion::Translation { velocity } => velocity == DVec3::ZERO,
            WallMotion::Oscillation { amplitude, .. } => amplitude == DVec3::ZERO,
            WallMotion::Reciprocal { size, rate } => size == DVec3::ZERO || rate == 0.0,
            WallMotion::Rotation { rate, .. } => rate == 0.0,
        }
    }

    /// From now on, for a wall at `pose`: for its points within `reach` of `x`, and for things that move no faster than
    /// `speed`.
    pub fn swiftness(&self, pose: &Pose, x: DVec3, reach: f64, speed: f64) -> MotionBounds {
        let (fastest, acceleration) = match *self {
            WallMotion::None => (0.0, 0.0),
            WallMotion::Translation { velocity } => (velocity.length(), 0.0),
            WallMotion::Oscillation { amplitude, frequency, .. } => {
                let (a, omega) = (amplitude.length(), (TAU * frequency).abs());
                (omega * a, omega * omega * a)
            }
            WallMotion::Reciprocal { rate, .. } => {
                // It becomes slower all the time.
                let speed = pose.velocity.length();
                (speed, 2.0 * rate * speed)
            }
            WallMotion::Rotation { .. } => {
                let omega = pose.spin.length();
                let fastest = pose.velocity_at(x).length() + omega * reach;
                // 2 omega v of Coriolis and omega^2 r, with r omega the wall's speed.
                (fastest, omega * (2.0 * (speed + fastest) + fastest))
            }
        };
        MotionBounds { fastest, acceleration }
    }
}
