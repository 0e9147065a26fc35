//! The state of a sweep: that of each run, `sweep.csv` and `sweep.svg`.
//!
//! Everything is read from the directories of the runs, at any time: they are the only state, so that runs may be
//! made by several processes, on several machines, in any order.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
};

use crate::{
    atomic,
    error::{FileError, Result},
    plot::{self, Panel, Series},
    reference::Entry,
    report::RunReport,
    rundir,
    scenario::sweep::{Names, Plot, Sweep},
    series,
    table::{SeriesTable, push_number, push_text},
};

/// Names in the directory of a sweep, and in that of a run that could not be started.
pub const TABLE: &str = "sweep.csv";
pub const PICTURE: &str = "sweep.svg";
pub const REFUSED: &str = "refused.txt";
const LOCK: &str = ".sweep.lock";

/// The columns of `sweep.csv` that are neither keys nor columns of a series: the keys come after the first.
pub const COLUMNS: &[Entry] = &[
    Entry::new(TASK, "", "Number of the run, from 0"),
    Entry::new(
        STATE,
        "",
        "`not started`, `running`, `unfinished`, `complete`, `ended by an event` or `failed`",
    ),
];
const TASK: &str = "task";
const STATE: &str = "state";

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    NotStarted,
    /// A process is at it now.
    Running,
    /// Interrupted or killed: it can go on.
    Unfinished,
    /// Complete, or ended by an event.
    Done {
        by_event: bool,
    },
    Failed {
        reason: String,
    },
}

impl RunState {
    /// As it stands in the table.
    pub fn word(&self) -> &'static str {
        match self {
            RunState::NotStarted => "not started",
            RunState::Running => "running",
            RunState::Unfinished => "unfinished",
            RunState::Done { by_event: false } => "complete",
            RunState::Done { by_event: true } => "ended by an event",
            RunState::Failed { .. } => "failed",
        }
    }
}

/// The state of the run in a directory.
pub fn state(directory: &Path) -> RunState {
    if rundir::is_in_use(directory) {
        return RunState::Running;
    }
    if let Ok(reason) = std::fs::read_to_string(directory.join(REFUSED)) {
        return RunState::Failed { reason: reason.trim().to_string() };
    }
    if !rundir::is_run(directory) {
        return RunState::NotStarted;
    }
    match RunReport::read(directory) {
        Ok(report) => match report.status.as_str() {
            "complete" => RunState::Done { by_event: false },
            "ended by an event" => RunState::Done { by_event: true },
            "failed" => RunState::Failed { reason: report.reason.unwrap_or_default() },
            _ => RunState::Unfinished,
        },
        // Without a report it can still go on from its checkpoint.
        Err(_) => RunState::Unfinished,
    }
}

/// The directory of a task.
pub fn directory(sweep: &Sweep, out: &Path, task: usize) -> PathBuf {
    out.join(sweep.directory_name(task))
}

/// One run: its state, and the last value of every column of its series.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSummary {
    pub state: RunState,
    pub last: Vec<(String, f64)>,
}

/// All runs of a sweep, as they are now.
pub fn collect(sweep: &Sweep, out: &Path) -> Vec<TaskSummary> {
    let row = |task| {
        let directory = directory(sweep, out, task);
        let table = SeriesTable::read(&directory.join(series::NAME)).ok();
        let last = table.iter().flat_map(|t| t.last()).map(|(name, x)| (name.to_string(), x)).collect();
        TaskSummary { state: state(&directory), last }
    };
    (0..sweep.tasks.len()).map(row).collect()
}

/// Makes `sweep.csv`, and `sweep.svg` if plots are asked for, from what is there.
pub fn write(sweep: &Sweep, out: &Path) -> Result<Vec<TaskSummary>> {
    // Several processes may come here at once; the last one has seen the results of all others.
    let lock = lock(out)?;
    let rows = collect(sweep, out);
    atomic::write_text(&out.join(TABLE), &table(sweep, &rows))?;
    if !sweep.plots.is_empty() {
        let panels: Vec<Panel> = sweep.plots.iter().map(|p| panel(sweep, &rows, p)).collect();
        atomic::write_text(&out.join(PICTURE), &plot::svg(&panels))?;
    }
    drop(lock);
    Ok(rows)
}

fn lock(out: &Path) -> Result<Option<File>> {
    let path = out.join(LOCK);
    let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = open.map_err(FileError::io("write to the directory", out))?;
    // Some network disks have no locks; a table that is made twice at once is made again at the next run's end.
    Ok(file.lock().is_ok().then_some(file))
}

