//! The surfaces of bodies where they are: polygons of rocks, and spheres as polyhedra made from an icosahedron.

use std::collections::HashMap;

use glam::DVec3;

use crate::frame::FrameData;

/// Polygons of one body, in the world.
pub(super) struct Surface {
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Vec<u32>>,
}

/// The rock of a body where it is, all parts; `None` for a sphere.
pub(super) fn rock(frame: &FrameData, k: usize) -> Option<Surface> {
    let solid = frame.solid(k)?;
    let mut faces = Vec::new();
    let mut first = 0;
    for part in &solid.parts {
        faces.extend(part.faces.iter().map(|f| f.iter().map(|&v| v + first).collect()));
        first += part.vertices.len() as u32;
    }
    let vertices = solid.vertices_at(frame.position[k], frame.orientation[k]).collect();
    Some(Surface { vertices, faces })
}

/// A sphere of radius 1 of `20 * 4^level` triangles.
pub(super) fn icosphere(level: u32) -> Surface {
    // Three golden rectangles at right angles.
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        vertices.extend([DVec3::new(a, b, 0.0), DVec3::new(0.0, a, b), DVec3::new(b, 0.0, a)]);
    }
    // Neighbours are those at distance 2; every three that are neighbours of each other make a face.
    let near = |a: usize, b: usize| (vertices[a].distance(vertices[b]) - 2.0).abs() < 1e-9;
    let mut faces: Vec<Vec<u32>> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward =
                        (vertices[b] - vertices[a]).cross(vertices[c] - vertices[a]).dot(vertices[a]) > 0.0;
                    let (b, c) = if outward { (b, c) } else { (c, b) };
                    faces.push(vec![a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    vertices.iter_mut().for_each(|v| *v = v.normalize());
    for _ in 0..level {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut finer = Vec::with_capacity(4 * faces.len());
        for f in &faces {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let (a, b, c) = (f[0], f[1], f[2]);
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([vec![a, ab, ca], vec![b, bc, ab], vec![c, ca, bc], vec![ab, bc, ca]]);
        }
        faces = finer;
    }
    Surface { vertices, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icosphere_is_closed_and_nears_a_ball() {
        let mut last = 0.0;
        for level in 0..4 {
            let s = icosphere(level);
            let (v, f) = (s.vertices.len(), s.faces.len());
            assert_eq!(f, 20 << (2 * level));
            // Euler, with three edges to two triangles.
            assert_eq!(v + f - 3 * f / 2, 2);
            let at = |k: u32| s.vertices[k as usize];
            let volume: f64 = s.faces.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0).sum();
            assert!(volume > last && volume < 4.0 / 3.0 * std::f64::consts::PI, "{level}: {volume}");
            last = volume;
        }
        assert!((last / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
    }
}
