//! One session of a run: its directory, its writers, its checkpoints and its report.
//!
//! Whoever starts runs makes a [`Plan`] from a scenario and starts a [`Recorder`] beside it; everything between the engine of
//! the plan and the files is done here once. A run that is stopped or killed at any moment goes on from its last
//! checkpoint and ends with the same files, bit for bit.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use rubblepile_core::{
    Advice, Error, Extent, Observer, Probe, Report, Severity, World,
    run::{Control, Ending, Engine, Progress, Signal},
    text,
};

use crate::{
    checkpoint::{self, LatestCheckpoint, Meta},
    contact_table::ContactTables,
    diagnostic::Diagnostic,
    error::{FileError, Result},
    frame::{FrameWriter, View, WallStyles},
    generate::GrainTable,
    marks::Marks,
    report::{self, Machine, RunReport},
    rundir::{self, RunDir, utc},
    series::SeriesWriter,
};

/// When checkpoints are written, besides at the start and at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckpointEvery {
    Wall(Duration),
    /// s of simulated time
    Simulated(f64),
    Never,
}

/// Everything a run needs, from the scenario. For a resumed run `world` is that of the checkpoint.
pub struct Plan {
    pub title: String,
    /// The world with its method and fields; the writers of files are added to its observers.
    pub engine: Engine,
    /// Each with its interval, s.
    pub probes: Vec<(Box<dyn Probe>, f64)>,
    /// Intervals, s.
    pub frames: Option<f64>,
    pub view: View,
    pub wall_styles: WallStyles,
    pub contact_tables: Option<f64>,
    pub checkpoint: CheckpointEvery,
    pub seed: u64,
    /// The scenario with every default written out.
    pub scenario: String,
    /// Folder that relative paths of the scenario start at.
    pub base_directory: String,
    /// Grains that a program gave as arrays, by the name of the file that the scenario takes them from: written into the run
    /// directory.
    pub given: BTreeMap<String, GrainTable>,
}

impl Plan {
    /// What its checkpoints say besides the world.
    pub fn meta(&self) -> Meta {
        Meta {
            program_version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.scenario.clone(),
            base_directory: self.base_directory.clone(),
            method: self.engine.method.name().into(),
            wall_styles: self.wall_styles.clone(),
            ..Meta::default()
        }
    }

    /// What the method and the fields have to say about it before it runs.
    pub fn advice(&self) -> Vec<Advice> {
        let Engine { world, method, fields, .. } = &self.engine;
        let fields = fields.list.iter().flat_map(|f| f.check(world));
        method.check(world).into_iter().chain(fields).collect()
    }
}

/// What the owner of a session sees while it runs.
pub trait Watcher {
    /// About ten times a second.
    fn progress(&mut self, progress: &mut Progress);
    fn saved(&mut self, _path: &Path, _took: Duration) {}
}

/// Why a session ended badly.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    File(#[from] FileError),

    #[error("this scenario cannot be run: {}", .0.join("; "))]
    Refused(Vec<String>),

    #[error("the run stopped at t = {} (step {step}): {source}", text::time(*time))]
    Failed { time: f64, step: u64, source: Error, help: String },
}

impl Diagnostic for SessionError {
    fn help(&self) -> Option<String> {
        match self {
            SessionError::File(e) => e.help(),
            SessionError::Refused(_) => Some("see `rubblepile check`".into()),
            SessionError::Failed { help, .. } => Some(help.clone()),
        }
    }
}

impl SessionError {
    pub fn is_bad_input(&self) -> bool {
        match self {
            SessionError::File(e) => e.is_bad_input(),
            SessionError::Refused(_) => true,
            SessionError::Failed { .. } => false,
        }
    }
}

/// A run directory, and what is written there as a run goes on.
pub struct Recorder {
    directory: RunDir,
    meta: Meta,
    marks: Marks,
    every: CheckpointEvery,
    /// When the last checkpoint was saved: by the clock of the machine, and the simulated time, s.
    saved_at: (Instant, f64),
    /// Running, over all calls.
    spent: Duration,
    report: RunReport,
}

/// The writers of a run's files, before they are among the observers of its engine.
struct Writers {
    series: Option<SeriesWriter>,
    frames: Option<FrameWriter>,
    contact_tables: Option<ContactTables>,
}

