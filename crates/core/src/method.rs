//! The traits of methods, fields, probes and observers.

use std::time::{Duration, Instant};

use glam::DVec3;

use crate::{
    Asteroid, Citation, Column, Contact, Deformation, Material, Pulls, Result, World, Wrench,
    settings::{Checked, Problem},
};

/// Something [`Method::check`] or a field wants the user to know before the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    pub severity: Severity,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A fact worth printing.
    Note,
    /// The run goes on, but its result may not be what was meant.
    Warning,
    /// The run cannot be right: it is refused.
    Fatal,
}

impl Advice {
    pub fn note(text: impl Into<String>) -> Self {
        Advice { severity: Severity::Note, text: text.into() }
    }
    pub fn warning(text: impl Into<String>) -> Self {
        Advice { severity: Severity::Warning, text: text.into() }
    }
    pub fn fatal(text: impl Into<String>) -> Self {
        Advice { severity: Severity::Fatal, text: text.into() }
    }

    /// A warning for materials whose rolling or twisting friction does nothing, because both scale with `shape`.
    pub fn rolling_without_shape(world: &World) -> Option<Self> {
        let idle = |m: &&Material| m.friction_rolling + m.friction_twisting > 0.0 && m.shape == 0.0;
        let names: Vec<&str> = world.materials.iter().filter(idle).map(|m| m.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            Advice::warning(format!(
                "rolling and twisting friction of `{}` do nothing: they scale with `friction.shape`, which is 0",
                names.join("`, `")
            ))
        })
    }
}

/// A way to resolve contact and to move bodies in time.
pub trait Method: Send {
    fn name(&self) -> &'static str;

    /// Unsupported features of this world, and the step compared with the contact time.
    fn check(&self, world: &World) -> Vec<Advice>;

    /// The time step that it would choose itself, s; the problem says what to give instead.
    fn automatic_timestep(&self, _world: &World, _pulls: &Pulls) -> Checked<f64> {
        let at = format!("method.{}", self.name());
        Err(Problem::new(at, "this method cannot choose a time step").help("give `timestep`"))
    }

    /// Steps the world to the step nearest to `until`. Two calls in a row give the same bits as one.
    fn advance(
        &mut self,
        world: &mut World,
        fields: &mut Fields,
        until: f64,
        report: &mut Report,
    ) -> Result<()>;

    /// The contacts as they are now, in the order of the bodies' rows. Changes nothing that counts.
    fn contacts(&mut self, world: &World) -> Result<Vec<Contact>>;

    /// Number of contacts of each row, without making the table.
    fn contact_counts(&mut self, world: &World) -> Result<Vec<u32>> {
        let mut counts = vec![0; world.bodies.len()];
        for contact in self.contacts(world)? {
            counts[contact.row as usize] += 1;
            if let Some(partner) = contact.partner_row {
                counts[partner as usize] += 1;
            }
        }
        Ok(counts)
    }

    /// Current stresses of deformable grains; `None`: the method has none. Does not affect the run.
    fn deformation(&mut self, _world: &World) -> Result<Option<Deformation>> {
        Ok(None)
    }

    /// The papers behind what it does.
    fn citations(&self) -> Vec<Citation> {
        Vec::new()
    }

    /// Brings the world up to date with what the method keeps elsewhere: contact history, or all of it for a method whose
    /// state is on another device. Changes nothing that counts. After a step that failed the part is that of the last
    /// step whose contacts are known, or absent.
    fn sync(&mut self, world: &mut World, extent: Extent) -> Result<()>;

    /// Forgets what it keeps elsewhere: the next step makes it again from the world. [`edit`] is how to change a world.
    fn forget(&mut self);
}

/// How much of the world must be up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What probes and writers read. Contact history is not part of it: they call [`Method::contacts`].
    Visible,
    /// Everything that decides the next step.
    Whole,
}

