//! A shape of wall that is not in the program: a spherical shell, with nothing but what docs/add-a-wall-shape.md says.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Rng, Wall,
    settings::quantity::*,
    wall::{
        Plane, Pose,
        drawing::{BoundingSphere, Drawing, circle},
        shapes::*,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// page: settings
/// Spherical shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Its centre.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Its radius.
    pub radius: Length,
}
// page: end

// page: surface
/// Spherical shell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sphere {
    #[serde(with = "components")]
    pub centre: DVec3,
    pub radius: f64,
}
// page: end

// page: geometry
impl Geometry for Sphere {
    type Placed = Sphere;

    fn axis(&self) -> DVec3 {
        DVec3::Z
    }

    fn centre(&self) -> DVec3 {
        self.centre
    }

    fn nearest(&self, _face: u32, x: DVec3) -> ClosestPoint {
        let out = (x - self.centre).normalize_or(DVec3::Z);
        ClosestPoint::from_point(x, self.centre + self.radius * out, -out)
    }

    fn is_invariant_under_rotation(&self, centre: DVec3, axis: DVec3) -> bool {
        is_on_axis(centre - self.centre, axis)
    }

    fn curvature(&self, x: DVec3) -> Curvature {
        Curvature::Round((x - self.centre).length())
    }

    fn placed(&self, pose: &Pose) -> Sphere {
        Sphere { centre: pose.to_world(self.centre), ..*self }
    }
}

impl Draw for Sphere {
    fn draw(&self, drawing: &mut Drawing, _extent: &BoundingSphere) {
        let at = |k: u32| {
            let (sine, cosine) = (std::f64::consts::PI * f64::from(k) / 16.0).sin_cos();
            circle(self.centre - cosine * self.radius * DVec3::Z, DVec3::Z, sine * self.radius)
        };
        (0..16).for_each(|k| drawing.band(at(k), at(k + 1)));
    }
}
// page: end

fn shell() -> Sphere {
    let table = SphereShape { centre: Vector::new(0.3, -0.2, 0.1), radius: 1.5.into() };
    Sphere { centre: table.centre.0, radius: table.radius.0 }
}

#[test]
fn no_point_of_the_shell_is_nearer_than_the_nearest() {
    let (shell, mut rng) = (shell(), Rng::new(3));
    for _ in 0..500 {
        let x = 3.0 * DVec3::new(rng.normal(), rng.normal(), rng.normal());
        let near = shell.nearest(0, x);
        assert!((near.distance - ((x - shell.centre).length() - shell.radius).abs()).abs() < 1e-12);
        assert!((x + near.distance * near.normal - near.point).length() < 1e-12);
        assert_eq!(shell.distance(x), near.distance);
    }
    assert!(shell.nearest(0, shell.centre).normal.is_finite());
}

/// What hard spheres rely on: along a straight line the rate of the distance falls no faster than the curvature says.
#[test]
fn the_distance_bends_no_more_than_its_curvature() {
    let (shell, mut rng) = (shell(), Rng::new(4));
    for _ in 0..500 {
        let (x, v) = (2.0 * rng.direction(), rng.direction());
        let Curvature::Round(rho) = shell.curvature(x) else { panic!("a shell is round") };
        let h = 1e-4 * rho;
        let d = |t: f64| shell.distance(x + t * v);
        if d(0.0) > 4.0 * h {
            let bend = (d(h) - 2.0 * d(0.0) + d(-h)) / (h * h);
            assert!(bend > -2.0 / rho, "{bend} at {x}");
        }
    }
}

#[test]
fn what_is_drawn_of_the_shell_is_on_it() {
    let (pose, mut drawing) =
        (Wall::new(0, "", 0, Plane { point: DVec3::ZERO, normal: DVec3::Z }), Drawing::default());
    let pose = Pose { rotation: DQuat::from_rotation_x(1.0), translation: DVec3::X, ..pose.pose(0.0) };
    let placed = shell().placed(&pose);
    placed.draw(&mut drawing, &BoundingSphere { centre: DVec3::ZERO, radius: 1.0 });
    assert!(placed.is_finite() && drawing.polygons.len() == 16 * 64);
    for x in &drawing.points {
        assert!((x.distance(pose.to_world(shell().centre)) - 1.5).abs() < 1e-12);
    }
    assert!(drawing.polygons.iter().flatten().all(|&k| (k as usize) < drawing.points.len()));
}

#[test]
fn the_page_shows_this_file() {
    let page = include_str!("../../../docs/add-a-wall-shape.md");
    let own = include_str!("own_wall_shape.rs");
    for part in ["settings", "surface", "geometry"] {
        let (_, text) = own.split_once(&format!("// page: {part}\n")).expect("a part");
        let (text, _) = text.split_once("// page: end").expect("its end");
        assert!(page.contains(text.trim()), "docs/add-a-wall-shape.md does not show the {part} of this file");
    }
}
