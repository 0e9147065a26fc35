//! When a sphere in flight meets a surface: the equations of section 2.2 of hard-sphere-2011, for straight paths; for
//! parabolas in closed form where it is at hand, and followed otherwise (see [`moving`]).
//!
//! All times are from now, all vectors in the wall's frame. A meeting is where the gap falls to zero. A sphere that touches
//! already and comes nearer meets at once (section 2.3: overlaps of rounding are mended by a time of zero); one that
//! touches and goes away does not meet there again.

mod moving;
mod ring;
mod roots;
mod surface;
#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod tests;

use glam::DVec3;
use rubblepile_core::{
    Surface,
    wall::{Cuboid, Cylinder, Disk, Plane, Rectangle},
};

pub use moving::MovingWall;
use ring::ring;
pub use surface::{BodyPath, Clear, Meeting, first_touch_of_surface};

/// The path of a sphere: `position + velocity t + acceleration t^2 / 2` for t in [0, `within`].
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub position: DVec3,
    pub velocity: DVec3,
    pub acceleration: DVec3,
    pub radius: f64,
    pub within: f64,
}

impl Path {
    pub fn at(&self, t: f64) -> DVec3 {
        self.position + t * (self.velocity + 0.5 * t * self.acceleration)
    }

    fn velocity_at(&self, t: f64) -> DVec3 {
        self.velocity + t * self.acceleration
    }

    fn from(&self, centre: DVec3) -> Path {
        Path { position: self.position - centre, ..*self }
    }
}

/// Time and face of the first touch with a surface at rest; `None` if they do not touch in that time. A path that is not straight
/// is taken as if it were, but for planes; see [`is_exact`].
pub fn first_touch(surface: &Surface, path: &Path) -> Option<(f64, u32)> {
    match *surface {
        Surface::Box(Cuboid { min, max }) => (0..6)
            .filter_map(|face| {
                let axis = (face / 2) as usize;
                let side = if face % 2 == 0 { 1.0 } else { -1.0 };
                let from = if face % 2 == 0 { min[axis] } else { max[axis] };
                let gap = side * (path.position[axis] - from) - path.radius;
                let t = fall(gap, side * path.velocity[axis], side * path.acceleration[axis], path.within)?;
                Some((t, face))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0)),
        Surface::Plane(Plane { point, normal }) => plane(&path.from(point), normal).map(|t| (t, 0)),
        Surface::Disk(Disk { centre, normal, radius, hole }) => {
            let path = path.from(centre);
            let flat = plane(&path, normal).filter(|&t| {
                let x = path.at(t);
                let r = (x - x.dot(normal) * normal).length();
                r < radius && r >= hole
            });
            let rim = ring(&path, normal, radius);
            let inner = if hole > 0.0 { ring(&path, normal, hole) } else { None };
            earliest([flat, rim, inner]).map(|t| (t, 0))
        }
        Surface::Rectangle(Rectangle { centre, half_u, half_v }) => {
            let path = path.from(centre);
            let normal = half_u.cross(half_v).normalize();
            let inside = |x: DVec3, h: DVec3| x.dot(h).abs() < h.length_squared();
            let flat =
                plane(&path, normal).filter(|&t| inside(path.at(t), half_u) && inside(path.at(t), half_v));
            let sides = [half_u, -half_u]
                .map(|a| finite_cylinder(&path.from(a), half_v.normalize(), 0.0, half_v.length()));
            let ends = [half_v, -half_v]
                .map(|a| finite_cylinder(&path.from(a), half_u.normalize(), 0.0, half_u.length()));
            earliest([flat, sides[0], sides[1], ends[0], ends[1]]).map(|t| (t, 0))
        }
        Surface::Cylinder(Cylinder { centre, axis, radius, length }) => {
            let path = path.from(centre);
            match length {
                Some(length) => finite_cylinder(&path, axis, radius, 0.5 * length),
                None => earliest(cylinder(&path, axis, radius)),
            }
            .map(|t| (t, 0))
        }
        // Not asked for: see `is_exact`.
        #[allow(unreachable_patterns)]
        _ => None,
    }
}

/// Whether a sphere cannot get to the surface, or to the plane or cylinder that it is a part of, in its time.
fn out_of_reach(surface: &Surface, path: &Path) -> bool {
    let t = path.within;
    let reach = path.radius + t * (path.velocity.length() + 0.5 * t * path.acceleration.length());
    match *surface {
        Surface::Plane(Plane { point: centre, normal }) | Surface::Disk(Disk { centre, normal, .. }) => {
            (path.position - centre).dot(normal).abs() > reach
        }
        Surface::Cylinder(Cylinder { centre, axis, radius, .. }) => {
            let x = path.position - centre;
            let across = (x - x.dot(axis) * axis).length();
            (across - radius).abs() > reach
        }
        _ => false,
    }
}

fn earliest<const N: usize>(times: [Option<f64>; N]) -> Option<f64> {
    times.into_iter().flatten().min_by(f64::total_cmp)
}