impl Writers {
    fn observe(self, engine: &mut Engine) {
        let observers = &mut engine.observers;
        observers.extend(self.series.map(|w| Box::new(w) as Box<dyn Observer>));
        observers.extend(self.frames.map(|w| Box::new(w) as Box<dyn Observer>));
        observers.extend(self.contact_tables.map(|w| Box::new(w) as Box<dyn Observer>));
    }
}

impl Recorder {
    /// A new run in a directory that is there and empty of runs. If it cannot be, the plan is as it was; otherwise its probes are
    /// among the observers of its engine, as part of the series.
    pub fn start(plan: &mut Plan, directory: RunDir) -> Result<Self, SessionError> {
        refuse(&plan.advice())?;
        directory.write_scenario(&plan.scenario)?;
        let (recorder, writers) =
            Recorder::assemble(plan, directory, Marks::default(), Vec::new(), "started")?;
        // Killed before the first checkpoint is due, there must be something to resume.
        match recorder.save(&mut plan.engine) {
            Ok(()) => {
                writers.observe(&mut plan.engine);
                Ok(recorder)
            }
            Err(error) => {
                plan.probes = writers.series.map_or(Vec::new(), SeriesWriter::into_probes);
                Err(error)
            }
        }
    }

    /// Goes on from a checkpoint; the world of the plan is replaced by that of the checkpoint.
    pub fn resume(found: LatestCheckpoint, directory: RunDir, plan: &mut Plan) -> Result<Self, SessionError> {
        let LatestCheckpoint { path, meta, mut world, passed_over } = found;
        // A run that has ended and is to go further goes on like any other.
        world.ended = false;
        let mut warnings = Vec::new();
        if let Some(error) = passed_over {
            warnings.push(format!("the newest checkpoint was skipped: {error}"));
        }
        let from = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        plan.engine.world = world;
        refuse_foreign_part(plan)?;
        if plan.scenario != meta.scenario {
            directory.write_scenario(&plan.scenario)?;
        }
        let (marks, verb) = (Marks::from_meta(&meta), format!("resumed from {from}"));
        let (recorder, writers) = Recorder::assemble(plan, directory, marks, warnings, &verb)?;
        writers.observe(&mut plan.engine);
        Ok(recorder)
    }