/// One row per run: its number, what it sets (SI), its state, and the last value of every column of its series.
pub fn table(sweep: &Sweep, rows: &[TaskSummary]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|r| &r.last) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut text = String::from(TASK);
    for key in &sweep.keys {
        text.push(',');
        push_text(&mut text, key);
    }
    text.push(',');
    text.push_str(STATE);
    for name in &columns {
        text.push(',');
        push_text(&mut text, name);
    }
    text.push('\n');
    for (number, (task, row)) in sweep.tasks.iter().zip(rows).enumerate() {
        text.push_str(&number.to_string());
        for key in 0..sweep.keys.len() {
            text.push(',');
            if let Some(value) = sweep.value(task, key) {
                push_text(&mut text, &value.cell());
            }
        }
        text.push_str(&format!(",{}", row.state.word()));
        for name in &columns {
            text.push(',');
            if let Some((_, x)) = row.last.iter().find(|(n, _)| n == name) {
                push_number(&mut text, *x);
            }
        }
        text.push('\n');
    }
    text
}

/// The points of a plot: runs that have come to their end.
fn panel(sweep: &Sweep, rows: &[TaskSummary], plot: &Plot) -> Panel {
    let key = |name: &str| sweep.keys.iter().position(|k| k == name);
    let done: Vec<usize> =
        (0..rows.len()).filter(|&k| matches!(rows[k].state, RunState::Done { .. })).collect();
    let value = |task: usize, name: &str| match key(name) {
        Some(key) => sweep.value(&sweep.tasks[task], key).and_then(|v| v.number()),
        None => rows[task].last.iter().find(|(n, _)| n == name).map(|(_, x)| *x),
    };
    let mut series: Vec<Series> = Vec::new();
    let mut x_label = plot.x.list().join(", ");
    match &plot.x {
        Names::Several(names) => {
            for name in names {
                let largest =
                    (0..rows.len()).filter_map(|k| value(k, name)).fold(0.0, |a: f64, x| a.max(x.abs()));
                let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
                let point = |&k: &usize| Some((scale * value(k, name)?, value(k, &plot.y)?));
                let points = done.iter().filter_map(point).collect();
                series.push(Series { name: name.clone(), points });
            }
            x_label = "part of the largest value".into();
        }
        Names::One(name) => {
            let by = plot.by.as_deref().and_then(key).or_else(|| default_colour(sweep, name, &plot.y));
            for &k in &done {
                let colour = by.map(|by| match (short(&sweep.keys[by]), sweep.value(&sweep.tasks[k], by)) {
                    (key, Some(value)) => format!("{key} = {}", value.text),
                    (key, None) => format!("without {key}"),
                });
                let colour = colour.unwrap_or_default();
                let Some(point) = value(k, name).and_then(|x| Some((x, value(k, &plot.y)?))) else {
                    continue;
                };
                match series.iter_mut().find(|s| s.name == colour) {
                    Some(s) => s.points.push(point),
                    None => series.push(Series { name: colour, points: vec![point] }),
                }
            }
        }
    }
    let or = |given: &str, otherwise: &str| {
        if given.is_empty() { otherwise.to_string() } else { given.to_string() }
    };
    Panel {
        title: plot.title.clone(),
        x_label: or(&plot.x_label, &x_label),
        y_label: or(&plot.y_label, &plot.y),
        log_x: plot.log.contains('x'),
        log_y: plot.log.contains('y'),
        series,
    }
}

/// The last piece of a path of keys.
fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The first key with two to eight values that is on no axis; seeds are not told apart.
fn default_colour(sweep: &Sweep, x: &str, y: &str) -> Option<usize> {
    (0..sweep.keys.len()).find(|&k| {
        let name = sweep.keys[k].as_str();
        let mut values: Vec<&str> =
            sweep.tasks.iter().filter_map(|t| sweep.value(t, k)).map(|v| v.text.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        name != x && name != y && name != "run.seed" && (2..=8).contains(&values.len())
    })
}

/// The columns of the series that the plots of a sweep use.
pub fn plotted_columns(sweep: &Sweep) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for plot in &sweep.plots {
        names.extend(plot.x.list().iter().map(String::as_str).chain([plot.y.as_str()]));
    }
    names.retain(|n| !sweep.keys.iter().any(|k| k == n));
    names.dedup();
    names
}
