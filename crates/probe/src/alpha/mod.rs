//! The surface of a pile, and the volume in it: the alpha shape of the points of its bodies (section 4.2 of
//! nbody-polyhedra-2017).
//!
//! Points are the vertices of solids, and [`DIRECTIONS`] on every sphere (the corners of an icosahedron and of a
//! dodecahedron), a little above its surface, so that the solid of these points has the volume of the sphere. The
//! surface of a sphere in the pile's surface is then right in the mean and up to 6 % of its radius off in places.
//!
//! Alpha, if it is not given, is the larger of two lengths:
//! - the radius of the body of mean volume: what a ball as large as a body does not reach from outside is a pore;
//! - the smallest alpha at which all points are in one piece, so that no body is left out.
//!
//! and is then widened, by a tenth at a time, as long as the volume in the surface is less than that of the bodies: the ball
//! would get into long and flat ones, of which small clusters have few.
//!
//! The second is about the radius of the largest body. Measured on heaps of spheres pushed together at random: 8,000
//! equal ones have a porosity of 0.38 by this rule, 0.36 deep inside, 0.40 with twice the alpha and 0.45 in the hull;
//! 200 of radii 0.5 to 1.5 have 0.38, 0.33 deep inside and in the hull 0.46.
//!
//! Pores that the ball does not reach are filled (see [`complex`]), so that the volume hardly depends on alpha as
//! long as the ball is larger than the throats between bodies: what is left is how deep it gets into the hollows of
//! the surface. In a small pile that is most of its porosity; alpha then belongs to the number. An alpha below
//! about a body's radius lets the ball into the bodies themselves, and can make the porosity negative.

pub mod complex;
pub mod delaunay;
#[cfg(test)]
mod tests;

use glam::DVec3;
use rubblepile_core::{Error, Result, World};

use complex::{AlphaComplex, Pores};
use delaunay::Delaunay;

use crate::{clusters::Cluster, no_such_row, sum::reduce};

/// By how much alpha grows while the surface does not hold the bodies.
const WIDER: f64 = 1.1;
/// Points on a sphere.
pub const DIRECTIONS: usize = 32;
/// How far out they are, so that their convex hull has the volume of the sphere.
const OUT: f64 = 1.0612199275;

/// A closed surface of triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// m
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise as seen from outside. Every edge has an even number of them.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|k| self.vertices[k as usize])
    }

    /// Of what is inside, by the divergence theorem, m^3.
    pub fn volume(&self) -> f64 {
        let Some(&origin) = self.vertices.first() else { return 0.0 };
        let [six] = reduce(self.triangles.len(), |k| {
            let [a, b, c] = self.corners(k).map(|p| p - origin);
            [a.dot(b.cross(c))]
        });
        six / 6.0
    }

    /// m^2
    pub fn area(&self) -> f64 {
        let [two] = reduce(self.triangles.len(), |k| {
            let [a, b, c] = self.corners(k);
            [(b - a).cross(c - a).length()]
        });
        0.5 * two
    }
}

/// The alpha shape of some bodies, and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    pub surface: Surface,
    /// m
    pub alpha: f64,
    /// Inside the surface, m^3.
    pub volume: f64,
    /// Of the convex hull, m^3.
    pub hull_volume: f64,
    /// Of the solid matter, m^3.
    pub solid_volume: f64,
    /// kg
    pub mass: f64,
}

impl Envelope {
    /// Mass over the volume inside the surface, kg/m^3. Infinite if all is in one plane.
    pub fn bulk_density(&self) -> f64 {
        self.mass / self.volume
    }

    /// Eq. (16) of nbody-polyhedra-2017, with the mean density of the bodies as that of the material: the mass
    /// drops out.
    pub fn porosity(&self) -> f64 {
        1.0 - self.solid_volume / self.volume
    }

    /// The same for the convex hull.
    pub fn hull_porosity(&self) -> f64 {
        1.0 - self.solid_volume / self.hull_volume
    }