    fn assemble(
        plan: &mut Plan,
        directory: RunDir,
        marks: Marks,
        warnings: Vec<String>,
        verb: &str,
    ) -> Result<(Self, Writers), SessionError> {
        check_intervals(plan)?;
        let path = directory.path().to_path_buf();
        let mut report = describe(plan, &path);
        let advice = plan.advice();
        let noted = advice.iter().filter(|a| a.severity == Severity::Warning).map(|a| a.text.clone());
        let warnings: Vec<String> = warnings.into_iter().chain(noted).collect();
        report.sessions.push(report::SessionRecord {
            started: utc(SystemTime::now()),
            version: report.version.clone(),
            threads: rayon::current_num_threads(),
            machine: Machine::this(),
            from_step: plan.engine.world.clock.step,
            to_step: plan.engine.world.clock.step,
            wall_s: 0.0,
            phases: Vec::new(),
            counts: Default::default(),
            largest: Default::default(),
            warnings: warnings.clone(),
        });
        let meta = plan.meta();
        let frames = plan.frames.map(|interval| {
            FrameWriter::new(path.clone(), interval, plan.view, plan.wall_styles.clone(), marks.clone())
        });
        let contact_tables =
            plan.contact_tables.map(|interval| ContactTables::new(path.clone(), interval, marks.clone()));
        let (frames, contact_tables) = (frames.transpose()?, contact_tables.transpose()?);
        report.write(&path)?;
        // Takes the probes: what may fail without giving them back comes before.
        let series = match plan.probes.is_empty() {
            true => None,
            false => Some(SeriesWriter::new(&path, &mut plan.probes, marks.clone())?),
        };
        let engine = &plan.engine;
        directory.log(&format!(
            "{verb} at t = {:e} s, step {}, {} bodies, {} threads, rubblepile {}",
            engine.world.time(),
            engine.world.clock.step,
            engine.world.grain_count(),
            rayon::current_num_threads(),
            report.version
        ));
        warnings.iter().for_each(|w| directory.log(&format!("warning: {w}")));
        let saved_at = (Instant::now(), engine.world.time());
        let every = plan.checkpoint;
        let recorder = Recorder { directory, meta, marks, every, saved_at, spent: Duration::ZERO, report };
        Ok((recorder, Writers { series, frames, contact_tables }))
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The report as of the last time the session paused.
    pub fn report(&self) -> &RunReport {
        &self.report
    }

    /// Warnings from before the first step.
    pub fn warnings(&self) -> &[String] {
        self.report.sessions.last().map_or(&[], |s| s.warnings.as_slice())
    }

    /// Writes a checkpoint now.
    pub fn save(&self, engine: &mut Engine) -> Result<(), SessionError> {
        let Engine { world, method, .. } = engine;
        if let Err(source) = method.sync(world, Extent::Whole) {
            let help = "the last checkpoint is unchanged".into();
            return Err(SessionError::Failed { time: world.time(), step: world.clock.step, source, help });
        }
        Ok(save(self.directory.path(), &self.meta, &self.marks, world)?)
    }

    /// Runs to the step nearest to `until`, or to the end, or until `stop` is set; the files are up to date then. A run that fails
    /// leaves the world it failed with in `failed.rpk`, and its checkpoints as they were.
    pub fn run(
        &mut self,
        engine: &mut Engine,
        until: Option<f64>,
        stop: &AtomicBool,
        watcher: &mut dyn Watcher,
    ) -> Result<Ending, SessionError> {
        let started = Instant::now();
        let mut owner = Owner {
            directory: &self.directory,
            meta: &self.meta,
            marks: &self.marks,
            every: self.every,
            saved_at: &mut self.saved_at,
            stop,
            watcher,
        };
        let outcome = match until {
            None => engine.run(&mut owner),
            Some(until) => engine.run_until(until, &mut owner),
        };
        self.spent += started.elapsed();
        let (world, spent) = (&engine.world, self.spent.as_secs_f64());
        let (time, step) = (world.time(), world.clock.step);
        (self.report.time_s, self.report.step) = (time, step);
        if let Some(session) = self.report.sessions.last_mut() {
            session.update(&engine.report, step, spent);
        }
        let (status, reason) = match &outcome {
            Ok(Ending::Complete) if until.is_some() => ("running", None),
            Ok(Ending::Complete) => ("complete", None),
            Ok(Ending::Event(why)) => ("ended by an event", Some(why.clone())),
            Ok(Ending::Interrupted) => ("interrupted", None),
            Err(error) => ("failed", Some(error.to_string())),
        };
        self.report.status = status.into();
        self.report.reason = reason;
        let words = self.report.reason.as_ref().map_or(String::new(), |r| format!(": {r}"));
        if status != "running" {
            self.directory
                .log(&format!("{status} at t = {time:e} s, step {step}, after {spent:.1} s{words}"));
        }
        match outcome {
            Ok(ending) => {
                self.report.write(self.directory.path())?;
                Ok(ending)
            }
            Err(source) => {
                let help = self.leave_failed_world(engine, &source);
                // The reason of the failure matters more than a report that cannot be written either.
                let _ = self.report.write(self.directory.path());
                Err(SessionError::Failed { time, step, source, help })
            }
        }
    }

    /// Keeps the world for a look at what went wrong; gives what to try.
    fn leave_failed_world(&self, engine: &mut Engine, error: &Error) -> String {
        let directory = self.directory.path();
        if let Error::Output { source, .. } = error {
            let what = match source.downcast_ref::<FileError>() {
                Some(e) => e.help().unwrap_or_default(),
                None => String::new(),
            };
            return format!(
                "{what}\nthe last checkpoint is intact: `rubblepile resume {}`",
                directory.display()
            );
        }
        let path = directory.join(rundir::FAILED);
        let Engine { world, method, .. } = engine;
        if let Err(e) = method.sync(world, Extent::Whole) {
            return format!("the final state is lost: {e}");
        }
        match checkpoint::write(&path, &self.meta, world) {
            Ok(()) => {
                format!("the final state is in {}: `rubblepile info` and `export` read it", path.display())
            }
            Err(e) => format!("the final state could not be saved: {e}"),
        }
    }
}

fn save(directory: &Path, meta: &Meta, marks: &Marks, world: &World) -> Result<()> {
    let mut meta = meta.clone();
    marks.settle(&mut meta).map_err(FileError::io("write the series in", directory))?;
    checkpoint::save(directory, &meta, world)
}

/// Something due more often than there are steps would be due forever.
fn check_intervals(plan: &Plan) -> Result<(), SessionError> {
    let timestep = plan.engine.world.clock.timestep;
    let outputs = [("frames", plan.frames), ("contact tables", plan.contact_tables)];
    let outputs = outputs.into_iter().filter_map(|(what, interval)| Some((what, interval?)));
    let probes = plan.probes.iter().map(|(_, interval)| ("a probe", *interval));
    let wrong: Vec<String> = outputs
        .chain(probes)
        .filter(|(_, interval)| !interval.is_finite() || *interval < 0.999 * timestep)
        .map(|(what, interval)| {
            format!(
                "the interval of {what}, {}, must not be shorter than the time step, {}",
                text::time(interval),
                text::time(timestep)
            )
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(SessionError::Refused(wrong)) }
}

/// An error if the advice has something fatal.
pub fn refuse(advice: &[Advice]) -> Result<(), SessionError> {
    let fatal: Vec<String> =
        advice.iter().filter(|a| a.severity == Severity::Fatal).map(|a| a.text.clone()).collect();
    if fatal.is_empty() { Ok(()) } else { Err(SessionError::Refused(fatal)) }
}

/// What one method remembers means nothing to another.
fn refuse_foreign_part(plan: &Plan) -> Result<(), SessionError> {
    let method = plan.engine.method.name();
    match plan.engine.world.part.as_deref().map(|part| part.method()) {
        Some(other) if other != method => Err(SessionError::Refused(vec![format!(
            "the checkpoint was made by the method `{other}`; `{method}` cannot use its contact history"
        )])),
        _ => Ok(()),
    }
}

/// The report of a run that is about to go on; earlier sessions are kept if they can be read.
fn describe(plan: &Plan, directory: &Path) -> RunReport {
    let (method, fields) = (&plan.engine.method, &plan.engine.fields.list);
    let mut citations: Vec<String> = Vec::new();
    for paper in method.citations().into_iter().chain(fields.iter().flat_map(|f| f.citations())) {
        if !citations.iter().any(|key| key == paper.key) {
            citations.push(paper.key.into());
        }
    }
    RunReport {
        program: "rubblepile".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        title: plan.title.clone(),
        status: "running".into(),
        reason: None,
        method: method.name().into(),
        seed: plan.seed,
        bodies: plan.engine.world.grain_count() as u64,
        walls: plan.engine.world.walls.len() as u64,
        time_s: plan.engine.world.time(),
        end_s: plan.engine.end,
        step: plan.engine.world.clock.step,
        timestep_s: plan.engine.world.clock.timestep,
        scenario_sha256: report::sha256(&plan.scenario),
        citations,
        sessions: RunReport::read(directory).map(|r| r.sessions).unwrap_or_default(),
        fields: fields.iter().map(|f| f.name().to_string()).collect(),
    }
}

/// The owner of the run loop: saves checkpoints and passes progress on.
struct Owner<'a> {
    directory: &'a RunDir,
    meta: &'a Meta,
    marks: &'a Marks,
    every: CheckpointEvery,
    saved_at: &'a mut (Instant, f64),
    stop: &'a AtomicBool,
    watcher: &'a mut dyn Watcher,
}

impl Control for Owner<'_> {
    fn tick(&mut self, progress: &mut Progress) -> Signal {
        self.watcher.progress(progress);
        let due = match self.every {
            CheckpointEvery::Wall(interval) => self.saved_at.0.elapsed() >= interval,
            CheckpointEvery::Simulated(interval) => progress.time() - self.saved_at.1 >= interval,
            CheckpointEvery::Never => false,
        };
        if self.stop.load(Ordering::Relaxed) {
            Signal::Stop
        } else if due {
            Signal::Checkpoint
        } else {
            Signal::Continue
        }
    }

    fn save(&mut self, world: &World, _report: &Report) -> rubblepile_core::Result<()> {
        let start = Instant::now();
        save(self.directory.path(), self.meta, self.marks, world).map_err(|e| e.into_core("checkpoint"))?;
        *self.saved_at = (Instant::now(), world.time());
        let path = self.directory.path().join(checkpoint::NEWEST);
        self.directory.log(&format!("checkpoint at t = {:e} s, step {}", world.time(), world.clock.step));
        self.watcher.saved(&path, start.elapsed());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
