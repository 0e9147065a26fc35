//! The `[[grains]]` table: its settings, what is wrong with them, and the grains of a world that they give.
//!
//! Where grains are, how large, of what shape and how fast is settled by generators, each with its own settings: see `generate`.

use std::{collections::HashSet, path::Path};

use rubblepile_core::{
    Rng, Severity, World,
    settings::{Problem, join},
    text,
};
use rubblepile_geometry::mesh::SurfaceTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{build::material_id, check::Checker, error::ScenarioError, load::Loaded, quantity::*};
use crate::generate::{
    GenerateError, GrainTable, MAX_GRAINS, SphereGrid,
    place::{GroupCount, PlaceContext},
    shape::{GrainShapes, OrientationName, ShapeTable, shape_schema, sphere_or_table, write_shape},
    size::{self, Size, SizeSettings},
    spin::SpinTable,
    vector_or_table::{vector_or_table, vector_or_table_schema},
    velocity::VelocityTable,
};

pub use crate::generate::place::{FilePlace, Place};

/// Bytes a grain takes in a run, and more with a tree: rough, for the check before a run.
pub const BYTES_PER_GRAIN: f64 = 900.0;

/// A group of grains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Name of the group. Default: `grains`, or `grains-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material. Default: the only material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Their number. Required for `random` and `heap`; a `lattice` without it fills its region; not for `file` and `points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Their shape. Shapes other than spheres are scaled to `radius` or `size`.
    #[serde(default, deserialize_with = "sphere_or_table", serialize_with = "write_shape")]
    #[schemars(schema_with = "shape_schema")]
    pub shape: ShapeTable,
    /// Initial orientation of grains that are not spheres. Default: `random` for random shapes, `aligned` for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationName>,
    /// Radius of every grain; of its circumscribed sphere (about the centre of mass) if it is not a sphere. Give this or
    /// `size`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Length>,
    /// Distribution of radii. Give this or `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Density of these grains, instead of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Where they are.
    pub place: Place,
    /// Initial velocities: one for all, as a vector, or a table whose parts are added up.
    #[serde(default, deserialize_with = "vector_or_table")]
    #[schemars(schema_with = "vector_or_table_schema::<SpeedKind, VelocityTable>")]
    pub velocity: VelocityTable,
    /// Spin of each grain about itself, besides that of a rigid rotation: one for all, as a vector, or a table whose
    /// parts are added up.
    #[serde(default, deserialize_with = "vector_or_table")]
    #[schemars(schema_with = "vector_or_table_schema::<AngularVelocityKind, SpinTable>")]
    pub spin: SpinTable,
}

impl Grains {
    /// Grains at a place, with the default of everything else.
    pub fn at(place: Place) -> Self {
        Grains {
            name: None,
            material: None,
            count: None,
            shape: ShapeTable::default(),
            orientation: None,
            radius: None,
            size: None,
            density: None,
            place,
            velocity: VelocityTable::default(),
            spin: SpinTable::default(),
        }
    }
    /// How radii are distributed; `None`: the table does not say.
    fn sizes(&self) -> Option<&dyn SizeSettings> {
        match (&self.size, &self.radius) {
            (Some(size), _) => Some(size.settings()),
            (None, Some(radius)) => Some(radius),
            (None, None) => None,
        }
    }

    /// The key that says how large grains are.
    fn size_key(&self) -> Option<&'static str> {
        match (self.radius, &self.size) {
            (Some(_), _) => Some("radius"),
            (None, Some(_)) => Some("size"),
            (None, None) => None,
        }
    }

    /// No grain is larger, m; 0 where the table does not say.
    fn largest(&self) -> f64 {
        self.sizes().map_or(0.0, |sizes| sizes.largest())
    }

    /// Writes out the defaults that depend on other keys.
    pub(super) fn fill_defaults(&mut self) {
        let largest = self.largest();
        if !self.shape.is_sphere() && self.orientation.is_none() {
            self.orientation = Some(self.shape.default_orientation());
        }
        self.place.settings_mut().fill_defaults(largest);
        self.velocity.fill_defaults();
    }
}

/// Adds what is wrong with the `[[grains]]` tables, and whether memory could never hold the grains.
pub(super) fn check(c: &mut Checker) {
    let scenario = c.scenario;
    let mut names = HashSet::new();
    let mut total = 0u64;
    for (k, grains) in scenario.grains.iter().enumerate() {
        let at = format!("grains[{k}]");
        c.name(grains.name.as_deref().unwrap_or_default(), &mut names, &at, "group of grains");
        c.material(grains.material.as_deref(), &at);
        density(c, grains, &at);
        shape(c, grains, &at);
        sizes(c, grains, &at);
        total = total.saturating_add(place(c, grains, &at));
        grains.velocity.check(c, &join(&at, "velocity"));
        grains.spin.check(c, &join(&at, "spin"));
        if total > MAX_GRAINS {
            let bytes = text::bytes(total as f64 * BYTES_PER_GRAIN);
            let message = format!("{total} grains would need about {bytes} of memory");
            c.add_help(join(&at, "count"), message, format!("at most {MAX_GRAINS} grains are possible"));
            return;
        }
    }
}

