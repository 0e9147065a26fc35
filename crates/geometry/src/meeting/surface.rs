//! When a sphere in flight meets the surface of an asteroid, which moves and turns meanwhile.
//!
//! No closed form is at hand for a path that is curved in the frame of the body. Far from the surface the sphere goes on by steps
//! that are not longer than its distance from it. Near it, for a piece of the path of about half a radius, every triangle that comes
//! into reach is followed by itself: the distance from a convex thing is convex along a straight line, so that it falls no
//! faster than it does now, but for what bends the path in the body's frame (fall, Coriolis, centrifugal). Steps in which the gap
//! to a triangle cannot be used up then get to the touch as fast as Newton's do, from outside, and the first touch is not jumped
//! over. The surface as a whole is not convex and would allow no such steps.

use glam::{DQuat, DVec3};
use rubblepile_core::wall::Pose;

use super::Path;
use crate::mesh::{SurfaceTree, closest_point};

/// Gap over the radius at which the touch counts as reached; the last bit of the way is extrapolated.
const CLOSE: f64 = 1e-12;
/// Rounding of a coordinate in the frame of the body, over its distance from the centre. Over the radius it is that of a direction.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// The shortest step over the time of flight of a radius. It doubles after every so many steps, so many times at most: what slides along a
/// facet without touching must come to an end, and what it can miss is a touch of that depth times the sine of its slope.
const SHORTEST: f64 = 1e-12;
const PATIENCE: u32 = 16;
const MOST_DOUBLINGS: u32 = 26;
/// Part of the path, over the radius, for which triangles are collected at least.
const PIECE: f64 = 0.5;
/// One less the cosine between directions to triangles that are the same one: of neighbours in a plane, the sphere touches the one that it is over.
const SAME_WAY: f64 = 1e-10;

/// How a body moves: its centre on a parabola, as spheres do, and turning evenly.
#[derive(Debug, Clone, Copy)]
pub struct BodyPath {
    pub position: DVec3,
    pub velocity: DVec3,
    pub acceleration: DVec3,
    pub rotation: DQuat,
    /// rad/s
    pub spin: DVec3,
}

impl BodyPath {
    pub fn rotation_at(&self, t: f64) -> DQuat {
        DQuat::from_scaled_axis(t * self.spin) * self.rotation
    }

    pub fn pose(&self, t: f64) -> Pose {
        Pose {
            translation: self.position + t * (self.velocity + 0.5 * t * self.acceleration),
            rotation: self.rotation_at(t),
            velocity: self.velocity + t * self.acceleration,
            spin: self.spin,
        }
    }
}

/// A place in the frame of a body, and a distance from it within which there is no surface: what was found out once need not
/// be asked again. It saves time and changes nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Clear {
    place: DVec3,
    distance: f64,
}

impl Clear {
    pub const UNKNOWN: Clear = Clear { place: DVec3::ZERO, distance: f64::NEG_INFINITY };
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meeting {
    /// Not in the time of the path.
    Never,
    /// After so long, with this facet.
    At(f64, u32),
    /// The centre of the sphere is inside the body.
    Inside,
}

/// The first touch of a sphere with the surface of a body that reaches out to `size` from its centre.
pub fn first_touch_of_surface(
    tree: &SurfaceTree,
    size: f64,
    ride: &BodyPath,
    path: &Path,
    clear: &mut Clear,
) -> Meeting {
    let chase = Chase::new(ride, path);
    let (radius, speed) = (path.radius, chase.speed);
    let mut t = 0.0;
    loop {
        let left = path.within - t;
        let far = chase.path.at(t).length();
        // Beyond the sphere about the body its turning does not matter.
        let above = far - size - radius;
        if above > PIECE * radius {
            let step = above / speed;
            if step < left {
                t += step;
                continue;
            }
            return Meeting::Never;
        }
        let x = chase.place(t);
        // Fastest in the body's frame as long as it goes no further than so far.
        let fastest = |room: f64| speed + chase.spin * (far + room);
        let known = clear.distance - x.distance(clear.place) - radius;
        let gap = if known > PIECE * radius || (known > 0.0 && fastest(known) * left < known) {
            known
        } else {
            let Some(nearest) = tree.nearest(x) else { return Meeting::Never };
            if nearest.distance < 0.0 {
                return Meeting::Inside;
            }
            *clear = Clear { place: x, distance: nearest.distance };
            nearest.distance - radius
        };
        let room = gap.max(PIECE * radius);
        let most = fastest(room);
        let last = room >= most * left;
        let time = if last { left } else { room / most };
        if gap < most * time
            && let Some((t, facet)) = chase.first_of_piece(tree, x, far + room, most, t, time)
        {
            return Meeting::At(t, facet);
        }
        if last {
            return Meeting::Never;
        }
        t += time;
    }
}

/// A sphere as seen from the centre of the body.
struct Chase<'a> {
    ride: &'a BodyPath,
    path: Path,
    /// Fastest that it flies, before the body turns; and the rate of turning.
    speed: f64,
    spin: f64,
}

/// A triangle in reach.
struct Candidate {
    facet: u32,
    corners: [DVec3; 3],
    /// Its closest point at the start of the piece.
    point: DVec3,
}

