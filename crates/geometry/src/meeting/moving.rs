//! Walls that move.
//!
//! A wall that is carried along evenly, or that turns into itself, is at rest in a frame of its own: there the straight
//! path stays straight. A plane that swings is met where a line meets a sine, whose turning points are known. For all
//! others (a disk that swings, a paddle that turns) no closed form is at hand: the gap is followed by steps in which it
//! cannot be used up, so that the first touch is not jumped over.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Surface, Wall,
    wall::{Curvature, MotionBounds, Plane, WallMotion},
};

use super::{Path, first_touch, is_exact, out_of_reach, roots::first_fall};

/// Gap over the radius at which the touch counts as reached; the last bit of the way is extrapolated.
const CLOSE: f64 = 1e-9;

/// A wall with what does not change about it, for many spheres.
#[derive(Debug, Clone, Copy)]
pub struct MovingWall<'a> {
    wall: &'a Wall,
    /// Where its frame is not turned, and how fast it is carried along; `None`: it swings or turns.
    carried: Option<DVec3>,
    back: Option<DQuat>,
}

impl<'a> MovingWall<'a> {
    pub fn new(wall: &'a Wall) -> Self {
        let carried = match wall.motion {
            // A surface that turns into itself is as it was when its motion was set.
            _ if wall.keeps_its_place() => Some(DVec3::ZERO),
            WallMotion::Translation { velocity } => Some(velocity),
            _ => None,
        };
        let back = (wall.rotation != DQuat::IDENTITY).then(|| wall.rotation.inverse());
        MovingWall { wall, carried, back }
    }

    /// Time from `now` and face of the first touch of a sphere; the path is in the world's frame.
    pub fn first_touch(&self, now: f64, path: &Path) -> Option<(f64, u32)> {
        if let Some(velocity) = self.carried {
            let turn = |x: DVec3| self.back.map_or(x, |q| q * x);
            let local = Path {
                position: turn(path.position - self.wall.translation - (now - self.wall.since) * velocity),
                velocity: turn(path.velocity - velocity),
                acceleration: turn(path.acceleration),
                ..*path
            };
            if out_of_reach(&self.wall.surface, &local) {
                return None;
            }
            if is_exact(&self.wall.surface, &local) {
                return first_touch(&self.wall.surface, &local);
            }
        }
        first_touch_of_wall(self.wall, now, path)
    }
}

fn first_touch_of_wall(wall: &Wall, now: f64, path: &Path) -> Option<(f64, u32)> {
    match (wall.motion, wall.surface) {
        (
            WallMotion::Oscillation { amplitude, frequency, phase },
            Surface::Plane(Plane { point, normal }),
        ) if path.acceleration == DVec3::ZERO => {
            let normal = wall.rotation * normal;
            let (a, omega) = (amplitude.dot(normal), std::f64::consts::TAU * frequency);
            let begin = phase + omega * (now - wall.since);
            let base = wall.rotation * point + wall.translation - amplitude * phase.sin();
            let height = (path.position - base).dot(normal);
            let side = if height - a * begin.sin() >= 0.0 { 1.0 } else { -1.0 };
            let swing = Swing { a: side * a, omega, begin };
            swing
                .first_touch(side * height - path.radius, side * path.velocity.dot(normal), path.within)
                .map(|t| (t, 0))
        }
        _ => (0..wall.surface.faces())
            .filter_map(|face| Some((follow(wall, face, now, path)?, face)))
            .min_by(|a, b| a.0.total_cmp(&b.0)),
    }
}

/// Height of a swinging plane: `a sin(begin + omega t)`.
struct Swing {
    a: f64,
    omega: f64,
    begin: f64,
}

impl Swing {
    /// When `gap + rate t - a sin(begin + omega t)` falls to zero: between its turning points it is monotone.
    fn first_touch(&self, gap: f64, rate: f64, within: f64) -> Option<f64> {
        let Swing { a, omega, begin } = *self;
        let f = |t: f64| {
            let (s, c) = (begin + omega * t).sin_cos();
            (gap + rate * t - a * s, rate - a * omega * c)
        };
        let now = f(0.0);
        if now.0 <= 0.0 && now.1 < 0.0 {
            return Some(0.0);
        }
        // It cannot touch before the gap to the highest place is used up, nor after that to the lowest is.
        let (a_abs, w) = (a.abs(), omega.abs());
        let mut from = 0.0;
        let mut to = within;
        if rate < 0.0 {
            from = ((gap - a_abs) / -rate).clamp(0.0, within);
            to = to.min((gap + a_abs) / -rate + 1e-12 * within);
        } else if rate > 0.0 {
            to = to.min((a_abs - gap) / rate);
        } else if gap >= a_abs {
            return None;
        }
        let cosine = rate / (a * omega);
        if cosine.abs() >= 1.0 {
            return first_fall(f, from, to.max(from), &mut []).filter(|&t| t <= within);
        }
        // Turning points at begin + omega t = +- acos + 2 pi k, a period at a time.
        let period = std::f64::consts::TAU / w;
        let mut start = from;
        while start < to {
            let end = (start + period).min(to);
            let angle = begin + omega * start;
            let mut cuts = [cosine.acos(), -cosine.acos()].map(|turn| {
                let ahead = (omega.signum() * (turn - angle)).rem_euclid(std::f64::consts::TAU);
                start + ahead / w
            });
            if let Some(t) = first_fall(f, start, end, &mut cuts) {
                return Some(t);
            }
            start = end;
        }
        None
    }
}

/// The first touch, followed in steps in which the gap cannot close: it closes no faster than both move, and its rate
/// changes no faster than B = acceleration + v^2 over the distance from the axis (the distance from a plane, an edge or a
/// point is convex along a straight line; around an axis it is not).
fn follow(wall: &Wall, face: u32, now: f64, path: &Path) -> Option<f64> {
    let mut t = 0.0;
    let pull = path.acceleration.length();
    let speed = path.velocity.length() + pull * path.within;
    loop {
        let pose = wall.pose(now + t);
        let x = path.at(t);
        let near = wall.surface.nearest_at(face, &pose, x);
        let gap = near.distance - path.radius;
        // How fast the surface and the sphere come together.
        let closing = (path.velocity_at(t) - pose.velocity_at(near.point)).dot(near.normal);
        if gap <= CLOSE * path.radius && closing > 0.0 {
            let t = t + gap.max(0.0) / closing;
            return (t <= path.within).then_some(t);
        }
        let room = gap.max(0.0);
        let MotionBounds { fastest, acceleration } =
            wall.motion.swiftness(&pose, x, near.distance + 2.0 * path.radius, speed);
        let most = speed + fastest;
        if most == 0.0 {
            return None;
        }
        // Within this time neither gets out of the reach that the bounds are for.
        let valid = path.radius / most;
        let first = (room / most).min(valid);
        let (bend, valid) = match wall.surface.curvature(pose.to_local(x)) {
            Curvature::Round(rho) => (2.0 * most * most / rho, valid.min(0.5 * rho / most)),
            Curvature::Flat => (0.0, valid),
        };
        let b = acceleration + pull + bend;
        // Largest t with room - closing t - b t^2 / 2 >= 0
        let root = (closing * closing + 2.0 * b * room).sqrt();
        let second = if closing > 0.0 { 2.0 * room / (root + closing) } else { (root - closing) / b };
        let step = first.max(second.min(valid));
        t += step.max(CLOSE * path.radius / most);
        if t.is_nan() || t > path.within {
            return None;
        }
    }
}
