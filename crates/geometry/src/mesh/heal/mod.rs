//! Repairs of surfaces that are not closed, or not consistent, in this order: triangles that name nothing are dropped,
//! vertices at one place become one, triangles without corners and copies are dropped, all are made to face the same way,
//! flat triangles are done away with, the largest piece is kept, small holes are filled, and an inside-out surface is turned.
//!
//! It does not repair edges with more than two triangles (inner walls), surfaces with one side only (Moebius), large holes,
//! and surfaces that cross themselves: [`super::flaws`] of the result says what is left.

mod facing;
mod holes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use glam::DVec3;

use super::{Mesh, flaws, leaders, mass};

/// Vertices closer than this, as a part of the size of the surface, are one: a rounding of the file, not a feature.
const SAME_PLACE: f64 = 1e-9;

/// A surface after repair, and what was done to it, in sentences. Sound surfaces come back as they were.
pub fn heal(mut mesh: Mesh) -> (Mesh, Vec<String>) {
    let mut done = Vec::new();
    if flaws(&mesh).is_empty() {
        return (mesh, done);
    }
    let mut say = |n: usize, sentence: &dyn Fn(String) -> String, one: &str, many: &str| {
        if n > 0 {
            done.push(sentence(if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }));
        }
    };
    let (one, many) = ("triangle", "triangles");
    say(drop_senseless(&mut mesh), &|n| format!("dropped {n} without usable vertices"), one, many);
    say(merge(&mut mesh), &|n| format!("merged {n} with others at the same place"), "vertex", "vertices");
    say(drop_collapsed(&mut mesh), &|n| format!("dropped {n} with one corner twice"), one, many);
    say(drop_copies(&mut mesh), &|n| format!("dropped {n} that were there twice"), one, many);
    say(facing::agree(&mut mesh), &|n| format!("turned {n} that faced the other way"), one, many);
    say(facing::flip_flat(&mut mesh), &|n| format!("replaced {n} without area"), one, many);
    let (pieces, triangles) = keep_largest(&mut mesh);
    let of = if triangles == 1 { "1 triangle".into() } else { format!("{triangles} triangles") };
    say(pieces, &|n| format!("dropped {n} of {of} together"), "smaller piece", "smaller pieces");
    let holes = holes::fill(&mut mesh);
    done.extend(holes);
    if !mesh.triangles.is_empty() && mass(&mesh).volume < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        done.push("turned the whole surface, which was inside out".into());
    }
    let unused = drop_unused(&mut mesh);
    if unused > 0 {
        done.push(format!(
            "dropped {unused} {} of no triangle",
            if unused == 1 { "vertex" } else { "vertices" }
        ));
    }
    (mesh, done)
}

/// Triangles that name vertices that are not there, or not finite.
fn drop_senseless(mesh: &mut Mesh) -> usize {
    let before = mesh.triangles.len();
    let Mesh { vertices, triangles } = mesh;
    triangles.retain(|t| t.iter().all(|&k| vertices.get(k as usize).is_some_and(|v| v.is_finite())));
    before - triangles.len()
}

/// Makes triangles name one of several vertices at a place. The others stay, unused.
fn merge(mesh: &mut Mesh) -> usize {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&k| used[k as usize] = true);
    let all = || mesh.vertices.iter().zip(&used).filter(|(_, used)| **used).map(|(v, _)| *v);
    let (low, high) = (all().fold(DVec3::INFINITY, DVec3::min), all().fold(DVec3::NEG_INFINITY, DVec3::max));
    let reach = SAME_PLACE * (high - low).max_element();
    // Cells of twice the reach: whatever is within reach is in the same cell or in the next one. Without size, one cell.
    let cell = |v: DVec3| ((v - low) / (2.0 * reach).max(f64::MIN_POSITIVE)).round();
    let key = |c: DVec3| c.to_array().map(|x| x as i64);
    let mut first: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut name: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    let mut merged = 0;
    for k in (0..mesh.vertices.len()).filter(|&k| used[k]) {
        let v = mesh.vertices[k];
        let near = (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])));
        let at = key(cell(v));
        let found = near
            .filter_map(|d| first.get(&std::array::from_fn(|i| at[i].saturating_add(d[i]))))
            .flatten()
            .copied()
            .filter(|&other| mesh.vertices[other as usize].distance(v) <= reach)
            .min();
        match found {
            Some(other) => {
                name[k] = other;
                merged += 1;
            }
            None => first.entry(at).or_default().push(k as u32),
        }
    }
    mesh.triangles.iter_mut().flatten().for_each(|k| *k = name[*k as usize]);
    merged
}

fn drop_collapsed(mesh: &mut Mesh) -> usize {
    let before = mesh.triangles.len();
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    before - mesh.triangles.len()
}

/// Copies of a triangle, facing either way. One of them stays where it closes the surface; a sheet of two that stands out of a
/// surface closed without it goes altogether.
fn drop_copies(mesh: &mut Mesh) -> usize {
    let sorted = |mut t: [u32; 3]| {
        t.sort_unstable();
        t
    };
    let mut copies: HashMap<[u32; 3], usize> = HashMap::with_capacity(mesh.triangles.len());
    mesh.triangles.iter().for_each(|&t| *copies.entry(sorted(t)).or_default() += 1);
    if copies.len() == mesh.triangles.len() {
        return 0;
    }
    let mut at_edge: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b, c] in copies.keys() {
        [[a, b], [b, c], [a, c]].into_iter().for_each(|e| *at_edge.entry(e).or_default() += 1);
    }
    let before = mesh.triangles.len();
    let mut seen = std::collections::HashSet::new();
    mesh.triangles.retain(|&t| {
        let key @ [a, b, c] = sorted(t);
        let needed = [[a, b], [b, c], [a, c]].iter().all(|e| at_edge[e] <= 2);
        copies[&key] == 1 || (needed && seen.insert(key))
    });
    before - mesh.triangles.len()
}

/// Keeps the piece with the largest surface; gives the number of the others and of their triangles.
fn keep_largest(mesh: &mut Mesh) -> (usize, usize) {
    let leader = leaders(mesh);
    let mut area: HashMap<u32, f64> = HashMap::new();
    for (k, t) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(k);
        *area.entry(leader[t[0] as usize]).or_default() += 0.5 * (b - a).cross(c - a).length();
    }
    // Of two equal ones that which comes first.
    let Some((&largest, _)) = area.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0))) else {
        return (0, 0);
    };
    let before = mesh.triangles.len();
    mesh.triangles.retain(|t| leader[t[0] as usize] == largest);
    (area.len() - 1, before - mesh.triangles.len())
}

fn drop_unused(mesh: &mut Mesh) -> usize {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&k| used[k as usize] = true);
    let mut name = vec![0; used.len()];
    let mut kept = Vec::new();
    for (k, v) in mesh.vertices.iter().enumerate().filter(|(k, _)| used[*k]) {
        name[k] = kept.len() as u32;
        kept.push(*v);
    }
    mesh.triangles.iter_mut().flatten().for_each(|k| *k = name[*k as usize]);
    let dropped = used.len() - kept.len();
    mesh.vertices = kept;
    dropped
}
