//! The `[[deformable]]` table: its settings, what is wrong with them, and the deformable grains of a world that they give.
//!
//! Outlines are in `generate/outline`; how nodes are put into them is in `meshfree/src/fill.rs`.

use std::{collections::HashSet, path::Path};

use glam::DVec2;
use rayon::prelude::*;
use rubblepile_core::{
    Rng, World,
    settings::{Problem, join},
    wall::WallShape,
};
use rubblepile_meshfree::{
    Deformable, DeformableState, Reference,
    bulk::Bulk,
    fill::{Density, Filling, fill},
    grains,
    outline::Outline,
    overlap, scene,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    build::material_id,
    check::Checker,
    error::ScenarioError,
    load::Loaded,
    methods::Method,
    quantity::{Angle, Length, Number, NumberKind, Quantity, Speed, Vector},
    tables::{DomainTable, FrameTable, MaterialTable},
};
use crate::generate::{
    GenerateError,
    outline::{DeformableShape, OutlineContext, Outlines},
};

/// Nodes that a grain may have: its matrices have the square of them.
const MOST_NODES: f64 = 5000.0;

/// Deformable grains in the plane of x and y, for [method.meshfree] only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformableTable {
    /// Name of the group. Default: `grains`, or `grains-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material, which must have `density`, `young` and `poisson`. Default: the only material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its outline, or the outlines of many grains.
    pub shape: DeformableShape,
    /// Centre of a disc or an ellipse, or the origin of any other outline. Not for `sand`. Default: the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[Length; 2]>,
    /// Angle of rotation, counter-clockwise. Not for `sand`. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Angle>,
    /// Its initial velocity. Default: at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Speed; 2]>,
    /// Spacing of field nodes on the outline. Give this or `outline_nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Length>,
    /// Approximate number of field nodes per outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline_nodes: Option<u32>,
    /// By how much the distance of nodes grows inwards, for every unit of distance from the outline, or shrinks (below 0); more than a
    /// tenth or so leaves too few nodes in reach of each other.
    #[serde(default = "no_grading")]
    pub grading: Number,
}

fn no_grading() -> Number {
    Quantity::new(0.0)
}

pub(super) fn check(c: &mut Checker) {
    let Method::Meshfree(_) = &c.scenario.method else {
        if !c.scenario.deformable.is_empty() {
            let help = "use [method.meshfree]";
            c.add_help("deformable[0]", "only [method.meshfree] moves deformable grains", help);
        }
        return;
    };
    others(c);
    let mut names = HashSet::new();
    for (k, table) in c.scenario.deformable.iter().enumerate() {
        let at = format!("deformable[{k}]");
        c.name(table.name.as_deref().unwrap_or_default(), &mut names, &at, "group of grains");
        c.material(table.material.as_deref(), &at);
        shape(c, table, &at);
        for (key, pair) in [
            ("centre", table.centre.map(|p| p.map(|x| x.0))),
            ("velocity", table.velocity.map(|p| p.map(|x| x.0))),
        ] {
            let [x, y] = pair.unwrap_or_default();
            c.modest(Vector::<NumberKind>::new(x, y, 0.0), &at, key);
        }
        nodes(c, table, &at);
        let grading = table.grading.0;
        c.check((-0.2..=1.0).contains(&grading), &at, "grading", || {
            format!("`grading` must be between -0.2 and 1, it is {grading}")
        });
    }
}

