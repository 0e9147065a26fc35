//! A hull and a wall.
//!
//! Planes and faces of boxes touch vertices, and so does the inside of a cylinder (where each point has its own normal). The
//! outside of a cylinder is its axis with a radius. Rectangles and disks are planes where the hull is over them, and
//! near their rims flat hulls: a rectangle exactly, a disk as a polygon of 64 sides with its corners on the rim (0.12 %
//! of the radius inside it between them). Any other surface touches vertices, at their closest points.
//!
//! Not covered: the rims of a disk with a hole, and of the open ends of a cylinder, against faces and edges. Vertices beyond
//! them touch nothing.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use rubblepile_core::{
    Surface,
    simd::{Kernel, Lanes, dispatch},
    wall::{ClosestPoint, Cylinder, Disk, Pose, Rectangle},
};

use super::{
    Manifold, ManifoldPoints, Placed, Point, Proximity,
    distance::{Distance, distance},
    hulls,
    manifold::{Witness, build, select},
    name, of_simplex,
    prepared::Hull,
};

/// Sides of the polygon that stands for a disk.
const SIDES: usize = 64;

/// One face of a wall's surface where it is at some time. Make one per step.
#[derive(Debug, Clone)]
pub struct PlacedWall {
    surface: Surface,
    face: u32,
    pose: Pose,
    /// Rectangles and disks without a hole.
    flat: Option<Placed>,
}

impl PlacedWall {
    pub fn new(surface: &Surface, face: u32, pose: &Pose) -> Self {
        let outline = match *surface {
            Surface::Rectangle(Rectangle { centre, half_u, half_v }) => {
                let corner = |s: f64, t: f64| centre + s * half_u + t * half_v;
                Some(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)])
            }
            Surface::Disk(Disk { centre, normal, radius, hole: 0.0 }) => {
                let t = normal.any_orthonormal_vector();
                let u = normal.cross(t);
                let angle = |k: usize| std::f64::consts::TAU * k as f64 / SIDES as f64;
                Some(
                    (0..SIDES).map(|k| centre + radius * (angle(k).cos() * t + angle(k).sin() * u)).collect(),
                )
            }
            _ => None,
        };
        let flat = outline
            .and_then(|corners| flat_hull(&corners, surface.axis()))
            .map(|hull| Placed::new(Arc::new(hull), pose.translation, pose.rotation));
        PlacedWall { surface: *surface, face, pose: *pose, flat }
    }
}

/// A polygon without thickness as a prism of no height, whose sides have no area but normals.
fn flat_hull(corners: &[DVec3], normal: DVec3) -> Option<Hull> {
    let n = corners.len() as u32;
    let points: Vec<DVec3> = corners.iter().chain(corners).copied().collect();
    let mut faces: Vec<Vec<u32>> = vec![(0..n).collect(), (n..2 * n).rev().collect()];
    let mut normals = vec![normal, -normal];
    for k in 0..n {
        let next = (k + 1) % n;
        faces.push(vec![next, k, n + k, n + next]);
        let along = corners[next as usize] - corners[k as usize];
        normals.push(along.cross(normal).normalize_or_zero());
    }
    Hull::with_normals(&points, &faces, normals, 2).ok()
}

/// Contact of a hull with a wall whose surfaces are at most `margin` apart. The normal points to the wall.
pub fn hull_wall(a: &Placed, wall: &PlacedWall, margin: f64) -> Proximity {
    dispatch(AgainstWall { a, wall, margin })
}

struct AgainstWall<'a> {
    a: &'a Placed,
    wall: &'a PlacedWall,
    margin: f64,
}

impl Kernel for AgainstWall<'_> {
    type Output = Proximity;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Proximity {
        let AgainstWall { a, wall, margin } = self;
        let pose = &wall.pose;
        match wall.surface {
            Surface::Plane(_) | Surface::Box(_) => {
                let near = wall.surface.nearest_at(wall.face, pose, a.centre);
                plane::<L>(a, near.normal, near.distance, margin, |_| true)
            }
            Surface::Cylinder(Cylinder { centre, axis, radius, length }) => {
                let (centre, axis) = (pose.to_world(centre), pose.rotation * axis);
                let x = a.centre - centre;
                let half = 0.5 * length.unwrap_or(f64::INFINITY);
                if x.reject_from_normalized(axis).length() < radius {
                    inside(a, x, axis, radius, half, margin)
                } else {
                    outside::<L>(a, x, axis, radius, half, margin)
                }
            }
            Surface::Rectangle(Rectangle { centre, half_u, half_v }) => {
                let x = a.centre - pose.to_world(centre);
                let (u, v) = (pose.rotation * half_u, pose.rotation * half_v);
                let over = |p: DVec3| {
                    let p = p + x;
                    p.dot(u).abs() <= u.length_squared() && p.dot(v).abs() <= v.length_squared()
                };
                bounded::<L>(a, wall, x, over, margin)
            }
            Surface::Disk(Disk { centre, radius, hole, normal }) => {
                let x = a.centre - pose.to_world(centre);
                let normal = pose.rotation * normal;
                let over = |p: DVec3| {
                    let r = (p + x).reject_from_normalized(normal).length();
                    r >= hole && r <= radius
                };
                bounded::<L>(a, wall, x, over, margin)
            }
            #[allow(unreachable_patterns)]
            surface => vertices(a, margin, |x| surface.nearest_at(wall.face, pose, x)),
        }
    }
}

