//! `info`: what is in a run directory, a frame, a checkpoint, a scenario or a shape model.

use std::{collections::HashMap, io::Read, path::Path};

use glam::DVec3;
use rubblepile::{
    Scenario,
    meshfree::DeformableState,
    nonsmooth::{NonsmoothState, SolverRecord},
};
use rubblepile_core::{Domain, Frame, World};
use rubblepile_io::{
    FileError,
    checkpoint::{self, Meta},
    export,
    frame::{self, FrameData, Nodes},
    input,
    report::RunReport,
    rundir,
    scenario::Solids,
    series,
    table::SeriesTable,
};
use serde_json::{Value, json};

use crate::{aggregates, args, failure::Failure, print, shape_info, text};

/// A line of the answer: what, and how much, for people and for programs.
pub type Facts = Vec<(&'static str, String, Value)>;

pub fn info(args: args::Info) -> Result<(), Failure> {
    let (path, json) = (args.path.as_path(), args.json);
    let is_shape = !path.is_dir() && shape_info::is_shape(path);
    if !is_shape && (args.unit.is_some() || args.density.is_some() || args.heal) {
        return Err(Failure::bad_input(
            format!("{}: --unit, --density and --heal are for shape models", path.display()),
            "shape models are files named *.obj or *.tab",
        ));
    }
    if args.columns {
        return list_columns(path, json);
    }
    let (kind, facts) = if path.is_dir() {
        ("run directory", run_directory(path)?)
    } else if is_shape {
        ("shape model", shape_info::facts(&args)?)
    } else {
        match kind(path)? {
            FileKind::Checkpoint => {
                let (meta, world) = checkpoint::read(path)?;
                ("checkpoint", checkpoint_facts(&meta, &world))
            }
            FileKind::Frame => ("frame", frame_facts(&frame::read(path)?)),
            FileKind::Scenario if json => {
                return Err(Failure::bad_input(
                    "there is no JSON summary of scenarios",
                    "`rubblepile check --print` writes it with every default",
                ));
            }
            FileKind::Scenario => {
                print(&Scenario::open(path)?.summary()?.to_string());
                return Ok(());
            }
        }
    };
    if json {
        let mut object = serde_json::Map::new();
        object.insert("kind".into(), kind.into());
        object.extend(facts.into_iter().map(|(name, _, value)| (name.replace(' ', "_"), value)));
        print(&format!("{}\n", Value::Object(object)));
    } else {
        print(&format!("{}: {kind}\n", path.display()));
        facts.iter().for_each(|(name, words, _)| print(&format!("  {name:<18} {words}\n")));
    }
    Ok(())
}

/// The columns of a run's series: `info DIR --columns`.
fn list_columns(path: &Path, json: bool) -> Result<(), Failure> {
    let scenario = path.join(rundir::SCENARIO);
    if !scenario.is_file() {
        return Err(Failure::bad_input(
            format!("{}: --columns is for run directories", path.display()),
            "`rubblepile schema --output` lists the columns of all probes",
        ));
    }
    let columns = Scenario::open(&scenario)?.columns();
    if json {
        print(&format!("{:#}\n", json!({ "columns": columns })));
        return Ok(());
    }
    let width = columns.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let unit = columns.iter().map(|c| c.unit.len()).max().unwrap_or(0);
    for column in &columns {
        print(&format!("{:width$}  {:unit$}  {}\n", column.name, column.unit, column.definition));
    }
    Ok(())
}

/// The unit of each column of a series; none where its scenario is not there.
fn units(directory: &Path) -> HashMap<String, &'static str> {
    let scenario = Scenario::open(directory.join(rundir::SCENARIO));
    let columns = scenario.map_or_else(|_| Vec::new(), |s| s.columns());
    columns.into_iter().map(|c| (c.name, c.unit)).collect()
}

enum FileKind {
    Checkpoint,
    Frame,
    Scenario,
}