/// Changes a world that a method moves: brings it up to date, changes it, and drops what the method has made of it.
pub fn edit<T, E: From<crate::Error>>(
    method: &mut dyn Method,
    world: &mut World,
    change: impl FnOnce(&mut World) -> Result<T, E>,
) -> Result<T, E> {
    method.sync(world, Extent::Whole)?;
    let result = change(world);
    // Also after an error: it may have changed something before.
    method.forget();
    result
}

/// The sum of all fields, to which each adds its part.
#[derive(Debug)]
pub struct Actions<'a> {
    /// Accelerations of the bodies, in the order of the rows, m/s^2.
    pub accelerations: &'a mut [DVec3],
    /// Forces and torques on the asteroids, in their order.
    pub on_asteroids: &'a mut [Wrench],
}

impl<'a> Actions<'a> {
    /// For a world without asteroids.
    pub fn on_bodies(accelerations: &'a mut [DVec3]) -> Self {
        Actions { accelerations, on_asteroids: &mut [] }
    }
}

/// A long-range force on every body.
pub trait Field: Send {
    fn name(&self) -> &str;

    /// Adds its acceleration of every body and what it does to every asteroid.
    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()>;

    /// Potential energy of all bodies in this field (pairs counted once), J.
    fn potential_energy(&mut self, world: &World) -> Result<f64>;

    /// Re-evaluated at steps that are multiples of this; kept in between. A field that depends on nothing may say
    /// `u64::MAX`.
    fn every(&self) -> u64 {
        1
    }

    /// The acceleration of a field that is the same everywhere and at all times, m/s^2: all that deformable grains can feel.
    fn uniform(&self) -> Option<DVec3> {
        None
    }

    /// Adds what the choice of a time step needs to know of it.
    fn pulls<'a>(&self, _world: &'a World, _pulls: &mut Pulls<'a>) {}

    /// Memory that it needs for so many bodies, bytes, roughly.
    fn memory(&self, _bodies: usize) -> f64 {
        0.0
    }

    /// The papers behind what it does.
    fn citations(&self) -> Vec<Citation> {
        Vec::new()
    }

    /// Advice for the user, such as on self-gravity in a periodic box.
    fn check(&self, _world: &World) -> Vec<Advice> {
        Vec::new()
    }
}

/// Accelerations of all bodies, and what acts on asteroids.
type Sum = (Vec<DVec3>, Vec<Wrench>);

/// All fields of a run.
#[derive(Default)]
pub struct Fields {
    pub list: Vec<Box<dyn Field>>,
}

impl Fields {
    /// Brings `world.rates.field` up to date for the world's step; `all`: whatever each field's own pace.
    ///
    /// Fields of every step are evaluated now. The slower ones are evaluated together at the pace of the fastest of them,
    /// and their sum is kept (in `world.rates.held` where there are both kinds). The time goes to the phase "gravity".
    pub fn update(&mut self, world: &mut World, all: bool, report: &mut Report) -> Result<()> {
        let start = Instant::now();
        let fast = self.list.iter().any(|f| f.every() == 1);
        let pace = self.list.iter().map(|f| f.every()).filter(|&e| e != 1).min();
        let due = pace.filter(|&pace| all || world.clock.step.is_multiple_of(pace));
        if let Some(pace) = due {
            let (held, on) = self.held(world, pace)?;
            let rates = &mut world.rates;
            let (kept, kept_on) = if fast {
                (&mut rates.held, &mut rates.held_on_asteroids)
            } else {
                (&mut rates.field, &mut rates.field_on_asteroids)
            };
            if !all && pace != u64::MAX {
                report.largest(REUSE_ERROR, reuse_error(kept, &held));
            }
            (*kept, *kept_on) = (held, on);
        }
        if fast {
            let (mut field, mut on) = self.sum(world, |every| every == 1)?;
            for (a, held) in field.iter_mut().zip(&world.rates.held) {
                *a += *held;
            }
            for (wrench, held) in on.iter_mut().zip(&world.rates.held_on_asteroids) {
                *wrench += *held;
            }
            (world.rates.field, world.rates.field_on_asteroids) = (field, on);
        }
        if fast || due.is_some() {
            report.add_time("gravity", start);
        }
        Ok(())
    }

