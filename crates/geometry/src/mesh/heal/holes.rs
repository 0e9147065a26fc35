//! Small holes are filled by the triangles of least area between the edges of their rim (Barequet and Sharir 1995).

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::{Mesh, facing::sides};

/// Larger holes stay open: what was there cannot be guessed.
const MOST_EDGES: usize = 200;
/// Part of the surface that is there, which a hole may have.
const MOST_AREA: f64 = 0.05;

/// Fills what it can, and says what it did.
pub(super) fn fill(mesh: &mut Mesh) -> Vec<String> {
    let area = |mesh: &Mesh, t: [u32; 3]| {
        let [a, b, c] = t.map(|k| mesh.vertices[k as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    let whole: f64 = mesh.triangles.iter().map(|&t| area(mesh, t)).sum();
    let mut edges: HashSet<[u32; 2]> = HashSet::new();
    for t in &mesh.triangles {
        edges.extend(sides(*t).map(|(i, j)| [i.min(j), i.max(j)]));
    }
    let mut done = Vec::new();
    for rim in rims(mesh) {
        let n = rim.len();
        let made = if n > MOST_EDGES { None } else { patch(mesh, &rim, &edges) };
        let patch_area = |made: &Vec<[u32; 3]>| made.iter().map(|&t| area(mesh, t)).sum::<f64>();
        let Some(made) = made.filter(|made| patch_area(made) <= MOST_AREA * whole) else {
            done.push(format!("left a hole of {n} edges open, which is too large to be filled"));
            continue;
        };
        for t in &made {
            edges.extend(sides(*t).map(|(i, j)| [i.min(j), i.max(j)]));
        }
        mesh.triangles.extend(made);
        done.push(format!("filled a hole of {n} edges"));
    }
    done
}

/// The rims of holes, in the order in which triangles that fill them go round. A rim that comes back to a vertex is cut into
/// two there.
fn rims(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut ways: HashMap<(u32, u32), usize> = HashMap::new();
    for t in &mesh.triangles {
        sides(*t).into_iter().for_each(|way| *ways.entry(way).or_default() += 1);
    }
    let open = |&(i, j): &(u32, u32)| !ways.contains_key(&(j, i)) && ways[&(i, j)] == 1;
    let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
    // In the order of triangles: the result must not depend on how a map is laid out.
    let mut starts = Vec::new();
    for (i, j) in mesh.triangles.iter().flat_map(|t| sides(*t)).filter(open) {
        next.entry(j).or_default().push(i);
        starts.push(j);
    }
    let mut found = Vec::new();
    for start in starts {
        let mut path = vec![start];
        while let Some(to) = path.last().and_then(|k| next.get_mut(k)).and_then(Vec::pop) {
            if let Some(since) = path.iter().position(|k| *k == to) {
                found.push(path.split_off(since));
            }
            path.push(to);
        }
    }
    found.retain(|rim| rim.len() >= 3);
    found
}

/// Triangles between the edges of a rim, without area or on an edge that is there already never. Where there are none such,
/// a fan about a new vertex in the middle.
pub(super) fn patch(mesh: &mut Mesh, rim: &[u32], edges: &HashSet<[u32; 2]>) -> Option<Vec<[u32; 3]>> {
    let n = rim.len();
    let at = |k: usize| mesh.vertices[rim[k] as usize];
    let free = |i: usize, j: usize| {
        let (a, b) = (rim[i].min(rim[j]), rim[i].max(rim[j]));
        j == i + 1 || (i == 0 && j == n - 1) || !edges.contains(&[a, b])
    };
    // The least area of the polygon from corner i to corner j, and the third corner of the triangle on its long edge.
    let mut best = vec![vec![(0.0, 0usize); n]; n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            best[i][j] = (f64::INFINITY, 0);
            if !free(i, j) {
                continue;
            }
            for k in i + 1..j {
                let area = 0.5 * (at(k) - at(i)).cross(at(j) - at(i)).length();
                let sum = area + best[i][k].0 + best[k][j].0;
                if area > 0.0 && sum < best[i][j].0 {
                    best[i][j] = (sum, k);
                }
            }
        }
    }
    let mut made = Vec::new();
    if best[0][n - 1].0.is_finite() {
        let mut todo = vec![(0, n - 1)];
        while let Some((i, j)) = todo.pop() {
            if j > i + 1 {
                let k = best[i][j].1;
                made.push([rim[i], rim[k], rim[j]]);
                todo.extend([(i, k), (k, j)]);
            }
        }
        return Some(made);
    }
    let middle = (0..n).map(at).sum::<DVec3>() / n as f64;
    let flat = |k: usize| (at(k) - middle).cross(at((k + 1) % n) - middle) == DVec3::ZERO;
    if (0..n).any(flat) {
        return None;
    }
    let new = mesh.vertices.len() as u32;
    mesh.vertices.push(middle);
    Some((0..n).map(|k| [rim[k], rim[(k + 1) % n], new]).collect())
}
