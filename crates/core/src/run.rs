//! The run loop.

use std::time::{Duration, Instant};

use crate::{
    Extent, Fields, Method, Observer, Report, Result, World,
    event::{self, Outcome},
    method::{Moment, edit},
    world::Clock,
};

/// A world with its method, fields and observers.
pub struct Engine {
    pub world: World,
    pub method: Box<dyn Method>,
    pub fields: Fields,
    pub observers: Vec<Box<dyn Observer>>,
    /// s of simulated time
    pub end: f64,
    pub report: Report,
}

/// What the owner of a run requests after each slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Continue,
    /// Save a checkpoint, then go on.
    Checkpoint,
    /// Save a checkpoint and leave the loop.
    Stop,
}

/// The owner of a run: progress bar, wall-clock checkpoints, Ctrl-C.
pub trait Control {
    /// Called about ten times a second.
    fn tick(&mut self, progress: &mut Progress) -> Signal;

    /// Saves the world, which is up to date.
    fn save(&mut self, world: &World, report: &Report) -> Result<()>;
}

/// Progress of a run. The clock is always right; the rest of the world is brought up to date only when asked for.
pub struct Progress<'a> {
    engine: &'a mut Engine,
    until: f64,
}

impl Progress<'_> {
    pub fn clock(&self) -> Clock {
        self.engine.world.clock
    }

    pub fn time(&self) -> f64 {
        self.engine.world.time()
    }

    /// Simulated end time of the run, s.
    pub fn end(&self) -> f64 {
        self.until
    }

    /// As of when the world was last brought up to date.
    pub fn grain_count(&self) -> usize {
        self.engine.world.grain_count()
    }

    pub fn report(&self) -> &Report {
        &self.engine.report
    }

    /// The world as probes would see it. May be expensive.
    pub fn world(&mut self) -> Result<&World> {
        let Engine { world, method, .. } = &mut *self.engine;
        method.sync(world, Extent::Visible)?;
        Ok(world)
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The end time was reached.
    Complete,
    /// An event ended it, and why.
    Event(String),
    /// The owner asked for it.
    Interrupted,
}

/// Wall-clock time that a slice between two ticks should take.
const SLICE: Duration = Duration::from_millis(100);

impl Engine {
    /// Runs to the end. Where the slices between ticks fall changes nothing in the result.
    pub fn run(&mut self, control: &mut dyn Control) -> Result<Ending> {
        let ending = self.run_until(self.end, control)?;
        if !matches!(ending, Ending::Interrupted) {
            self.world.ended = true;
        }
        self.save(control)?;
        Ok(ending)
    }

    /// Runs to the step nearest to `until` and leaves the run open: one that goes on from there gives the same bits as one
    /// that never paused. What is due at that time has happened when this returns.
    pub fn run_until(&mut self, until: f64, control: &mut dyn Control) -> Result<Ending> {
        let mut slice_steps = 1u64;
        loop {
            if let Some(reason) = self.fire_events()? {
                self.observe()?;
                return Ok(Ending::Event(reason));
            }
            if let Some(reason) = self.observe()? {
                return Ok(Ending::Event(reason));
            }
            let clock = self.world.clock;
            if clock.steps_until(until) == 0 {
                return Ok(Ending::Complete);
            }
            let next = self.next_due().min(until);
            let limit = clock.time() + slice_steps as f64 * clock.timestep;
            let start = Instant::now();
            self.advance(next.min(limit))?;
            let steps = self.world.clock.step - clock.step;
            slice_steps = adapt(slice_steps, steps, start.elapsed());
            match control.tick(&mut Progress { engine: self, until }) {
                Signal::Continue => {}
                Signal::Checkpoint => self.save(control)?,
                Signal::Stop => return Ok(Ending::Interrupted),
            }
        }
    }

    fn advance(&mut self, until: f64) -> Result<()> {
        // At least one step: two due times may fall on the same step.
        let clock = self.world.clock;
        let until = until.max(clock.time() + clock.timestep);
        self.method.advance(&mut self.world, &mut self.fields, until, &mut self.report)
    }

    fn save(&mut self, control: &mut dyn Control) -> Result<()> {
        self.method.sync(&mut self.world, Extent::Whole)?;
        control.save(&self.world, &self.report)
    }

    fn next_due(&self) -> f64 {
        let events = self.world.events.iter().filter_map(|e| e.next());
        let observers = self.observers.iter().filter_map(|o| o.next());
        events.chain(observers).fold(f64::INFINITY, f64::min)
    }

    /// Carries out the events that are due, in their order in the scenario; gives the reason if one ends the run.
    fn fire_events(&mut self) -> Result<Option<String>> {
        for k in 0..self.world.events.len() {
            while self.world.events[k].next().is_some_and(|t| is_due(&self.world.clock, t)) {
                let outcome = edit(self.method.as_mut(), &mut self.world, |world| {
                    world.events[k].fired += 1;
                    let action = world.events[k].action.clone();
                    event::apply(&action, world)
                })?;
                if let Outcome::Stop { reason } = outcome {
                    return Ok(Some(reason));
                }
            }
        }
        Ok(None)
    }

    /// Lets the observers look that are due; gives the reason if one of them ends the run.
    fn observe(&mut self) -> Result<Option<String>> {
        let clock = self.world.clock;
        let due = |o: &dyn Observer| o.next().is_some_and(|t| is_due(&clock, t));
        if !self.observers.iter().any(|o| due(o.as_ref())) {
            return Ok(None);
        }
        let Engine { world, method, fields, report, .. } = self;
        let mut moment = Moment::now(world, method.as_mut(), fields, report)?;
        for observer in &mut self.observers {
            while due(observer.as_ref()) {
                observer.observe(&mut moment)?;
            }
        }
        Ok(moment.stop)
    }
}

/// Whether the step nearest to `time` has been reached.
pub fn is_due(clock: &Clock, time: f64) -> bool {
    clock.steps_until(time) == 0
}

fn adapt(slice: u64, steps: u64, spent: Duration) -> u64 {
    if spent > SLICE {
        (slice / 2).max(1)
    } else if spent < SLICE / 2 && steps == slice {
        slice.saturating_mul(2)
    } else {
        slice
    }
}

/// Times at a fixed interval from 0, for observers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ticker {
    pub interval: f64,
    pub index: u64,
}

impl Ticker {
    pub fn next(&self) -> f64 {
        self.index as f64 * self.interval
    }

    pub fn advance(&mut self) {
        self.index += 1;
    }
}
