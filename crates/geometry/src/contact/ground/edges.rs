//! Edges of the hull against edges of the surface that stick out.

use glam::DVec3;

use super::{Search, TILT, bottom};
use crate::{
    contact::name,
    mesh::{Bend, MeshEdge},
};

/// Two edges that lie across each other.
#[derive(Clone, Copy)]
struct Crossing {
    edge: u32,
    on_hull: DVec3,
    up: DVec3,
    gap: f64,
    facet: u32,
    /// Whether the direction is the normal of that facet.
    over_facet: bool,
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
        for c in touching(search, &ridge, crossings) {
            search.add(c.on_hull, c.up, c.gap, name::over_edge(c.edge, e), c.facet);
        }
    }
}

/// Those of the edges across a ridge that touch it. Edges can also pass below it with no overlap or hardly any, on the other side
/// of the surface; and of those that overlap only the ones count whose way out is about the shortest.
fn touching(search: &Search, ridge: &Ridge, mut crossings: Vec<Crossing>) -> Vec<Crossing> {
    if crossings.iter().all(|c| c.gap >= 0.0) {
        return crossings;
    }
    let depth = deepest(search, ridge);
    let best = way_out(search, ridge, &crossings);
    crossings.retain(|c| {
        let shortest = || beyond(search, ridge, c.up) >= 2.0 * best - search.tiny;
        c.gap >= 0.0 || (search.explains(c.gap, depth, c.over_facet) && shortest())
    });
    crossings
}

fn ridge(search: &Search, edge: &MeshEdge) -> Ridge {
    Ridge {
        ends: edge.ends.map(|v| search.vertex(v)),
        facets: edge.facets,
        normals: edge.facets.map(|f| search.facets.normals[f as usize]),
        inward: search.facets.inward(edge),
    }
}

/// The gap of the whole hull and a ridge along a direction.
fn beyond(search: &Search, ridge: &Ridge, up: DVec3) -> f64 {
    bottom(search.hull, up) - up.dot(ridge.ends[0]).max(up.dot(ridge.ends[1]))
}

/// The largest gap, that is the shortest way out, over the directions square to the ridge that it looks along: those of edges
/// that cross it, and of its own two sides. A hull over a rim must not be pushed off it sideways because some other of its
/// edges passes the rim that way.
fn way_out(search: &Search, ridge: &Ridge, crossings: &[Crossing]) -> f64 {
    let all = ridge.normals.into_iter().chain(crossings.iter().map(|c| c.up));
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
    let (up, facet, over_facet) = match past {
        [s, t] if s > TILT || t > TILT => return None,
        [s, t] if s > -1e-9 && s >= t => (ridge.normals[0], ridge.facets[0], true),
        [_, t] if t > -1e-9 => (ridge.normals[1], ridge.facets[1], true),
        _ => (up, ridge.facets[0].min(ridge.facets[1]), false),
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
    Some(Crossing { edge, on_hull, up, gap: up.dot(on_hull - (q + t * v)), facet, over_facet })
}

/// How deep the deepest point of a ridge is in the hull; negative: how far it stays outside, at most.
fn deepest(search: &Search, ridge: &Ridge) -> f64 {
    let [q, end] = ridge.ends;
    let depth = |t: f64| {
        let x = q + t * (end - q);
        let planes = search.hull.normals.iter().zip(&search.hull.hull.offsets);
        planes.map(|(n, offset)| offset - n.dot(x)).fold(f64::INFINITY, f64::min)
    };
    // The lowest of several straight lines has one top: thirds close in on it.
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..60 {
        let (s, t) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
        if depth(s) < depth(t) { from = s } else { to = t }
    }
    depth(0.5 * (from + to))
}
