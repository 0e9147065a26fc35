//! A simulation that a program steps, inspects and changes. What a program adds of its own is in `extend.rs`.

mod extend;

use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use rubblepile_core::{
    Advice, Bodies, Column, Contact, Extent, Probe, Report, World,
    method::Moment,
    run::{Control, Ending, Engine, Progress, Signal},
};
use rubblepile_io::{
    atomic, checkpoint,
    report::RunReport,
    rundir::RunDir,
    session::{Plan, Recorder, Watcher, refuse},
};

use crate::{Error, Result, SavedRun, Scenario, builder::Builder, edit};

/// A world with its method, fields and observers.
///
/// A simulation writes nothing by itself. [`Simulation::record`] gives it a run directory, with the frames, series and
/// checkpoints that its scenario asks for.
///
/// ```
/// use rubblepile::Simulation;
///
/// # fn main() -> rubblepile::Result<()> {
/// let mut sim = Simulation::from_toml(
///     r#"
///     run = { end = "1 h" }
///     method.soft.max_speed = "10 cm/s"
///     gravity = [{ direct = {} }]
///     material = [{ name = "rock", density = "2500 kg/m3" }]
///     [[grains]]
///     radius = "1 m"
///     place = { points = { positions = [[0, 0, 0], [2.5, 0, 0], [0, 2.5, 0]] } }
///     "#,
/// )?;
/// sim.run_until(60.0)?;
/// assert_eq!(sim.world()?.bodies.len(), 3);
/// # Ok(())
/// # }
/// ```
pub struct Simulation {
    plan: Box<Plan>,
    /// With a run directory.
    recorder: Option<Recorder>,
}

