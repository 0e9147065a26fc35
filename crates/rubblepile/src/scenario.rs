//! Scenarios: read, checked, and ready to become simulations or runs.

use std::path::{Path, PathBuf};

use rubblepile_core::Column;
use rubblepile_io::{
    FileError,
    checkpoint::Meta,
    input,
    scenario::{self, Built, Loaded, Summary, Sweep, tables},
    session::Plan,
};

use crate::{Error, Result, Simulation, assemble};

/// A scenario that was read and checked. Nothing has been made of it yet: no grain is placed.
///
/// ```
/// # fn main() -> rubblepile::Result<()> {
/// let scenario = rubblepile::Scenario::parse(
///     r#"
///     title = "Two grains that meet"
///     run = { end = "10 s" }
///     method.soft.max_speed = "2 m/s"
///     [[material]]
///     name = "rock"
///     density = "2500 kg/m3"
///     [[grains]]
///     radius = "10 cm"
///     place = { points = { positions = [[-1, 0, 0]] } }
///     velocity = [0.5, 0, 0]
///     [[grains]]
///     radius = "10 cm"
///     place = { points = { positions = [[1, 0, 0]] } }
///     "#,
/// )?;
/// assert_eq!(scenario.end(), 10.0);
/// assert_eq!(scenario.summary()?.grains, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Scenario {
    pub(crate) loaded: Loaded,
    /// Where files that it names are looked for.
    pub(crate) base: PathBuf,
    text: String,
}

impl Scenario {
    /// Reads a scenario file. A mistake in it comes back with its line, its column and the nearest right name.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Scenario::open_with(path, &[])
    }

    /// Reads a scenario file with values changed: `sets` are `key.path=value`, as after `--set`.
    pub fn open_with(path: impl AsRef<Path>, sets: &[String]) -> Result<Self> {
        let path = path.as_ref();
        let loaded = tables::Scenario::load(&path.display().to_string(), read(path)?, sets)?;
        Scenario::of(loaded, folder(path))
    }

    /// Reads a scenario from text; files that it names are looked for in the current directory.
    pub fn parse(text: &str) -> Result<Self> {
        Scenario::parse_with("the scenario", text, &[])
    }

    /// Reads a scenario from text with values changed; `name` is what it is called in messages.
    pub fn parse_with(name: &str, text: &str, sets: &[String]) -> Result<Self> {
        Scenario::of(tables::Scenario::load(name, text, sets)?, PathBuf::from("."))
    }

    /// The scenario that a checkpoint was made with, to another end if one is given, s.
    pub fn saved(meta: &Meta, end: Option<f64>) -> Result<Self> {
        let sets: Vec<String> = end.map(|t| format!("run.end={t:?}")).into_iter().collect();
        let loaded =
            tables::Scenario::load("the scenario in the checkpoint", meta.scenario.as_bytes(), &sets)?;
        Scenario::of(loaded, PathBuf::from(&meta.base_directory))
    }

    /// One run of a campaign; `base` is the folder of its file.
    pub fn task(sweep: &Sweep, task: usize, base: &Path) -> Result<Self> {
        let found = sweep.tasks.get(task).ok_or_else(|| {
            let count = sweep.tasks.len();
            Error::bad_input(format!("the campaign has no run {task}"), format!("it has {count}, from 0"))
        })?;
        Scenario::of(sweep.scenario(found)?, base.to_path_buf())
    }

    pub(crate) fn of(loaded: Loaded, base: PathBuf) -> Result<Self> {
        Ok(Scenario { text: loaded.to_toml()?, loaded, base })
    }

    /// The scenario as TOML, with every default written out. It reads back as the same scenario.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The folder that relative paths in it start at.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Its tables, with every default filled in.
    pub fn tables(&self) -> &tables::Scenario {
        &self.loaded.scenario
    }

    /// End of the run, s.
    pub fn end(&self) -> f64 {
        self.loaded.scenario.run.end.0
    }

    /// How many threads it asks for; `None`: all cores.
    pub fn threads(&self) -> Option<u32> {
        self.loaded.scenario.run.threads
    }

    /// What it will be: numbers of grains, masses, sizes, memory, and what is doubtful in it.
    pub fn summary(&self) -> Result<Summary> {
        Ok(scenario::summary(&self.build()?))
    }

    /// The columns that its series will have, with their units and definitions.
    pub fn columns(&self) -> Vec<Column> {
        assemble::columns(self)
    }

    /// Makes the world, with the time step that the scenario asks for or that the contacts need.
    pub fn build(&self) -> Result<Built> {
        assemble::build(self)
    }

    /// Makes the asteroids and nothing else.
    pub fn build_asteroids(&self) -> Result<Built> {
        Ok(scenario::build_asteroids_only(&self.loaded, &self.base)?)
    }

    /// Everything a run needs.
    pub fn plan(&self, built: Built) -> Plan {
        assemble::plan(self, built)
    }

    /// Everything a run needs that goes on from a checkpoint. Grains and asteroids are not made again: the files that they
    /// came from need not be there any more.
    pub fn plan_to_resume(&self) -> Plan {
        assemble::plan(self, scenario::build_without_grains(&self.loaded))
    }

    /// Makes a simulation of it. It writes nothing until [`Simulation::record`] is called.
    pub fn simulation(&self) -> Result<Simulation> {
        Simulation::of(self)
    }
}

/// A scenario file with a `[sweep]` table, and the folder that relative paths in it start at.
pub fn open_sweep(path: &Path, sets: &[String]) -> Result<(Sweep, PathBuf)> {
    Ok((Sweep::load(&path.display().to_string(), &read(path)?, sets)?, folder(path)))
}

/// Whether a scenario file is a campaign.
pub fn is_sweep(path: &Path) -> bool {
    read(path).is_ok_and(|bytes| scenario::sweep::is_sweep(&bytes))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let help =
        "a scenario is a text file; many grains belong in a CSV file: place = { file = { path = ... } }";
    Ok(input::read(path, input::SCENARIO_LIMIT).map_err(FileError::input("read", path, "scenario", help))?)
}

/// The folder of a file. A run may be resumed from another place.
fn folder(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf())
}
