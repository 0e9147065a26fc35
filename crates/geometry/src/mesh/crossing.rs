//! Triangles that go through each other, decided by exact signs (Shewchuk 1997).

use glam::DVec3;
use robust::{Coord3D, orient3d};

use super::{Flaw, Mesh, SurfaceTree};

/// Pairs of triangles of which an edge of one goes through the other.
pub fn find(mesh: &Mesh) -> Option<Flaw> {
    let mut pairs = Vec::new();
    SurfaceTree::new(mesh).near_pairs(|p, q| {
        if cross(mesh, p, q) {
            pairs.push([p.min(q) as usize, p.max(q) as usize]);
        }
    });
    let first = pairs.iter().min().copied()?;
    Some(Flaw::Crossing { pairs: pairs.len(), first })
}

/// On which side of the plane through `a`, `b` and `c` a point is.
fn side(a: DVec3, b: DVec3, c: DVec3, x: DVec3) -> f64 {
    let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    orient3d(coord(a), coord(b), coord(c), coord(x))
}

fn cross(mesh: &Mesh, p: u32, q: u32) -> bool {
    let (t, u) = (mesh.triangles[p as usize], mesh.triangles[q as usize]);
    let shared = t.iter().filter(|k| u.contains(k)).count();
    let at = |k: u32| mesh.vertices[k as usize];
    if shared >= 2 {
        // Two of one edge cross only if one is folded flat onto the other.
        let apex = |of: [u32; 3], other: [u32; 3]| of.into_iter().find(|k| !other.contains(k));
        let (Some(v), Some(w)) = (apex(t, u), apex(u, t)) else { return true };
        let [a, b, c] = t.map(at);
        let edge: Vec<DVec3> = t.iter().filter(|&&k| k != v).map(|&k| at(k)).collect();
        let along = edge[1] - edge[0];
        let across = |x: DVec3| (x - edge[0]).cross(along);
        return side(a, b, c, at(w)) == 0.0 && across(at(v)).dot(across(at(w))) > 0.0;
    }
    edges_through(mesh, t, u) || edges_through(mesh, u, t)
}

/// Whether an edge of `t` goes through the triangle `u`, edges with a corner in common left out.
fn edges_through(mesh: &Mesh, t: [u32; 3], u: [u32; 3]) -> bool {
    let at = |k: u32| mesh.vertices[k as usize];
    let [a, b, c] = u.map(at);
    (0..3).any(|k| {
        let (i, j) = (t[k], t[(k + 1) % 3]);
        if u.contains(&i) || u.contains(&j) {
            return false;
        }
        let (x, y) = (at(i), at(j));
        if side(a, b, c, x) * side(a, b, c, y) >= 0.0 {
            return false;
        }
        let turns = [side(x, y, a, b), side(x, y, b, c), side(x, y, c, a)];
        turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0)
    })
}
