//! An infinite plane, touched from both sides.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    drawing::{BoundingSphere, Drawing},
    shapes::*,
};
use crate::settings::{Check, quantity::*};

/// Infinite plane through `point`; `normal` is a unit vector.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    #[serde(with = "components")]
    pub point: DVec3,
    #[serde(with = "components")]
    pub normal: DVec3,
}

crate::archive_struct!(Plane { point, normal });

/// Infinite plane, touched from both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// A point of the plane.
    #[serde(default = "origin")]
    pub point: Vector<LengthKind>,
    /// Normal, of any length.
    #[serde(default = "z_axis")]
    pub normal: Vector<NumberKind>,
}

impl ShapeSettings for PlaneShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.point, at, "point");
        c.direction(self.normal, at, "normal");
    }

    fn surface(&self) -> Surface {
        Plane { point: self.point.0, normal: unit(self.normal) }.into()
    }
}

impl Geometry for Plane {
    type Placed = Plane;

    fn axis(&self) -> DVec3 {
        self.normal
    }

    fn centre(&self) -> DVec3 {
        self.point
    }

    #[inline]
    fn nearest(&self, _face: u32, x: DVec3) -> ClosestPoint {
        let h = (x - self.point).dot(self.normal);
        ClosestPoint::from_point(x, x - h * self.normal, self.normal)
    }

    fn is_invariant_under_rotation(&self, _centre: DVec3, axis: DVec3) -> bool {
        is_parallel(axis, self.normal)
    }

    fn curvature(&self, _x: DVec3) -> Curvature {
        Curvature::Flat
    }

    /// The side with less of the solid is the one that is through.
    fn depth(&self, vertices: &mut dyn Iterator<Item = DVec3>) -> f64 {
        let (mut above, mut below) = (0.0f64, 0.0f64);
        for x in vertices {
            let height = self.normal.dot(x - self.point);
            (above, below) = (above.max(height), below.max(-height));
        }
        above.min(below)
    }

    fn placed(&self, pose: &Pose) -> Plane {
        Plane { point: pose.to_world(self.point), normal: pose.rotation * self.normal }
    }
}

impl Draw for Plane {
    fn is_finite(&self) -> bool {
        false
    }

    fn draw(&self, drawing: &mut Drawing, extent: &BoundingSphere) {
        let (u, v) = self.normal.any_orthonormal_pair();
        let centre = extent.centre - (extent.centre - self.point).dot(self.normal) * self.normal;
        drawing.quad(centre, extent.radius * u, extent.radius * v);
    }
}
