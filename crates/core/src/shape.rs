//! Shapes of bodies: spheres, and solids made of convex polyhedra. How they are made, measured and brought into
//! contact is the business of `geometry`; here is only what a world must hold and a checkpoint must save.

use std::sync::Arc;

use glam::{DQuat, DVec3};

/// Index into [`crate::World::shapes`]. Shape 0 is the sphere.
pub type ShapeId = u32;

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Of the body's radius.
    Sphere,
    /// A convex polyhedron, or several that make a concave rock.
    Solid(Arc<Solid>),
}

crate::archive_enum!(Shape { 0 => Sphere {}, 1 => Solid { 0: solid } });

impl Shape {
    pub fn solid(&self) -> Option<&Arc<Solid>> {
        match self {
            Shape::Sphere => None,
            Shape::Solid(solid) => Some(solid),
        }
    }
}

/// A convex polyhedron.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Convex {
    /// m, in the frame of the solid that it is a part of.
    pub vertices: Vec<DVec3>,
    /// Each face once, as a polygon: indices of its vertices, counter-clockwise as seen from outside.
    pub faces: Vec<Vec<u32>>,
}

crate::archive_struct!(Convex { vertices, faces });

/// A homogeneous solid of convex parts, in its own frame: the centre of mass is the origin and the axes are the
/// principal axes of inertia.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solid {
    /// One, or several that touch but do not overlap.
    pub parts: Vec<Convex>,
    /// m^3
    pub volume: f64,
    /// Principal moments of inertia at unit density, m^5.
    pub inertia: DVec3,
    /// Radius of the smallest sphere about the centre of mass, m.
    pub radius: f64,
}

crate::archive_struct!(Solid { parts, volume, inertia, radius });

impl Solid {
    /// All vertices in the world frame.
    pub fn vertices_at(&self, position: DVec3, orientation: DQuat) -> impl Iterator<Item = DVec3> + '_ {
        self.parts.iter().flat_map(|p| &p.vertices).map(move |&v| position + orientation * v)
    }
}
