//! How far two closed surfaces are apart: the smallest distance between their triangles, found by boxes.

use glam::{DQuat, DVec3};
use rubblepile_core::Asteroid;

use super::{
    SurfaceTree,
    tree::{Node, closest_point, meets},
};
use crate::contact::between_segments;

/// The smallest distance between the surfaces of two asteroids, m; 0 where they touch or one is inside the other.
pub fn gap(a: (&Asteroid, &SurfaceTree), b: (&Asteroid, &SurfaceTree)) -> f64 {
    let into = a.0.orientation.inverse();
    let view = View { turn: into * b.0.orientation, shift: into * (b.0.position - a.0.position) };
    let best = smallest(a.1, b.1, &view);
    let inside = |tree: &SurfaceTree, x: DVec3| tree.nearest(x).is_some_and(|n| n.distance < 0.0);
    let first = |tree: &SurfaceTree| tree.corners.first().map_or(DVec3::NAN, |t| t[0]);
    if inside(a.1, view.of(first(b.1))) || inside(b.1, view.back(first(a.1))) { 0.0 } else { best }
}

/// The second surface in the frame of the first.
struct View {
    turn: DQuat,
    shift: DVec3,
}

impl View {
    fn of(&self, x: DVec3) -> DVec3 {
        self.turn * x + self.shift
    }

    fn back(&self, x: DVec3) -> DVec3 {
        self.turn.inverse() * (x - self.shift)
    }
}

fn smallest(a: &SurfaceTree, b: &SurfaceTree, view: &View) -> f64 {
    let bound = |p: &Node, q: &Node| {
        let middle = view.of(0.5 * (q.low + q.high));
        (p.low - middle).max(middle - p.high).max(DVec3::ZERO).length() - 0.5 * (q.high - q.low).length()
    };
    let mut best = f64::INFINITY;
    let mut stack = vec![(0usize, 0usize, f64::NEG_INFINITY)];
    while let Some((i, j, least)) = stack.pop() {
        let (Some(p), Some(q)) = (a.nodes.get(i), b.nodes.get(j)) else { continue };
        if least >= best {
            continue;
        }
        if p.count > 0 && q.count > 0 {
            for t in &a.corners[p.slots()] {
                for u in &b.corners[q.slots()] {
                    best = best.min(between(t, &u.map(|x| view.of(x))));
                }
            }
            continue;
        }
        // The larger one is divided.
        let size = |n: &Node| (n.high - n.low).length_squared();
        let pairs = if q.count > 0 || (p.count == 0 && size(p) >= size(q)) {
            [(i + 1, j), (p.start as usize, j)]
        } else {
            [(i, j + 1), (i, q.start as usize)]
        };
        let mut pairs = pairs.map(|(i, j)| (i, j, bound(&a.nodes[i], &b.nodes[j])));
        // The nearer one first.
        if pairs[0].2 < pairs[1].2 {
            pairs.swap(0, 1);
        }
        stack.extend(pairs);
    }
    best
}

/// Distance of two triangles.
fn between(t: &[DVec3; 3], u: &[DVec3; 3]) -> f64 {
    let edges = |t: &[DVec3; 3]| [0, 1, 2].map(|k| (t[k], t[(k + 1) % 3]));
    let through = |t: &[DVec3; 3], u: &[DVec3; 3]| {
        edges(t).iter().any(|(p, q)| meets(u, *p, *q - *p).is_some_and(|way| way <= 1.0))
    };
    if through(t, u) || through(u, t) {
        return 0.0;
    }
    let corners = |t: &[DVec3; 3], u: &[DVec3; 3]| {
        u.iter().map(|x| closest_point(t, *x).distance(*x)).fold(f64::INFINITY, f64::min)
    };
    let mut best = corners(t, u).min(corners(u, t));
    for p in edges(t) {
        for q in edges(u) {
            let (x, y) = between_segments(p, q);
            best = best.min(x.distance(y));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{
        Axes, asteroid,
        make::{Form, Relief, block, body},
    };

    fn with(mesh: crate::mesh::Mesh) -> (Asteroid, SurfaceTree) {
        let body = asteroid(mesh, 2000.0, Axes::Centred);
        let tree = SurfaceTree::new(&body.mesh);
        (body, tree)
    }

    fn apart(a: &(Asteroid, SurfaceTree), b: &(Asteroid, SurfaceTree)) -> f64 {
        gap((&a.0, &a.1), (&b.0, &b.1))
    }

    #[test]
    fn blocks_are_as_far_apart_as_they_are() {
        let cube = || with(block(DVec3::splat(1.0), 2));
        let (a, mut b) = (cube(), cube());
        let size = a.0.mesh.vertices.iter().map(|v| v.x).fold(0.0, f64::max);
        // Face to face, edge to edge, corner to corner.
        for (way, times) in [(DVec3::X, 1.0), (DVec3::new(1.0, 1.0, 0.0), 2.0), (DVec3::ONE, 3.0)] {
            b.0.position = (2.0 * size + 0.25) * way;
            assert!((apart(&a, &b) - 0.25 * f64::sqrt(times)).abs() < 1e-12, "{way}: {}", apart(&a, &b));
        }
        // An edge, turned up, over a crossing edge.
        let mut c = cube();
        c.0.orientation = DQuat::from_rotation_x(0.25 * std::f64::consts::PI);
        b.0.orientation = DQuat::from_rotation_y(0.25 * std::f64::consts::PI);
        b.0.position = DVec3::Z * (2.0 * 2f64.sqrt() * size + 0.5);
        assert!((apart(&c, &b) - 0.5).abs() < 1e-12, "{}", apart(&c, &b));
        b.0.position.z -= 0.500_001;
        assert_eq!(apart(&c, &b), 0.0);
    }

    #[test]
    fn one_inside_the_other_is_no_distance() {
        let (a, b) = (with(block(DVec3::splat(5.0), 3)), with(block(DVec3::splat(0.2), 1)));
        assert_eq!(apart(&a, &b), 0.0);
        assert_eq!(apart(&b, &a), 0.0);
    }

    #[test]
    fn rough_bodies_are_as_far_apart_as_all_pairs_of_triangles_say() {
        let relief = Relief { roughness: 0.05, boulders: 5, boulder_radius: [0.1, 0.3], ..Relief::default() };
        let form = Form::Ellipsoid { axes: DVec3::new(1.0, 0.7, 0.5) };
        let (a, mut b) = (with(body(form, &relief, 320, 1)), with(body(form, &relief, 320, 2)));
        for k in 0..6 {
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * f64::from(k), 0.7, 1.0 + f64::from(k));
            (b.0.orientation, b.0.position) = (turn, turn * DVec3::new(2.2, 0.1, 0.2));
            let view = View { turn: b.0.orientation, shift: b.0.position };
            let all = (a.1.corners.iter())
                .flat_map(|t| b.1.corners.iter().map(|u| between(t, &u.map(|x| view.of(x)))))
                .fold(f64::INFINITY, f64::min);
            assert!(all > 0.0);
            assert!((apart(&a, &b) - all).abs() < 1e-12);
        }
    }
}
