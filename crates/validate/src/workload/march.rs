//! Approaches of spheres to walls, easy and hard, and a march along them in small steps to compare the times of [`MovingWall`]
//! with.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Rng, Surface, Wall, WallMotion,
    wall::{Cuboid, Cylinder, Disk, Plane, Rectangle},
};

use rubblepile_geometry::meeting::{MovingWall, Path};

/// What the march can see, over the radius: its steps are not longer, and a touch that is not deeper may be passed.
pub const FINE: f64 = 1e-6;
/// Depth over the radius that no touch may reach unseen: the march's own, that of a touch between its steps, and rounding.
const DEEP: f64 = 3.0 * FINE;

/// Kinds of walls, with the degenerate ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    Plane,
    Disk,
    DiskWithHole,
    Rectangle,
    Box,
    InfiniteCylinder,
    FiniteCylinder,
    Ring,
    Line,
    Point,
}

impl Primitive {
    pub const ALL: [Primitive; 10] = [
        Primitive::Plane,
        Primitive::Disk,
        Primitive::DiskWithHole,
        Primitive::Rectangle,
        Primitive::Box,
        Primitive::InfiniteCylinder,
        Primitive::FiniteCylinder,
        Primitive::Ring,
        Primitive::Line,
        Primitive::Point,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Primitive::Plane => "plane",
            Primitive::Disk => "disk",
            Primitive::DiskWithHole => "disk with a hole",
            Primitive::Rectangle => "rectangle",
            Primitive::Box => "box",
            Primitive::InfiniteCylinder => "infinite cylinder",
            Primitive::FiniteCylinder => "finite cylinder",
            Primitive::Ring => "ring",
            Primitive::Line => "line",
            Primitive::Point => "point",
        }
    }

    fn surface(self, rng: &mut Rng) -> Surface {
        let axis = match below(rng, 3) {
            0 => DVec3::Z,
            _ => rng.direction(),
        };
        let centre = rng.range(0.0, 2.0) * rng.direction();
        let radius = [0.3, 1.0, 1.0, 4.0][below(rng, 4) as usize];
        let long = rng.range(0.1, 5.0);
        match self {
            Primitive::Plane => Surface::Plane(Plane { point: centre, normal: axis }),
            Primitive::Disk => Surface::Disk(Disk { centre, normal: axis, radius, hole: 0.0 }),
            Primitive::DiskWithHole => {
                Surface::Disk(Disk { centre, normal: axis, radius, hole: 0.4 * radius })
            }
            Primitive::Rectangle => {
                let u = axis.any_orthonormal_vector();
                Surface::Rectangle(Rectangle {
                    centre,
                    half_u: radius * u,
                    half_v: 0.6 * long * axis.cross(u),
                })
            }
            Primitive::Box => {
                Surface::Box(Cuboid { min: centre - DVec3::splat(6.0), max: centre + DVec3::splat(5.0) })
            }
            Primitive::InfiniteCylinder => Surface::Cylinder(Cylinder { centre, axis, radius, length: None }),
            Primitive::FiniteCylinder => {
                Surface::Cylinder(Cylinder { centre, axis, radius, length: Some(long) })
            }
            Primitive::Ring => Surface::Cylinder(Cylinder { centre, axis, radius, length: Some(0.0) }),
            Primitive::Line => Surface::Cylinder(Cylinder { centre, axis, radius: 0.0, length: Some(long) }),
            Primitive::Point => Surface::Cylinder(Cylinder { centre, axis, radius: 0.0, length: Some(0.0) }),
        }
    }
}

/// What the comparison of a time with the march gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Neither finds a touch.
    Passes,
    /// Both find it: how much later the march is, over radius / speed.
    Meets { late: f64 },
    /// One of them finds a touch that is too shallow or too short for the march to be sure of.
    Grazes,
    /// The sphere gets into the wall, and no touch is found at or before that.
    Missed,
    /// A touch is found where the sphere does not touch.
    False,
}

