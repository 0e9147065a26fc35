//! The inside of a box: six planes, each of which is touched from within.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    drawing::{BoundingSphere, Drawing},
    shapes::*,
};
use crate::settings::{Check, quantity::*};

/// The six faces of a box, seen from the inside: each face is an infinite plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    pub min: DVec3,
    pub max: DVec3,
}

crate::archive_struct!(Cuboid { min, max });

/// A box that may be turned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlacedCuboid {
    #[serde(with = "components")]
    pub centre: DVec3,
    /// From the centre to the middles of three faces.
    #[serde(with = "three_vectors")]
    pub halves: [DVec3; 3],
}

/// A box along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Lower corner.
    pub min: Vector<LengthKind>,
    /// Upper corner.
    pub max: Vector<LengthKind>,
}

impl ShapeSettings for BoxShape {
    fn check(&self, c: &mut Check, at: &str) {
        c.corners(self.min, self.max, at);
    }

    fn surface(&self) -> Surface {
        Cuboid { min: self.min.0, max: self.max.0 }.into()
    }
}

impl Geometry for Cuboid {
    type Placed = PlacedCuboid;

    fn faces(&self) -> u32 {
        6
    }

    fn axis(&self) -> DVec3 {
        DVec3::Z
    }

    fn centre(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    #[inline]
    fn nearest(&self, face: u32, x: DVec3) -> ClosestPoint {
        let axis = (face / 2) as usize;
        let mut normal = DVec3::ZERO;
        let mut point = x;
        let distance;
        if face.is_multiple_of(2) {
            normal[axis] = -1.0;
            distance = x[axis] - self.min[axis];
            point[axis] = self.min[axis];
        } else {
            normal[axis] = 1.0;
            distance = self.max[axis] - x[axis];
            point[axis] = self.max[axis];
        }
        ClosestPoint { point, normal, distance }
    }

    fn curvature(&self, _x: DVec3) -> Curvature {
        Curvature::Flat
    }

    fn depth(&self, vertices: &mut dyn Iterator<Item = DVec3>) -> f64 {
        vertices.map(|x| -self.distance(x)).fold(0.0, f64::max)
    }

    fn placed(&self, pose: &Pose) -> PlacedCuboid {
        let half = 0.5 * (self.max - self.min);
        let halves = [half.x * DVec3::X, half.y * DVec3::Y, half.z * DVec3::Z];
        PlacedCuboid { centre: pose.to_world(self.centre()), halves: halves.map(|h| pose.rotation * h) }
    }
}

impl Draw for PlacedCuboid {
    fn draw(&self, drawing: &mut Drawing, _extent: &BoundingSphere) {
        let [x, y, z] = self.halves;
        for (out, u, v) in [(x, y, z), (y, z, x), (z, x, y)] {
            drawing.quad(self.centre - out, u, v);
            drawing.quad(self.centre + out, u, v);
        }
    }
}
