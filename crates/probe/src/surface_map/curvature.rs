//! Curvature of a triangulated surface, from the change of its normals.
//!
//! Normals of vertices are means over the facets about them, weighted by angle. In each facet the symmetric matrix is taken
//! that best gives the change of the normal along its three sides (Rusinkiewicz 2004). It sees what the mesh resolves: finer
//! meshes of rough ground bend more.

use glam::{DMat3, DVec3};
use rubblepile_core::Mesh;

/// The second fundamental form in two directions along the surface. Positive where the surface is round like a ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondFundamentalForm {
    pub along: [DVec3; 2],
    /// uu, uv, vv, 1/m
    pub form: [f64; 3],
}

impl SecondFundamentalForm {
    /// Curvature along c u + s v.
    pub fn towards(&self, c: f64, s: f64) -> f64 {
        let [uu, uv, vv] = self.form;
        uu * c * c + 2.0 * uv * c * s + vv * s * s
    }
}

pub fn of_facets(mesh: &Mesh) -> Vec<SecondFundamentalForm> {
    let count = mesh.triangles.len();
    let normals: Vec<DVec3> = (0..count)
        .map(|k| {
            let [a, b, c] = mesh.corners(k);
            (b - a).cross(c - a).normalize_or_zero()
        })
        .collect();
    let mut about = vec![DVec3::ZERO; mesh.vertices.len()];
    for (k, t) in mesh.triangles.iter().enumerate() {
        let x = mesh.corners(k);
        for c in 0..3 {
            let angle = (x[(c + 1) % 3] - x[c]).angle_between(x[(c + 2) % 3] - x[c]);
            about[t[c] as usize] += angle * normals[k];
        }
    }
    about.iter_mut().for_each(|n| *n = n.normalize_or_zero());
    (0..count)
        .map(|k| {
            let n = mesh.triangles[k].map(|v| about[v as usize]);
            bend(mesh.corners(k), n, normals[k])
        })
        .collect()
}

/// Least squares: form (e.u, e.v) = (dn.u, dn.v) on the three sides e, along which the normal turns by dn.
fn bend(x: [DVec3; 3], n: [DVec3; 3], normal: DVec3) -> SecondFundamentalForm {
    let (u, v) = normal.any_orthonormal_pair();
    let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for k in 0..3 {
        let (side, turn) = (x[(k + 1) % 3] - x[k], n[(k + 1) % 3] - n[k]);
        for (row, wanted) in [
            (DVec3::new(side.dot(u), side.dot(v), 0.0), turn.dot(u)),
            (DVec3::new(0.0, side.dot(u), side.dot(v)), turn.dot(v)),
        ] {
            matrix += DMat3::from_cols(row * row.x, row * row.y, row * row.z);
            right += wanted * row;
        }
    }
    let form = matrix.inverse() * right;
    // A needle of a facet says nothing.
    let form = if form.is_finite() { form.to_array() } else { [0.0; 3] };
    SecondFundamentalForm { along: [u, v], form }
}