/// A wall, perhaps in motion, and a sphere on its way.
#[derive(Debug, Clone)]
pub struct Approach {
    pub wall: Wall,
    pub now: f64,
    pub path: Path,
    /// No part of the sphere and of the wall come together faster.
    fastest: f64,
}

fn below(rng: &mut Rng, n: u64) -> u64 {
    (rng.uniform() * n as f64) as u64
}

/// Random paths, and those that are hard: along the axis, through it, in the plane of the surface, grazing.
fn random_path(surface: &Surface, rng: &mut Rng) -> Path {
    let radius = [0.2, 0.5, 1.5][below(rng, 3) as usize];
    let (centre, axis) = (surface.centre(), surface.axis());
    let side = axis.any_orthonormal_vector();
    let position = centre + rng.range(0.0, 6.0) * rng.direction();
    // Roughly towards the middle.
    let velocity = rng.range(0.1, 2.0) * (rng.direction() - (position - centre).normalize()).normalize();
    let (position, velocity) = match below(rng, 8) {
        0 => (centre + rng.range(-5.0, 5.0) * axis, rng.range(-2.0, 2.0) * axis),
        1 => (centre + rng.range(-5.0, 5.0) * axis, velocity),
        2 => (centre + rng.range(-5.0, 5.0) * side, rng.range(-2.0, 2.0) * axis.cross(side)),
        3 => (centre + rng.range(-5.0, 5.0) * side, rng.range(-2.0, 2.0) * side),
        // Along the axis, a hair beside it.
        4 => (centre + rng.range(-5.0, 5.0) * axis + 1e-7 * side, rng.range(0.5, 2.0) * axis + 1e-9 * side),
        // As far from the middle as a tube of the sphere's radius around an edge is: grazing, within a hair.
        5 => {
            let reach = match *surface {
                Surface::Disk(Disk { radius, .. }) | Surface::Cylinder(Cylinder { radius, .. }) => radius,
                _ => 1.0,
            };
            let hair = [-1e-4, -1e-7, 1e-7, 1e-4][below(rng, 4) as usize];
            (centre + (reach + radius + hair) * side - 4.0 * axis.cross(side), axis.cross(side))
        }
        _ => (position, velocity),
    };
    let acceleration = match below(rng, 3) {
        0 => rng.range(0.0, 1.0) * rng.direction(),
        1 => -0.5 * axis,
        _ => DVec3::ZERO,
    };
    Path { position, velocity, acceleration, radius, within: rng.range(0.5, 8.0) }
}

/// Carried along, swinging, coming to rest, turning about its own axis, turning about any.
fn random_motion(surface: &Surface, rng: &mut Rng) -> WallMotion {
    match below(rng, 5) {
        0 => WallMotion::Translation { velocity: rng.range(0.0, 1.0) * rng.direction() },
        1 => WallMotion::Oscillation {
            amplitude: rng.range(0.0, 1.0) * rng.direction(),
            frequency: rng.range(0.1, 1.0),
            phase: rng.range(0.0, 6.0),
        },
        2 => WallMotion::Reciprocal { size: rng.direction(), rate: rng.range(0.0, 1.0) },
        3 => WallMotion::Rotation {
            centre: surface.centre(),
            axis: surface.axis(),
            rate: rng.range(-2.0, 2.0),
        },
        _ => WallMotion::Rotation {
            centre: rng.direction(),
            axis: rng.direction(),
            rate: rng.range(-1.0, 1.0),
        },
    }
}

