//! Grains over a place on an asteroid: at random in a cylinder that stands on its surface and whose ends follow the relief
//! below, by random sequential insertion (`insertion.rs`).

use glam::DVec3;
use rubblepile_core::{
    Asteroid, Domain, Rng, World,
    settings::{Check, Length, Number, Quantity, join},
    wall::Pose,
};
use rubblepile_geometry::mesh::SurfaceTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{GenerateError, GenerateFault, GrainTable, Region};

/// Random positions over a place on an asteroid, without overlaps: in a cylinder that stands on the surface along its mean
/// normal. They move with the asteroid. Heights are over the ground below each grain, whatever its relief.
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
    /// Lowest and highest height of grains over the ground below them.
    #[serde(default = "heights")]
    pub height: [Length; 2],
}

fn heights() -> [Length; 2] {
    [Quantity::new(1.0), Quantity::new(5.0)]
}

impl Heap {
    pub const ABOUT: &str = "Over a place on an asteroid, to fall on it.";

    /// What the grains begin in; `None`: there is no surface under it.
    fn column(&self, world: &World) -> Option<Column> {
        let asteroid = world.asteroids.iter().find(|a| a.name == self.on)?;
        Column::new(asteroid, [self.latitude.0, self.longitude.0], self.radius.0, self.height.map(|h| h.0))
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
        let column = self.column(context.world);
        let position = column
            .ok_or_else(|| GenerateFault::new("there is no surface there", "choose another place"))
            .and_then(|column| context.insert(&column, &radius, 0.0))
            .map_err(|fault| fault.at(at))?;
        Ok(GrainTable { position, radius: Some(radius), ..Default::default() })
    }
}

/// A cylinder along the mean normal of a place, between two heights over the ground below. Vectors are in the frame of the
/// asteroid.
#[derive(Debug)]
struct Column {
    tree: SurfaceTree,
    pose: Pose,
    /// The place of the surface that its axis goes through, and the direction of the axis.
    foot: DVec3,
    up: DVec3,
    radius: f64,
    height: [f64; 2],
}

impl Column {
    /// Over a latitude and a longitude, degrees.
    fn new(asteroid: &Asteroid, at: [f64; 2], radius: f64, height: [f64; 2]) -> Option<Self> {
        let [lat, lon] = at.map(f64::to_radians);
        let way = DVec3::new(lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin());
        let tree = SurfaceTree::new(&asteroid.mesh);
        let from = 2.0 * asteroid.radius * way;
        let (distance, _) = tree.ray(from, -way)?;
        let foot = from - distance * way;
        let mut normal = DVec3::ZERO;
        tree.within(foot, radius, |facet, _| {
            let [a, b, c] = asteroid.mesh.corners(facet as usize);
            let area = (b - a).cross(c - a);
            // The other side of a thin body does not count.
            if area.dot(way) > 0.0 {
                normal += area;
            }
        });
        let up = normal.normalize_or(way);
        Some(Column { tree, pose: asteroid.pose(), foot, up, radius, height })
    }

    /// Height of the ground above the base plane at a point of that plane; `None` if there is no ground there or an overhang covers it.
    fn ground(&self, place: DVec3) -> Option<f64> {
        let top = self.height[1] + 2.0 * self.radius;
        let from = place + top * self.up;
        let outside = self.tree.nearest(from).is_some_and(|n| n.distance > 0.0);
        let (depth, _) = self.tree.ray(from, -self.up).filter(|_| outside)?;
        Some(top - depth)
    }

    /// A position in the world as a point of the base plane and a height above it.
    fn place(&self, x: DVec3) -> (DVec3, f64) {
        let local = self.pose.to_local(x);
        let along = (local - self.foot).dot(self.up);
        (local - along * self.up, along)
    }
}

impl Region for Column {
    fn volume(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius * (self.height[1] - self.height[0])
    }

    fn centre(&self) -> DVec3 {
        let [low, high] = self.height;
        self.pose.to_world(self.foot + 0.5 * (low + high) * self.up)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let reach = DVec3::splat(self.height[1] + 3.0 * self.radius);
        (self.centre() - reach, self.centre() + reach)
    }

    fn holds(&self, x: DVec3, r: f64) -> bool {
        let (place, along) = self.place(x);
        let [low, high] = self.height;
        let slack = 1e-12 * self.radius.max(high);
        let above = self.ground(place).map_or(f64::NAN, |ground| along - ground);
        (place - self.foot).length() + r <= self.radius + slack
            && above - r >= low - slack
            && above + r <= high + slack
            && self.is_free(x, r)
    }

    fn has_room(&self, r: f64, _domain: &Domain) -> bool {
        self.radius - r >= 0.0 && self.height[1] - self.height[0] - 2.0 * r >= 0.0
    }

    fn draw(&self, r: f64, _domain: &Domain, rng: &mut Rng) -> DVec3 {
        let [low, high] = self.height;
        let (u, v) = self.up.any_orthonormal_pair();
        let rho = (self.radius - r) * rng.uniform().sqrt();
        let phi = rng.range(0.0, std::f64::consts::TAU);
        let over = rng.range(low + r, high - r);
        let place = self.foot + rho * (phi.cos() * u + phi.sin() * v);
        // Where there is no ground it is not free.
        let ground = self.ground(place).unwrap_or(f64::NAN);
        self.pose.to_world(place + (ground + over) * self.up)
    }

    /// Clear of slopes beside it.
    fn is_free(&self, x: DVec3, r: f64) -> bool {
        x.is_finite() && self.tree.nearest(self.pose.to_local(x)).is_some_and(|n| n.distance >= r)
    }
}
