//! Reduces the contact points found to a few that support the hull as well.

use glam::{DMat3, DVec3};

use super::GroundPoint;
use crate::contact::{Placed, Point, manifold::select};

/// Points whose directions differ by less than this angle bear one load: four of them are enough.
const ALIKE: f64 = 0.05;
/// Points of one load closer than this, relative to the hull, are one.
const SAME: f64 = 2e-4;

/// Of the points of one direction at most four, the deepest always among them, moved from the hull's centre to the frame of
/// the surface.
pub fn keep(hull: &Placed, found: &mut [GroundPoint], out: &mut Vec<GroundPoint>) {
    // Names decide between equals, so that the order of the search does not.
    found.sort_by(|a, b| {
        let key = |p: &GroundPoint| (p.point.feature, p.facet);
        a.point.gap.total_cmp(&b.point.gap).then_with(|| key(a).cmp(&key(b)))
    });
    let mut loads: Vec<Vec<GroundPoint>> = Vec::new();
    for p in found.iter() {
        let alike = |l: &&mut Vec<GroundPoint>| l[0].point.normal.distance(p.point.normal) < ALIKE;
        match loads.iter_mut().find(alike) {
            Some(load) => {
                let near = |q: &GroundPoint| {
                    let way = q.point.position - p.point.position;
                    way.reject_from_normalized(q.point.normal).length() < SAME * hull.hull.radius
                };
                if !load.iter().any(near) {
                    load.push(*p);
                }
            }
            None => loads.push(vec![*p]),
        }
    }
    for load in loads {
        let (t, u) = load[0].point.normal.any_orthonormal_pair();
        let frame = DMat3::from_cols(t, u, load[0].point.normal).transpose();
        let flat: Vec<Point> =
            load.iter().map(|p| Point { position: frame * p.point.position, ..p.point }).collect();
        let chosen = select(&flat, hull.hull.radius);
        // A point is known by its name and where it is.
        let is = |p: &GroundPoint, q: &Point| {
            p.point.feature == q.feature && frame * p.point.position == q.position && p.point.gap == q.gap
        };
        for q in chosen.iter() {
            if let Some(p) = load.iter().find(|p| is(p, q)) {
                out.push(GroundPoint { point: moved(p.point, hull.centre), facet: p.facet });
            }
        }
    }
}

fn moved(point: Point, way: DVec3) -> Point {
    Point { position: point.position + way, ..point }
}
