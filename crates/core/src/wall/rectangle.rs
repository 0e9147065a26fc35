//! A flat rectangular plate.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    drawing::{BoundingSphere, Drawing},
    shapes::*,
};
use crate::settings::{Check, quantity::*};

/// Flat rectangle: `centre` +- `half_u` +- `half_v`, the two at right angles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    #[serde(with = "components")]
    pub centre: DVec3,
    #[serde(with = "components")]
    pub half_u: DVec3,
    #[serde(with = "components")]
    pub half_v: DVec3,
}

crate::archive_struct!(Rectangle { centre, half_u, half_v });

/// Flat rectangular plate, given by its centre and two perpendicular half sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RectangleShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// From the centre to the middle of one side.
    pub half_u: Vector<LengthKind>,
    /// From the centre to the middle of the next side.
    pub half_v: Vector<LengthKind>,
}

impl ShapeSettings for RectangleShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        for (key, v) in [("half_u", self.half_u), ("half_v", self.half_v)] {
            c.modest(v, at, key);
            c.check(v.0.length() > 1e-100, at, key, || format!("`{key}` has no length"));
        }
        let cosine = self.half_u.0.normalize_or_zero().dot(self.half_v.0.normalize_or_zero());
        c.check(cosine.abs() < 1e-6, at, "half_v", || {
            format!("`half_u` and `half_v` must be at right angles; the cosine between them is {cosine:.3e}")
        });
    }

    fn surface(&self) -> Surface {
        Rectangle { centre: self.centre.0, half_u: self.half_u.0, half_v: self.half_v.0 }.into()
    }
}

impl Geometry for Rectangle {
    type Placed = Rectangle;

    fn axis(&self) -> DVec3 {
        self.half_u.cross(self.half_v).normalize()
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }

    #[inline]
    fn nearest(&self, _face: u32, x: DVec3) -> ClosestPoint {
        let d = x - self.centre;
        let part = |h: DVec3| (d.dot(h) / h.length_squared()).clamp(-1.0, 1.0) * h;
        ClosestPoint::from_point(x, self.centre + part(self.half_u) + part(self.half_v), self.axis())
    }

    fn curvature(&self, _x: DVec3) -> Curvature {
        Curvature::Flat
    }

    fn placed(&self, pose: &Pose) -> Rectangle {
        Rectangle {
            centre: pose.to_world(self.centre),
            half_u: pose.rotation * self.half_u,
            half_v: pose.rotation * self.half_v,
        }
    }
}

impl Draw for Rectangle {
    fn draw(&self, drawing: &mut Drawing, _extent: &BoundingSphere) {
        drawing.quad(self.centre, self.half_u, self.half_v);
    }
}