impl Approach {
    /// One that does not touch at its start, and in which something moves.
    pub fn random(primitive: Primitive, moves: bool, rng: &mut Rng) -> Self {
        loop {
            let surface = primitive.surface(rng);
            let mut wall = Wall::new(0, "", 0, surface);
            if below(rng, 2) == 1 {
                wall.rotation = DQuat::from_axis_angle(rng.direction(), 1.0);
            }
            if moves {
                wall.motion = random_motion(&surface, rng);
            }
            let now = rng.range(0.0, 3.0);
            let mut path = random_path(&surface, rng);
            path.position = wall.pose(now).to_world(path.position);
            path.velocity = wall.rotation * path.velocity;
            path.acceleration = wall.rotation * path.acceleration;
            let quickest = path.velocity.length() + path.acceleration.length() * path.within;
            let far = path.position.length() + quickest * path.within + 4.0;
            let swing = match wall.motion {
                WallMotion::Oscillation { amplitude, frequency, .. } => 6.3 * frequency * amplitude.length(),
                _ => wall.pose(now).velocity.length() + wall.pose(now).spin.length() * far,
            };
            let approach = Approach { wall, now, path, fastest: quickest + swing };
            if approach.gap(0.0) >= 1e-5 * path.radius && approach.fastest > 0.0 {
                return approach;
            }
        }
    }

    fn gap(&self, t: f64) -> f64 {
        let pose = self.wall.pose(self.now + t);
        (0..self.wall.surface.faces())
            .map(|face| self.wall.surface.nearest_at(face, &pose, self.path.at(t)).distance)
            .fold(f64::INFINITY, f64::min)
            - self.path.radius
    }

    /// Time of a step of the march where it is finest.
    fn instant(&self) -> f64 {
        FINE * self.path.radius / self.fastest
    }

    /// The first time at which the gap is used up, by steps that cannot jump over a touch deeper than [`FINE`].
    fn march(&self) -> Option<f64> {
        let (mut t, mut last) = (0.0, self.gap(0.0));
        while t <= self.path.within {
            let next = t + (last / self.fastest).max(self.instant());
            let gap = self.gap(next);
            if gap < 0.0 && gap < last {
                return (next <= self.path.within).then_some(next);
            }
            (t, last) = (next, gap);
        }
        None
    }

    /// The least gap in a time, over the radius, from some places in it.
    fn least_gap(&self, from: f64, to: f64) -> f64 {
        (0..=200).map(|k| self.gap(from + (to - from) * f64::from(k) / 200.0)).fold(f64::INFINITY, f64::min)
            / self.path.radius
    }

    /// Compares the time of the first touch with the march.
    pub fn judge(&self) -> Verdict {
        self.judge_wrong(1.0, 0.0)
    }

    /// The same with deliberate errors: a factor on the radius with which that time is found, and how much too early it is, over
    /// radius / speed.
    pub fn judge_wrong(&self, swollen: f64, early: f64) -> Verdict {
        let path = Path { radius: swollen * self.path.radius, ..self.path };
        let early = early * path.radius / self.fastest;
        let found = MovingWall::new(&self.wall).first_touch(self.now, &path).map(|(t, _)| t - early);
        let (march, instant, within) = (self.march(), self.instant(), self.path.within);
        if found.is_some_and(|t| self.gap(t).abs() > FINE * self.path.radius) {
            return Verdict::False;
        }
        match (found, march) {
            (None, None) => Verdict::Passes,
            // A sphere that stays in the wall for a step of the march is seen by it.
            (Some(t), Some(m))
                if m <= t || (1..=4).all(|k| self.gap(t + 0.25 * f64::from(k) * instant) < 0.0) =>
            {
                let late = (m - t) * self.fastest / self.path.radius;
                if late < -FINE { Verdict::Missed } else { Verdict::Meets { late } }
            }
            // What happens in the time in which they differ: the sphere must not get deep.
            (Some(t), other) => {
                let end = other.unwrap_or(t + 100.0 * instant).min(within);
                if self.least_gap(t, end) < -DEEP { Verdict::False } else { Verdict::Grazes }
            }
            (None, Some(m)) => {
                if self.least_gap(m, (m + 1e-2).min(within)) < -DEEP {
                    Verdict::Missed
                } else {
                    Verdict::Grazes
                }
            }
        }
    }
}