    /// The slow fields, to be kept for `pace` steps: taken where the bodies will be in the middle of that time. Taken
    /// where they are now, the force would lag behind a turning pile and spin it up.
    fn held(&mut self, world: &mut World, pace: u64) -> Result<Sum> {
        if pace == u64::MAX {
            return self.sum(world, |every| every != 1);
        }
        let ahead = 0.5 * (pace - 1) as f64 * world.clock.timestep;
        let bodies = &mut world.bodies;
        let middle = bodies.position.iter().zip(&bodies.velocity).map(|(x, v)| *x + ahead * *v).collect();
        let now = std::mem::replace(&mut bodies.position, middle);
        let later: Vec<Asteroid> = world.asteroids.iter().map(|a| a.ahead(ahead)).collect();
        let asteroids = std::mem::replace(&mut world.asteroids, later);
        let sum = self.sum(world, |every| every != 1);
        (world.bodies.position, world.asteroids) = (now, asteroids);
        sum
    }

    /// The sum of the fields of some pace.
    fn sum(&mut self, world: &World, pace: impl Fn(u64) -> bool) -> Result<Sum> {
        let mut out = vec![DVec3::ZERO; world.bodies.len()];
        let mut on = vec![Wrench::default(); world.asteroids.len()];
        for field in self.list.iter_mut().filter(|f| pace(f.every())) {
            field.act(world, &mut Actions { accelerations: &mut out, on_asteroids: &mut on })?;
        }
        Ok((out, on))
    }

    /// The properties of the fields that determine a time step.
    pub fn pulls<'a>(&self, world: &'a World) -> Pulls<'a> {
        let mut pulls = Pulls::default();
        self.list.iter().for_each(|f| f.pulls(world, &mut pulls));
        pulls
    }

    /// The sum of fields that are the same everywhere, m/s^2.
    pub fn uniform(&self) -> DVec3 {
        self.list.iter().filter_map(|f| f.uniform()).sum()
    }

    pub fn potential_energy(&mut self, world: &World) -> Result<f64> {
        let mut sum = 0.0;
        for field in &mut self.list {
            sum += field.potential_energy(world)?;
        }
        Ok(sum)
    }
}

/// Name of [`reuse_error`] in the report.
pub const REUSE_ERROR: &str = "error of reusing fields";

/// How far fields that are kept for several steps are off at most, at the ends of that time: half of what a body's acceleration
/// changes by from one evaluation to the next (each is for the middle of its time), over the mean acceleration.
fn reuse_error(before: &[DVec3], now: &[DVec3]) -> f64 {
    let mean = now.iter().map(|a| a.length()).sum::<f64>() / now.len() as f64;
    if before.len() != now.len() || mean == 0.0 || now.is_empty() {
        return 0.0;
    }
    let change = before.iter().zip(now).map(|(a, b)| (*b - *a).length()).fold(0.0, f64::max);
    0.5 * change / mean
}

/// Optional measurements during the steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measure {
    /// [`World::dissipation`]: it costs a few per cent.
    pub dissipation: bool,
}

impl std::ops::BitOrAssign for Measure {
    fn bitor_assign(&mut self, other: Measure) {
        self.dissipation |= other.dissipation;
    }
}

impl Measure {
    pub const ALL: Measure = Measure { dissipation: true };
}