/// By what the file begins with, not by its name.
fn kind(path: &Path) -> Result<FileKind, FileError> {
    let mut start = Vec::new();
    let help = "give one of these files, or a run directory";
    let file = input::open(path).map_err(FileError::input(
        "open",
        path,
        "run, frame, checkpoint, scenario or shape model",
        help,
    ))?;
    file.take(8).read_to_end(&mut start).map_err(FileError::io("read", path))?;
    let named = |extension: &str| path.extension().is_some_and(|e| e == extension);
    Ok(match start.as_slice() {
        b"\x89HDF\r\n\x1a\n" => FileKind::Frame,
        [0x8a, ..] => FileKind::Checkpoint,
        _ if named("vtkhdf") => FileKind::Frame,
        _ if named("rpk") => FileKind::Checkpoint,
        _ => FileKind::Scenario,
    })
}

pub fn fact(
    name: &'static str,
    words: impl Into<String>,
    value: impl Into<Value>,
) -> (&'static str, String, Value) {
    (name, words.into(), value.into())
}

fn run_directory(path: &Path) -> Result<Facts, Failure> {
    if !rundir::is_run(path) {
        return Err(FileError::NoRun {
            path: path.to_path_buf(),
            what: "it contains no files of a run".into(),
            help: "run directories are below `runs` unless --out is given".into(),
        }
        .into());
    }
    let mut facts = Facts::new();
    match RunReport::read(path) {
        Ok(report) => {
            let status = match (report.status.as_str(), rundir::is_in_use(path)) {
                ("running", false) => "killed: `rubblepile resume` continues it",
                (status, _) => status,
            };
            let reason = report.reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
            let wall: f64 = report.sessions.iter().map(|s| s.wall_s).sum();
            facts.push(fact("title", &report.title, report.title.as_str()));
            facts.push(fact("status", format!("{status}{reason}"), status));
            facts.push(fact("method", &report.method, report.method.as_str()));
            facts.push(fact("bodies", report.bodies.to_string(), report.bodies));
            facts.push(fact("end", text::time(report.end_s), report.end_s));
            facts.push(fact("seed", report.seed.to_string(), report.seed));
            facts.push(fact("version", &report.version, report.version.as_str()));
            facts.push(fact("sessions", report.sessions.len().to_string(), report.sessions.len()));
            facts.push(fact(
                "wall-clock time",
                text::duration(std::time::Duration::from_secs_f64(wall)),
                wall,
            ));
            let warnings: Vec<&String> = report.sessions.iter().flat_map(|s| &s.warnings).collect();
            for warning in &warnings {
                facts.push(fact("warning", warning.as_str(), json!(warnings)));
            }
        }
        Err(error) => facts.push(fact("report", error.to_string(), Value::Null)),
    }
    if let Ok(frames) = export::frames_of(path) {
        facts.push(fact("frames", frames.len().to_string(), frames.len()));
    }
    if path.join(series::NAME).exists() {
        match SeriesTable::read(&path.join(series::NAME)) {
            Ok(table) => {
                let words = format!("{} rows of {} columns", table.rows.len(), table.columns.len());
                facts.push(fact(
                    "series",
                    words,
                    json!({"rows": table.rows.len(), "columns": table.columns}),
                ));
                let last: serde_json::Map<String, Value> =
                    table.last().into_iter().map(|(name, x)| (name.to_string(), json!(x))).collect();
                let units = units(path);
                let unit = |name: &str| units.get(name).copied().unwrap_or_default();
                let shown = |name: &str, x: f64| format!("{name} {} {}", text::number(x), unit(name));
                let words: Vec<String> =
                    table.last().iter().map(|(name, x)| shown(name, *x).trim_end().to_string()).collect();
                // One below the other, under the first.
                facts.push(fact("last values", words.join(&format!("\n{:21}", "")), last));
            }
            Err(error) => facts.push(fact("series", error.to_string(), Value::Null)),
        }
    }
    match checkpoint::find(path) {
        Ok(found) => {
            let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (time, step) = (found.world.time(), found.world.clock.step);
            let mut words = format!("{name}: t = {}, step {step}", text::time(time));
            if let Some(error) = &found.passed_over {
                words.push_str(&format!(" (the newest one was skipped: {error})"));
            }
            facts.push(fact("checkpoint", words, json!({"file": name, "time_s": time, "step": step})));
            facts.extend(solver(&found.world));
            facts.extend(aggregates::facts(&found.world));
        }
        Err(error) => facts.push(fact("checkpoint", error.to_string(), Value::Null)),
    }
    Ok(facts)
}

