//! Vertices of the hull against the surface, and vertices of the surface against the hull.

use glam::DVec3;

use super::{DEEPEST, Search, TILT};
use crate::{
    contact::{Proximity, hull_sphere, name},
    mesh::{Bend, TriangleFeature},
};

/// A facet next to a vertex of the hull: its closest point and where that is.
type Beside = (u32, DVec3, TriangleFeature);

pub fn of_hull(search: &mut Search) {
    for k in 0..search.hull.hull.vertices.len() {
        let x = search.hull.vertex(k);
        // A vertex that is near or inside is no higher than that above one of the facets in reach.
        if !search.near.iter().any(|&f| search.height(f, x) <= search.margin) {
            continue;
        }
        let Some(nearest) = search.tree.nearest(search.hull.centre + x) else { return };
        if nearest.distance > search.margin {
            continue;
        }
        if nearest.distance >= 0.0 {
            outside(search, k, x);
        } else {
            inside(search, k, x, -nearest.distance, nearest.triangle);
        }
    }
}

/// Facets nearer than `reach`, in order; points are seen from the hull's centre.
fn beside(search: &Search, x: DVec3, reach: f64) -> Vec<Beside> {
    let centre = search.hull.centre;
    let mut all = Vec::new();
    search
        .tree
        .places_within(centre + x, reach, |facet, point, place| all.push((facet, point - centre, place)));
    all.sort_unstable_by_key(|b: &Beside| b.0);
    all
}

/// Whether the hull is above one of its vertices, along `up`, but for edges that fall off by less than 15 degrees.
fn stands_on(search: &Search, vertex: usize, up: DVec3) -> bool {
    let hull = search.hull;
    hull.hull.vertex_edges.of(vertex).iter().all(|&e| {
        let way = hull.edge_vector(e);
        let from_here = if hull.hull.edges[e as usize].start as usize == vertex { way } else { -way };
        up.dot(from_here) >= -TILT * way.length()
    })
}

/// A vertex above the surface: over facets, and beside edges and vertices that stick out where those are the closest.
fn outside(search: &mut Search, vertex: usize, x: DVec3) {
    let feature = name::of_a(vertex as u32);
    let mut seen: Vec<u32> = Vec::new();
    for (facet, point, place) in beside(search, x, search.margin + search.tiny) {
        let (way, height) = (x - point, search.height(facet, x));
        let distance = way.length();
        // Closest to an edge within a plane or a hollow only by rounding: the facet counts as if it went on.
        let over = distance * distance - height * height <= search.tiny * search.tiny;
        let (up, gap) = match place {
            TriangleFeature::Inside => (search.facets.normals[facet as usize], height),
            TriangleFeature::Edge(k) => {
                let edge = search.facets.edges[search.facets.sides[facet as usize][k] as usize];
                if edge.bend != Bend::Ridge {
                    if !over {
                        continue;
                    }
                    (search.facets.normals[facet as usize], height)
                } else {
                    let past = search.facets.inward(&edge).iter().all(|t| way.dot(*t) <= 1e-12 * distance);
                    if !past || edge.facets[0].min(edge.facets[1]) != facet {
                        continue;
                    }
                    // On the edge itself no direction is to be had from the points.
                    let [n1, n2] = edge.facets.map(|f| search.facets.normals[f as usize]);
                    let up = if distance > search.tiny { way / distance } else { (n1 + n2).normalize_or(n1) };
                    (up, distance)
                }
            }
            TriangleFeature::Vertex(k) => {
                let corner = search.facets.mesh.triangles[facet as usize][k];
                if search.facets.blunt[corner as usize] {
                    if !over {
                        continue;
                    }
                    (search.facets.normals[facet as usize], height)
                } else {
                    let up = way / distance;
                    if seen.contains(&corner)
                        || distance <= search.tiny
                        || !search.facets.falls_away(corner, up, 1e-12)
                    {
                        continue;
                    }
                    seen.push(corner);
                    (up, distance)
                }
            }
        };
        if gap <= search.margin && stands_on(search, vertex, up) {
            search.add(x, up, gap, feature, facet);
        }
    }
}

