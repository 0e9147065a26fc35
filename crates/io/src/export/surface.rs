//! The surfaces of bodies where they are: polygons of rocks, and spheres as polyhedra made from an icosahedron.

use glam::DVec3;
use rubblepile_geometry::mesh::{Mesh, make::geodesic};

use crate::frame::FrameData;

/// Polygons of one body, in the world.
pub(super) struct PolygonSurface {
    pub vertices: Vec<DVec3>,
    pub faces: Vec<Vec<u32>>,
}

/// The rock of a body where it is, all parts; `None` for a sphere.
pub(super) fn rock(frame: &FrameData, k: usize) -> Option<PolygonSurface> {
    let solid = frame.solid(k)?;
    let mut faces = Vec::new();
    let mut first = 0;
    for part in &solid.parts {
        faces.extend(part.faces.iter().map(|f| f.iter().map(|&v| v + first).collect()));
        first += part.vertices.len() as u32;
    }
    let vertices = solid.vertices_at(frame.position[k], frame.orientation[k]).collect();
    Some(PolygonSurface { vertices, faces })
}

/// A sphere of radius 1 of `20 * 4^level` triangles.
pub(super) fn icosphere(level: u32) -> PolygonSurface {
    let Mesh { vertices, triangles } = geodesic(1 << level);
    PolygonSurface { vertices, faces: triangles.into_iter().map(Vec::from).collect() }
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