/// Optional measurements, timings, counts and warnings of a run. Nothing in it changes a result.
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub measure: Measure,
    /// Wall-clock time by phase, in the order of first use.
    pub phases: Vec<(&'static str, Duration)>,
    /// Counts by name: steps, neighbour list rebuilds, ...
    pub counts: Vec<(&'static str, u64)>,
    /// Largest values met, by name.
    pub largest: Vec<(&'static str, f64)>,
    pub warnings: Vec<String>,
}

impl Report {
    pub fn new(measure: Measure) -> Self {
        Report { measure, ..Report::default() }
    }

    pub fn add_time(&mut self, phase: &'static str, since: Instant) {
        self.add_duration(phase, since.elapsed());
    }

    pub fn add_duration(&mut self, phase: &'static str, spent: Duration) {
        match self.phases.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, sum)) => *sum += spent,
            None => self.phases.push((phase, spent)),
        }
    }

    pub fn count(&mut self, what: &'static str, n: u64) {
        match self.counts.iter_mut().find(|(name, _)| *name == what) {
            Some((_, sum)) => *sum += n,
            None => self.counts.push((what, n)),
        }
    }

    /// Keeps the largest of the values of a name.
    pub fn largest(&mut self, what: &'static str, value: f64) {
        match self.largest.iter_mut().find(|(name, _)| *name == what) {
            Some((_, most)) => *most = most.max(value),
            None => self.largest.push((what, value)),
        }
    }

    /// Keeps a warning once.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }
}

/// One moment of a run, as probes and writers see it.
pub struct Moment<'a> {
    pub world: &'a World,
    pub method: &'a mut dyn Method,
    pub fields: &'a mut Fields,
    pub report: &'a Report,
    /// An observer that sets this ends the run, and this is why.
    pub stop: Option<String>,
    contacts: Option<Vec<Contact>>,
    deformation: Option<Option<Deformation>>,
}

impl<'a> Moment<'a> {
    /// Brings the world up to date for its readers.
    pub fn now(
        world: &'a mut World,
        method: &'a mut dyn Method,
        fields: &'a mut Fields,
        report: &'a Report,
    ) -> Result<Self> {
        method.sync(world, Extent::Visible)?;
        Ok(Moment::new(world, method, fields, report))
    }

    /// Of a world that is up to date.
    pub fn new(
        world: &'a World,
        method: &'a mut dyn Method,
        fields: &'a mut Fields,
        report: &'a Report,
    ) -> Self {
        Moment { world, method, fields, report, stop: None, contacts: None, deformation: None }
    }

    /// The contact table, made once a moment.
    pub fn contacts(&mut self) -> Result<&[Contact]> {
        if self.contacts.is_none() {
            self.contacts = Some(self.method.contacts(self.world)?);
        }
        Ok(self.contacts.as_deref().unwrap_or_default())
    }

    /// Stresses of deformable grains, computed once per moment.
    pub fn deformation(&mut self) -> Result<Option<&Deformation>> {
        if self.deformation.is_none() {
            self.deformation = Some(self.method.deformation(self.world)?);
        }
        Ok(self.deformation.as_ref().and_then(Option::as_ref))
    }
}

/// One or several numbers measured at a moment: columns of the series.
pub trait Probe: Send {
    /// Its columns: names that end in the unit, and what they mean.
    fn columns(&self) -> Vec<Column>;

    /// Appends one value per column.
    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()>;

    /// The measurements that the method must make for it.
    fn needs(&self) -> Measure {
        Measure::default()
    }

    /// The last row that it gave before a restart, and its time, s: for probes that compare with their last measurement.
    fn recall(&mut self, _time: f64, _row: &[f64]) {}
}

/// Reads the world at times of its own: writes a frame, a row of the series.
pub trait Observer: Send {
    /// The next simulated time at which it wants to look.
    fn next(&self) -> Option<f64>;

    /// Looks, and moves its next time on.
    fn observe(&mut self, moment: &mut Moment) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_friction_without_shape_is_told_of() {
        let mut world = World::new(1.0);
        let rock = |shape: f64| Material {
            name: format!("rock {shape}"),
            friction_rolling: 0.1,
            shape,
            ..Material::default()
        };
        world.materials = vec![Material::default(), rock(0.5)];
        assert_eq!(Advice::rolling_without_shape(&world), None);
        world.materials.push(rock(0.0));
        let advice = Advice::rolling_without_shape(&world);
        assert!(advice.is_some_and(|a| a.text.contains("`rock 0`") && a.severity == Severity::Warning));
    }
}
