//! `info` of a shape model: what it would be as an asteroid, and what is wrong with it.

use std::path::Path;

use rubblepile_core::units;
use rubblepile_geometry::{mesh, principal_axes};
use rubblepile_io::{
    scenario::unit_of_length,
    shape_model::{self, ShapeModel},
};
use serde_json::{Value, json};

use crate::{
    args,
    failure::Failure,
    info::{Facts, fact, vector},
    quantity, text,
};

/// By its name: the text of a plate model looks like any table.
pub fn is_shape(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|e| e == "obj" || e == "tab")
}

pub fn facts(args: &args::Info) -> Result<Facts, Failure> {
    let Some(unit) = &args.unit else {
        return Err(Failure::bad_input(
            format!("the unit of length of {} is unknown", args.path.display()),
            "give it, such as `--unit km`",
        ));
    };
    let unit = unit_of_length(unit).map_err(|e| {
        Failure::bad_input(format!("--unit: {e}"), "give a unit of length, such as `--unit km`")
    })?;
    let density = match &args.density {
        Some(text) => Some(positive("--density", text, units::DENSITY, "1194 kg/m3")?),
        None => None,
    };
    let text = shape_model::text(&args.path)
        .map_err(|(message, _)| Failure::bad_input(message, "give an OBJ file or a PDS plate model"))?;
    let model = ShapeModel::read(&args.path.display().to_string(), &text, unit, args.heal)?;
    Ok(of(&model, density, args.heal))
}

/// A quantity from the command line that must be larger than zero.
pub fn positive(option: &str, text: &str, kind: units::Dimension, example: &str) -> Result<f64, Failure> {
    let value = quantity::quantity(option, text, kind, example)?;
    let help = format!("give a number larger than 0: {option} \"{example}\"");
    let sound = (value > 0.0).then_some(value);
    sound.ok_or_else(|| Failure::bad_input(format!("{option}: `{text}` must be larger than 0"), help))
}

fn of(model: &ShapeModel, density: Option<f64>, healed: bool) -> Facts {
    let ShapeModel { mesh, repairs, flaws } = model;
    let mut facts = vec![
        fact("facets", mesh.triangles.len().to_string(), mesh.triangles.len()),
        fact("vertices", mesh.vertices.len().to_string(), mesh.vertices.len()),
    ];
    for done in repairs {
        facts.push(fact("repair", done.as_str(), json!(repairs)));
    }
    if healed && repairs.is_empty() {
        facts.push(fact("repair", "nothing to do", json!([])));
    }
    let words: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    facts.push(fact("flaws", if words.is_empty() { "none".into() } else { words.join("; ") }, json!(words)));
    if !flaws.is_empty() {
        let advice = if healed { "repair it in a mesh editor" } else { "see what --heal can do" };
        facts.push(fact("advice", advice, advice));
        // Of what is not closed nothing inside can be measured.
        return facts;
    }
    let area: f64 = (0..mesh.triangles.len())
        .map(|k| {
            let [a, b, c] = mesh.corners(k);
            0.5 * (b - a).cross(c - a).length()
        })
        .sum();
    let mass = mesh::mass(mesh);
    let radius = mesh.vertices.iter().map(|v| v.distance(mass.centre)).fold(0.0, f64::max);
    let (moments, turn) = principal_axes(mass.inertia());
    let shown = |x: f64, unit: &str| format!("{} {unit}", text::number(x));
    let sphere = (0.75 / std::f64::consts::PI * mass.volume).cbrt();
    facts.extend([
        fact("surface", shown(area, "m2"), area),
        fact("volume", shown(mass.volume, "m3"), mass.volume),
        fact("radius as a sphere", shown(sphere, "m"), sphere),
        fact("centre", vector(mass.centre, "m"), json!(mass.centre.to_array())),
        fact("enclosing radius", format!("{} about the centre", shown(radius, "m")), radius),
    ]);
    match density {
        Some(density) => {
            let moments = density * moments;
            facts.push(fact("mass", shown(density * mass.volume, "kg"), density * mass.volume));
            facts.push(fact("principal moments", vector(moments, "kg m2"), json!(moments.to_array())));
        }
        None => {
            let words = format!("{} times the density", vector(moments, "m5"));
            facts.push(fact("principal moments", words, json!(moments.to_array())));
        }
    }
    let tilt = (turn * glam::DVec3::Z).z.abs().min(1.0).acos().to_degrees();
    facts.push(fact("largest axis", format!("{} deg from z", text::number(tilt)), Value::from(tilt)));
    facts
}