/// What contact dynamics has solved so far.
fn solver(world: &World) -> Option<(&'static str, String, Value)> {
    let solver = world.part::<NonsmoothState>()?.solver;
    let SolverRecord { steps, unsolved, worst_residual, .. } = solver;
    let words = text::unsolved(unsolved, steps, worst_residual);
    let value = json!({
        "steps": steps, "unsolved": unsolved, "unsolved_share": solver.unsolved_share(), "worst_residual": worst_residual
    });
    Some(fact("solver", words.unwrap_or(format!("all of {steps} steps solved")), value))
}

fn checkpoint_facts(meta: &Meta, world: &World) -> Facts {
    let b = &world.bodies;
    let (translation, rotation) = b.kinetic_energy();
    let (centre, velocity) = b.centre_of_mass();
    let domain = match world.domain {
        Domain::Open => "open".to_string(),
        Domain::Periodic { min, max, axes } => format!("periodic {axes:?}, {min} to {max} m"),
    };
    let frame = match world.frame {
        Frame::Inertial => "inertial".to_string(),
        Frame::Rotating { angular_velocity } => format!("rotating, {angular_velocity} rad/s"),
    };
    let walls: Vec<&str> = world.walls.iter().map(|w| w.name.as_str()).collect();
    let contacts = world.remembered().count();
    let mut facts = vec![
        fact("time", text::time(world.time()), world.time()),
        fact("step", world.clock.step.to_string(), world.clock.step),
        fact("time step", text::time(world.clock.timestep), world.clock.timestep),
        fact("ended", if world.ended { "yes" } else { "no" }, world.ended),
        fact("method", &meta.method, meta.method.as_str()),
        fact("bodies", b.len().to_string(), b.len()),
        fact("mass", format!("{} kg", text::number(b.total_mass())), b.total_mass()),
        radii(&b.radius),
        shapes(Solids::of(&b.shape, &world.shapes)),
        extent(&b.position),
        fact("centre of mass", vector(centre, "m"), json!(centre.to_array())),
        fact("mean velocity", vector(velocity, "m/s"), json!(velocity.to_array())),
        fact(
            "kinetic energy",
            format!(
                "{} J, of which rotation {} J",
                text::number(translation + rotation),
                text::number(rotation)
            ),
            translation + rotation,
        ),
        fact("contacts", format!("{contacts} in the contact history"), contacts),
        fact("groups", world.groups.join(", "), json!(world.groups)),
        fact("walls", walls.join(", "), json!(walls)),
        fact("domain", domain.as_str(), domain.as_str()),
        fact("frame", frame.as_str(), frame.as_str()),
        fact("next frame", meta.next_frame.to_string(), meta.next_frame),
        fact("series rows", meta.series_rows.to_string(), meta.series_rows),
        fact("written by", format!("rubblepile {}", meta.program_version), meta.program_version.as_str()),
    ];
    facts.extend(solver(world));
    if let Some(DeformableState { grains, pressed }) = world.part() {
        // Of rigid bodies there is nothing to tell.
        let of_bodies = [
            "bodies",
            "mass",
            "radii",
            "shapes",
            "centres",
            "centre of mass",
            "mean velocity",
            "kinetic energy",
            "contacts",
        ];
        facts.retain(|(name, ..)| !of_bodies.contains(name));
        let nodes: usize = grains.iter().map(|g| g.reference.nodes.len()).sum();
        let area: f64 = grains.iter().map(|g| g.area()).sum();
        facts.push(fact("deformable grains", grains.len().to_string(), grains.len()));
        facts.push(fact("nodes", nodes.to_string(), nodes));
        facts.push(fact("pressed nodes", pressed.len().to_string(), pressed.len()));
        facts.push(fact("area", format!("{} m2", text::number(area)), area));
        let energy = world.kinetic_energy();
        facts.push(fact("kinetic energy", format!("{} J per metre of depth", text::number(energy)), energy));
    }
    facts.extend(aggregates::facts(world));
    facts
}