/// What [method.meshfree] cannot do.
fn others(c: &mut Checker) {
    let scenario = c.scenario;
    if scenario.deformable.is_empty() {
        c.add_help("method.meshfree", "there are no deformable grains", "add a [[deformable]] table");
    }
    if !scenario.grains.is_empty() {
        let help = "use another method, or write them as [[deformable]] tables";
        c.add_help("grains[0]", "[method.meshfree] moves deformable grains only", help);
    }
    if !scenario.asteroid.is_empty() {
        c.add("asteroid[0]", "[method.meshfree] is two-dimensional and has no asteroids");
    }
    if matches!(scenario.domain, DomainTable::Periodic(_)) {
        let help = "remove [domain], and add walls";
        c.add_help("domain.periodic", "deformable grains do not support periodic boxes", help);
    }
    if matches!(scenario.frame, FrameTable::Rotating(_)) {
        c.add_help("frame.rotating", "deformable grains need the inertial frame", "leave [frame] out");
    }
    for (k, gravity) in scenario.gravity.iter().enumerate() {
        match gravity.settings().uniform() {
            Some(acceleration) => {
                c.check(acceleration.z == 0.0, &format!("gravity[{k}].uniform"), "acceleration", || {
                    "gravity of deformable grains lies in the plane: z must be 0".into()
                })
            }
            None => c.add(format!("gravity[{k}]"), "deformable grains support uniform gravity only"),
        }
    }
    let added = scenario.event.iter().enumerate();
    let added = added.filter_map(|(k, e)| Some((format!("event[{k}].add_wall.shape"), e.add_wall.as_ref()?)));
    let first = scenario.wall.iter().enumerate().map(|(k, w)| (format!("wall[{k}].shape"), w));
    for (at, wall) in first.chain(added) {
        match &wall.shape {
            WallShape::Box(_) => {}
            WallShape::Plane(p) => c.check(p.normal.0.z == 0.0, &format!("{at}.plane"), "normal", || {
                "deformable grains are in the plane of x and y: z of a normal must be 0".into()
            }),
            _ => c.add_help(at, "only planes and boxes bound deformable grains", "use a `plane` or a `box`"),
        }
    }
    for (k, event) in scenario.event.iter().enumerate() {
        if let Some(action) = event.given().into_iter().find(|a| !a.deformable) {
            let message = format!("`{}` has no effect on deformable grains", action.key);
            c.add_help(format!("event[{k}].{}", action.key), message, "leave it out");
        }
    }
}

/// A material that deformable grains are made of.
pub(super) fn material(c: &mut Checker, k: usize, m: &MaterialTable, used: bool) {
    let Method::Meshfree(method) = &c.scenario.method else { return };
    if !used {
        return;
    }
    let at = format!("material[{k}]");
    if m.density.is_none() {
        let help = "add it here, such as `density = \"2500 kg/m3\"`";
        c.add_help(&at, format!("`density` is missing: grains are made of `{}`", m.name), help);
    }
    let Some(young) = m.young else {
        let help = "add `young`, such as `young = \"5 MPa\"`";
        c.add_help(
            &at,
            format!("deformable grains have the material `{}`, which has no Young's modulus", m.name),
            help,
        );
        return;
    };
    if let Err(error) = method.law_of(Some(young.0), m.poisson.0) {
        let help = "use a little less, such as 0.49, or plane stress and Saint Venant-Kirchhoff";
        c.add_help(join(&at, "poisson"), error.to_string(), help);
    }
}

fn shape(c: &mut Checker, table: &DeformableTable, at: &str) {
    let (shape, key) = (table.shape.settings(), table.shape.key());
    if shape.is_many() {
        for (name, given) in [("centre", table.centre.is_some()), ("angle", table.angle.is_some())] {
            c.check(!given, at, name, || format!("`{name}` is not for `{key}`, which has a `corner`"));
        }
    }
    shape.check(c, &format!("{at}.shape.{key}"));
}

fn nodes(c: &mut Checker, table: &DeformableTable, at: &str) {
    match (table.spacing, table.outline_nodes) {
        (Some(_), Some(_)) => c.add(join(at, "outline_nodes"), "give `spacing` or `outline_nodes`, not both"),
        (None, None) => {
            c.add_help(at, "`spacing` or `outline_nodes` is missing", "for example `outline_nodes = 36`")
        }
        (None, Some(count)) => c.check((8..=1000).contains(&count), at, "outline_nodes", || {
            format!("`outline_nodes` must be between 8 and 1000, it is {count}")
        }),
        (Some(spacing), None) => {
            c.positive(spacing, at, "spacing");
            if let Some((area, length)) = table.shape.settings().extent()
                && let Some(message) = too_many(area, length, spacing.0)
            {
                c.add_help(join(at, "spacing"), message, "make it larger");
            }
        }
    }
}

/// Whether nodes this far apart are too many for an outline, in words.
fn too_many(area: f64, length: f64, spacing: f64) -> Option<String> {
    let nodes = 1.2 * area / (spacing * spacing) + length / spacing;
    (nodes > MOST_NODES).then(|| {
        format!(
            "a spacing of {spacing} m would give about {nodes:.1e} nodes per grain; at most {MOST_NODES} are allowed"
        )
    })
}

fn refuse(loaded: &Loaded, at: String, message: impl ToString, help: &str) -> ScenarioError {
    GenerateError::from(Problem::new(at, message.to_string()).help(help)).located(&loaded.sources)
}

