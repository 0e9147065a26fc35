//! The `[[asteroid]]` table: its settings, what is wrong with them, and the asteroids of a world that they give.
//!
//! Forms and relief are in `generate/asteroid`.

use std::{collections::HashSet, path::Path};

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Advice, Error, Rng, World,
    settings::{Problem, join},
    wall::shapes::origin,
};
use rubblepile_geometry::mesh::{self, Axes, Surfaces};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    build::material_id,
    check::Checker,
    error::ScenarioError,
    load::Loaded,
    quantity::*,
    tables::{DomainTable, FrameTable},
};
use crate::generate::asteroid::{AsteroidShape, MadeSurface, ReliefTable, SurfaceContext};

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

impl AxesName {
    fn axes(self) -> Axes {
        match self {
            AxesName::Given => Axes::Given,
            AxesName::Centred => Axes::Centred,
            AxesName::Principal => Axes::Principal,
        }
    }
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
        a.shape.settings().check(c, &format!("{at}.shape.{}", a.shape.key()));
        if let Some(relief) = &a.relief {
            if !a.shape.settings().takes_relief() {
                c.add(join(&at, "relief"), "relief is for generated shapes, not for a file");
            }
            relief.check(c, &join(&at, "relief"));
        }
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
        if matches!(c.scenario.frame, FrameTable::Rotating(_)) {
            let help = "remove [frame], and give the asteroid its `period`";
            c.add_help("frame.rotating", "with an asteroid the frame must be inertial", help);
        }
        if matches!(c.scenario.domain, DomainTable::Periodic(_)) {
            c.add("domain.periodic", "asteroids need open space, not a periodic box");
        }
    }
}

/// Adds the asteroids to the world; gives what was done to shape models that were repaired.
pub(super) fn add_asteroids(
    world: &mut World,
    loaded: &Loaded,
    base: &Path,
) -> Result<Vec<Advice>, ScenarioError> {
    let s = &loaded.scenario;
    let mut advice = Vec::new();
    for (k, table) in s.asteroid.iter().enumerate() {
        let name = table.name.as_deref().unwrap_or_default();
        let context = SurfaceContext {
            relief: table.relief.clone().unwrap_or_default(),
            seed: Rng::stream(s.run.seed, &format!("asteroid/{name}")).next_u64(),
            base,
        };
        let shape = table.shape.settings();
        let MadeSurface { mesh, repairs } = shape
            .surface(&context, &format!("asteroid[{k}].shape.{}", table.shape.key()))
            .map_err(|error| error.located(&loaded.sources))?;
        advice.extend(repairs.into_iter().map(Advice::note));
        let material = material_id(s, table.material.as_ref());
        let density = table.density.or(s.material.get(material as usize).and_then(|m| m.density));
        let mut asteroid = mesh::asteroid(mesh, density.map_or(0.0, |d| d.0), table.axes.axes());
        asteroid.id = k as u32;
        asteroid.name = name.into();
        asteroid.material = material;
        let pole = table.pole.map_or(DVec3::Z, |p| p.0.normalize_or(DVec3::Z));
        asteroid.orientation = DQuat::from_rotation_arc(DVec3::Z, pole);
        asteroid.position = table.position.0 + asteroid.orientation * asteroid.position;
        asteroid.velocity = table.velocity.map_or(DVec3::ZERO, |v| v.0);
        asteroid.spin = match (table.angular_velocity, table.period) {
            (Some(w), _) => w.0,
            (None, Some(period)) => std::f64::consts::TAU / period.0 * pole,
            (None, None) => DVec3::ZERO,
        };
        asteroid.fixed = table.fixed;
        let sound = |x: f64| x.is_finite() && x > 0.0;
        if !(sound(asteroid.mass) && sound(asteroid.inertia.min_element())) {
            let message = format!("its mass of {} kg is unusable", asteroid.mass);
            let problem = Problem::new(format!("asteroid[{k}].shape"), message);
            loaded.sources.problems(vec![problem.help("check its size, its unit and its density")])?;
        }
        world.asteroids.push(asteroid);
    }
    check_apart(world, loaded)?;
    Ok(advice)
}

/// Asteroids that touch at the start are refused: their contact is not resolved.
fn check_apart(world: &World, loaded: &Loaded) -> Result<(), ScenarioError> {
    if world.asteroids.len() < 2 {
        return Ok(());
    }
    let mut surfaces = Surfaces::default();
    surfaces.update(world);
    let Err(Error::AsteroidsTouch { names: [first, second], .. }) = surfaces.check_apart(world) else {
        return Ok(());
    };
    let k = world.asteroids.iter().position(|a| a.name == second).unwrap_or(0);
    let message =
        format!("asteroids `{first}` and `{second}` touch, and contact between asteroids is not resolved");
    let problem = Problem::new(format!("asteroid[{k}].position"), message);
    loaded.sources.problems(vec![problem.help("move them apart")])
}
