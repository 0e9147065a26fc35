//! What a program adds to a simulation: a method, probes, forces, observers and stop conditions of its own.

use rubblepile_core::{Extent, Field, Method, Observer, Probe, World, method::Moment};
use rubblepile_io::session::refuse;

use super::Simulation;
use crate::{Error, Result, Scenario, callbacks, edit};

impl Simulation {
    /// Replaces the method of the scenario, before the first step. The time step stays where the scenario gives one; otherwise
    /// the new method chooses it.
    ///
    /// This is how a contact law of the program's own is used at full speed: [`SoftSpheres::with_law`] takes any
    /// [`ContactLaw`]; `docs/add-a-contact-law.md` has a complete one.
    ///
    /// ```
    /// use rubblepile::soft::{Settings, SoftSpheres, law::linear::Linear};
    ///
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// let settings = Settings { max_speed: Some(0.1.into()), ..Settings::default() };
    /// sim.set_method(SoftSpheres::with_law(settings, Linear))?;
    /// sim.step(10)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The scenario that is saved still names its own method: call this again after [`Simulation::load`].
    ///
    /// [`SoftSpheres::with_law`]: rubblepile_soft::SoftSpheres::with_law
    /// [`ContactLaw`]: rubblepile_soft::ContactLaw
    pub fn set_method(&mut self, method: impl Method + 'static) -> Result<()> {
        if self.recorder.is_some() {
            let help = "call `set_method` before `record`";
            return Err(Error::bad_input("the method of a recorded run cannot be replaced", help));
        }
        let plan = &mut self.plan;
        let automatic = Scenario::parse(&plan.scenario)?.tables().method.settings().timestep().is_none();
        let engine = &mut plan.engine;
        if automatic && engine.world.clock.step == 0 {
            let timestep = method.automatic_timestep(&engine.world, &engine.fields.pulls(&engine.world));
            let timestep =
                timestep.map_err(|p| Error::bad_input(&p, p.help.as_deref().unwrap_or_default()))?;
            engine.world.clock.set_timestep(timestep);
        }
        engine.method.sync(&mut engine.world, Extent::Whole)?;
        if engine.method.name() != method.name() {
            engine.world.part = None;
        }
        engine.method = Box::new(method);
        refuse(&plan.advice())?;
        Ok(())
    }

    /// Adds a probe: columns of the series, one row every `interval`, s. Before [`Simulation::record`].
    pub fn add_probe(&mut self, interval: f64, probe: impl Probe + 'static) -> Result<()> {
        callbacks::check_interval(interval)?;
        if self.recorder.is_some() {
            return Err(Error::bad_input(
                "the columns of a series cannot change while it is written",
                "add probes before `record`",
            ));
        }
        self.plan.engine.report.measure |= probe.needs();
        self.plan.probes.push((Box::new(probe), interval));
        Ok(())
    }

    /// Adds a force: `force` adds accelerations, in m/s2, to a column with one entry per body, every step.
    ///
    /// ```
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// // Drag of a gas at rest.
    /// sim.add_force("gas drag", |world, acceleration| {
    ///     for (a, v) in acceleration.iter_mut().zip(&world.bodies.velocity) {
    ///         *a -= 1e-3 * *v;
    ///     }
    ///     Ok(())
    /// })?;
    /// sim.step(10)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A force with a potential energy, one that acts on asteroids or one that is kept for several steps is a [`Field`]:
    /// [`Simulation::add_field`].
    pub fn add_force<F>(&mut self, name: impl Into<String>, force: F) -> Result<()>
    where
        F: FnMut(&World, &mut [glam::DVec3]) -> Result<(), callbacks::BoxError> + Send + 'static,
    {
        self.add_field(callbacks::Force::new(name.into(), force))
    }

    /// Adds a field to those of the scenario.
    pub fn add_field(&mut self, field: impl Field + 'static) -> Result<()> {
        let engine = self.engine_mut();
        edit::forget_forces(engine)?;
        engine.fields.list.push(Box::new(field));
        Ok(())
    }

    /// Calls `look` now and then every `interval`, s.
    ///
    /// ```
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// sim.observe_every(0.5, |moment| {
    ///     let (translation, rotation) = moment.world.bodies.kinetic_energy();
    ///     println!("{} s: {} J", moment.world.time(), translation + rotation);
    ///     Ok(())
    /// })?;
    /// sim.run_until(2.0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn observe_every<F>(&mut self, interval: f64, look: F) -> Result<()>
    where
        F: FnMut(&mut Moment) -> Result<(), callbacks::BoxError> + Send + 'static,
    {
        let now = self.time();
        self.add_observer(callbacks::Every::new(interval, now, look)?)
    }

    /// Ends the run when `reason` gives one; asked now and then every `interval`, s.
    ///
    /// ```
    /// use rubblepile::Ending;
    ///
    /// # fn main() -> rubblepile::Result<()> {
    /// # let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
    /// sim.stop_when(1.0, |world| (world.time() >= 3.0).then(|| "three seconds have passed".to_string()))?;
    /// assert!(matches!(sim.run()?, Ending::Event(reason) if reason.contains("three seconds")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn stop_when<F>(&mut self, interval: f64, mut reason: F) -> Result<()>
    where
        F: FnMut(&World) -> Option<String> + Send + 'static,
    {
        self.observe_every(interval, move |moment| {
            moment.stop = reason(moment.world).or(moment.stop.take());
            Ok(())
        })
    }

    /// Adds an observer with times of its own.
    pub fn add_observer(&mut self, observer: impl Observer + 'static) -> Result<()> {
        self.engine_mut().observers.push(Box::new(observer));
        Ok(())
    }
}
