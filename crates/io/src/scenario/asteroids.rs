//! The `[[asteroid]]` table, and its checks.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check::Checker, quantity::*, shapes::unit_of_length};
use rubblepile_core::settings::join;
use rubblepile_core::wall::shapes::origin;

/// Facets that a made surface may have.
const MOST_FACETS: u64 = 20_000_000;

/// A rigid body with a triangulated surface and its own gravity, which reacts to the grains on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AsteroidTable {
    /// The name that gravity and grains refer to. Default: `asteroid`, or `asteroid-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material of its surface. Default: the only material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its bulk density. Default: the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Its shape.
    pub shape: AsteroidShape,
    /// Surface relief added to a generated shape. Not for `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relief: Option<ReliefTable>,
    /// Its body-fixed frame, in which latitudes and longitudes are measured.
    #[serde(default)]
    pub axes: AxesName,
    /// Initial position of the origin of its frame.
    #[serde(default = "origin")]
    pub position: Vector<LengthKind>,
    /// Its initial velocity. Default: at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vector<SpeedKind>>,
    /// Initial direction of its z axis. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pole: Option<Vector<NumberKind>>,
    /// Rotation period about its z axis; negative for retrograde rotation. Give this or `angular_velocity`. Default: not rotating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Its initial angular velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector<AngularVelocityKind>>,
    /// Whether its position and rotation are prescribed: it feels no reaction from grains.
    #[serde(default)]
    pub fixed: bool,
}

/// The shape of an asteroid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AsteroidShape {
    /// A sphere.
    Sphere(SphereAsteroid),
    /// An ellipsoid.
    Ellipsoid(EllipsoidAsteroid),
    /// A spinning top with an equatorial ridge.
    Top(TopAsteroid),
    /// A shape model: Wavefront OBJ, or a plate model of the Planetary Data System (TAB).
    File(FileAsteroid),
}

/// A sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereAsteroid {
    /// Its radius.
    pub radius: Length,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

/// An ellipsoid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipsoidAsteroid {
    /// Its semi-axes along x, y and z.
    pub semi_axes: Vector<LengthKind>,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

/// A spinning top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopAsteroid {
    /// Radius at the equator.
    pub radius: Length,
    /// Distance of the poles from the centre. Default: 0.9 of `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pole: Option<Length>,
    /// How sharp the ridge is, from 0, an ellipsoid, to 1, a double cone.
    #[serde(default = "ridge")]
    pub ridge: Number,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

/// A shape model from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAsteroid {
    /// The file; a relative path starts at the scenario's folder.
    pub path: String,
    /// Its unit of length: `"m"`, `"km"`.
    pub unit: String,
    /// Repairs flaws of the mesh where possible and reports them. Otherwise a flaw is an error.
    #[serde(default)]
    pub heal: bool,
}

/// Relief of a generated surface, from the seed of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReliefTable {
    /// Craters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub craters: Option<Spots>,
    /// Boulders that are part of the surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boulders: Option<Spots>,
    /// Root mean square height of a self-similar roughness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<Length>,
}

/// Craters or boulders: the cumulative number falls with the square of the size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spots {
    /// Their number.
    pub count: u64,
    /// Smallest radius.
    pub min: Length,
    /// Largest radius.
    pub max: Length,
}

/// The body-fixed frame of an asteroid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxesName {
    /// As the shape is given.
    Given,
    /// The origin is moved to the centre of mass.
    #[default]
    Centred,
    /// In addition, the axes are the principal axes of inertia: z has the largest moment, x the smallest.
    Principal,
}

fn many_facets() -> u64 {
    20_000
}
fn ridge() -> Number {
    Quantity::new(0.4)
}