    /// Of some rows, where they are. `alpha` in m, infinite for the convex hull, `None` for the rule above.
    pub fn of_rows(world: &World, rows: &[u32], alpha: Option<f64>) -> Result<Self> {
        if let Some(&row) = rows.iter().find(|&&row| row as usize >= world.bodies.len()) {
            return Err(no_such_row(world, row));
        }
        let position = rows.iter().map(|&row| world.bodies.position[row as usize]).collect();
        Envelope::of(world, &Cluster::of(world, rows.to_vec(), position), alpha)
    }

    /// Of a cluster.
    pub fn of(world: &World, cluster: &Cluster, alpha: Option<f64>) -> Result<Self> {
        if let Some(alpha) = alpha.filter(|a| a.is_nan() || *a <= 0.0) {
            return Err(Error::Unsupported(format!(
                "alpha is the radius of a ball: {alpha} m is none; leave it out, or give a length above zero"
            )));
        }
        let points = points_of(world, cluster);
        let Some(delaunay) = Delaunay::new(&points) else {
            world.bodies.check_finite(world.time())?;
            return Err(Error::Unsupported(format!(
                "the alpha shape of {} points cannot be made: there are too many, or a shape or an orientation is not finite",
                points.len()
            )));
        };
        let complex = AlphaComplex::new(&delaunay);
        let [solid_volume] = reduce(cluster.len(), |k| [world.volume(cluster.rows[k] as usize)]);
        let mean = solid_volume / (cluster.len() as f64).max(1.0);
        let rule = || complex.critical().max((0.75 / std::f64::consts::PI * mean).cbrt());
        let given = alpha.is_some();
        let mut alpha = alpha.unwrap_or_else(rule);
        let mut inside = complex.inside(alpha, Pores::Filled);
        while !given && alpha.is_finite() && complex.volume(&inside) < solid_volume {
            alpha *= WIDER;
            inside = complex.inside(alpha, Pores::Filled);
            if inside.iter().all(|&kept| kept) {
                break;
            }
        }
        let mut surface = complex.surface(&inside);
        surface.vertices.iter_mut().for_each(|p| *p += cluster.centre);
        Ok(Envelope {
            surface,
            alpha,
            volume: complex.volume(&inside),
            hull_volume: complex.volume(&vec![true; inside.len()]),
            solid_volume,
            mass: cluster.mass,
        })
    }
}

/// The surface around some bodies, for files: see [`Envelope::of_rows`].
pub fn surface_of(world: &World, rows: &[u32], alpha: Option<f64>) -> Result<Surface> {
    Ok(Envelope::of_rows(world, rows, alpha)?.surface)
}

/// The points of a cluster, from its centre: digits are not lost far from the origin.
fn points_of(world: &World, cluster: &Cluster) -> Vec<DVec3> {
    let directions = directions();
    let mut points = Vec::new();
    for (&row, &position) in cluster.rows.iter().zip(&cluster.position) {
        let row = row as usize;
        let place = position - cluster.centre;
        match world.solid(row) {
            Some(solid) => points.extend(solid.vertices_at(place, world.bodies.orientation[row])),
            None => {
                let reach = OUT * world.bodies.radius[row];
                points.extend(directions.iter().map(|&d| place + reach * d));
            }
        }
    }
    points
}

/// Corners of an icosahedron and of the dodecahedron over its faces, on the unit sphere.
pub fn directions() -> [DVec3; DIRECTIONS] {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut out = [DVec3::ZERO; DIRECTIONS];
    let mut k = 0;
    let mut put = |d: DVec3| {
        out[k] = d.normalize();
        k += 1;
    };
    for s in [1.0, -1.0] {
        for t in [1.0, -1.0] {
            // Of the icosahedron (0, 1, g), of the dodecahedron (0, g, 1 / g), and in turn.
            for (x, y) in [(s, golden * t), (golden * t, s / golden)] {
                put(DVec3::new(0.0, x, y));
                put(DVec3::new(y, 0.0, x));
                put(DVec3::new(x, y, 0.0));
            }
            put(DVec3::new(1.0, s, t));
            put(DVec3::new(-1.0, s, t));
        }
    }
    out
}