/// A piece of the path.
struct Piece {
    /// Fastest in the body's frame, and by how much the rate of a gap to a convex thing may grow, a second.
    most: f64,
    bend: f64,
    tolerance: f64,
    /// An approach that is slower is rounding.
    noise: f64,
    candidates: Vec<Candidate>,
}

impl<'a> Chase<'a> {
    fn new(ride: &'a BodyPath, path: &Path) -> Self {
        let path = Path {
            position: path.position - ride.position,
            velocity: path.velocity - ride.velocity,
            acceleration: path.acceleration - ride.acceleration,
            ..*path
        };
        let speed = path.velocity.length() + path.acceleration.length() * path.within;
        Chase { ride, path, speed, spin: ride.spin.length() }
    }

    fn place(&self, t: f64) -> DVec3 {
        self.ride.rotation_at(t).inverse() * self.path.at(t)
    }

    /// Place and velocity in the frame of the body.
    fn state(&self, t: f64) -> (DVec3, DVec3) {
        let (back, y) = (self.ride.rotation_at(t).inverse(), self.path.at(t));
        (back * y, back * (self.path.velocity_at(t) - self.ride.spin.cross(y)))
    }

    /// The first touch in a time from `start` on, at which the sphere is at `x` and in which it gets no farther than `far`
    /// from the centre of the body.
    fn first_of_piece(
        &self,
        tree: &SurfaceTree,
        x: DVec3,
        far: f64,
        most: f64,
        start: f64,
        time: f64,
    ) -> Option<(f64, u32)> {
        let radius = self.path.radius;
        let tolerance = CLOSE * radius + ROUNDING * far;
        let reach = radius + most * time + 2.0 * tolerance;
        let mut candidates = Vec::new();
        tree.corners_within(x, reach, |facet, corners, point| {
            candidates.push(Candidate { facet, corners: *corners, point });
        });
        // In the frame of the body: 2 omega v of Coriolis and omega^2 r.
        let bend = self.path.acceleration.length() + self.spin * (2.0 * most + self.spin * far);
        let noise = ROUNDING * (1.0 + far / radius) * most;
        let piece = Piece { most, bend, tolerance, noise, candidates };
        let (mut end, mut best) = (start + time, None::<(f64, u32)>);
        for candidate in &piece.candidates {
            let found = self.follow(&piece, candidate, start, end);
            if let Some(found) = found
                && best.is_none_or(|best| found < best)
            {
                (end, best) = (found.0, Some(found));
            }
        }
        best
    }

    /// The first touch with a triangle in [`start`, `end`], and the facet that it is with.
    fn follow(&self, piece: &Piece, candidate: &Candidate, start: f64, end: f64) -> Option<(f64, u32)> {
        let (radius, b) = (self.path.radius, piece.bend);
        let mut t = start;
        for steps in 0.. {
            let (x, v) = self.state(t);
            let point = if steps == 0 { candidate.point } else { closest_point(&candidate.corners, x) };
            let (gap, closing) = approach(x, v, point, radius);
            if gap <= piece.tolerance
                && closing > piece.noise
                && let Some(facet) = self.facet_under(piece, candidate, x, v, point)
            {
                // What is left of the way may be past the end.
                let t = t + gap.max(0.0) / closing;
                return (t <= end).then_some((t, facet));
            }
            let room = gap.max(0.0);
            // Largest step with room - closing step - b step^2 / 2 >= 0
            let root = (closing * closing + 2.0 * b * room).sqrt();
            let step = match (closing > 0.0, b > 0.0) {
                (true, _) => 2.0 * room / (root + closing),
                (false, true) => (root - closing) / b,
                (false, false) => return None,
            };
            let doublings = (steps / PATIENCE).min(MOST_DOUBLINGS);
            let shortest = SHORTEST * f64::from(1u32 << doublings) * radius / piece.most;
            t += step.max(shortest);
            if t > end || t.is_nan() {
                return None;
            }
        }
        None
    }

    /// Where several triangles of about one plane touch, the sphere is over one of them: that to which it is most upright. The edges of
    /// the others have nothing to say, and to slide towards one is not to approach it.
    fn facet_under(
        &self,
        piece: &Piece,
        touched: &Candidate,
        x: DVec3,
        v: DVec3,
        point: DVec3,
    ) -> Option<u32> {
        let way = (point - x).normalize_or_zero();
        let as_near = point.distance(x) + piece.tolerance;
        let mut best = (f64::INFINITY, touched.facet, point);
        for other in &piece.candidates {
            let there = closest_point(&other.corners, x);
            let other_way = (there - x).normalize_or_zero();
            if there.distance(x) <= as_near && other_way.dot(way) > 1.0 - SAME_WAY {
                let [a, b, c] = other.corners;
                let slant = (b - a).cross(c - a).normalize_or_zero().cross(other_way).length_squared();
                if (slant, other.facet) < (best.0, best.1) {
                    best = (slant, other.facet, there);
                }
            }
        }
        let (_, closing) = approach(x, v, best.2, self.path.radius);
        (closing > piece.noise).then_some(best.1)
    }
}

/// The gap between a sphere and a point, and how fast it closes.
fn approach(x: DVec3, v: DVec3, point: DVec3, radius: f64) -> (f64, f64) {
    let away = x - point;
    let distance = away.length();
    (distance - radius, if distance > 0.0 { -v.dot(away) / distance } else { 0.0 })
}