fn density(c: &mut Checker, grains: &Grains, at: &str) {
    if let Some(d) = grains.density {
        c.positive(d, at, "density");
        return;
    }
    let found = c.scenario.material.iter().position(|m| Some(&m.name) == grains.material.as_ref());
    if let Some(k) = found
        && c.scenario.material[k].density.is_none()
        && !grains.place.settings().brings_radii()
    {
        let message = format!("`density` is missing: grains are made of `{}`", c.scenario.material[k].name);
        c.add_help(format!("material[{k}]"), message, "add it here, such as `density = \"2500 kg/m3\"`");
    }
}

fn shape(c: &mut Checker, grains: &Grains, at: &str) {
    let (shape, inside) = (&grains.shape, join(at, "shape"));
    if shape.is_sphere() {
        if grains.orientation.is_some() {
            let help = "remove it, or give a `shape`";
            c.add_help(join(at, "orientation"), "spheres have no orientation", help);
        }
        return;
    }
    let method = c.scenario.method.settings();
    if method.spheres_only() {
        let help = "use [method.nonsmooth], or omit `shape`";
        let message = format!("{} spheres cannot have another shape", method.name());
        c.add_help(inside.clone(), message, help);
    }
    shape.check(c, grains.count, &inside);
}

fn sizes(c: &mut Checker, grains: &Grains, at: &str) {
    match (grains.radius, &grains.size) {
        (Some(_), Some(_)) => c.add(join(at, "size"), "give `radius` or `size`, not both"),
        (None, None) if !grains.place.settings().brings_radii() && !grains.shape.has_size() => {
            c.add_help(at, "`radius` or `size` is missing in this table", "for example `radius = \"10 cm\"`");
        }
        (None, None) => {}
        (Some(r), None) => {
            c.positive(r, at, "radius");
            size::check_not_tiny(c, r, at, "radius");
        }
        (None, Some(size)) => size::check(size, c, &join(at, "size")),
    }
}

/// At most how many grains there are.
fn place(c: &mut Checker, grains: &Grains, at: &str) -> u64 {
    let (place, inside) = (grains.place.settings(), format!("{at}.place.{}", grains.place.key()));
    let count = GroupCount { given: grains.count, at };
    let before = c.problems.len();
    if grains.count == Some(0) {
        c.add(count.path(), "`count` must be at least 1");
    }
    place.check(c, count, &inside);
    if c.problems.len() > before {
        return 0;
    }
    place.at_most(grains.count, &inside).unwrap_or_else(|problem| {
        c.problems.push(problem);
        0
    })
}

/// Adds the grains of all groups to the world.
pub(super) fn add_grains(world: &mut World, loaded: &Loaded, base: &Path) -> Result<(), ScenarioError> {
    let s = &loaded.scenario;
    let some_avoid_others = s.grains.iter().any(|g| g.place.settings().avoids_others());
    let unit = s.grains.iter().map(Grains::largest).fold(0.0, f64::max);
    let mut taken = SphereGrid::new(world.domain, if unit > 0.0 { unit } else { 1.0 });
    for (k, grains) in s.grains.iter().enumerate() {
        let at = format!("grains[{k}]");
        let first = world.bodies.len();
        add_group(world, loaded, base, (k, grains), &mut taken)
            .map_err(|error| error.located(&loaded.sources))?;
        let rows = first..world.bodies.len();
        if world.bodies.len() as u64 > MAX_GRAINS {
            let problem = Problem::new(at, "too many grains").help(format!("at most {MAX_GRAINS}"));
            return Err(GenerateError::from(problem).located(&loaded.sources));
        }
        if some_avoid_others && !grains.place.settings().avoids_others() {
            for row in rows {
                taken.insert(world.bodies.position[row], world.bodies.radius[row], row as u32);
            }
        }
    }
    check_masses(world, loaded)
}

