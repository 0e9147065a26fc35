//! What the settings of a field provide.

use std::fmt;

use glam::DVec3;

use super::{check::Check, scene::ScenarioContext};
use crate::{Citation, Field};

/// The settings of a field: an entry of `[[gravity]]`.
pub trait FieldSettings: fmt::Debug + Send + Sync {
    /// Adds what is wrong with them; `at` is their path.
    fn check(&self, check: &mut Check, at: &str);

    /// Writes out the defaults that depend on other keys.
    fn fill_defaults(&mut self) {}

    /// The acceleration, if it is the same everywhere and at all times, m/s^2.
    fn uniform(&self) -> Option<DVec3> {
        None
    }

    /// Whose gravity it is, if another entry must not give the same again.
    fn source(&self) -> Option<Source<'_>> {
        None
    }

    /// Makes the field. The settings have been checked; `scene` knows the ids of the asteroids' names.
    fn field(&self, scene: &ScenarioContext) -> Box<dyn Field>;

    /// Every paper that it may cite.
    fn papers() -> Vec<Citation>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

/// The source of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source<'a> {
    /// The bodies, each other.
    Bodies,
    /// The asteroid of this name, or all of them.
    Asteroid(Option<&'a str>),
}
