//! The text of a scenario as a tree with places, `--set` changes worked in.
//!
//! Places are byte offsets. The file comes first; each `--set` text has a stretch of its own behind it, so that
//! one number says both which text and where in it.

use std::{borrow::Cow, collections::HashSet, ops::Range, sync::OnceLock};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::error::ScenarioError;
use rubblepile_core::settings::{Problem, suggestion};

/// The texts a scenario came from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Name of the file, as it is shown.
    pub name: String,
    pub text: String,
    /// In order.
    pub sets: Vec<Set>,
    /// The text is that of a campaign: its `[sweep]` table is left out.
    pub without_sweep: bool,
}

/// A value that is put in place of the text's, by `--set` or by a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// `key.path=value`
    pub text: String,
    /// Where in the text of the scenario it comes from; `None`: from the command line.
    pub place: Option<Range<usize>>,
}

/// A step of a path of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// `grains[1].place.0.x` as steps; a number after a point is an index where there is an array.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.find('[').map_or((part, ""), |k| part.split_at(k));
        let key = key.trim().trim_matches('"');
        if key.is_empty() {
            return None;
        }
        steps.push(Step::Key(key));
        while let Some(inside) = rest.strip_prefix('[') {
            let (number, after) = inside.split_once(']')?;
            steps.push(Step::Index(number.trim().parse().ok()?));
            rest = after;
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(steps)
}

impl Sources {
    /// Where the text of the `k`th `--set` begins.
    fn base(&self, k: usize) -> usize {
        self.text.len() + 1 + self.sets[..k].iter().map(|s| s.text.len() + 1).sum::<usize>()
    }

    /// An error at a place.
    pub fn error_at(&self, message: impl Into<String>, span: Range<usize>) -> ScenarioError {
        for k in (0..self.sets.len()).rev() {
            let base = self.base(k);
            if span.start >= base {
                if let Some(place) = &self.sets[k].place {
                    return ScenarioError::at(message, &self.name, &self.text, place.clone());
                }
                let span = span.start - base..span.end.saturating_sub(base);
                return ScenarioError::at(message, "--set", &self.sets[k].text, span);
            }
        }
        ScenarioError::at(message, &self.name, &self.text, span)
    }

    /// The tree, with every `--set` done.
    pub fn tree(&self) -> Result<Spanned<DeTable<'_>>, ScenarioError> {
        let mut tree = DeTable::parse(&self.text).map_err(|e| {
            let span = e.span().unwrap_or(0..0);
            self.error_at(format!("this is not TOML: {}", e.message()), span)
        })?;
        if self.without_sweep {
            tree.get_mut().remove("sweep");
        }
        for k in 0..self.sets.len() {
            self.apply_set(&mut tree, k)?;
        }
        Ok(tree)
    }

    fn apply_set<'a>(&'a self, tree: &mut Spanned<DeTable<'a>>, k: usize) -> Result<(), ScenarioError> {
        let (text, base) = (self.sets[k].text.as_str(), self.base(k));
        let form = "write it as `--set key.path=value`, for example `--set grains.0.count=500`";
        let fail = |message: String, span: Range<usize>, help: String| {
            Err(self.error_at(message, base + span.start..base + span.end).with_help(Some(help)))
        };
        let Some((key, value)) = text.split_once('=') else {
            return fail("there is no `=` in this".into(), 0..text.len(), form.into());
        };
        let key_span = 0..key.len();
        let value_start = key.len() + 1 + value.len() - value.trim_start().len();
        let value = match DeValue::parse(value.trim()) {
            Ok(v) => shifted(v, base + value_start),
            // What is no TOML value is a string without its quotes: `run.end=3 h`.
            Err(_) => {
                let span = base + value_start..base + text.len();
                Spanned::new(span, DeValue::String(Cow::Borrowed(value.trim())))
            }
        };
        let Some(steps) = steps(key) else {
            return fail(format!("`{}` is not a path of keys", key.trim()), key_span, form.into());
        };
        let whole = base..base + key.len();
        match insert(tree.get_mut(), &steps, value, &whole) {
            Ok(()) => Ok(()),
            Err((message, help)) => fail(message, key_span, help),
        }
    }

    /// The place of a path of keys, or of the nearest table above it.
    pub fn locate(&self, path: &str) -> Range<usize> {
        let (Ok(tree), Some(steps)) = (self.tree(), steps(path)) else { return 0..0 };
        let mut span = 0..0;
        let mut table = Some(tree.get_ref());
        let mut array = None;
        for step in steps {
            let next = match (step, table, array) {
                (Step::Key(key), Some(t), _) => t.get_key_value(key).map(|(k, v)| {
                    // A table's own place is its header or braces; a missing key in it is shown at its name.
                    let place =
                        if v.get_ref().is_table() && v.span().is_empty() { k.span() } else { v.span() };
                    (place, v)
                }),
                (Step::Index(i), _, Some(a)) => {
                    let a: &toml::de::DeArray = a;
                    a.get(i).map(|v| (v.span(), v))
                }
                _ => None,
            };
            let Some((place, value)) = next else { break };
            span = place;
            table = value.get_ref().as_table();
            array = value.get_ref().as_array();
        }
        span
    }

    /// All problems as one error, each at its place.
    pub fn problems(&self, problems: Vec<Problem>) -> Result<(), ScenarioError> {
        let errors = problems
            .into_iter()
            .take(20)
            .map(|p| self.error_at(p.message, self.locate(&p.path)).with_help(p.help).with_label(p.path));
        ScenarioError::join(errors.collect()).map_or(Ok(()), Err)
    }
}