/// Adds the grains of one group: where they are, then what they look like, then how they move.
fn add_group(
    world: &mut World,
    loaded: &Loaded,
    base: &Path,
    (k, grains): (usize, &Grains),
    taken: &mut SphereGrid,
) -> Result<(), GenerateError> {
    let s = &loaded.scenario;
    let at = format!("grains[{k}]");
    let name = grains.name.clone().unwrap_or_default();
    let stream = |what: &str| Rng::stream(s.run.seed, &format!("grains/{name}/{what}"));
    let shapes = GrainShapes::of(&grains.shape, base, &join(&at, "shape"))?;
    let own_radius = shapes.own_radius().map(Length::new);
    let material = material_id(s, grains.material.as_ref());
    let of_material = s.material.get(material as usize).and_then(|m| m.density);
    let density = grains.density.or(of_material).map(|d| d.0);
    let place = grains.place.settings();
    let mut context = PlaceContext {
        world,
        count: grains.count,
        sizes: grains.sizes().or(own_radius.as_ref().map(|r| r as &dyn SizeSettings)),
        size_key: grains.size_key(),
        density,
        group: &at,
        taken,
        stream: &stream,
        base,
        given: &loaded.given,
    };
    let made = place.grains(&mut context, &format!("{at}.place.{}", grains.place.key()))?;
    let GrainTable { position, radius, velocity, spin, density: densities } = made;
    let radii = match radius {
        Some(radii) => radii,
        None => context.radii(position.len())?,
    };
    let first = world.bodies.len();
    let looks = shapes.add(world, grains.orientation, &radii, &stream);
    for (i, (x, r)) in position.iter().zip(&radii).enumerate() {
        let density = densities.as_ref().map(|d| d[i]).or(density).unwrap_or(0.0);
        let x = world.domain.wrap(*x);
        let (shape, turn) = looks[i];
        let row = match world.shapes[shape as usize].solid() {
            None => world.bodies.push_sphere(x, *r, density, material, k as u32),
            Some(solid) => world.bodies.push_solid(x, turn, (shape, solid), density, material, k as u32),
        };
        if let Some(v) = &velocity {
            world.bodies.velocity[row] = v[i];
        }
        if let Some(w) = &spin {
            world.bodies.spin[row] = w[i];
        }
    }
    let rows = first..world.bodies.len();
    let (bodies, carrier) = (&mut world.bodies, place.carrier().or(grains.velocity.with.as_deref()));
    if let Some(asteroid) = world.asteroids.iter().find(|a| Some(a.name.as_str()) == carrier) {
        let pose = asteroid.pose();
        for row in rows.clone() {
            bodies.velocity[row] += pose.velocity_at(bodies.position[row]);
            bodies.spin[row] += pose.spin;
        }
    }
    grains.velocity.add(bodies, rows.clone(), &stream);
    grains.spin.add(bodies, rows, &stream);
    Ok(())
}

/// Masses and moments that are numbers: radii and densities may be of any size.
fn check_masses(world: &World, loaded: &Loaded) -> Result<(), ScenarioError> {
    let finite = |m: &f64| m.is_finite() && *m > 0.0;
    if let Some(row) = (0..world.bodies.len())
        .find(|&k| !finite(&world.bodies.mass[k]) || !finite(&world.bodies.inertia[k].min_element()))
    {
        let at = format!("grains[{}]", world.bodies.group[row]);
        let fault = Problem::new(
            at,
            format!("the mass of grain {row} is no usable number: {} kg", world.bodies.mass[row]),
        )
        .help("look at the radius and the density");
        loaded.sources.problems(vec![fault])?;
    }
    Ok(())
}

/// Grains that are inside an asteroid, or that overlap it where they must not.
pub(super) fn check_outside(world: &World, loaded: &Loaded) -> Result<(), ScenarioError> {
    let overlap = loaded.scenario.method.settings().start_overlap();
    for asteroid in &world.asteroids {
        let tree = SurfaceTree::new(&asteroid.mesh);
        let pose = asteroid.pose();
        let nearer_than = |k: usize, distance: f64| {
            let x = pose.to_local(world.bodies.position[k]);
            x.length() <= asteroid.radius + distance && tree.nearest(x).is_some_and(|n| n.distance < distance)
        };
        let rows = |distance: &dyn Fn(usize) -> f64| -> Vec<usize> {
            (0..world.bodies.len()).filter(|&k| nearer_than(k, distance(k))).collect()
        };
        let inside = rows(&|_| 0.0);
        let (what, rows) = if inside.is_empty() && overlap.severity == Severity::Fatal {
            ("overlap", rows(&|k| (1.0 - overlap.tolerated) * world.bodies.radius[k]))
        } else {
            ("are inside", inside)
        };
        if let Some(&first) = rows.first() {
            let message = format!(
                "{} grains {what} asteroid `{}` at the start (grain {first} is the first)",
                rows.len(),
                asteroid.name
            );
            let at = format!("grains[{}].place", world.bodies.group[first]);
            let problem = Problem::new(at, message).help("place them outside its surface");
            loaded.sources.problems(vec![problem])?;
        }
    }
    Ok(())
}
