//! The `[sweep]` table: a campaign of runs that differ in a few values.
//!
//! ```toml
//! [sweep]
//! "material.0.friction.sliding" = [0.1, 0.3, 0.5]     # keys as for --set, each with a list of values:
//! "run.seed" = [1, 2, 3]                              # every one with every one, the last key fastest
//! sets = [{ "run.end" = "1 h" }, { }]                 # instead, or with that: one table after the other
//! plot = [{ x = "material.0.friction.sliding", y = "period_s", log = "y" }]
//! ```
//!
//! A table of `sets` may hold lists of its own: every one with every one again, within the table. A value that is
//! itself an array or a table stands in a list: `[[0, 0, 1], [0, 0, 2]]`.
//!
//! The table is no part of the scenario of a run: it is taken out, and its values are put in as `--set` does.

use std::ops::Range;

use rubblepile_core::units;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use toml::{
    Spanned,
    de::{DeTable, DeValue, ValueDeserializer},
};

use super::{
    document::{Set, Sources, explain},
    error::ScenarioError,
    load::{self, Loaded},
};

/// More runs than this are no sweep but a mistake.
pub const MOST_TASKS: usize = 10_000;

/// A campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Paths of the keys that are swept, in the order of the file.
    pub keys: Vec<String>,
    pub tasks: Vec<Task>,
    pub plots: Vec<Plot>,
    sources: Sources,
}

/// One run of a campaign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Task {
    /// What it sets, by number of the key in [`Sweep::keys`].
    pub values: Vec<(usize, Value)>,
    sets: Vec<Set>,
}

/// A value as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Without quotes.
    pub text: String,
}

/// A campaign of runs that differ in a few values; `rubblepile sweep` runs it. Besides the two keys below, any key of a
/// scenario as a path, as for `--set`, with a list of values: `"run.seed" = [1, 2, 3]`. Every value of one key goes with
/// every value of the others, in the order of the table, the last key fastest. A value that is itself an array or a table
/// stands in the list like any other: `[[0, 0, 1], [0, 0, 2]]`.
///
/// This is what the schema knows of the table; [`Sweep::load`] reads it.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct SweepTable {
    /// Tables of keys and values, one after the other instead of every one with every one: for campaigns that are no
    /// single product. Lists within a table are combined with each other; what is swept outside of `sets` is combined with
    /// each.
    #[schemars(default)]
    sets: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
    /// Plots in `sweep.svg`, one point per run.
    #[schemars(default)]
    plot: Option<Vec<Plot>>,
}

/// A plot of a campaign: one point per finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// A swept key or a column of the series. With several keys each is a series of its own, of the runs that set it,
    /// and is divided by its largest value.
    pub x: Names,
    /// A column of the series (its last value), or a swept key.
    pub y: String,
    /// Which axes are logarithmic: `x`, `y` or `xy`.
    #[serde(default)]
    pub log: String,
    /// The swept key that colours the points. Default: the first with two to eight values that is neither
    /// `x` nor `y`.
    #[serde(default)]
    pub by: Option<String>,
    /// Title of the plot.
    #[serde(default)]
    pub title: String,
    /// Label of the axis, instead of the name of the key or column.
    #[serde(default)]
    pub x_label: String,
    /// Label of the axis, instead of the name of the key or column.
    #[serde(default)]
    pub y_label: String,
}

/// One name or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Names {
    One(String),
    Several(Vec<String>),
}

impl JsonSchema for Names {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Names".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
    }
}

impl Names {
    pub fn list(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::Several(names) => names,
        }
    }
}

impl Value {
    /// In SI; of a vector its length; `None` for what is no number.
    pub fn number(&self) -> Option<f64> {
        let scalar = |text: &str| {
            let text = text.trim().trim_matches(['"', '\'']);
            text.parse::<f64>().ok().or_else(|| units::parse(text).ok().map(|(x, _)| x))
        };
        let text = self.text.trim();
        let number = match text.strip_prefix('[').and_then(|t| t.split_once(']')) {
            None => scalar(text)?,
            Some((inside, unit)) => {
                let parts: Option<Vec<f64>> =
                    inside.split(',').map(|p| scalar(&format!("{} {unit}", p.trim()))).collect();
                parts?.iter().map(|x| x * x).sum::<f64>().sqrt()
            }
        };
        number.is_finite().then_some(number)
    }