/// Of deformable grains.
fn node_facts(frame: &FrameData, nodes: &Nodes) -> Facts {
    let grains = nodes.rows().len();
    let position: Vec<DVec3> = nodes.position.iter().map(|x| x.extend(0.0)).collect();
    let (_, places, value) = extent(&position);
    let mut facts = vec![
        fact("time", text::time(frame.time), frame.time),
        fact("step", frame.about.step.to_string(), frame.about.step),
        fact("deformable grains", grains.to_string(), grains),
        fact("nodes", nodes.len().to_string(), nodes.len()),
        fact("node positions", places, value),
    ];
    if let Some(felt) = &nodes.felt {
        let touching = felt.touching.iter().filter(|t| **t != 0).count();
        let outline = nodes.outline.iter().filter(|o| **o != 0).count();
        let share = touching as f64 / (outline as f64).max(1.0);
        let area: f64 = felt.grain_area.iter().sum();
        facts.push(fact("touching", format!("{} % of the outlines", text::number(100.0 * share)), share));
        facts.push(fact("area", format!("{} m2", text::number(area)), area));
    }
    facts.extend([
        fact("groups", frame.about.groups.join(", "), json!(frame.about.groups)),
        fact("materials", frame.about.materials.join(", "), json!(frame.about.materials)),
        fact("written by", format!("rubblepile {}", frame.about.version), frame.about.version.as_str()),
    ]);
    facts
}

fn frame_facts(frame: &FrameData) -> Facts {
    if let Some(nodes) = &frame.deformable {
        return node_facts(frame, nodes);
    }
    let mass: f64 = frame.mass.iter().sum();
    let touching: u64 = frame.contacts.iter().map(|&c| u64::from(c)).sum();
    let mean = touching as f64 / (frame.len() as f64).max(1.0);
    let energy: f64 = frame.mass.iter().zip(&frame.velocity).map(|(m, v)| 0.5 * m * v.length_squared()).sum();
    vec![
        fact("time", text::time(frame.time), frame.time),
        fact("step", frame.about.step.to_string(), frame.about.step),
        fact("bodies", frame.len().to_string(), frame.len()),
        fact("mass", format!("{} kg", text::number(mass)), mass),
        radii(&frame.radius),
        frame_shapes(frame),
        extent(&frame.position),
        fact("contacts", format!("{} per body", text::number(mean)), mean),
        fact("kinetic energy", format!("{} J of translation", text::number(energy)), energy),
        fact("groups", frame.about.groups.join(", "), json!(frame.about.groups)),
        fact("materials", frame.about.materials.join(", "), json!(frame.about.materials)),
        fact("written by", format!("rubblepile {}", frame.about.version), frame.about.version.as_str()),
    ]
}

fn shapes(solids: Option<Solids>) -> (&'static str, String, Value) {
    match solids {
        None => fact("shapes", "spheres", json!({"solids": 0})),
        Some(s) => {
            let value =
                json!({"solids": s.bodies, "shapes": s.shapes, "corners": [s.corners.0, s.corners.1]});
            fact("shapes", s.to_string(), value)
        }
    }
}

/// The shapes of a frame are in a separate file, which is not needed to describe the frame.
fn frame_shapes(frame: &FrameData) -> (&'static str, String, Value) {
    let solids = frame.shape.iter().filter(|&&s| s != 0).count();
    let words = if solids == 0 { "spheres".into() } else { format!("{solids} polyhedra") };
    fact("shapes", words, json!({"solids": solids}))
}

pub fn vector(v: DVec3, unit: &str) -> String {
    format!("({}, {}, {}) {unit}", text::number(v.x), text::number(v.y), text::number(v.z))
}

fn radii(radius: &[f64]) -> (&'static str, String, Value) {
    let range = radius.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, &x| (r.0.min(x), r.1.max(x)));
    if radius.is_empty() {
        return fact("radii", "none", Value::Null);
    }
    fact(
        "radii",
        format!("{} to {} m", text::number(range.0), text::number(range.1)),
        json!([range.0, range.1]),
    )
}

fn extent(position: &[DVec3]) -> (&'static str, String, Value) {
    if position.is_empty() {
        return fact("centres", "none", Value::Null);
    }
    let min = position.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let max = position.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let words = format!("{} to {}", vector(min, ""), vector(max, "m"));
    fact("centres", words, json!([min.to_array(), max.to_array()]))
}
