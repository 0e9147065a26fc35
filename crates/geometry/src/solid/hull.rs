//! Convex hulls.
//!
//! Points are laid on a grid of 2^-40 of their extent, where the side of a plane on which a point lies is decided
//! exactly in 128-bit integers. The incremental hull of triangles is then correct whatever the input: boxes,
//! prisms, points on edges. Triangles within 1e-9 of one plane are merged to polygons, and points that are no
//! corner of the result are dropped. The vertices given back are the points as given, not those of the grid.
//! Time grows as points times faces: meant for rocks of at most some hundred vertices.

use std::collections::BTreeMap;

use glam::DVec3;
use rubblepile_core::Convex;

use super::SolidError;

/// Half the extent in steps of the grid: differences are below 2^40 and the determinant of three below 2^123.
const HALF: f64 = (1u64 << 39) as f64;
/// How far from a plane a point may lie to count as in it, relative to half the extent.
const FLAT: f64 = 1e-9;
/// Thinner than this, relative to half the extent, is no solid.
const THIN: f64 = 1e-6;
/// Half the extent, m: moments of inertia are fifth powers of it.
const SIZES: std::ops::RangeInclusive<f64> = 1e-50..=1e50;

/// The hull of the points, in the order in which its corners are given.
pub fn convex_hull(points: &[DVec3]) -> Result<Convex, SolidError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(SolidError::NotFinite { index });
    }
    let Some(&first) = points.first() else {
        return Err(SolidError::TooFew { distinct: 0 });
    };
    let (min, max) = points.iter().fold((first, first), |(l, h), &p| (l.min(p), h.max(p)));
    let half = 0.5 * (max - min).max_element();
    if half == 0.0 {
        return Err(SolidError::TooFew { distinct: 1 });
    }
    if !SIZES.contains(&half) {
        return Err(SolidError::Size);
    }
    let centre = min + 0.5 * (max - min);
    let scaled: Vec<DVec3> = points.iter().map(|&p| (p - centre) / half).collect();
    let mut kept = distinct(&scaled);
    if kept.len() < 4 {
        return Err(SolidError::TooFew { distinct: kept.len() });
    }
    // Every pass drops at least one point or ends.
    loop {
        let triangles = triangulate(&scaled, &kept)?;
        let faces =
            merge(&scaled, &triangles).unwrap_or_else(|| triangles.iter().map(|t| t.to_vec()).collect());
        let mut uses = vec![0u32; points.len()];
        faces.iter().flatten().for_each(|&v| uses[v as usize] += 1);
        let corners: Vec<u32> = kept.iter().copied().filter(|&v| uses[v as usize] >= 3).collect();
        if corners.len() == kept.len() {
            return Ok(collect(points, &kept, faces));
        }
        if corners.len() < 4 {
            return Err(SolidError::Flat);
        }
        kept = corners;
    }
}

/// Indices of the points, without those that lie on an earlier one.
fn distinct(points: &[DVec3]) -> Vec<u32> {
    let mut kept: Vec<u32> = Vec::with_capacity(points.len());
    for (k, p) in points.iter().enumerate() {
        if !kept.iter().any(|&j| (points[j as usize] - p).abs().max_element() <= FLAT) {
            kept.push(k as u32);
        }
    }
    kept
}

type GridPoint = [i64; 3];

/// Six times the volume of a tetrahedron, exactly: positive where `d` is above the triangle that is
/// counter-clockwise from there.
fn orient(a: GridPoint, b: GridPoint, c: GridPoint, d: GridPoint) -> i128 {
    let [u, v, w] = [b, c, d].map(|p| std::array::from_fn::<i128, 3, _>(|k| i128::from(p[k] - a[k])));
    (u[1] * v[2] - u[2] * v[1]) * w[0]
        + (u[2] * v[0] - u[0] * v[2]) * w[1]
        + (u[0] * v[1] - u[1] * v[0]) * w[2]
}

/// Triangles of the hull of `points[kept]`.
fn triangulate(points: &[DVec3], kept: &[u32]) -> Result<Vec<[u32; 3]>, SolidError> {
    let grid: Vec<GridPoint> =
        points.iter().map(|p| p.to_array().map(|x| (x * HALF).round() as i64)).collect();
    let at = |k: u32| grid[k as usize];
    let start = first_four(points, kept)?;
    let [a, b, c, d] = start;
    let (b, c) = if orient(at(a), at(b), at(c), at(d)) > 0 { (c, b) } else { (b, c) };
    let mut triangles = vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    let mut hidden = Vec::new();
    for &p in kept.iter().filter(|p| !start.contains(p)) {
        hidden.clear();
        triangles.retain(|&t| {
            let seen = orient(at(t[0]), at(t[1]), at(t[2]), at(p)) > 0;
            if seen {
                hidden.push(t);
            }
            !seen
        });
        let edges: Vec<(u32, u32)> = hidden.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        // The edges of what `p` sees that it does not see from the other side.
        triangles.extend(edges.iter().filter(|&&(a, b)| !edges.contains(&(b, a))).map(|&(a, b)| [a, b, p]));
    }
    Ok(triangles)
}

