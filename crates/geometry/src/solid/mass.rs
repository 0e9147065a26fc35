//! Volume, centre of mass and inertia of polyhedra: sums over the tetrahedra that faces make with a point inside.
//! Exact but for rounding.

use glam::{DMat3, DVec3};
use rubblepile_core::Convex;

/// Moments of a homogeneous solid of unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    pub volume: f64,
    pub centre: DVec3,
    /// Integral of x x^T about the centre.
    pub second: DMat3,
}

impl Mass {
    /// Tensor of inertia about the centre.
    pub fn inertia(&self) -> DMat3 {
        let trace = self.second.x_axis.x + self.second.y_axis.y + self.second.z_axis.z;
        DMat3::from_diagonal(DVec3::splat(trace)) - self.second
    }

    /// Of two solids together.
    pub fn add(&self, other: &Mass) -> Mass {
        let volume = self.volume + other.volume;
        let centre = (self.volume * self.centre + other.volume * other.centre) / volume;
        let about = |m: &Mass| m.second + m.volume * outer(m.centre - centre, m.centre - centre);
        Mass { volume, centre, second: about(self) + about(other) }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Of one convex polyhedron, as [`super::convex_hull`] makes them: each face has at least three of its vertices.
pub fn mass_of(convex: &Convex) -> Mass {
    let at = |k: u32| convex.vertices[k as usize];
    // From inside: all tetrahedra count positive and nothing cancels, however far away the origin is.
    let inside = convex.vertices.iter().sum::<DVec3>() / convex.vertices.len() as f64;
    let fans = convex
        .faces
        .iter()
        .flat_map(|face| face[1..].windows(2).map(move |pair| [at(face[0]), at(pair[0]), at(pair[1])]));
    mass_of_triangles(fans, inside)
}

/// Of the solid inside a closed surface of triangles, which go round against the clock seen from outside. `inside`: a point
/// near its middle.
pub fn mass_of_triangles(triangles: impl Iterator<Item = [DVec3; 3]>, inside: DVec3) -> Mass {
    let (mut six, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for corners in triangles {
        let [a, b, c] = corners.map(|x| x - inside);
        let v = a.dot(b.cross(c));
        let sum = a + b + c;
        six += v;
        first += v * sum;
        // Second moments of a tetrahedron with one corner at the origin: V/20 (sum x_i x_i^T + s s^T).
        second += v * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
    }
    let shift = first / (4.0 * six);
    let volume = six / 6.0;
    Mass { volume, centre: inside + shift, second: second * (1.0 / 120.0) - volume * outer(shift, shift) }
}

/// Unit normal of a polygon, of at least three of the vertices, from the sum of its triangles.
pub fn face_normal(vertices: &[DVec3], face: &[u32]) -> DVec3 {
    let at = |k: u32| vertices[k as usize];
    let a = at(face[0]);
    face[1..].windows(2).map(|p| (at(p[0]) - a).cross(at(p[1]) - a)).sum::<DVec3>().normalize_or_zero()
}