/// A vertex that is inside by `depth`: out through the nearest of the facets that the hull can stand on with it. At the bottom
/// of a groove it may be beyond the end of the facet on one side by as much as it is inside the other; both count.
fn inside(search: &mut Search, vertex: usize, x: DVec3, depth: f64, nearest: u32) {
    let feature = name::of_a(vertex as u32);
    let beyond = 2.0 * depth + search.tiny;
    let mut some = false;
    for (facet, point, place) in beside(search, x, search.margin.max(beyond)) {
        let (up, height) = (search.facets.normals[facet as usize], search.height(facet, x));
        let aside = ((x - point).length_squared() - height * height).max(0.0).sqrt();
        let goes_on = |side: usize| {
            let edge = search.facets.sides[facet as usize][side];
            search.facets.edges[edge as usize].bend != Bend::Ridge && aside <= beyond
        };
        let over = match place {
            TriangleFeature::Inside => true,
            TriangleFeature::Edge(k) => goes_on(k),
            TriangleFeature::Vertex(k) => goes_on(k) && goes_on((k + 2) % 3),
        };
        let counts = height <= search.margin && height >= -depth * (1.0 + 1e-6) - search.tiny;
        if over && counts && stands_on(search, vertex, up) {
            search.add(x, up, height, feature, facet);
            some |= height <= 0.0;
        }
    }
    if some {
        return;
    }
    // The nearest way out is none for the hull as a whole (its vertex is next to a rim): the nearest that is one.
    let mut least: Option<(f64, u32)> = None;
    for (facet, _, place) in beside(search, x, DEEPEST * search.hull.hull.radius) {
        let height = search.height(facet, x);
        let up = search.facets.normals[facet as usize];
        let better = height <= 0.0 && least.is_none_or(|l| height > l.0);
        if better && place == TriangleFeature::Inside && stands_on(search, vertex, up) {
            least = Some((height, facet));
        }
    }
    match least {
        Some((height, facet)) => {
            search.add(x, search.facets.normals[facet as usize], height, feature, facet);
        }
        None => {
            let up = search.facets.normals[nearest as usize];
            let found = search.made(x, up, -depth, feature, nearest);
            if search.last_resort.is_none_or(|l| -depth < l.point.gap) {
                search.last_resort = Some(found);
            }
        }
    }
}

/// Vertices of the surface that stick out, against the closest point of the hull; those inside the hull, out through the
/// nearest face of it that they look at.
pub fn of_surface(search: &mut Search) {
    let (hull, facets) = (search.hull, search.facets);
    let mut all: Vec<u32> = search.near.iter().flat_map(|&f| facets.mesh.triangles[f as usize]).collect();
    all.sort_unstable();
    all.dedup();
    for vertex in all.into_iter().filter(|&v| !facets.blunt[v as usize]) {
        let x = search.vertex(vertex);
        let heights =
            || hull.normals.iter().zip(&hull.hull.offsets).map(|(n, offset)| (n.dot(x) - offset, *n));
        let top = heights().map(|h| h.0).fold(f64::NEG_INFINITY, f64::max);
        if top > search.margin {
            continue;
        }
        let (feature, facet) = (name::of_b(vertex), facets.facet_at[vertex as usize]);
        if top > search.tiny {
            let Proximity::Near(touch) = hull_sphere(hull, hull.centre + x, 0.0, search.margin) else {
                continue;
            };
            let Some(point) = touch.points.first() else { continue };
            let up = -point.normal;
            if facets.falls_away(vertex, up, TILT) {
                search.add(x + point.gap * up, up, point.gap, feature, facet);
            }
            continue;
        }
        let looks_at = heights().filter(|(_, n)| facets.falls_away(vertex, -*n, TILT));
        let best = looks_at.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((height, n)) = best
            && search.explains(height, -top, true)
        {
            search.add(x - height * n, -n, height, feature, facet);
        }
    }
}