/// Whether [`first_touch`] is exact for a path: it is straight, or the surface is met along straight lines. Surfaces
/// without an equation here are followed along every path, from their closest points alone (see [`moving`]).
pub fn is_exact(surface: &Surface, path: &Path) -> bool {
    let straight = path.acceleration == DVec3::ZERO;
    match *surface {
        Surface::Plane(_) | Surface::Box(_) => true,
        Surface::Disk(_) | Surface::Rectangle(_) => straight,
        Surface::Cylinder(Cylinder { axis, length, .. }) => {
            let along = || path.acceleration.cross(axis).length() <= 1e-14 * path.acceleration.length();
            straight || (length.is_none() && along())
        }
        // Any other is followed.
        #[allow(unreachable_patterns)]
        _ => false,
    }
}

/// When `gap + rate t + pull t^2 / 2` falls to zero. Below zero already, it does so when it starts to fall.
fn fall(gap: f64, rate: f64, pull: f64, within: f64) -> Option<f64> {
    let t = if gap <= 0.0 && (rate < 0.0 || (rate == 0.0 && pull < 0.0)) {
        0.0
    } else if pull == 0.0 {
        if rate >= 0.0 {
            return None;
        }
        gap / -rate
    } else {
        let square = rate * rate - 2.0 * pull * gap;
        match (pull < 0.0, square >= 0.0) {
            // The later root; without the difference of nearly equal numbers.
            (true, true) if rate > 0.0 => (rate + square.sqrt()) / -pull,
            (true, true) => 2.0 * gap / (square.sqrt() - rate),
            // Too low to get above zero: it falls from its highest point on.
            (true, false) => rate / -pull,
            (false, true) if rate < 0.0 => 2.0 * gap / (square.sqrt() - rate),
            _ => return None,
        }
    };
    (t <= within).then_some(t)
}

/// Eq. (9): either face of a plane through the origin.
fn plane(path: &Path, normal: DVec3) -> Option<f64> {
    let (height, rate) = (path.position.dot(normal), path.velocity.dot(normal));
    // The side on which the centre is; a centre in the plane itself leaves it as it goes.
    let side = if height != 0.0 { height.signum() } else { rate.signum() };
    fall(side * height - path.radius, side * rate, side * path.acceleration.dot(normal), path.within)
}

/// Eqs (10)-(12): the outer and the inner face of an infinite cylinder about an axis through the origin.
fn cylinder(path: &Path, axis: DVec3, radius: f64) -> [Option<f64>; 2] {
    let across = |x: DVec3| x - x.dot(axis) * axis;
    let (x, v) = (across(path.position), across(path.velocity));
    let (x2, xv, v2) = (x.length_squared(), x.dot(v), v.length_squared());
    let outside = x2 > radius * radius || radius == 0.0;
    let outer = if outside { meet(x2, xv, v2, radius + path.radius, path.within) } else { None };
    let inner = match radius > path.radius {
        // Outside and going away: nothing inside is ahead.
        true if outside && xv >= 0.0 => None,
        true => leave(x2, xv, v2, radius - path.radius, path.within),
        false => None,
    };
    [outer, inner]
}

/// When |x + v t| falls to `reach`, eq. (3). The form without a difference of nearly equal numbers.
pub fn meet(x2: f64, xv: f64, v2: f64, reach: f64, within: f64) -> Option<f64> {
    if xv >= 0.0 {
        return None;
    }
    let gap = x2 - reach * reach;
    if gap <= 0.0 {
        return Some(0.0);
    }
    // It closes no faster than it does now: most pairs are done with here, without a root.
    if gap + 2.0 * xv * within > 0.0 {
        return None;
    }
    let square = xv * xv - v2 * gap;
    if square < 0.0 {
        return None;
    }
    let t = gap / (square.sqrt() - xv);
    (t <= within).then_some(t)
}

/// When |x + v t| grows to `reach` from inside. What is beyond it already has met if it still goes outwards; if it comes back
/// in, it meets on the other side.
fn leave(x2: f64, xv: f64, v2: f64, reach: f64, within: f64) -> Option<f64> {
    if v2 == 0.0 {
        return None;
    }
    let room = reach * reach - x2;
    let square = xv * xv + v2 * room;
    if square < 0.0 {
        return None;
    }
    if room <= 0.0 && xv >= 0.0 {
        // On the face itself or past it by rounding, and going on.
        return (xv > 0.0).then_some(0.0);
    }
    // t = (-xv + sqrt) / v2
    let t = if xv <= 0.0 { (square.sqrt() - xv) / v2 } else { room / (square.sqrt() + xv) };
    (t <= within).then_some(t)
}

/// Section 2.2.4: faces of a cylinder of half length `half` about the origin, and the rings at its ends. Without a radius it
/// is a line, without a length a ring, without both a point.
fn finite_cylinder(path: &Path, axis: DVec3, radius: f64, half: f64) -> Option<f64> {
    let beside = |t: &f64| path.at(*t).dot(axis).abs() < half;
    let [outer, inner] = cylinder(path, axis, radius);
    let top = ring(&path.from(half * axis), axis, radius);
    let bottom = if half > 0.0 { ring(&path.from(-half * axis), axis, radius) } else { None };
    earliest([outer.filter(beside), inner.filter(beside), top, bottom])
}
