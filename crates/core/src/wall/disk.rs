//! A flat round plate, perhaps with a round hole in its middle.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    drawing::{BoundingSphere, Drawing, circle},
    shapes::*,
};
use crate::settings::{Check, quantity::*};

/// Flat disk; `hole` is the radius of a round hole in its middle (0: none), `normal` a unit vector.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Disk {
    #[serde(with = "components")]
    pub centre: DVec3,
    #[serde(with = "components")]
    pub normal: DVec3,
    pub radius: f64,
    pub hole: f64,
}

crate::archive_struct!(Disk { centre, normal, radius, hole });

/// Flat round plate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Normal, of any length.
    #[serde(default = "z_axis")]
    pub normal: Vector<NumberKind>,
    /// Its radius.
    pub radius: Length,
    /// Radius of a round hole in its middle.
    #[serde(default = "no_length")]
    pub hole: Length,
}

impl ShapeSettings for DiskShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.modest(self.centre, at, "centre");
        c.direction(self.normal, at, "normal");
        c.positive(self.radius, at, "radius");
        c.not_negative(self.hole, at, "hole");
        c.check(self.hole.0 < self.radius.0, at, "hole", || "the hole is larger than the disk".into());
    }

    fn surface(&self) -> Surface {
        let (normal, radius, hole) = (unit(self.normal), self.radius.0, self.hole.0);
        Disk { centre: self.centre.0, normal, radius, hole }.into()
    }
}

impl Geometry for Disk {
    type Placed = Disk;

    fn axis(&self) -> DVec3 {
        self.normal
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }

    #[inline]
    fn nearest(&self, _face: u32, x: DVec3) -> ClosestPoint {
        let d = x - self.centre;
        let h = d.dot(self.normal);
        let flat = d - h * self.normal;
        let r = flat.length();
        let clamped = r.clamp(self.hole, self.radius);
        ClosestPoint::from_point(x, self.centre + clamped * outwards(flat, self.normal), self.normal)
    }

    fn is_invariant_under_rotation(&self, centre: DVec3, axis: DVec3) -> bool {
        is_parallel(axis, self.normal) && is_on_axis(centre - self.centre, self.normal)
    }

    fn curvature(&self, x: DVec3) -> Curvature {
        Curvature::about(x - self.centre, self.normal)
    }

    fn placed(&self, pose: &Pose) -> Disk {
        Disk { centre: pose.to_world(self.centre), normal: pose.rotation * self.normal, ..*self }
    }
}

impl Draw for Disk {
    fn draw(&self, drawing: &mut Drawing, _extent: &BoundingSphere) {
        let Disk { centre, normal, radius, hole } = *self;
        if hole > 0.0 {
            drawing.band(circle(centre, normal, radius), circle(centre, normal, hole));
        } else {
            drawing.polygon(circle(centre, normal, radius));
        }
    }
}
