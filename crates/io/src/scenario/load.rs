//! From text to a checked [`Scenario`], and back to text with every default written out.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use toml::de::Deserializer;

use super::{
    check,
    document::{Set, Sources, explain, misplaced_array},
    error::ScenarioError,
    scene,
    tables::{EventTable, FrameTable, ProbeTable, Scenario},
};
use crate::{generate::GrainTable, input::SCENARIO_LIMIT};
use rubblepile_core::{settings::Sampling, wall::shapes::z_axis};
use rubblepile_probe::solver::SolverSampling;

/// A scenario that was read and found free of contradictions, with the texts that it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// With the defaults filled in, names of groups and walls too.
    pub scenario: Scenario,
    pub sources: Sources,
    /// Grains that a program gives as arrays, by the path that `place = { file = ... }` names instead of a file.
    pub given: BTreeMap<String, GrainTable>,
}

impl Scenario {
    /// Reads a scenario. `name` is how the file is called in messages; `sets` are `key.path=value`.
    pub fn load(name: &str, text: impl AsRef<[u8]>, sets: &[String]) -> Result<Loaded, ScenarioError> {
        let text = decode(name, text.as_ref())?;
        let sets = sets.iter().map(|s| Set { text: s.clone(), place: None }).collect();
        from_sources(Sources { name: name.into(), text, sets, without_sweep: false })
    }
}

/// The text of a scenario file.
pub(super) fn decode(name: &str, bytes: &[u8]) -> Result<String, ScenarioError> {
    if bytes.len() as u64 > SCENARIO_LIMIT {
        return Err(ScenarioError::plain(format!(
            "{name}: too large for a scenario ({} bytes)",
            bytes.len()
        ))
        .with_help(Some("put many grains into a CSV file: place = { file = { path = ... } }".into())));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_string()),
        Err(e) => {
            let k = e.valid_up_to();
            let shown = String::from_utf8_lossy(bytes);
            let message = "this is not UTF-8 text";
            Err(ScenarioError::at(message, name, &shown, k..k + 1)
                .with_help(Some("save the file as UTF-8".into())))
        }
    }
}

/// Reads and checks.
pub(super) fn from_sources(sources: Sources) -> Result<Loaded, ScenarioError> {
    let tree = sources.tree()?;
    if let Some((key, _)) = tree.get_ref().get_key_value("sweep") {
        let message = "this scenario has a [sweep] table: it is a campaign of several runs";
        return Err(sources
            .error_at(message, key.span())
            .with_help(Some("use `rubblepile sweep`, or remove the table for a single run".into())));
    }
    let misplaced = misplaced_array(tree.get_ref());
    let mut scenario = Scenario::deserialize(Deserializer::from(tree)).map_err(|e| {
        let (message, help) = explain(e.message());
        sources.error_at(message, e.span().unwrap_or(0..0)).with_help(help)
    })?;
    if let Some((key, span)) = misplaced {
        let message = format!("`{key}` cannot be an array here: expected a table");
        return Err(sources.error_at(message, span).with_help(Some("write { name = value, ... }".into())));
    }
    fill_defaults(&mut scenario);
    sources.problems(check::problems(&scenario))?;
    // Checked, and in SI from here on: how it was written no longer counts.
    for change in scenario.event.iter_mut().filter_map(|e| e.set_material.as_mut()) {
        change.value.dimension = None;
    }
    Ok(Loaded { scenario, sources, given: BTreeMap::new() })
}

impl Loaded {
    /// The scenario with every default written out; loads to the same scenario.
    pub fn to_toml(&self) -> Result<String, ScenarioError> {
        self.scenario.to_toml()
    }
}

impl Scenario {
    /// As TOML, with every default written out.
    pub fn to_toml(&self) -> Result<String, ScenarioError> {
        let fail = |e: toml_edit::ser::Error| ScenarioError::plain(format!("cannot write the scenario: {e}"));
        let document = toml_edit::ser::to_document(self).map_err(fail)?;
        let mut out = String::from("# As it was run, with every default written out. Numbers are SI.\n");
        let (mut tables, mut lines) = (String::new(), String::new());
        for (key, item) in document.iter() {
            let Some(value) = item.as_value() else { continue };
            match value {
                toml_edit::Value::InlineTable(table) => write_table(&mut tables, &format!("[{key}]"), table),
                toml_edit::Value::Array(array) => {
                    for table in array.iter().filter_map(|v| v.as_inline_table()) {
                        write_table(&mut tables, &format!("[[{key}]]"), table);
                    }
                }
                value => lines += &format!("{key} = {}\n", value.to_string().trim()),
            }
        }
        out += &lines;
        out += &tables;
        Ok(out)
    }
}

