//! A cylinder, touched from the inside and from the outside, open at both ends. Without length it is a ring, without radius a
//! line, without both a point.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    drawing::{BoundingSphere, Drawing, circle},
    shapes::*,
};
use crate::settings::{Check, quantity::*};

/// Cylinder about `axis` (unit vector) through `centre`: infinite, or `length` long about the centre.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cylinder {
    #[serde(with = "components")]
    pub centre: DVec3,
    #[serde(with = "components")]
    pub axis: DVec3,
    pub radius: f64,
    pub length: Option<f64>,
}

crate::archive_struct!(Cylinder { centre, axis, radius, length });

/// Cylinder, open at its ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderShape {
    /// Middle of its axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its axis, of any length.
    #[serde(default = "z_axis")]
    pub axis: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Its length. Default: infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
}

impl ShapeSettings for CylinderShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.axis, at, "axis");
        c.positive(self.radius, at, "radius");
        if let Some(length) = self.length {
            c.positive(length, at, "length");
        }
    }

    fn surface(&self) -> Surface {
        let (axis, radius) = (unit(self.axis), self.radius.0);
        Cylinder { centre: self.centre.0, axis, radius, length: self.length.map(|l| l.0) }.into()
    }
}

impl Geometry for Cylinder {
    type Placed = Cylinder;

    fn axis(&self) -> DVec3 {
        self.axis
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }

    #[inline]
    fn nearest(&self, _face: u32, x: DVec3) -> ClosestPoint {
        let Cylinder { centre, axis, radius, length } = *self;
        let d = x - centre;
        let along = d.dot(axis);
        let flat = d - along * axis;
        let out = outwards(flat, axis);
        let along = match length {
            Some(l) => along.clamp(-0.5 * l, 0.5 * l),
            None => along,
        };
        ClosestPoint::from_point(x, centre + along * axis + radius * out, -out)
    }

    fn is_invariant_under_rotation(&self, centre: DVec3, axis: DVec3) -> bool {
        is_parallel(axis, self.axis) && is_on_axis(centre - self.centre, self.axis)
    }

    fn curvature(&self, x: DVec3) -> Curvature {
        Curvature::about(x - self.centre, self.axis)
    }

    fn placed(&self, pose: &Pose) -> Cylinder {
        Cylinder { centre: pose.to_world(self.centre), axis: pose.rotation * self.axis, ..*self }
    }
}

impl Draw for Cylinder {
    fn is_finite(&self) -> bool {
        self.length.is_some()
    }

    fn draw(&self, drawing: &mut Drawing, extent: &BoundingSphere) {
        let Cylinder { centre, axis, radius, length } = *self;
        let (middle, half) = match length {
            Some(length) => (centre, 0.5 * length),
            None => (centre + (extent.centre - centre).dot(axis) * axis, extent.radius),
        };
        let ends = [middle - half * axis, middle + half * axis];
        match (radius > 0.0, half > 0.0) {
            (true, true) => {
                let [a, b] = ends.map(|end| circle(end, axis, radius));
                drawing.band(a, b);
            }
            (true, false) => drawing.closed_line(circle(middle, axis, radius)),
            (false, true) => drawing.line(ends),
            (false, false) => drawing.vertex(middle),
        }
    }
}
