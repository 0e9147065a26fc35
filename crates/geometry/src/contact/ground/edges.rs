//! Edges of the hull against edges of the surface that stick out.

use glam::DVec3;

use super::{Search, TILT};
use crate::{
    contact::name,
    mesh::{Bend, Edge},
};

/// Two edges that lie across each other.
#[derive(Clone, Copy)]
struct Crossing {
    edge: u32,
    on_hull: DVec3,
    up: DVec3,
    gap: f64,
    facet: u32,
}

/// An edge of the surface: its ends and, for each of its two sides, normal and the way into it.
struct Ridge {
    ends: [DVec3; 2],
    facets: [u32; 2],
    normals: [DVec3; 2],
    inward: [DVec3; 2],
}

pub fn pairs(search: &mut Search) {
    let facets = search.facets;
    let mut all: Vec<u32> = search.near.iter().flat_map(|&f| facets.sides[f as usize]).collect();
    all.sort_unstable();
    all.dedup();
    for e in all {
        let edge = &facets.edges[e as usize];
        if edge.bend != Bend::Ridge {
            continue;
        }
        let ridge = ridge(search, edge);
        let hull = search.hull;
        let above =
            |(n, offset): (&DVec3, &f64)| ridge.ends.iter().all(|q| n.dot(*q) - offset > search.margin);
        if hull.normals.iter().zip(&hull.hull.offsets).any(above) {
            continue;
        }
        let crossings: Vec<Crossing> = (0..hull.hull.edges.len() as u32)
            .filter_map(|a| crossing(search, a, &ridge))
            .filter(|c| c.gap <= search.margin)
            .collect();
        // Only asked for where something overlaps.
        let least = crossings.iter().any(|c| c.gap < 0.0).then(|| way_out(search, &ridge, &crossings));
        for c in crossings {
            let right = c.gap >= 0.0
                || least.is_some_and(|best| beyond(search, &ridge, c.up) >= 2.0 * best - search.tiny);
            if right {
                search.add(c.on_hull, c.up, c.gap, name::over_edge(c.edge, e), c.facet);
            }
        }
    }
}

fn ridge(search: &Search, edge: &Edge) -> Ridge {
    Ridge {
        ends: edge.ends.map(|v| search.vertex(v)),
        facets: edge.facets,
        normals: edge.facets.map(|f| search.facets.normals[f as usize]),
        inward: search.facets.inward(edge),
    }
}

/// The gap of the whole hull and a ridge along a direction.
fn beyond(search: &Search, ridge: &Ridge, up: DVec3) -> f64 {
    search.bottom(up) - up.dot(ridge.ends[0]).max(up.dot(ridge.ends[1]))
}

/// The largest gap, that is the shortest way out, over all directions that the ridge looks along: those of edges that cross
/// it, of faces of the hull, and of its own two sides. A hull over a rim must not be pushed off it sideways because some
/// other of its edges passes the rim that way.
fn way_out(search: &Search, ridge: &Ridge, crossings: &[Crossing]) -> f64 {
    let looks_along = |up: &DVec3| ridge.inward.iter().all(|t| up.dot(*t) <= TILT);
    let of_faces = search.hull.normals.iter().map(|n| -*n).filter(looks_along);
    let all = of_faces.chain(ridge.normals).chain(crossings.iter().map(|c| c.up));
    all.map(|up| beyond(search, ridge, up)).fold(f64::NEG_INFINITY, f64::max)
}

/// Where an edge of the hull passes over a ridge, if it does.
fn crossing(search: &Search, edge: u32, ridge: &Ridge) -> Option<Crossing> {
    let hull = search.hull;
    let ends = hull.hull.edges[edge as usize];
    let (p, u) = (hull.vertex(ends.start as usize), hull.edge_vector(edge));
    let [q, end] = ridge.ends;
    let v = end - q;
    let across = u.cross(v);
    // Edges along each other meet at their ends, as vertices.
    if across.length_squared() <= 1e-12 * u.length_squared() * v.length_squared() {
        return None;
    }
    let up = across.normalize();
    let up = if up.dot(ridge.normals[0] + ridge.normals[1]) < 0.0 { -up } else { up };
    // A direction past the normal of one side is taken back to it: the hull's edge lies over that facet, and the point is
    // one where it leaves it.
    let past = ridge.inward.map(|t| up.dot(t));
    let (up, facet) = match past {
        [s, t] if s > TILT || t > TILT => return None,
        [s, t] if s > -1e-9 && s >= t => (ridge.normals[0], ridge.facets[0]),
        [_, t] if t > -1e-9 => (ridge.normals[1], ridge.facets[1]),
        _ => (up, ridge.facets[0].min(ridge.facets[1])),
    };
    let along = u.normalize_or_zero();
    let (left, right) = (hull.normals[ends.left as usize], hull.normals[ends.right as usize]);
    if -up.dot(left.cross(along)) > TILT || -up.dot(along.cross(right)) > TILT {
        return None;
    }
    // Seen along the direction, where on each of the two they cross.
    let turn = across.dot(up);
    let (s, t) = ((q - p).cross(v).dot(up) / turn, (q - p).cross(u).dot(up) / turn);
    let on = -1e-12..=1.0 + 1e-12;
    if !on.contains(&s) || !on.contains(&t) {
        return None;
    }
    let on_hull = p + s * u;
    Some(Crossing { edge, on_hull, up, gap: up.dot(on_hull - (q + t * v)), facet })
}
