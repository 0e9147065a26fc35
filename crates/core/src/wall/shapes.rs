//! The shapes of walls: their list, and what each must implement.
//!
//! A new shape is a file like `plane.rs` and its lines in the list below; how, is in docs/add-a-wall-shape.md. It can be
//! used with every method then. Two places know more of some shapes than is said here: `geometry/src/meeting/` has times of
//! meeting in closed form, for hard spheres, and `geometry/src/contact/wall.rs` faces and edges, for polyhedra.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::Pose;
use super::{
    cuboid::{BoxShape, Cuboid, PlacedCuboid},
    cylinder::{Cylinder, CylinderShape},
    disk::{Disk, DiskShape},
    drawing::{BoundingSphere, Drawing},
    line::LineShape,
    plane::{Plane, PlaneShape},
    point::PointShape,
    rectangle::{Rectangle, RectangleShape},
    ring::RingShape,
};
use crate::settings::{Check, join, quantity::*};

/// Makes [`Surface`], [`PlacedSurface`] and [`WallShape`] from the lists of shapes.
macro_rules! shapes {
    (
        $(#[$surfaces_doc:meta])*
        surfaces {$($number:literal => $surface:ident($kind:ident) => $placed:ident,)*}
        $(#[$tables_doc:meta])*
        tables {$($(#[$doc:meta])* $key:ident: $table:ident($settings:ident),)*}
    ) => {
        $(#[$surfaces_doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Surface {
            $($surface($kind),)*
        }

        crate::archive_enum!(Surface { $($number => $surface { 0: shape },)* });

        $(impl From<$kind> for Surface {
            fn from(shape: $kind) -> Self {
                Surface::$surface(shape)
            }
        })*

        /// [`Geometry`], of whichever shape it is.
        impl Surface {
            #[inline]
            pub fn faces(&self) -> u32 {
                match self { $(Surface::$surface(s) => s.faces(),)* }
            }

            pub fn axis(&self) -> DVec3 {
                match self { $(Surface::$surface(s) => s.axis(),)* }
            }

            pub fn centre(&self) -> DVec3 {
                match self { $(Surface::$surface(s) => s.centre(),)* }
            }

            /// Nearest point of one face to `x`, both in the wall's frame.
            pub fn nearest(&self, face: u32, x: DVec3) -> ClosestPoint {
                match self { $(Surface::$surface(s) => s.nearest(face, x),)* }
            }

            pub fn distance(&self, x: DVec3) -> f64 {
                match self { $(Surface::$surface(s) => s.distance(x),)* }
            }

            pub fn is_invariant_under_rotation(&self, centre: DVec3, axis: DVec3) -> bool {
                match self { $(Surface::$surface(s) => s.is_invariant_under_rotation(centre, axis),)* }
            }

            pub fn curvature(&self, x: DVec3) -> Curvature {
                match self { $(Surface::$surface(s) => s.curvature(x),)* }
            }

            pub fn depth(&self, vertices: &mut dyn Iterator<Item = DVec3>) -> f64 {
                match self { $(Surface::$surface(s) => s.depth(vertices),)* }
            }

            pub fn placed(&self, pose: &Pose) -> PlacedSurface {
                match self { $(Surface::$surface(s) => PlacedSurface::$surface(s.placed(pose)),)* }
            }
        }

        /// A surface in the world, where it is at some time.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum PlacedSurface {
            $($surface($placed),)*
        }

        impl Draw for PlacedSurface {
            fn is_finite(&self) -> bool {
                match self { $(PlacedSurface::$surface(s) => s.is_finite(),)* }
            }

            fn draw(&self, drawing: &mut Drawing, extent: &BoundingSphere) {
                match self { $(PlacedSurface::$surface(s) => s.draw(drawing, extent),)* }
            }
        }

        $(#[$tables_doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum WallShape {
            $($(#[$doc])* $table($settings),)*
        }

        impl ShapeSettings for WallShape {
            fn check(&self, c: &mut Check, at: &str) {
                match self { $(WallShape::$table(s) => s.check(c, &join(at, stringify!($key))),)* }
            }

            fn surface(&self) -> Surface {
                match self { $(WallShape::$table(s) => s.surface(),)* }
            }
        }
    };
}

shapes! {
    /// A surface in the wall's own frame. Grains touch it from either side, at its closest point. The numbers are those of
    /// checkpoints.
    surfaces {
        0 => Plane(Plane) => Plane,
        1 => Disk(Disk) => Disk,
        2 => Rectangle(Rectangle) => Rectangle,
        3 => Box(Cuboid) => PlacedCuboid,
        4 => Cylinder(Cylinder) => Cylinder,
    }
    /// The shape of a wall.
    tables {
        /// Infinite plane.
        plane: Plane(PlaneShape),
        /// Flat round plate.
        disk: Disk(DiskShape),
        /// Flat rectangular plate.
        rectangle: Rectangle(RectangleShape),
        /// A box; grains must start inside it.
        box: Box(BoxShape),
        /// Cylinder, touched from inside and outside, open at its ends.
        cylinder: Cylinder(CylinderShape),
        /// A thin hoop.
        ring: Ring(RingShape),
        /// A thin wire.
        line: Line(LineShape),
        /// A point.
        point: Point(PointShape),
    }
}

/// The settings of a shape, as they are in a scenario.
pub trait ShapeSettings {
    /// Adds what is wrong with them; `at` is the path of their table.
    fn check(&self, c: &mut Check, at: &str);

    /// The surface; checked before.
    fn surface(&self) -> Surface;
}

/// A surface in its own frame. Functions with a default may be omitted.
pub trait Geometry: Copy {
    /// The surface where it is at some time, for pictures: itself, unless it has directions that it cannot turn.
    type Placed: Draw;

    /// Largest number of simultaneous contacts of a grain with it.
    fn faces(&self) -> u32 {
        1
    }

    /// Its own axis, about which a rotation turns it by default. A unit vector.
    fn axis(&self) -> DVec3;

    fn centre(&self) -> DVec3;

    /// The closest point of a face to `x`. For methods of spheres nothing else counts.
    fn nearest(&self, face: u32, x: DVec3) -> ClosestPoint;

    /// Distance to the closest face; negative past a face that has only one side.
    fn distance(&self, x: DVec3) -> f64 {
        (0..self.faces()).map(|face| self.nearest(face, x).distance).fold(f64::INFINITY, f64::min)
    }

    /// Whether turning about an axis through `centre` leaves it where it is. If so, it is not followed as it turns.
    fn is_invariant_under_rotation(&self, _centre: DVec3, _axis: DVec3) -> bool {
        false
    }

    /// Curvature of the distance along a straight line near `x`, so that the flight of a hard sphere can be followed in steps
    /// that do not jump over a touch.
    fn curvature(&self, x: DVec3) -> Curvature;

    /// How deep a solid with these vertices is in it at the start, for the summary of a scenario; 0 where that is not looked
    /// at.
    fn depth(&self, _vertices: &mut dyn Iterator<Item = DVec3>) -> f64 {
        0.0
    }

    fn placed(&self, pose: &Pose) -> Self::Placed;
}

/// A surface that is drawn.
pub trait Draw {
    /// Whether it ends somewhere. If not, it is cut to the extent of what is drawn.
    fn is_finite(&self) -> bool {
        true
    }

    fn draw(&self, drawing: &mut Drawing, extent: &BoundingSphere);
}

/// The closest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// Closest point of the surface.
    pub point: DVec3,
    /// Unit vector from the given point to the surface; for a point that lies on the surface, the surface's own
    /// normal.
    pub normal: DVec3,
    /// Distance to the surface; for a box, negative outside of that face.
    pub distance: f64,
}

impl ClosestPoint {
    /// The closest point to `x` is known; `surface_normal` counts where `x` lies on the surface.
    #[inline]
    pub fn from_point(x: DVec3, point: DVec3, surface_normal: DVec3) -> Self {
        let d = point - x;
        let distance = d.length();
        let normal = if distance > 0.0 { d / distance } else { -surface_normal };
        ClosestPoint { point, normal, distance }
    }
}

/// Curvature of the distance from a surface along a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curvature {
    /// As the distance from a plane, from an edge or from a point: its rate only grows.
    Flat,
    /// As the distance from something round about an axis that is this far away: with speed v its rate falls by 2 v^2 over
    /// this at most.
    Round(f64),
}

impl Curvature {
    /// At `d` from a point of an axis.
    pub fn about(d: DVec3, axis: DVec3) -> Self {
        Curvature::Round((d - d.dot(axis) * axis).length())
    }
}

/// Unit vector at right angles to an axis in the direction of `flat`, which is so already but for rounding. Within rounding of
/// the axis nothing is left of a direction, and all are as near: take any.
#[inline]
pub fn outwards(flat: DVec3, axis: DVec3) -> DVec3 {
    let u = flat.normalize_or_zero();
    let u = u - u.dot(axis) * axis;
    if u.length_squared() > 0.5 { u.normalize() } else { axis.any_orthonormal_vector() }
}

/// Whether two unit vectors are parallel, but for rounding.
pub fn is_parallel(a: DVec3, b: DVec3) -> bool {
    a.cross(b).length() < 1e-12
}

/// Whether a point at `d` from a point of the axis is on it, but for rounding.
pub fn is_on_axis(d: DVec3, axis: DVec3) -> bool {
    (d - d.dot(axis) * axis).length() <= 1e-12 * (1.0 + d.length())
}

/// The unit vector of a direction; checked before.
pub fn unit(direction: Vector<NumberKind>) -> DVec3 {
    direction.0.normalize_or(DVec3::Z)
}

pub fn origin() -> Vector<LengthKind> {
    Vector::new(0.0, 0.0, 0.0)
}

pub fn z_axis() -> Vector<NumberKind> {
    Vector::new(0.0, 0.0, 1.0)
}

pub fn no_length() -> Length {
    Quantity::new(0.0)
}

/// A vector as three numbers.
pub mod components {
    use glam::DVec3;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(v: &DVec3, s: S) -> Result<S::Ok, S::Error> {
        v.to_array().serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<DVec3, D::Error> {
        <[f64; 3]>::deserialize(d).map(DVec3::from_array)
    }
}

/// Three vectors, each as three numbers.
pub mod three_vectors {
    use glam::DVec3;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(v: &[DVec3; 3], s: S) -> Result<S::Ok, S::Error> {
        v.map(|v| v.to_array()).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[DVec3; 3], D::Error> {
        Ok(<[[f64; 3]; 3]>::deserialize(d)?.map(DVec3::from_array))
    }
}

impl Surface {
    /// As [`Surface::nearest`], in the world's frame, with the wall at `pose`.
    pub fn nearest_at(&self, face: u32, pose: &Pose, x: DVec3) -> ClosestPoint {
        let near = self.nearest(face, pose.to_local(x));
        ClosestPoint {
            point: pose.to_world(near.point),
            normal: pose.rotation * near.normal,
            distance: near.distance,
        }
    }
}