/// A header and a line a key; what is below is written inline.
fn write_table(out: &mut String, header: &str, table: &toml_edit::InlineTable) {
    out.push_str(&format!("\n{header}\n"));
    for (key, value) in table.iter() {
        out.push_str(&format!("{key} = {}\n", value.to_string().trim()));
    }
}

/// Names and materials that may be left out, and defaults that depend on other keys.
fn fill_defaults(scenario: &mut Scenario) {
    let only_material = match scenario.material.as_slice() {
        [only] => Some(only.name.clone()),
        _ => None,
    };
    let mut taken: HashSet<String> = scenario.asteroid.iter().filter_map(|a| a.name.clone()).collect();
    for (k, asteroid) in scenario.asteroid.iter_mut().enumerate() {
        let first = if k == 0 { "asteroid".to_string() } else { format!("asteroid-{}", k + 1) };
        name_it(&mut asteroid.name, first, &mut taken);
        asteroid.material = asteroid.material.take().or(only_material.clone());
    }
    let mut taken: HashSet<String> = scenario.deformable.iter().filter_map(|g| g.name.clone()).collect();
    for (k, grains) in scenario.deformable.iter_mut().enumerate() {
        let first = if k == 0 { "grains".to_string() } else { format!("grains-{}", k + 1) };
        name_it(&mut grains.name, first, &mut taken);
        grains.material = grains.material.take().or(only_material.clone());
    }
    let mut taken: HashSet<String> = scenario.grains.iter().filter_map(|g| g.name.clone()).collect();
    for (k, grains) in scenario.grains.iter_mut().enumerate() {
        let first = if k == 0 { "grains".to_string() } else { format!("grains-{}", k + 1) };
        name_it(&mut grains.name, first, &mut taken);
        grains.material = grains.material.take().or(only_material.clone());
        grains.fill_defaults();
    }
    if let FrameTable::Rotating(r) = &mut scenario.frame
        && r.period.is_some()
    {
        r.axis = r.axis.or(Some(z_axis()));
    }
    let added = |e: &EventTable| e.add_wall.as_ref().and_then(|w| w.name.clone());
    let mut taken: HashSet<String> = scenario.wall.iter().filter_map(|w| w.name.clone()).collect();
    taken.extend(scenario.event.iter().filter_map(added));
    let walls = scenario.wall.iter_mut().chain(scenario.event.iter_mut().filter_map(|e| e.add_wall.as_mut()));
    for (k, wall) in walls.enumerate() {
        name_it(&mut wall.name, format!("wall-{}", k + 1), &mut taken);
        wall.material = wall.material.take().or(only_material.clone());
    }
    report_the_solver(scenario);
    // Which groups, which walls and where is up: grains are not known any more when a run is resumed.
    let scene = scene::of(scenario);
    scenario.probe.iter_mut().for_each(|probe| probe.settings_mut().fill_defaults(&scene));
    for event in &mut scenario.event {
        if let (Some(every), None) = (event.every, event.start) {
            event.start = Some(every);
        }
    }
    for gravity in &mut scenario.gravity {
        gravity.settings_mut().fill_defaults();
    }
}

/// A series of contact dynamics says which steps were not solved.
fn report_the_solver(scenario: &mut Scenario) {
    let reported = scenario.probe.iter().any(|p| matches!(p, ProbeTable::Solver(_)));
    if reported || scenario.method.settings().name() != "nonsmooth" {
        return;
    }
    let intervals = scenario.probe.iter().map(|p| p.settings().every());
    if let Some(every) = intervals.min_by(|a, b| a.0.total_cmp(&b.0)) {
        scenario.probe.push(ProbeTable::Solver(SolverSampling(Sampling { every })));
    }
}

/// Chooses a unique name if none is given.
fn name_it(name: &mut Option<String>, first: String, taken: &mut HashSet<String>) {
    if name.is_none() {
        let mut candidate = first.clone();
        let mut k = 2;
        while taken.contains(&candidate) {
            candidate = format!("{first}-{k}");
            k += 1;
        }
        taken.insert(candidate.clone());
        *name = Some(candidate);
    }
}