pub(super) fn check(c: &mut Checker) {
    let mut names = HashSet::new();
    for (k, a) in c.scenario.asteroid.iter().enumerate() {
        let at = format!("asteroid[{k}]");
        c.name(a.name.as_deref().unwrap_or_default(), &mut names, &at, "asteroid");
        c.material(a.material.as_deref(), &at);
        match a.density {
            Some(density) => c.positive(density, &at, "density"),
            None => {
                let material = c.scenario.material.iter().find(|m| Some(&m.name) == a.material.as_ref());
                if material.is_some_and(|m| m.density.is_none()) {
                    let help = "add it here, such as `density = \"1194 kg/m3\"`";
                    c.add_help(
                        &at,
                        "`density` is missing: neither the asteroid nor its material has one",
                        help,
                    );
                }
            }
        }
        shape(c, a, &at);
        c.modest(a.position, &at, "position");
        if let Some(velocity) = a.velocity {
            c.modest(velocity, &at, "velocity");
        }
        if let Some(pole) = a.pole {
            c.direction(pole, &at, "pole");
        }
        match (a.period, a.angular_velocity) {
            (Some(_), Some(_)) => c.add(join(&at, "period"), "give `period` or `angular_velocity`, not both"),
            (Some(period), None) => {
                let sound = period.0.abs() >= 1e-30 && period.0.abs() <= 1e30;
                c.check(sound, &at, "period", || "the period must not be 0".into());
            }
            (None, Some(w)) => c.modest(w, &at, "angular_velocity"),
            (None, None) => {}
        }
    }
    if !c.scenario.asteroid.is_empty() {
        if matches!(c.scenario.frame, super::tables::FrameTable::Rotating(_)) {
            let help = "remove [frame], and give the asteroid its `period`";
            c.add_help("frame.rotating", "with an asteroid the frame must be inertial", help);
        }
        if matches!(c.scenario.domain, super::tables::DomainTable::Periodic(_)) {
            c.add("domain.periodic", "asteroids need open space, not a periodic box");
        }
    }
}

fn shape(c: &mut Checker, a: &AsteroidTable, at: &str) {
    let facets = |c: &mut Checker, facets: u64, at: &str| {
        c.check((20..=MOST_FACETS).contains(&facets), at, "facets", || {
            format!("`facets` must be between 20 and {MOST_FACETS}, it is {facets}")
        });
    };
    match &a.shape {
        AsteroidShape::Sphere(s) => {
            let at = format!("{at}.shape.sphere");
            c.positive(s.radius, &at, "radius");
            facets(c, s.facets, &at);
        }
        AsteroidShape::Ellipsoid(s) => {
            let at = format!("{at}.shape.ellipsoid");
            let least = s.semi_axes.0.min_element();
            c.check(least > 0.0, &at, "semi_axes", || {
                format!("semi-axes must be larger than 0; one is {least}")
            });
            c.modest(s.semi_axes, &at, "semi_axes");
            facets(c, s.facets, &at);
        }
        AsteroidShape::Top(s) => {
            let at = format!("{at}.shape.top");
            c.positive(s.radius, &at, "radius");
            if let Some(pole) = s.pole {
                c.positive(pole, &at, "pole");
            }
            let ridge = s.ridge.0;
            c.check((0.0..=1.0).contains(&ridge), &at, "ridge", || {
                format!("`ridge` must be between 0 and 1, it is {ridge}")
            });
            facets(c, s.facets, &at);
        }
        AsteroidShape::File(f) => {
            let inner = format!("{at}.shape.file");
            c.check(!f.path.trim().is_empty(), &inner, "path", || "the path is empty".into());
            if let Err(message) = unit_of_length(&f.unit) {
                c.add_help(join(&inner, "unit"), message, "give a unit of length, such as `\"km\"`");
            }
            if a.relief.is_some() {
                c.add(join(at, "relief"), "relief is for generated shapes, not for a file");
            }
        }
    }
    let Some(relief) = &a.relief else { return };
    let at = format!("{at}.relief");
    for (name, spots) in [("craters", &relief.craters), ("boulders", &relief.boulders)] {
        let Some(s) = spots else { continue };
        let at = format!("{at}.{name}");
        c.positive(s.min, &at, "min");
        c.positive(s.max, &at, "max");
        c.check(s.min.0 <= s.max.0, &at, "min", || "`min` must not be above `max`".into());
        c.check(s.count <= 1_000_000, &at, "count", || "at most a million are allowed".into());
    }
    if let Some(roughness) = relief.roughness {
        c.not_negative(roughness, &at, "roughness");
    }
}