/// Any surface, by the closest points to the vertices and to the centre of the hull.
fn vertices(a: &Placed, margin: f64, nearest: impl Fn(DVec3) -> ClosestPoint) -> Proximity {
    let centre = nearest(a.centre);
    let between = centre.distance - a.hull.radius;
    if between > margin {
        return Proximity::Apart(between);
    }
    let mut found = Vec::new();
    let mut least = f64::INFINITY;
    for k in 0..a.hull.vertices.len() {
        let v = a.vertex(k);
        let near = nearest(a.centre + v);
        // What is through the surface sees it from its other side.
        let side = if near.normal.dot(centre.normal) < 0.0 { -1.0 } else { 1.0 };
        let (gap, normal) = (side * near.distance, side * near.normal);
        least = least.min(gap);
        if gap <= margin {
            found.push(Point {
                position: v + 0.5 * gap * normal,
                gap,
                normal,
                feature: name::of_a(k as u32),
            });
        }
    }
    if least > margin { Proximity::Apart(least) } else { chosen(a, found, margin) }
}

/// A plane at `distance` from the hull's centre along `normal`; only vertices (relative to the centre) that `over`
/// says are over the wall count.
#[inline(always)]
fn plane<L: Lanes>(
    a: &Placed,
    normal: DVec3,
    distance: f64,
    margin: f64,
    over: impl Fn(DVec3) -> bool,
) -> Proximity {
    let gap = distance - a.height::<L>(normal);
    if gap > margin {
        return Proximity::Apart(gap);
    }
    let mut found = Vec::new();
    for k in 0..a.hull.vertices.len() {
        let v = a.vertex(k);
        let gap = distance - normal.dot(v);
        if gap <= margin && over(v) {
            found.push(Point {
                position: v + 0.5 * gap * normal,
                gap,
                normal,
                feature: name::of_a(k as u32),
            });
        }
    }
    chosen(a, found, margin)
}

/// At most four of the points, whose positions are relative to the hull's centre.
fn chosen(a: &Placed, mut found: Vec<Point>, margin: f64) -> Proximity {
    let Some(deepest) = found.iter().copied().min_by(|p, q| p.gap.total_cmp(&q.gap)) else {
        // Near the plane but not over the wall: nothing better is known than that it does not touch.
        return Proximity::Apart(margin.next_up());
    };
    let (t, u) = deepest.normal.any_orthonormal_pair();
    let frame = DMat3::from_cols(t, u, deepest.normal);
    found.iter_mut().for_each(|p| p.position = frame.transpose() * p.position);
    let mut points: ManifoldPoints = select(&found, a.hull.radius);
    points.iter_mut().for_each(|p| p.position = a.centre + frame * p.position);
    Proximity::Near(Manifold { normal: points.first().map_or(deepest.normal, |p| p.normal), points })
}

/// A flat wall with a rim; `x` is the hull's centre relative to the wall's.
#[inline(always)]
fn bounded<L: Lanes>(
    a: &Placed,
    wall: &PlacedWall,
    x: DVec3,
    over: impl Fn(DVec3) -> bool,
    margin: f64,
) -> Proximity {
    let up = wall.pose.rotation * wall.surface.axis();
    let height = x.dot(up);
    let normal = if height > 0.0 { -up } else { up };
    let gap = height.abs() - a.height::<L>(normal);
    if gap > margin {
        return Proximity::Apart(gap);
    }
    match &wall.flat {
        // Not over the rim: a plane, and precise however large the wall is.
        Some(flat) if !(0..a.hull.vertices.len()).all(|k| over(a.vertex(k))) => hulls(a, flat, margin),
        _ => plane::<L>(a, normal, height.abs(), margin, over),
    }
}

