//! Grains over a place on an asteroid: at random in a cylinder that stands on its surface, by random sequential insertion
//! (`insertion.rs`).

use glam::DVec3;
use rubblepile_core::{
    Asteroid, World,
    settings::{Check, Length, Number, Quantity, join},
};
use rubblepile_geometry::mesh::SurfaceTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{GenerateError, GenerateFault, GrainTable, region::CylinderVolume};

/// Random positions over a place on an asteroid, without overlaps: in a cylinder that stands on the surface along its mean
/// normal. They move with the asteroid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heap {
    /// Name of the asteroid.
    pub on: String,
    /// Degrees north of the equator of its frame.
    pub latitude: Number,
    /// Degrees east of its x axis.
    pub longitude: Number,
    /// Radius of the cylinder.
    pub radius: Length,
    /// Lowest and highest height of grains over the surface.
    #[serde(default = "heights")]
    pub height: [Length; 2],
}

fn heights() -> [Length; 2] {
    [Quantity::new(1.0), Quantity::new(5.0)]
}

impl Heap {
    pub const ABOUT: &str = "Over a place on an asteroid, to fall on it.";

    /// The cylinder that the grains begin in; `None`: there is no surface under it.
    fn cylinder(&self, world: &World) -> Option<CylinderVolume> {
        let asteroid = world.asteroids.iter().find(|a| a.name == self.on)?;
        let (point, up) = surface_at(asteroid, self.latitude.0, self.longitude.0, self.radius.0)?;
        let [low, high] = self.height.map(|h| h.0);
        Some(CylinderVolume {
            centre: point + 0.5 * (low + high) * up,
            axis: up,
            radius: self.radius.0,
            length: high - low,
        })
    }
}

impl PlaceSettings for Heap {
    fn check(&self, c: &mut Check, count: GroupCount, at: &str) {
        let scene = c.scene;
        c.known(&self.on, scene.asteroids.iter().map(String::as_str), "asteroid", join(at, "on"));
        let latitude = self.latitude.0;
        c.check(latitude.abs() <= 90.0, at, "latitude", || {
            format!("a latitude is between -90 and 90 degrees, this is {latitude}")
        });
        c.check(self.longitude.0.abs() <= 360.0, at, "longitude", || {
            format!("a longitude is between -360 and 360 degrees, this is {}", self.longitude.0)
        });
        c.positive(self.radius, at, "radius");
        let [low, high] = self.height;
        c.check(low.0 >= 0.0 && low.0 < high.0, at, "height", || {
            format!("`height` is the lowest and the highest; they are {} and {}", low.0, high.0)
        });
        c.check(high.0 <= 1e30, at, "height", || "`height` is absurdly large".into());
        count.require(c);
    }

    fn avoids_others(&self) -> bool {
        true
    }

    fn carrier(&self) -> Option<&str> {
        Some(&self.on)
    }

    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError> {
        let radius = context.radii(context.count.unwrap_or(0) as usize)?;
        let cylinder = self.cylinder(context.world);
        let position = cylinder
            .ok_or_else(|| GenerateFault::new("there is no surface there", "choose another place"))
            .and_then(|cylinder| context.insert(&cylinder, &radius, 0.0))
            .map_err(|fault| fault.at(at))?;
        Ok(GrainTable { position, radius: Some(radius), ..Default::default() })
    }
}

/// The place of the surface under a latitude and a longitude, degrees, and the mean normal about it, in the world.
fn surface_at(asteroid: &Asteroid, latitude: f64, longitude: f64, about: f64) -> Option<(DVec3, DVec3)> {
    let (lat, lon) = (latitude.to_radians(), longitude.to_radians());
    let way = DVec3::new(lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin());
    let tree = SurfaceTree::new(&asteroid.mesh);
    let from = 2.0 * asteroid.radius * way;
    let (distance, _) = tree.ray(from, -way)?;
    let point = from - distance * way;
    let mut normal = DVec3::ZERO;
    tree.within(point, about, |facet, _| {
        let [a, b, c] = asteroid.mesh.corners(facet as usize);
        let area = (b - a).cross(c - a);
        // The other side of a thin body does not count.
        if area.dot(way) > 0.0 {
            normal += area;
        }
    });
    let pose = asteroid.pose();
    Some((pose.to_world(point), pose.rotation * normal.normalize_or(way)))
}