impl Simulation {
    /// Reads, checks and builds a scenario file.
    ///
    /// ```no_run
    /// # fn main() -> rubblepile::Result<()> {
    /// let mut sim = rubblepile::Simulation::from_scenario("scenarios/collapse.toml")?;
    /// sim.run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_scenario(path: impl AsRef<Path>) -> Result<Self> {
        Scenario::open(path)?.simulation()
    }

    /// Reads, checks and builds a scenario given as text.
    pub fn from_toml(text: &str) -> Result<Self> {
        Scenario::parse(text)?.simulation()
    }

    /// Describes a simulation without a scenario file.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn of(scenario: &Scenario) -> Result<Self> {
        let built = scenario.build()?;
        let plan = scenario.plan(built);
        refuse(&plan.advice())?;
        Ok(Simulation::from_plan(plan))
    }

    /// A simulation from a plan whose world is complete.
    pub fn from_plan(plan: Plan) -> Self {
        Simulation { plan: Box::new(plan), recorder: None }
    }

    /// Goes on from a checkpoint file, without a run directory: the same bits as if it had never stopped.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (meta, world) = checkpoint::read(path.as_ref())?;
        let mut plan = Scenario::saved(&meta, None)?.plan_to_resume();
        plan.engine.world = world;
        plan.engine.world.ended = false;
        Ok(Simulation::from_plan(plan))
    }

    /// Writes everything that decides the next step to a checkpoint file, whole or not at all.
    ///
    /// ```
    /// # use rubblepile::Simulation;
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// # let file = std::env::temp_dir().join(format!("rubblepile-doc-{}.rpk", std::process::id()));
    /// sim.step(100)?;
    /// sim.save(&file)?;
    /// let mut again = Simulation::load(&file)?;
    /// sim.step(100)?;
    /// again.step(100)?;
    /// assert_eq!(sim.world()?.bodies, again.world()?.bodies);
    /// # std::fs::remove_file(&file).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Forces, observers and stop conditions of the program are not in it: add them again after [`Simulation::load`].
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let meta = self.plan.meta();
        let world = self.world()?;
        Ok(checkpoint::write(path.as_ref(), &meta, world)?)
    }

    /// Starts a run directory: the frames, series, contact tables and checkpoints of the scenario are written there from now
    /// on. A directory with a run in it is refused. After an error the simulation is as it was.
    pub fn record(&mut self, directory: impl AsRef<Path>) -> Result<()> {
        self.start_recorder(directory.as_ref(), false).map(drop)
    }

    /// As [`Simulation::record`], but a run that is already in the directory is moved aside; returns where to.
    pub fn record_over(&mut self, directory: impl AsRef<Path>) -> Result<Option<PathBuf>> {
        self.start_recorder(directory.as_ref(), true)
    }

    fn start_recorder(&mut self, directory: &Path, force: bool) -> Result<Option<PathBuf>> {
        if let Some(recorder) = &self.recorder {
            return Err(Error::bad_input(
                format!("this simulation is already recorded in {}", recorder.directory().display()),
                "record once, before the first step",
            ));
        }
        let (directory, moved) = RunDir::create(directory, force)?;
        for (name, table) in &self.plan.given {
            atomic::write_text(&directory.path().join(name), &table.to_csv())?;
        }
        self.recorder = Some(Recorder::start(&mut self.plan, directory)?);
        Ok(moved)
    }

    /// Writes a checkpoint of a recorded run now, in addition to those of the scenario.
    pub fn checkpoint(&mut self) -> Result<()> {
        match &self.recorder {
            Some(recorder) => Ok(recorder.save(&mut self.plan.engine)?),
            None => Err(Error::bad_input(
                "this simulation has no run directory",
                "`record` gives it one; `save` writes a file",
            )),
        }
    }

    /// Goes on with the run in a directory from its last checkpoint, and ends with the same files, bit for bit, as a run that
    /// never stopped.
    pub fn resume(directory: impl AsRef<Path>) -> Result<Self> {
        Simulation::resume_until(directory, None)
    }

    /// As [`Simulation::resume`], to another end, s. [`SavedRun`] looks at the run first.
    pub fn resume_until(directory: impl AsRef<Path>, end: Option<f64>) -> Result<Self> {
        SavedRun::open(directory)?.resume(end)
    }

    pub(crate) fn recorded(plan: Plan, recorder: Recorder) -> Self {
        Simulation { plan: Box::new(plan), recorder: Some(recorder) }
    }

    /// The directory that the run is recorded in.
    pub fn directory(&self) -> Option<&Path> {
        self.recorder.as_ref().map(Recorder::directory)
    }

    /// What the method and the fields have to say about this world.
    pub fn advice(&self) -> Vec<Advice> {
        self.plan.advice()
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.plan.engine.world.time()
    }

    /// Number of steps since the start.
    pub fn steps(&self) -> u64 {
        self.plan.engine.world.clock.step
    }

    /// The time step, s.
    pub fn timestep(&self) -> f64 {
        self.plan.engine.world.clock.timestep
    }

    /// End of the run, s.
    pub fn end(&self) -> f64 {
        self.plan.engine.end
    }

    /// Wall-clock time by phase, counts and warnings so far.
    pub fn report(&self) -> Report {
        self.plan.engine.report.clone()
    }

    /// Warnings of a recorded run from before its first step.
    pub fn warnings(&self) -> &[String] {
        self.recorder.as_ref().map_or(&[], Recorder::warnings)
    }

    /// The report of a recorded run, as of the last time it paused.
    pub fn run_report(&self) -> Option<&RunReport> {
        self.recorder.as_ref().map(Recorder::report)
    }

    /// The world as it is now. A method that keeps its state elsewhere brings it here first.
    pub fn world(&mut self) -> Result<&World> {
        let engine = self.engine_mut();
        engine.method.sync(&mut engine.world, Extent::Whole)?;
        Ok(&engine.world)
    }

    /// The rigid bodies, one row per body, one column per property. Rows move when grains are sorted in space; ids stay.
    pub fn bodies(&mut self) -> Result<&Bodies> {
        Ok(&self.world()?.bodies)
    }

    /// Takes `n` steps. Events and observers that are due on the way get their turn.
    ///
    /// ```
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// sim.step(10)?;
    /// assert_eq!(sim.steps(), 10);
    /// # Ok(())
    /// # }
    /// ```
    pub fn step(&mut self, n: u64) -> Result<Ending> {
        let clock = self.plan.engine.world.clock;
        self.run_until(clock.time() + n as f64 * clock.timestep)
    }

    /// Runs to the step nearest to `time`, s. Where a run is cut into pieces changes nothing in its result.
    pub fn run_until(&mut self, time: f64) -> Result<Ending> {
        self.run_with(Some(time), &AtomicBool::new(false), &mut Unwatched)
    }

    /// Runs to the end that the scenario gives.
    pub fn run(&mut self) -> Result<Ending> {
        self.run_with(None, &AtomicBool::new(false), &mut Unwatched)
    }

    /// Runs to `until`, or to the end; stops soon after `stop` is set, and tells `watcher` about ten times a second how far
    /// it is.
    ///
    /// ```
    /// use rubblepile::{Progress, Watcher};
    /// use std::sync::atomic::AtomicBool;
    ///
    /// struct Bar;
    ///
    /// impl Watcher for Bar {
    ///     fn progress(&mut self, progress: &mut Progress) {
    ///         eprint!("\r{:3.0} %", 100.0 * progress.time() / progress.end());
    ///     }
    /// }
    ///
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// let stop = AtomicBool::new(false); // another thread or a signal handler may set it
    /// sim.run_with(Some(1.0), &stop, &mut Bar)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_with(
        &mut self,
        until: Option<f64>,
        stop: &AtomicBool,
        watcher: &mut dyn Watcher,
    ) -> Result<Ending> {
        if let Some(time) = until.filter(|t| !t.is_finite()) {
            return Err(Error::bad_input(
                format!("a simulation cannot run until t = {time} s"),
                "give a finite time in seconds",
            ));
        }
        let engine = &mut self.plan.engine;
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.run(engine, until, stop, watcher)?),
            None => {
                let until = until.unwrap_or(engine.end);
                Ok(engine.run_until(until, &mut Unsaved { stop, watcher })?)
            }
        }
    }

    /// Changes the world: wholly or not at all. The change is checked when `change` returns (finite numbers, sound rows, known
    /// materials and shapes, no deep overlap that was not there before); if it fails, or `change` returns an error, the world
    /// is as it was. Contact history goes with the ids of bodies; the method's other state is rebuilt.
    ///
    /// ```
    /// use rubblepile::DVec3;
    ///
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// sim.edit(|world| {
    ///     for v in &mut world.bodies.velocity {
    ///         *v += DVec3::new(0.0, 0.0, 0.1);
    ///     }
    ///     Ok(())
    /// })?;
    ///
    /// // A change that cannot be is refused, and nothing has happened.
    /// let refused = sim.edit(|world| {
    ///     world.bodies.position[0].x = f64::NAN;
    ///     Ok(())
    /// });
    /// assert!(refused.is_err());
    /// assert!(sim.world()?.bodies.position[0].is_finite());
    /// # Ok(())
    /// # }
    /// ```
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut World) -> Result<T>) -> Result<T> {
        edit::edit(self.engine_mut(), change)
    }

    /// The contacts as they are now, in the order of the bodies' rows.
    ///
    /// ```
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// let strongest = sim.contacts()?.iter().map(|c| c.force.length()).fold(0.0, f64::max);
    /// assert_eq!(strongest, 0.0); // nothing touches yet
    /// # Ok(())
    /// # }
    /// ```
    pub fn contacts(&mut self) -> Result<Vec<Contact>> {
        let engine = self.engine_mut();
        engine.method.sync(&mut engine.world, Extent::Visible)?;
        Ok(engine.method.contacts(&engine.world)?)
    }

    /// Measures now. What a value is called, and in which unit, its columns say.
    ///
    /// ```
    /// use rubblepile::probe::Momentum;
    ///
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// for (column, value) in sim.measure(&mut Momentum)? {
    ///     println!("{} = {value}: {}", column.name, column.definition);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What must be counted from the first step on, such as heat, is NaN unless a probe of the scenario or of
    /// [`Simulation::add_probe`] asks for it.
    pub fn measure(&mut self, probe: &mut dyn Probe) -> Result<Vec<(Column, f64)>> {
        let engine = self.engine_mut();
        let Engine { world, method, fields, report, .. } = engine;
        let mut moment = Moment::now(world, method.as_mut(), fields, report)?;
        let mut row = Vec::new();
        probe.measure(&mut moment, &mut row)?;
        Ok(probe.columns().into_iter().zip(row).collect())
    }

    /// World, method, fields and observers themselves, for programs that need more than this type offers. The world may be
    /// behind the method's own state here; [`Simulation::world`] and [`Simulation::edit`] take care of that.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.plan.engine
    }
}