/// Adds the deformable grains to the world.
pub(super) fn add_deformables(world: &mut World, loaded: &Loaded, base: &Path) -> Result<(), ScenarioError> {
    let s = &loaded.scenario;
    let Method::Meshfree(settings) = &s.method else { return Ok(()) };
    // Groups of rigid grains come first.
    let first_group = s.grains.len();
    for (k, table) in s.deformable.iter().enumerate() {
        let at = format!("deformable[{k}]");
        let outlines = outlines(table, s.run.seed, base, &join(&at, "shape"))
            .map_err(|error| error.located(&loaded.sources))?;
        let material = material_id(s, table.material.as_ref());
        let of = &world.materials[material as usize];
        let law = settings
            .law_of(of.young, of.poisson)
            .map_err(|e| refuse(loaded, join(&at, "material"), e, "check its material"))?;
        let (density, kind) = (of.density, settings.shape_functions);
        let made = outlines
            .par_iter()
            .map(|outline| {
                let spacing = spacing(table, outline);
                if let Some(message) = too_many(outline.area(), outline.length(), spacing) {
                    return Err(("spacing", message, "make it larger"));
                }
                let density_of_nodes = Density { spacing, grading: table.grading.0 };
                let filling = fill(outline, density_of_nodes)
                    .map_err(|e| ("spacing", e.to_string(), "put nodes closer"))?;
                // Whether there are shape functions everywhere shows only when they are made.
                Bulk::new(&filling, law, density, kind)
                    .map_err(|e| ("spacing", e.to_string(), "reduce the node spacing, or `grading`"))?;
                let Filling { nodes, boundary, triangles } = filling;
                Ok(Reference { nodes, boundary, triangles })
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(|(key, message, help)| {
                let key = if table.spacing.is_none() { "outline_nodes" } else { key };
                refuse(loaded, join(&at, key), message, help)
            })?;
        let velocity = table.velocity.map_or(DVec2::ZERO, |v| DVec2::from_array(v.map(|x| x.0)));
        for reference in made {
            let grains = &mut world.part_or_default::<DeformableState>().grains;
            let id = grains.len() as u64;
            let mut grain = Deformable::new(id, (first_group + k) as u32, material, reference);
            grain.velocity.fill(velocity);
            grains.push(grain);
        }
    }
    check_places(world, loaded)
}

fn spacing(table: &DeformableTable, outline: &Outline) -> f64 {
    match (table.spacing, table.outline_nodes) {
        (Some(spacing), _) => spacing.0,
        (None, count) => outline.length() / f64::from(count.unwrap_or(36)),
    }
}

/// Grains that overlap each other or are behind walls.
fn check_places(world: &World, loaded: &Loaded) -> Result<(), ScenarioError> {
    let outlines: Vec<Vec<DVec2>> = grains(world).iter().map(Deformable::outline).collect();
    let first_group = loaded.scenario.grains.len();
    let table = |grain: usize| grains(world)[grain].group as usize - first_group;
    if let Some((a, b)) = overlap::first_overlap(&outlines) {
        let message = format!("grains {a} and {b} overlap at the start");
        return Err(refuse(loaded, format!("deformable[{}]", table(b)), message, "move them apart"));
    }
    if let Some((grain, text)) = scene::behind(world, 0.0) {
        let help = "move it, or turn the normal of the wall around";
        return Err(refuse(loaded, format!("deformable[{}]", table(grain)), text, help));
    }
    Ok(())
}

/// The outlines of a table, where they are at the start; `at` is the path of its shape.
fn outlines(
    table: &DeformableTable,
    seed: u64,
    base: &Path,
    at: &str,
) -> Result<Vec<Outline>, GenerateError> {
    let name = table.name.as_deref().unwrap_or_default();
    let seed = Rng::stream(seed, &format!("deformable/{name}")).next_u64();
    let context = OutlineContext { base, seed };
    let points = match table.shape.settings().outlines(&context, &join(at, &table.shape.key()))? {
        Outlines::Many(outlines) => return Ok(outlines),
        Outlines::One(points) => points,
    };
    let turn = DVec2::from_angle(table.angle.map_or(0.0, |a| a.0));
    let centre = table.centre.map_or(DVec2::ZERO, |c| DVec2::from_array(c.map(|x| x.0)));
    let placed: Vec<DVec2> = points.iter().map(|x| centre + turn.rotate(*x)).collect();
    let help = "give the points in order around the grain, without crossing";
    let outline = Outline::new(&placed).map_err(|e| Problem::new(at, e.to_string()).help(help))?;
    Ok(vec![outline])
}
