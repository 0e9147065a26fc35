//! Checks of values: signs, ranges, unknown names. Every problem carries the path of its key, so that the check need
//! not be repeated to find the line.

use std::fmt;

use super::{
    names::suggestion,
    quantity::{AngularVelocityKind, Auto, NumberKind, Quantity, Time, TimeKind, Vector},
    scene::ScenarioContext,
};

/// Something wrong with a value, found after reading: where, as a path of keys (`grains[1].material`), and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: String,
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Problem { path: path.into(), message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// Something, or what is wrong with the settings that it was asked of.
pub type Checked<T> = Result<T, Problem>;

/// Upper bound of anything in metres or seconds: far past the solar system and its age, far from overflow.
const HUGE: f64 = 1e30;

/// Collects the problems of a scenario, and knows what its other tables say.
pub struct Check<'a> {
    pub scene: &'a ScenarioContext,
    pub problems: Vec<Problem>,
}

impl<'a> Check<'a> {
    pub fn new(scene: &'a ScenarioContext) -> Self {
        Check { scene, problems: Vec::new() }
    }

    /// There is enough to tell: no more is looked for.
    pub fn full(&self) -> bool {
        self.problems.len() >= 20
    }

    pub fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem::new(path, message));
    }

    pub fn add_help(&mut self, path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::new(path, message).help(help));
    }

    pub fn check(&mut self, ok: bool, at: &str, key: &str, message: impl FnOnce() -> String) {
        if !ok {
            self.add(join(at, key), message());
        }
    }

    pub fn positive<K>(&mut self, value: Quantity<K>, at: &str, key: &str) {
        let v = value.0;
        self.check(v > 0.0, at, key, || format!("`{key}` must be larger than 0, it is {v}"));
        self.check(v <= HUGE, at, key, || format!("`{key}` is absurdly large: {v:e}"));
    }

    pub fn not_negative<K>(&mut self, value: Quantity<K>, at: &str, key: &str) {
        let v = value.0;
        self.check(v >= 0.0, at, key, || format!("`{key}` must not be negative, it is {v}"));
        self.check(v <= HUGE, at, key, || format!("`{key}` is absurdly large: {v:e}"));
    }

    /// The time step of a method: positive, and no longer than the run.
    pub fn timestep(&mut self, timestep: Auto<TimeKind>, at: &str) {
        if let Auto::Value(v) = timestep {
            self.positive(v, at, "timestep");
            let (dt, end) = (v.0, self.scene.end);
            self.check(dt <= end, at, "timestep", || {
                format!("the time step of {dt} s is longer than the run")
            });
        }
    }

    /// Checks the number of steps between updates of a field.
    pub fn every_steps(&mut self, every: u64, at: &str) {
        self.check((1..=1_000_000).contains(&every), at, "every", || {
            format!("`every` counts steps: it must be at least 1 and at most a million, it is {every}")
        });
    }

    /// A vector of any length but zero.
    pub fn direction(&mut self, v: Vector<NumberKind>, at: &str, key: &str) {
        let length = v.0.length();
        let ok = length > 1e-100 && length.is_finite();
        self.check(ok, at, key, || format!("`{key}` must have a direction; its length is {length}"));
    }

    pub fn modest<K>(&mut self, v: Vector<K>, at: &str, key: &str) {
        self.check(v.0.abs().max_element() <= HUGE, at, key, || format!("`{key}` is absurdly large"));
    }

    /// `min` below `max` on every axis.
    pub fn corners<K>(&mut self, min: Vector<K>, max: Vector<K>, at: &str) {
        self.modest(min, at, "min");
        self.modest(max, at, "max");
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            let (low, high) = (min.0[k], max.0[k]);
            if low >= high {
                let message = format!("`min` must be below `max`; along {axis} they are {low} and {high}");
                self.add(join(at, "min"), message);
                return;
            }
        }
    }

    /// `angular_velocity`, or `period` with or without `axis`.
    pub fn rotation(
        &mut self,
        w: Option<Vector<AngularVelocityKind>>,
        period: Option<Time>,
        axis: Option<Vector<NumberKind>>,
        at: &str,
    ) {
        match (w, period) {
            (Some(_), Some(_)) => {
                self.add(join(at, "period"), "give `angular_velocity` or `period`, not both")
            }
            (None, None) => self.add_help(
                at,
                "`angular_velocity` or `period` is missing in this table",
                "for example `period = \"2.6 h\"`",
            ),
            (Some(w), None) => {
                self.modest(w, at, "angular_velocity");
                let alone = axis.is_none();
                self.check(alone, at, "axis", || {
                    "`axis` goes with `period`, not with `angular_velocity`".into()
                });
            }
            (None, Some(period)) => {
                self.positive(period, at, "period");
                self.check(period.0 >= 1e-30, at, "period", || "`period` is absurdly short".into());
                if let Some(axis) = axis {
                    self.direction(axis, at, "axis");
                }
            }
        }
    }

    /// A name that something must have.
    pub fn known<'n>(
        &mut self,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        what: &str,
        at: impl Into<String>,
    ) {
        if !known.clone().any(|k| k == name) {
            let help = suggestion(name, known);
            self.add_help(at, format!("there is no {what} `{name}`"), help);
        }
    }
}

/// The path of a key below another.
pub fn join(at: &str, key: &str) -> String {
    if at.is_empty() { key.into() } else { format!("{at}.{key}") }
}