/// Inside a cylinder only vertices touch; `x` is the hull's centre relative to a point of the axis.
fn inside(a: &Placed, x: DVec3, axis: DVec3, radius: f64, half: f64, margin: f64) -> Proximity {
    let mut found = Vec::new();
    let mut least = f64::INFINITY;
    for k in 0..a.hull.vertices.len() {
        let v = a.vertex(k);
        let p = v + x;
        let flat = p.reject_from_normalized(axis);
        let r = flat.length();
        let gap = radius - r;
        least = least.min(gap);
        if gap <= margin && p.dot(axis).abs() <= half {
            let normal = if r > 0.0 { flat / r } else { axis.any_orthonormal_vector() };
            found.push(Point {
                position: v + 0.5 * gap * normal,
                gap,
                normal,
                feature: name::of_a(k as u32),
            });
        }
    }
    if least > margin { Proximity::Apart(least) } else { chosen(a, found, margin) }
}

/// From outside a cylinder is its axis with a radius: the nearby part of it, as a hull of one edge.
#[inline(always)]
fn outside<L: Lanes>(a: &Placed, x: DVec3, axis: DVec3, radius: f64, half: f64, margin: f64) -> Proximity {
    let along = x.dot(axis);
    let reach = 2.0 * a.hull.radius;
    let (from, to) = ((along - reach).max(-half), (along + reach).min(half));
    let flat = x - along * axis;
    let between = flat.length() - radius - a.hull.radius;
    if between > margin || from >= to {
        return Proximity::Apart(between.max(margin.next_up()));
    }
    let line = Placed::new(Arc::new(Hull::segment(0.5 * (to - from))), DVec3::ZERO, along_z(axis));
    let d = 0.5 * (from + to) * axis - x;
    let (normal, gap, witness) = match distance::<L>(a, &line, d, margin + radius) {
        Distance::Apart(gap) => return Proximity::Apart(gap - radius),
        Distance::Separated(bound, simplex) => {
            (bound.direction, bound.gap - radius, of_simplex(a, &line, d, &simplex))
        }
        Distance::Unclear(..) => {
            // The axis itself is inside: out along the line from it to the centre.
            let normal = -flat.normalize_or(axis.any_orthonormal_vector());
            let v = a.highest::<L>(normal).0;
            let gap = -normal.dot(x) - normal.dot(a.vertex(v)) - radius;
            let on_a = a.vertex(v);
            let on_b = on_a + (gap + radius) * normal;
            (normal, gap, Witness { on_a, on_b, name: name::of_a(v as u32) })
        }
    };
    let highest = (a.highest::<L>(normal).0, line.highest::<L>(-normal).0);
    let witness = Witness { on_b: witness.on_b - radius * normal, ..witness };
    Proximity::Near(build(a, &line, d - radius * normal, (normal, gap), highest, witness, margin))
}

fn along_z(axis: DVec3) -> DQuat {
    DQuat::from_rotation_arc(DVec3::Z, axis)
}

#[cfg(test)]
mod tests {
    use rubblepile_core::{Rng, Wall};

    use super::*;
    use crate::solid::block;

    /// Where only vertices touch, the way of any surface gives what the ways of planes and cylinders give.
    #[test]
    fn closest_points_of_vertices_agree_with_planes_and_with_the_inside_of_cylinders() {
        let mut rng = Rng::new(41);
        let plane = rubblepile_core::wall::Plane { point: DVec3::ZERO, normal: DVec3::Z };
        let drum = Cylinder { centre: DVec3::ZERO, axis: DVec3::Z, radius: 4.0, length: None };
        let hull = Hull::new(&block(DVec3::new(1.0, 0.8, 0.6)).parts[0]).expect("a hull");
        let hull = Arc::new(hull);
        let (mut near, mut through) = (0, 0);
        for k in 0..2000 {
            let surface: Surface = if k % 2 == 0 { plane.into() } else { drum.into() };
            let pose = Wall::new(0, "", 0, surface).pose(0.0);
            let place = match k % 2 {
                0 => DVec3::new(0.0, 0.0, rng.range(0.1, 1.0)),
                _ => DVec3::new(rng.range(3.0, 3.9), 0.0, 0.0),
            };
            let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 3.0));
            let a = Placed::new(hull.clone(), place, turn);
            let own = hull_wall(&a, &PlacedWall::new(&surface, 0, &pose), 0.01);
            match (own, vertices(&a, 0.01, |x| surface.nearest_at(0, &pose, x))) {
                (Proximity::Near(m), Proximity::Near(n)) => {
                    near += 1;
                    through += usize::from(m.points.iter().any(|p| p.gap < 0.0));
                    assert_eq!(m.points.len(), n.points.len());
                    for (p, q) in m.points.iter().zip(n.points.iter()) {
                        assert!((p.gap - q.gap).abs() < 1e-12 && p.normal.distance(q.normal) < 1e-9);
                        assert!(p.position.distance(q.position) < 1e-9 && p.feature == q.feature);
                    }
                }
                (Proximity::Apart(gap), Proximity::Apart(other)) => assert!(gap > 0.01 && other > 0.01),
                other => panic!("{other:?}"),
            }
        }
        assert!(near > 500 && through > 300, "{near} {through}");
    }
}