/// The first array where there can be none, with the key that it is under. Without this a table's values could
/// be given as a bare array, by position: not a thing to find out after a run.
pub fn misplaced_array(table: &DeTable) -> Option<(String, Range<usize>)> {
    static KEYS: OnceLock<HashSet<String>> = OnceLock::new();
    let keys = KEYS.get_or_init(super::reference::array_keys);
    table.iter().find_map(|(key, value)| match value.get_ref() {
        DeValue::Table(inner) => misplaced_array(inner),
        DeValue::Array(_) if !keys.contains(key.get_ref().as_ref()) => {
            Some((key.get_ref().to_string(), value.span()))
        }
        DeValue::Array(array) => {
            array.iter().filter_map(|v| v.get_ref().as_table()).find_map(misplaced_array)
        }
        _ => None,
    })
}

/// The same value with every place moved by `by`.
fn shifted(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let inner = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(|v| shifted(v, by)).collect()),
        DeValue::Table(table) => {
            let moved = table.into_iter().map(|(k, v)| {
                let span = k.span();
                (Spanned::new(span.start + by..span.end + by, k.into_inner()), shifted(v, by))
            });
            DeValue::Table(moved.collect())
        }
        other => other,
    };
    Spanned::new(span.start + by..span.end + by, inner)
}

type Fault = (String, String);

fn insert<'a>(
    table: &mut DeTable<'a>,
    steps: &[Step<'a>],
    value: Spanned<DeValue<'a>>,
    span: &Range<usize>,
) -> Result<(), Fault> {
    let Some((Step::Key(key), rest)) = steps.split_first() else {
        return Err(("an index needs an array before it".into(), "start with the name of a table".into()));
    };
    if rest.is_empty() {
        table.remove(*key);
        table.insert(Spanned::new(span.clone(), Cow::Borrowed(*key)), value);
        return Ok(());
    }
    if table.get(*key).is_none() {
        let empty = DeValue::Table(DeTable::new());
        table.insert(Spanned::new(span.clone(), Cow::Borrowed(*key)), Spanned::new(span.clone(), empty));
    }
    match table.get_mut(*key) {
        Some(next) => descend(next, key, rest, value, span),
        None => Ok(()),
    }
}

fn descend<'a>(
    at: &mut Spanned<DeValue<'a>>,
    name: &str,
    steps: &[Step<'a>],
    value: Spanned<DeValue<'a>>,
    span: &Range<usize>,
) -> Result<(), Fault> {
    match at.get_mut() {
        DeValue::Table(table) => insert(table, steps, value, span),
        DeValue::Array(array) => {
            let (first, rest) = match steps.split_first() {
                Some((Step::Index(i), rest)) => (Some(*i), rest),
                Some((Step::Key(k), rest)) => (k.parse().ok(), rest),
                None => (None, steps),
            };
            let n = array.len();
            let which = match n {
                0 => "it is empty".into(),
                1 => "it has one element, number 0".into(),
                n => format!("its elements are 0 to {}", n - 1),
            };
            let Some(index) = first else {
                return Err((format!("`{name}` is an array: say which element"), which));
            };
            let Some(slot) = array.get_mut(index) else {
                return Err((format!("`{name}` has no element {index}"), which));
            };
            if rest.is_empty() {
                *slot = value;
                Ok(())
            } else {
                descend(slot, name, rest, value, span)
            }
        }
        other => Err((
            format!("`{name}` is a {}, there is nothing below it", other.type_str()),
            "shorten the path".into(),
        )),
    }
}

/// The words of a library about a wrong key or type in our own, and what to try.
pub fn explain(message: &str) -> (String, Option<String>) {
    let names =
        |list: &str| -> Vec<String> { list.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    for (start, what) in [("unknown field `", "key"), ("unknown variant `", "name")] {
        let Some(rest) = message.strip_prefix(start) else { continue };
        let Some((name, expected)) = rest.split_once("`, expected ").or(rest.split_once("`, there are no"))
        else {
            continue;
        };
        let shown: String = name.chars().take(60).collect();
        let known = names(expected);
        let help = suggestion(name, known.iter().map(String::as_str));
        return (format!("unknown {what} `{shown}`"), Some(help));
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
        let help = match name {
            "run" => "add a [run] table with `end`".into(),
            name => format!("add `{name} = ...`"),
        };
        return (format!("`{name}` is missing in this table"), Some(help));
    }
    if let Some(rest) = message.strip_prefix("wanted exactly 1 element, ") {
        let what = if rest.starts_with("more") { "there are several" } else { "there is none" };
        return (format!("exactly one choice belongs here, {what}"), None);
    }
    if message == "wanted string or table" {
        return ("expected a table or a name here".into(), None);
    }
    if let Some((message, hint)) = message.split_once(super::quantity::HINT) {
        return (message.into(), Some(hint.into()));
    }
    // Types under the names that TOML has for them.
    if let Some((found, expected)) = message.rsplit_once(", expected ") {
        let expected = match expected {
            "u64" | "u32" => "a whole number that is not negative",
            e if e.starts_with("struct ") => "a table",
            "a sequence" => "an array",
            e => e,
        };
        let found: String = found.chars().take(200).collect();
        return (format!("{found}, expected {expected}"), None);
    }
    let shown: String = message.chars().take(400).collect();
    (shown, None)
}
