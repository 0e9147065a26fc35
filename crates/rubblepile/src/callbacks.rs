//! Closures of a program as forces and observers.

use glam::DVec3;
use rubblepile_core::{Actions, Field, Observer, World, method::Moment};

use crate::{Error, Result};

/// What a closure of the program may fail with. It arrives as the `source` of [`rubblepile_core::Error::Callback`].
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

fn failed(what: &str, time: f64, source: BoxError) -> rubblepile_core::Error {
    rubblepile_core::Error::Callback { what: what.into(), time, source }
}

/// Something due more often than this would be due forever.
pub fn check_interval(interval: f64) -> Result<()> {
    if interval.is_finite() && interval > 0.0 {
        return Ok(());
    }
    Err(Error::bad_input(
        format!("the interval must be a positive time in seconds, it is {interval}"),
        "to be called every step, give the time step",
    ))
}

/// A force given by a closure.
pub struct Force<F> {
    name: String,
    force: F,
}

impl<F> Force<F> {
    pub fn new(name: String, force: F) -> Self {
        Force { name, force }
    }
}

impl<F> Field for Force<F>
where
    F: FnMut(&World, &mut [DVec3]) -> Result<(), BoxError> + Send,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> rubblepile_core::Result<()> {
        (self.force)(world, on.accelerations)
            .map_err(|e| failed(&format!("the force `{}`", self.name), world.time(), e))
    }

    fn potential_energy(&mut self, _: &World) -> rubblepile_core::Result<f64> {
        Ok(0.0)
    }
}

/// A closure called at equal intervals.
pub struct Every<F> {
    interval: f64,
    start: f64,
    calls: u64,
    look: F,
}

impl<F> Every<F> {
    pub fn new(interval: f64, start: f64, look: F) -> Result<Self> {
        check_interval(interval)?;
        Ok(Every { interval, start, calls: 0, look })
    }
}

impl<F> Observer for Every<F>
where
    F: FnMut(&mut Moment) -> Result<(), BoxError> + Send,
{
    fn next(&self) -> Option<f64> {
        Some(self.start + self.calls as f64 * self.interval)
    }

    fn observe(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        self.calls += 1;
        // What came due within one step is one call.
        let clock = moment.world.clock;
        while rubblepile_core::run::is_due(&clock, self.start + self.calls as f64 * self.interval) {
            self.calls += 1;
        }
        (self.look)(moment).map_err(|e| failed("an observer", moment.world.time(), e))
    }
}