/// Four points that span a volume: far apart, so that the answer to "is it flat" is a good one.
fn first_four(points: &[DVec3], kept: &[u32]) -> Result<[u32; 4], SolidError> {
    let at = |k: u32| points[k as usize];
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        kept.iter().copied().fold((kept[0], -1.0), |best, k| {
            let m = measure(at(k));
            if m > best.1 { (k, m) } else { best }
        })
    };
    let a = kept[0];
    let (b, length) = farthest(&|p| (p - at(a)).length());
    let along = (at(b) - at(a)) / length;
    let (c, width) = farthest(&|p| (p - at(a)).cross(along).length());
    if width < THIN {
        return Err(SolidError::Flat);
    }
    let normal = (at(b) - at(a)).cross(at(c) - at(a)).normalize();
    let (d, height) = farthest(&|p| (p - at(a)).dot(normal).abs());
    if height < THIN { Err(SolidError::Flat) } else { Ok([a, b, c, d]) }
}

/// Merges triangles in one plane to polygons. `None` if the regions are not discs, which only faces not much
/// larger than the tolerance can bring about.
fn merge(points: &[DVec3], triangles: &[[u32; 3]]) -> Option<Vec<Vec<u32>>> {
    let at = |k: u32| points[k as usize];
    let mut across = BTreeMap::new();
    for (k, &[a, b, c]) in triangles.iter().enumerate() {
        across.extend([((a, b), k), ((b, c), k), ((c, a), k)]);
    }
    let area: Vec<DVec3> = triangles.iter().map(|&[a, b, c]| (at(b) - at(a)).cross(at(c) - at(a))).collect();
    // Planes come from the largest triangles, whose normals are the best.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| area[j].length_squared().total_cmp(&area[i].length_squared()).then(i.cmp(&j)));
    let mut region = vec![usize::MAX; triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if region[seed] != usize::MAX {
            continue;
        }
        let (origin, normal) = (at(triangles[seed][0]), area[seed].normalize_or_zero());
        let mut members = vec![seed];
        region[seed] = seed;
        let mut next = 0;
        while next < members.len() {
            let [a, b, c] = triangles[members[next]];
            next += 1;
            for (u, v) in [(b, a), (c, b), (a, c)] {
                let other = *across.get(&(u, v))?;
                let within = triangles[other].iter().all(|&k| (at(k) - origin).dot(normal).abs() <= FLAT);
                if region[other] == usize::MAX && within {
                    region[other] = seed;
                    members.push(other);
                }
            }
        }
        faces.push(outline(triangles, &members, &region, &across)?);
    }
    Some(faces)
}

/// The corners around a region of triangles.
fn outline(
    triangles: &[[u32; 3]],
    members: &[usize],
    region: &[usize],
    across: &BTreeMap<(u32, u32), usize>,
) -> Option<Vec<u32>> {
    let mut next = BTreeMap::new();
    for &m in members {
        let [a, b, c] = triangles[m];
        for (u, v) in [(a, b), (b, c), (c, a)] {
            if region[*across.get(&(v, u))?] != region[m] && next.insert(u, v).is_some() {
                return None;
            }
        }
    }
    let &start = next.keys().next()?;
    let mut corners = vec![start];
    let mut v = *next.get(&start)?;
    while v != start && corners.len() <= next.len() {
        corners.push(v);
        v = *next.get(&v)?;
    }
    (corners.len() == next.len()).then_some(corners)
}

/// With vertices renumbered, each face from its lowest vertex on, and faces in order.
fn collect(points: &[DVec3], kept: &[u32], faces: Vec<Vec<u32>>) -> Convex {
    let mut number = vec![0u32; points.len()];
    for (new, &old) in kept.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    let mut faces: Vec<Vec<u32>> = faces
        .into_iter()
        .map(|face| {
            let mut face: Vec<u32> = face.into_iter().map(|v| number[v as usize]).collect();
            let lowest = (0..face.len()).min_by_key(|&k| face[k]).unwrap_or(0);
            face.rotate_left(lowest);
            face
        })
        .collect();
    faces.sort_unstable();
    Convex { vertices: kept.iter().map(|&k| points[k as usize]).collect(), faces }
}
