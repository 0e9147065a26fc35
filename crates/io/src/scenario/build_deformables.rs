//! The deformable grains of a world, from their tables.

use std::{f64::consts::TAU, path::Path};

use glam::DVec2;
use rayon::prelude::*;
use rubblepile_core::{Rng, World};
use rubblepile_meshfree::{
    Deformable, DeformableState, Reference,
    bulk::Bulk,
    fill::{Density, Filling, fill},
    grains,
    outline::Outline,
    overlap,
    packing::{self, Sand},
    scene,
};

use super::{
    build::material_id,
    deformables::{DeformableShape, DeformableTable, FileOutline, MOST_POINTS, SandOutlines, too_many},
    error::ScenarioError,
    load::Loaded,
    methods::Method,
    shapes::unit_of_length,
};
use crate::input;
use rubblepile_core::settings::Problem;

/// Points of a disc or an ellipse that is made.
const POINTS: u32 = 3600;

fn refuse(loaded: &Loaded, at: String, message: impl ToString, help: &str) -> ScenarioError {
    let problem = Problem::new(at, message.to_string()).help(help);
    loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain(message.to_string()))
}

pub(super) fn add_deformables(world: &mut World, loaded: &Loaded, base: &Path) -> Result<(), ScenarioError> {
    let s = &loaded.scenario;
    let Method::Meshfree(settings) = &s.method else { return Ok(()) };
    // Groups of rigid grains come first.
    let first_group = s.grains.len();
    for (k, table) in s.deformable.iter().enumerate() {
        let outlines = outlines(table, loaded, base, k)?;
        let material = material_id(s, table.material.as_ref());
        let of = &world.materials[material as usize];
        let law = settings
            .law_of(of.young, of.poisson)
            .map_err(|e| refuse(loaded, format!("deformable[{k}].material"), e, "check its material"))?;
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
                refuse(loaded, format!("deformable[{k}].{key}"), message, help)
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

fn outlines(
    table: &DeformableTable,
    loaded: &Loaded,
    base: &Path,
    k: usize,
) -> Result<Vec<Outline>, ScenarioError> {
    let at = format!("deformable[{k}].shape");
    let round = |axes: DVec2| {
        // The first node is the lowest.
        (0..POINTS)
            .map(|j| axes * DVec2::from_angle(TAU * (f64::from(j) / f64::from(POINTS) - 0.25)))
            .collect()
    };
    let points: Vec<DVec2> = match &table.shape {
        DeformableShape::Disc(d) => round(DVec2::splat(d.radius.0)),
        DeformableShape::Ellipse(e) => round(DVec2::from_array(e.semi_axes.map(|x| x.0))),
        DeformableShape::Polygon(p) => p.points.iter().map(|p| DVec2::from_array(p.map(|x| x.0))).collect(),
        DeformableShape::File(file) => from_file(loaded, file, base, &at)?,
        DeformableShape::Sand(s) => return sand(s, loaded, table, &at),
    };
    let turn = DVec2::from_angle(table.angle.map_or(0.0, |a| a.0));
    let centre = table.centre.map_or(DVec2::ZERO, |c| DVec2::from_array(c.map(|x| x.0)));
    let placed: Vec<DVec2> = points.iter().map(|x| centre + turn.rotate(*x)).collect();
    let outline = Outline::new(&placed)
        .map_err(|e| refuse(loaded, at, e, "give the points in order around the grain, without crossing"))?;
    Ok(vec![outline])
}

fn sand(
    s: &SandOutlines,
    loaded: &Loaded,
    table: &DeformableTable,
    at: &str,
) -> Result<Vec<Outline>, ScenarioError> {
    let name = table.name.as_deref().unwrap_or_default();
    let sand = Sand {
        count: s.count as usize,
        size: DVec2::from_array(s.size.map(|x| x.0)),
        solid: s.solid.0,
        elongation: s.elongation.0,
        angularity: s.angularity.0,
        roughness: s.roughness.0,
        evenness: s.evenness,
        seed: Rng::stream(loaded.scenario.run.seed, &format!("deformable/{name}")).next_u64(),
    };
    let corner = DVec2::from_array(s.corner.map(|x| x.0));
    let moved = |outline: &Outline| {
        let points: Vec<DVec2> = outline.points().iter().map(|x| *x + corner).collect();
        Outline::new(&points)
    };
    let made = packing::sand(&sand)
        .map_err(|e| refuse(loaded, format!("{at}.sand.solid"), e, "use fewer or smaller grains"))?;
    made.iter()
        .map(|o| moved(o).map_err(|e| refuse(loaded, format!("{at}.sand"), e, "use a smaller `angularity`")))
        .collect()
}

fn from_file(
    loaded: &Loaded,
    file: &FileOutline,
    base: &Path,
    at: &str,
) -> Result<Vec<DVec2>, ScenarioError> {
    let full = base.join(&file.path);
    let name = full.display().to_string();
    let path = format!("{at}.file.path");
    let bytes = input::read(&full, input::DATA_LIMIT).map_err(|e| {
        refuse(
            loaded,
            path.clone(),
            format!("cannot read {name}: {e}"),
            "paths start at the scenario's folder",
        )
    })?;
    let help = "give x and y of a point on each line";
    let text = String::from_utf8(bytes)
        .map_err(|_| refuse(loaded, path.clone(), format!("{name} is not a text file"), help))?;
    let unit = unit_of_length(&file.unit).unwrap_or(1.0);
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields =
            line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|f| !f.is_empty());
        let numbers: Result<Vec<f64>, _> = fields.map(str::parse::<f64>).collect();
        match numbers.as_deref() {
            Ok([x, y]) => points.push(unit * DVec2::new(*x, *y)),
            _ => {
                let shown: String = line.chars().take(60).collect();
                let message = format!("{name}, line {}: `{shown}` is not a point", number + 1);
                return Err(refuse(loaded, path, message, help));
            }
        }
        if points.len() > MOST_POINTS {
            let message = format!("{name} has more than {MOST_POINTS} points");
            return Err(refuse(loaded, path, message, "use every second one"));
        }
    }
    Ok(points)
}
