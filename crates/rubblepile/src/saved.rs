//! Runs that can go on.

use std::path::{Path, PathBuf};

use rubblepile_core::World;
use rubblepile_io::{
    checkpoint::{self, LatestCheckpoint},
    rundir::RunDir,
    session::Recorder,
};

use crate::{Result, Scenario, Simulation};

/// A run directory with its last checkpoint, before the run goes on. Nobody else can resume the run while this exists.
///
/// ```no_run
/// # fn main() -> rubblepile::Result<()> {
/// let run = rubblepile::SavedRun::open("runs/collapse")?;
/// println!("stopped at {} s", run.world().time());
/// let mut sim = run.resume(Some(7200.0))?;
/// sim.run()?;
/// # Ok(())
/// # }
/// ```
pub struct SavedRun {
    directory: RunDir,
    found: LatestCheckpoint,
}

impl SavedRun {
    /// Opens the directory of a run and reads its last checkpoint.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        let path = directory.as_ref();
        let directory = RunDir::open(path)?;
        Ok(SavedRun { directory, found: checkpoint::find(path)? })
    }

    /// The world of the checkpoint.
    pub fn world(&self) -> &World {
        &self.found.world
    }

    /// The checkpoint that is used instead of a newer one that cannot be read, and why.
    pub fn fallback(&self) -> Option<(PathBuf, String)> {
        self.found.passed_over.as_ref().map(|why| (self.found.path.clone(), why.to_string()))
    }

    /// Whether nothing is left to do before this time, s; `None`: before the end of the scenario.
    pub fn is_complete(&self, end: Option<f64>) -> bool {
        let world = self.world();
        match end {
            Some(end) => world.clock.steps_until(end) == 0,
            None => world.ended,
        }
    }

    /// The number of threads that its scenario asks for; `None`: all cores.
    pub fn threads(&self) -> Result<Option<u32>> {
        Ok(Scenario::saved(&self.found.meta, None)?.threads())
    }

    /// Goes on from the checkpoint, to this end or to that of the scenario, s. The files are those of a run that never stopped,
    /// bit for bit.
    pub fn resume(self, end: Option<f64>) -> Result<Simulation> {
        let mut plan = Scenario::saved(&self.found.meta, end)?.plan_to_resume();
        let recorder = Recorder::resume(self.found, self.directory, &mut plan)?;
        Ok(Simulation::recorded(plan, recorder))
    }
}
