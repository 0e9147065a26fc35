//! The asteroids of a world, from their tables, and grains that stand over them.

use std::path::Path;

use glam::{DQuat, DVec3};
use rubblepile_core::{Advice, Asteroid, Mesh, Rng, Severity, World};
use rubblepile_geometry::mesh::{
    self, Axes, SurfaceTree,
    make::{self, Form, Relief},
};

use super::{
    asteroids::{AsteroidShape, AsteroidTable, AxesName, FileAsteroid, Spots},
    build::material_id,
    error::ScenarioError,
    grains::Heap,
    load::Loaded,
    shapes::unit_of_length,
};
use crate::{
    generate::Region,
    shape_model::{self, ShapeModel},
};
use rubblepile_core::settings::Problem;

/// Gives what was done to shape models that were repaired.
pub(super) fn add_asteroids(
    world: &mut World,
    loaded: &Loaded,
    base: &Path,
) -> Result<Vec<Advice>, ScenarioError> {
    let s = &loaded.scenario;
    let mut advice = Vec::new();
    for (k, table) in s.asteroid.iter().enumerate() {
        let mesh = match &table.shape {
            AsteroidShape::File(file) => {
                let model = from_file(loaded, file, base, k)?;
                let note = |done: &String| Advice::note(format!("{}: {done}", file.path));
                advice.extend(model.repairs.iter().map(note));
                model.mesh
            }
            _ => made(table, s.run.seed).unwrap_or_default(),
        };
        let material = material_id(s, table.material.as_ref());
        let density = table.density.or(s.material.get(material as usize).and_then(|m| m.density));
        let axes = match table.axes {
            AxesName::Given => Axes::Given,
            AxesName::Centred => Axes::Centred,
            AxesName::Principal => Axes::Principal,
        };
        let mut asteroid = mesh::asteroid(mesh, density.map_or(0.0, |d| d.0), axes);
        asteroid.id = k as u32;
        asteroid.name = table.name.clone().unwrap_or_default();
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
    Ok(advice)
}

/// A surface that is made; `None`: it comes from a file.
fn made(table: &AsteroidTable, seed: u64) -> Option<Mesh> {
    let (form, facets) = match &table.shape {
        AsteroidShape::Sphere(s) => (Form::Ellipsoid { axes: DVec3::splat(s.radius.0) }, s.facets),
        AsteroidShape::Ellipsoid(s) => (Form::Ellipsoid { axes: s.semi_axes.0 }, s.facets),
        AsteroidShape::Top(s) => {
            let pole = s.pole.map_or(0.9 * s.radius.0, |p| p.0);
            (Form::Top { equator: s.radius.0, pole, ridge: s.ridge.0 }, s.facets)
        }
        AsteroidShape::File(_) => return None,
    };
    let relief = table.relief.clone().unwrap_or_default();
    let spots =
        |s: &Option<Spots>| s.as_ref().map_or((0, [1.0; 2]), |s| (s.count as u32, [s.min.0, s.max.0]));
    let ((craters, crater_radius), (boulders, boulder_radius)) =
        (spots(&relief.craters), spots(&relief.boulders));
    let roughness = relief.roughness.map_or(0.0, |r| r.0);
    let relief = Relief { craters, crater_radius, boulders, boulder_radius, roughness };
    let name = table.name.as_deref().unwrap_or_default();
    let seed = Rng::stream(seed, &format!("asteroid/{name}")).next_u64();
    Some(make::body(form, &relief, facets as usize, seed))
}

fn from_file(
    loaded: &Loaded,
    file: &FileAsteroid,
    base: &Path,
    k: usize,
) -> Result<ShapeModel, ScenarioError> {
    let refuse = |message: String, help: &str| {
        let problem = Problem::new(format!("asteroid[{k}].shape.file.path"), message).help(help);
        loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no asteroid"))
    };
    let full = base.join(&file.path);
    let text = shape_model::text(&full).map_err(|(message, help)| refuse(message, help))?;
    let name = full.display().to_string();
    let unit = unit_of_length(&file.unit).unwrap_or(1.0);
    let model = ShapeModel::read(&name, &text, unit, file.heal)?;
    match model.flaws.first() {
        None => Ok(model),
        Some(flaw) if file.heal => {
            let done = if model.repairs.is_empty() {
                "no repair was possible"
            } else {
                "the repairs were not enough"
            };
            let tried: String = model.repairs.iter().map(|done| format!("{done}; ")).collect();
            let message = format!("{name} cannot be healed: {tried}{done}: {flaw}");
            Err(refuse(message, "repair it in a mesh editor, or use another model"))
        }
        Some(flaw) => Err(refuse(
            format!("{name} is not a closed surface: {flaw}"),
            "give `heal = true` to have repaired what can be; \
             `rubblepile info FILE --unit UNIT --heal` shows what that does",
        )),
    }
}

/// The place of the surface under a latitude and a longitude, degrees, and the mean normal about it, in the world.
pub(super) fn surface_at(
    asteroid: &Asteroid,
    latitude: f64,
    longitude: f64,
    about: f64,
) -> Option<(DVec3, DVec3)> {
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

/// The cylinder over the surface that the grains of a heap begin in.
pub(super) fn heap_region(world: &World, heap: &Heap) -> Option<(Region, usize)> {
    let k = world.asteroids.iter().position(|a| a.name == heap.on)?;
    let asteroid = &world.asteroids[k];
    let (point, up) = surface_at(asteroid, heap.latitude.0, heap.longitude.0, heap.radius.0)?;
    let [low, high] = heap.height.map(|h| h.0);
    let region = Region::Cylinder {
        centre: point + 0.5 * (low + high) * up,
        axis: up,
        radius: heap.radius.0,
        length: high - low,
    };
    Some((region, k))
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