/// Nobody looks.
struct Unwatched;

impl Watcher for Unwatched {
    fn progress(&mut self, _: &mut Progress) {}
}

/// The owner of a run without a directory.
struct Unsaved<'a> {
    stop: &'a AtomicBool,
    watcher: &'a mut dyn Watcher,
}

impl Control for Unsaved<'_> {
    fn tick(&mut self, progress: &mut Progress) -> Signal {
        self.watcher.progress(progress);
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) { Signal::Stop } else { Signal::Continue }
    }

    fn save(&mut self, _: &World, _: &Report) -> rubblepile_core::Result<()> {
        Ok(())
    }
}

/// `runs/<name of the scenario>`: where the command line puts a run.
pub fn default_directory(scenario: &Path) -> PathBuf {
    Path::new("runs").join(scenario.file_stem().unwrap_or("run".as_ref()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use glam::DVec3;
    use rubblepile_core::{Fields, Method, settings::Auto};

    use super::*;
    use crate::{Material, Spheres, probe::Momentum, soft::Settings};

    type Step = rubblepile_core::Result<()>;

    /// A simulation that could not be recorded was lost.
    #[test]
    fn a_failed_record_leaves_the_simulation() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("rubblepile-failed-record-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let mut sim = Simulation::builder()
            .end(1.0)
            .method(Settings {
                max_speed: Some(1.0.into()),
                timestep: Auto::Value(0.01.into()),
                ..Settings::default()
            })
            .material(Material { name: "rock".into(), density: 2500.0, ..Material::default() })
            .spheres(Spheres { position: vec![DVec3::ZERO], radius: vec![1.0], ..Spheres::default() })
            .build()?;
        sim.add_probe(0.1, Momentum)?;
        // A folder where the file of the grains should be.
        fs::create_dir_all(folder.join("a/grains-1.csv")).expect("a folder");
        assert!(sim.record(folder.join("a")).is_err());
        // The first checkpoint cannot be written, after all else was.
        sim.set_method(Still { fails: true })?;
        assert!(sim.record(folder.join("b")).is_err_and(|e| e.to_string().contains("not now")));
        assert_eq!(sim.directory(), None);
        assert_eq!(sim.step(10)?, Ending::Complete);
        sim.record(folder.join("c"))?;
        sim.run()?;
        let series = fs::read_to_string(folder.join("c/series.csv")).expect("a series");
        assert_eq!((series.lines().count(), sim.steps()), (11, 100), "{series}");
        assert!(series.starts_with("time_s,step,momentum"), "{series}");
        fs::remove_dir_all(&folder).expect("removed");
        Ok(())
    }

    /// Moves nothing, and fails to bring the world up to date once.
    struct Still {
        fails: bool,
    }

    impl Method for Still {
        fn name(&self) -> &'static str {
            "soft"
        }

        fn check(&self, _: &World) -> Vec<Advice> {
            Vec::new()
        }

        fn advance(&mut self, world: &mut World, _: &mut Fields, until: f64, _: &mut Report) -> Step {
            world.clock.step = (until / world.clock.timestep).round() as u64;
            Ok(())
        }

        fn contacts(&mut self, _: &World) -> rubblepile_core::Result<Vec<Contact>> {
            Ok(Vec::new())
        }

        fn sync(&mut self, _: &mut World, _: Extent) -> Step {
            match std::mem::take(&mut self.fails) {
                true => Err(rubblepile_core::Error::Unsupported("not now".into())),
                false => Ok(()),
            }
        }

        fn forget(&mut self) {}
    }
}
