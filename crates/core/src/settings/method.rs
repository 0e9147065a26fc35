//! What the settings of a method provide: all that the rest of a scenario needs to know of it.

use std::{fmt, ops::Bound};

use super::check::{Check, Problem};
use crate::{Advice, Citation, Method, Severity, World};

/// The settings of a method: the table `[method.<name>]`.
pub trait MethodSettings: fmt::Debug + Send + Sync {
    /// As in `[method.soft]`.
    fn name(&self) -> &'static str;

    /// The time step, s, if it is given.
    fn timestep(&self) -> Option<f64>;

    /// Adds what is wrong with them, and with materials that do not give what the method needs; `at` is their path.
    fn check(&self, check: &mut Check, at: &str);

    /// Why the method cannot have this value of a material, if it cannot. `key` is the material's, such as
    /// `restitution.normal`; the path of the problem is filled in by the caller.
    fn refuses(&self, key: &str, value: f64) -> Option<Problem> {
        restitution(key, value, Bound::Included(0.0))
    }

    /// Whether all grains must be spheres.
    fn spheres_only(&self) -> bool {
        false
    }

    /// Whether walls may hold or absorb grains.
    fn walls_catch(&self) -> bool {
        false
    }

    /// Whether grains meet walls in collisions, which are counted.
    fn counts_collisions(&self) -> bool {
        false
    }

    /// Treatment of grains that overlap at the start.
    fn start_overlap(&self) -> StartOverlap {
        StartOverlap { tolerated: 0.01, severity: Severity::Warning, outcome: "be pushed apart" }
    }

    /// Warnings about these settings for the initial world.
    fn warnings(&self, _world: &World) -> Vec<Advice> {
        Vec::new()
    }

    fn method(&self) -> Box<dyn Method>;

    /// Every paper that the method may cite.
    fn papers() -> Vec<Citation>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

/// How a method treats grains that overlap each other, walls or asteroids at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartOverlap {
    /// Fraction of the radius up to which no advice is given.
    pub tolerated: f64,
    pub severity: Severity,
    /// What they will do, after "they will".
    pub outcome: &'static str,
}

/// The problem with a coefficient of restitution that is not between `lowest` and 1; none for other keys.
pub fn restitution(key: &str, value: f64, lowest: Bound<f64>) -> Option<Problem> {
    if !key.starts_with("restitution") {
        return None;
    }
    let (enough, low) = match lowest {
        Bound::Included(low) => (value >= low, format!("at least {low}")),
        Bound::Excluded(low) => (value > low, format!("above {low}")),
        Bound::Unbounded => (true, "anything".into()),
    };
    (!enough || value > 1.0).then(|| {
        Problem::new("", format!("a coefficient of restitution must be {low} and at most 1, it is {value}"))
    })
}
