//! Triangles that face the same way as their neighbours, and flat ones that go.

use std::collections::{HashMap, VecDeque};

use glam::DVec3;

use super::Mesh;

/// The triangles at each edge.
fn at_edges(mesh: &Mesh) -> HashMap<[u32; 2], Vec<u32>> {
    let mut edges: HashMap<[u32; 2], Vec<u32>> = HashMap::with_capacity(3 * mesh.triangles.len() / 2);
    for (k, t) in mesh.triangles.iter().enumerate() {
        for (i, j) in sides(*t) {
            edges.entry([i.min(j), i.max(j)]).or_default().push(k as u32);
        }
    }
    edges
}

pub(super) fn sides([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Turns triangles so that neighbours go along their common edge in opposite ways, from one to the next (a flood). Of each
/// piece the fewer are turned. Across edges with more than two triangles nothing is said. Gives how many were turned.
pub(super) fn agree(mesh: &mut Mesh) -> usize {
    let edges = at_edges(mesh);
    let n = mesh.triangles.len();
    let mut turn: Vec<Option<bool>> = vec![None; n];
    let mut turned = 0;
    for start in 0..n {
        if turn[start].is_some() {
            continue;
        }
        turn[start] = Some(false);
        let (mut piece, mut queue) = (Vec::new(), VecDeque::from([start]));
        while let Some(k) = queue.pop_front() {
            piece.push(k);
            for (i, j) in sides(mesh.triangles[k]) {
                let both = &edges[&[i.min(j), i.max(j)]];
                let &[p, q] = both.as_slice() else { continue };
                let other = if p as usize == k { q } else { p } as usize;
                if turn[other].is_none() {
                    let same_way = sides(mesh.triangles[other]).contains(&(i, j));
                    turn[other] = Some(turn[k].unwrap_or(false) != same_way);
                    queue.push_back(other);
                }
            }
        }
        let more = 2 * piece.iter().filter(|&&k| turn[k] == Some(true)).count() > piece.len();
        for k in piece.into_iter().filter(|&k| turn[k] == Some(!more)) {
            mesh.triangles[k].swap(1, 2);
            turned += 1;
        }
    }
    turned
}

/// Triangles whose corners are on a line lie along an edge of a neighbour: the two become two others, on either side of the
/// middle corner. Gives how many went.
pub(super) fn flip_flat(mesh: &mut Mesh) -> usize {
    let flat = |mesh: &Mesh, k: usize| {
        let [a, b, c] = mesh.corners(k);
        (b - a).cross(c - a) == DVec3::ZERO
    };
    let mut todo: Vec<usize> = (0..mesh.triangles.len()).filter(|&k| flat(mesh, k)).collect();
    if todo.is_empty() {
        return 0;
    }
    let count = todo.len();
    let mut edges = at_edges(mesh);
    // A flip may leave another flat one, each shorter than the last.
    let mut tries = 20 * count;
    while let Some(k) = todo.pop() {
        let t = mesh.triangles[k];
        let length = |(i, j): (u32, u32)| mesh.vertices[i as usize].distance(mesh.vertices[j as usize]);
        let longest = sides(t).into_iter().max_by(|a, b| length(*a).total_cmp(&length(*b)));
        let Some((i, j)) = longest.filter(|_| tries > 0) else { break };
        tries -= 1;
        let key = [i.min(j), i.max(j)];
        let Some(&[p, q]) = edges.get(&key).map(Vec::as_slice) else { continue };
        let other = if p as usize == k { q } else { p } as usize;
        let apex = |t: [u32; 3]| t.into_iter().find(|c| *c != i && *c != j);
        let (Some(middle), Some(far)) = (apex(t), apex(mesh.triangles[other])) else { continue };
        let across = [middle.min(far), middle.max(far)];
        if middle == far || edges.contains_key(&across) {
            continue;
        }
        // t goes i, j, middle; the other one j, i, far.
        mesh.triangles[k] = [i, far, middle];
        mesh.triangles[other] = [far, j, middle];
        edges.remove(&key);
        edges.insert(across, vec![k as u32, other as u32]);
        // The edge (i, far) went to k, and (j, middle) to the other.
        for (edge, from, to) in [((i, far), other, k), ((j, middle), k, other)] {
            let at = edges.entry([edge.0.min(edge.1), edge.0.max(edge.1)]).or_default();
            at.iter_mut().filter(|x| **x as usize == from).for_each(|x| *x = to as u32);
        }
        todo.extend([k, other].into_iter().filter(|&k| flat(mesh, k)));
    }
    let left = (0..mesh.triangles.len()).filter(|&k| flat(mesh, k)).count();
    count.saturating_sub(left)
}