    /// How it is written in a table: SI numbers, other values as they are.
    pub fn cell(&self) -> String {
        let vector = self.text.trim_start().starts_with('[');
        match self.number().filter(|_| !vector) {
            Some(x) => {
                let mut text = String::new();
                crate::table::push_number(&mut text, x);
                text
            }
            None => self.text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// A key with its values.
struct Axis {
    path: String,
    values: Vec<(Value, Set)>,
}

/// Whether a text has a `[sweep]` table; `false` too for what is no TOML.
pub fn is_sweep(text: &[u8]) -> bool {
    std::str::from_utf8(text)
        .ok()
        .and_then(|t| DeTable::parse(t).ok())
        .is_some_and(|t| t.get_ref().contains_key("sweep"))
}

impl Sweep {
    /// Reads the campaign of a scenario file; `sets` are `key.path=value` for all runs.
    pub fn load(name: &str, text: impl AsRef<[u8]>, sets: &[String]) -> Result<Sweep, ScenarioError> {
        let text = load::decode(name, text.as_ref())?;
        let sets = sets.iter().map(|s| Set { text: s.clone(), place: None }).collect();
        let sources = Sources { name: name.into(), text, sets, without_sweep: true };
        let read = Reader { text: &sources.text, sources: &sources };
        let tree = DeTable::parse(&sources.text).map_err(|e| {
            sources.error_at(format!("this is not TOML: {}", e.message()), e.span().unwrap_or(0..0))
        })?;
        let Some((key, sweep)) = tree.get_ref().get_key_value("sweep") else {
            return Err(ScenarioError::plain(format!("{name} has no [sweep] table")).with_help(Some(
                "add one, such as `[sweep]` with `\"run.seed\" = [1, 2, 3]`, or use `rubblepile run`".into(),
            )));
        };
        let Some(table) = sweep.get_ref().as_table() else {
            return Err(sources.error_at("`sweep` must be a table", key.span()));
        };
        let mut axes = Vec::new();
        read.axes(table, "", true, &mut axes)?;
        let groups = read.groups(table)?;
        let plots = match table.get("plot") {
            None => Vec::new(),
            Some(plot) => read.plots(plot)?,
        };
        if axes.is_empty() && groups.is_empty() {
            return Err(sources
                .error_at("nothing is swept", key.span())
                .with_help(Some("give keys with lists of values: `\"run.seed\" = [1, 2, 3]`".into())));
        }
        let (keys, tasks) = read.product(axes, groups, key.span())?;
        let sweep = Sweep { keys, tasks, plots, sources: sources.clone() };
        sweep.check_plots(table)?;
        Ok(sweep)
    }

    /// The scenario of a task.
    pub fn scenario(&self, task: &Task) -> Result<Loaded, ScenarioError> {
        let mut sources = self.sources.clone();
        sources.sets.extend(task.sets.iter().cloned());
        load::from_sources(sources)
    }

    /// The value that a task gives a key.
    pub fn value<'a>(&self, task: &'a Task, key: usize) -> Option<&'a Value> {
        task.values.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
    }

    /// Name of the directory of a task: its number and what is particular to it.
    pub fn directory_name(&self, number: usize) -> String {
        let mut name = format!("{number:03}");
        for (k, value) in self.tasks.get(number).map_or(&[][..], |t| &t.values) {
            let key = self.keys[*k].rsplit('.').next().unwrap_or_default();
            let piece = format!("-{key}-{}", value.text);
            let safe = |c: char| if c.is_ascii_alphanumeric() || "+-._".contains(c) { Some(c) } else { None };
            name.extend(piece.chars().filter_map(safe));
        }
        name.truncate(80);
        name
    }

    fn check_plots(&self, table: &DeTable) -> Result<(), ScenarioError> {
        let place = table.get_key_value("plot").map_or(0..0, |(k, _)| k.span());
        for plot in &self.plots {
            let fail = |message: String, help: String| {
                Err(self.sources.error_at(message, place.clone()).with_help(Some(help)))
            };
            if !matches!(plot.log.as_str(), "" | "x" | "y" | "xy" | "yx") {
                return fail(
                    format!("`log` names axes, not `{}`", plot.log),
                    "give \"x\", \"y\" or \"xy\"".into(),
                );
            }
            let several = matches!(plot.x, Names::Several(_));
            let unknown =
                plot.x.list().iter().filter(|_| several).chain(&plot.by).find(|n| !self.keys.contains(n));
            if let Some(name) = unknown {
                let help = rubblepile_core::settings::suggestion(name, self.keys.iter().map(String::as_str));
                return fail(format!("`{name}` is not swept"), help);
            }
            if plot.x.list().is_empty() {
                return fail("`x` is empty".into(), "give a swept key or a column".into());
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    text: &'a str,
    sources: &'a Sources,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>, span: Range<usize>, help: &str) -> ScenarioError {
        self.sources.error_at(message, span).with_help(Some(help.into()))
    }

    fn value(&self, path: &str, value: &Spanned<DeValue>) -> (Value, Set) {
        let source = self.text.get(value.span()).unwrap_or_default();
        let text = match value.get_ref() {
            DeValue::String(s) => s.to_string(),
            _ => source.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        (Value { text }, Set { text: format!("{path}={source}"), place: Some(value.span()) })
    }

    /// The keys of a table with their values, in the order of the text. Keys that are written without quotes come as
    /// tables in tables.
    fn axes(
        &self,
        table: &DeTable,
        above: &str,
        top: bool,
        axes: &mut Vec<Axis>,
    ) -> Result<(), ScenarioError> {
        let mut entries: Vec<_> =
            table.iter().filter(|(k, _)| !top || !matches!(k.get_ref().as_ref(), "sets" | "plot")).collect();
        entries.sort_by_key(|(k, _)| k.span().start);
        for (key, value) in entries {
            let key_text = key.get_ref();
            let path = if above.is_empty() { key_text.to_string() } else { format!("{above}.{key_text}") };
            match value.get_ref() {
                DeValue::Array(list) if list.is_empty() => {
                    return Err(self.error(
                        format!("`{path}` has no values"),
                        value.span(),
                        "give at least one",
                    ));
                }
                DeValue::Array(list) => {
                    let values = list.iter().map(|v| self.value(&path, v)).collect();
                    axes.push(Axis { path, values });
                }
                DeValue::Table(inner) => self.axes(inner, &path, false, axes)?,
                _ if top => {
                    let help = format!(
                        "write `\"{path}\" = [first, second]`; values common to all runs belong outside of [sweep]"
                    );
                    return Err(self.error(format!("`{path}` needs a list of values"), value.span(), &help));
                }
                _ => {
                    let one = self.value(&path, value);
                    axes.push(Axis { path, values: vec![one] });
                }
            }
        }
        Ok(())
    }

    /// The tables of `sets`.
    fn groups(&self, table: &DeTable) -> Result<Vec<Vec<Axis>>, ScenarioError> {
        let Some(sets) = table.get("sets") else { return Ok(Vec::new()) };
        let help = "write sets = [{ \"run.seed\" = 1 }, { \"run.seed\" = 2 }]";
        let Some(list) = sets.get_ref().as_array().filter(|l| !l.is_empty()) else {
            return Err(self.error("`sets` is a list of tables", sets.span(), help));
        };
        let mut groups = Vec::new();
        for entry in list.iter() {
            let Some(inner) = entry.get_ref().as_table() else {
                return Err(self.error("expected a table with keys and values", entry.span(), help));
            };
            let mut axes = Vec::new();
            // As inside a table: single values are allowed.
            for (key, value) in inner {
                let mut one = DeTable::new();
                one.insert(key.clone(), value.clone());
                match value.get_ref() {
                    DeValue::Array(_) | DeValue::Table(_) => self.axes(&one, "", true, &mut axes)?,
                    _ => axes.push(Axis {
                        path: key.get_ref().to_string(),
                        values: vec![self.value(key.get_ref(), value)],
                    }),
                }
            }
            axes.sort_by_key(|a| a.values[0].1.place.as_ref().map_or(0, |p| p.start));
            groups.push(axes);
        }
        Ok(groups)
    }

    fn plots(&self, plot: &Spanned<DeValue>) -> Result<Vec<Plot>, ScenarioError> {
        Vec::<Plot>::deserialize(ValueDeserializer::from(plot.clone())).map_err(|e| {
            let (message, help) = explain(e.message());
            self.sources.error_at(message, e.span().unwrap_or(plot.span())).with_help(help)
        })
    }

    /// Every group with every combination of the axes; groups go slowest, the last axis fastest.
    fn product(
        &self,
        axes: Vec<Axis>,
        mut groups: Vec<Vec<Axis>>,
        place: Range<usize>,
    ) -> Result<(Vec<String>, Vec<Task>), ScenarioError> {
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let mut keys: Vec<String> = Vec::new();
        for axis in groups.iter().flatten().chain(&axes) {
            if !keys.contains(&axis.path) {
                keys.push(axis.path.clone());
            }
        }
        let mut tasks = Vec::new();
        for group in &groups {
            let all: Vec<&Axis> = group.iter().chain(&axes).collect();
            if let Some((k, twice)) = all
                .iter()
                .enumerate()
                .find(|(k, a)| all[..*k].iter().any(|b| b.path == a.path))
                .map(|(k, a)| (k, &a.path))
            {
                let span = all[k].values[0].1.place.clone().unwrap_or(place.clone());
                return Err(self.error(format!("`{twice}` is swept twice"), span, "remove one of the two"));
            }
            let count = all.iter().try_fold(1usize, |n, a| n.checked_mul(a.values.len()));
            let count = count.filter(|n| n + tasks.len() <= MOST_TASKS).ok_or_else(|| {
                let message = format!("this sweep would have more than {MOST_TASKS} runs");
                self.error(message, place.clone(), "give fewer values, or several sweeps")
            })?;
            for number in 0..count {
                let mut task = Task::default();
                let mut rest = number;
                for axis in all.iter().rev() {
                    let (value, set) = &axis.values[rest % axis.values.len()];
                    rest /= axis.values.len();
                    let key = keys.iter().position(|k| *k == axis.path).unwrap_or(0);
                    task.values.push((key, value.clone()));
                    task.sets.push(set.clone());
                }
                task.values.reverse();
                task.sets.reverse();
                tasks.push(task);
            }
        }
        Ok((keys, tasks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "[run]\nend = 1\n[method.soft]\nmax_speed = 1\n";

    fn load(sweep: &str) -> Sweep {
        Sweep::load("test", format!("{BASE}[sweep]\n{sweep}"), &[]).unwrap_or_else(|e| panic!("{sweep}: {e}"))
    }

    /// `key=value` of every task.
    fn shown(sweep: &Sweep) -> Vec<String> {
        let one = |t: &Task| {
            let pieces = t.values.iter().map(|(k, v)| format!("{}={}", sweep.keys[*k], v.text));
            pieces.collect::<Vec<_>>().join(" ")
        };
        sweep.tasks.iter().map(one).collect()
    }

    #[test]
    fn a_product_goes_in_the_order_of_the_table() {
        // Not that of the alphabet.
        let sweep = load("\"run.seed\" = [3, 1]\nmethod.soft.max_speed = [\"2 m/s\", 5]\n");
        assert_eq!(
            shown(&sweep),
            [
                "run.seed=3 method.soft.max_speed=2 m/s",
                "run.seed=3 method.soft.max_speed=5",
                "run.seed=1 method.soft.max_speed=2 m/s",
                "run.seed=1 method.soft.max_speed=5",
            ]
        );
        assert_eq!(sweep.directory_name(0), "000-seed-3-max_speed-2ms");
        let scenario = sweep.scenario(&sweep.tasks[2]).expect("a scenario").scenario;
        assert_eq!(scenario.run.seed, 1);
        // A run's own scenario is no campaign.
        let text = sweep.scenario(&sweep.tasks[2]).expect("a scenario").to_toml().expect("a text");
        assert!(!is_sweep(text.as_bytes()) && text.contains("max_speed = 2.0"), "{text}");
    }

    #[test]
    fn sets_are_a_union_of_products() {
        let sweep = load(
            "sets = [{}, { \"run.end\" = [1, 2] }, { \"method.soft.max_speed\" = [3, 4], \"run.end\" = 5 }]\n\
             \"run.seed\" = [8, 9]\n",
        );
        let all = shown(&sweep);
        assert_eq!(all.len(), 2 + 4 + 4);
        assert_eq!(all[..3], ["run.seed=8", "run.seed=9", "run.end=1 run.seed=8"]);
        assert_eq!(all[9], "method.soft.max_speed=4 run.end=5 run.seed=9");
        assert_eq!(sweep.keys, ["run.end", "method.soft.max_speed", "run.seed"]);
        let values: Vec<Option<&Value>> = (0..3).map(|k| sweep.value(&sweep.tasks[0], k)).collect();
        assert!(values[0].is_none() && values[1].is_none() && values[2].is_some());
    }

    #[test]
    fn values_are_numbers_in_si_and_vectors_have_a_length() {
        let value = |text: &str| Value { text: text.into() };
        let known = [
            ("5 min", Some(300.0)),
            ("1e-3", Some(1e-3)),
            ("[0, 3, 4]", Some(5.0)),
            ("[0, 0, 2] km/s", Some(2000.0)),
        ];
        for (text, number) in known {
            assert_eq!(value(text).number(), number, "{text}");
        }
        assert_eq!(value("[\"1 km\", 0, 0]").number(), Some(1000.0));
        assert_eq!(
            (value("gauss-seidel").number(), value("nan").number(), value("[]").number()),
            (None, None, None)
        );
        assert_eq!((value("5 min").cell(), value("[0,\n 1]").cell()), ("300".into(), "[0, 1]".into()));
    }

    #[test]
    fn a_mistake_in_a_value_is_shown_where_it_stands() {
        let sweep = load("\"run.end\" = [1,\n 2, \"3 kg\"]\n");
        let error = sweep.scenario(&sweep.tasks[2]).expect_err("no time");
        assert_eq!((error.source_name(), error.position()), (Some("test"), Some((7, 5))), "{error}");
    }
}
