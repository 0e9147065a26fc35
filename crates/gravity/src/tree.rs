//! Self-gravity by a tree of expansions, at a cost in proportion to N.
//!
//! A fast multipole method: nodes act on nodes through multipole and local expansions, leaves on neighbouring
//! leaves body by body (`walk.rs`, `near.rs`, `expansion.rs`; the equations stand there and in `build.rs`). With
//! [`Accuracy::Error`] the order of the expansions and the tolerance of each interaction follow from the error asked
//! for, and the result is checked on a sample of bodies. Where the field nearly cancels (inside a hollow shell) a few bodies
//! that the sample may miss make the whole rms, and it can exceed the target by some tens of per cent. It does not conserve momentum exactly: to that end take [`crate::Direct`].

use rubblepile_core::{
    Actions, Advice, Citation, Field, G, Pulls, Result, World,
    settings::{Check, FieldSettings, Number, ScenarioContext, field::Source, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    check_finite,
    list::every_step,
    self_gravity_advice,
    solver::{Settings, TreeSolver},
};

const DEHNEN: Citation = Citation {
    key: "Dehnen2002",
    about: "gravity by a tree of expansions",
    authors: "Dehnen, W.",
    title: "A hierarchical {O(N)} force calculation algorithm",
    journal: "Journal of Computational Physics",
    year: 2002,
    volume: "179",
    pages: "27--42",
    doi: "10.1006/jcph.2002.7026",
};

/// The error of a scenario that gives neither `error` nor `opening`.
const ERROR: f64 = 1e-3;

/// Memory of the tree per body, bytes, roughly.
const BYTES_PER_BODY: f64 = 200.0;

/// Self-gravity by a tree of multipoles. Give `error` or `opening`, not both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeGravity {
    /// Target relative error of the acceleration. Default without `opening`: 1e-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Number>,
    /// Opening angle (size of a cell over its distance) below which a cell is not opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Number>,
    /// Number of steps between updates.
    #[serde(default = "every_step")]
    pub every: u64,
}

impl Default for TreeGravity {
    fn default() -> Self {
        TreeGravity { error: None, opening: None, every: every_step() }
    }
}

impl TreeGravity {
    pub const ABOUT: &str = "Self-gravity by a tree of multipoles.";

    pub fn accuracy(&self) -> Accuracy {
        match (self.opening, self.error) {
            (Some(opening), _) => Accuracy::Opening(opening.0),
            (None, error) => Accuracy::Error(error.map_or(ERROR, |e| e.0)),
        }
    }
}

impl FieldSettings for TreeGravity {
    fn check(&self, check: &mut Check, at: &str) {
        if self.error.is_some() && self.opening.is_some() {
            check.add(join(at, "opening"), "give `error` or `opening`, not both");
        }
        if let Some(e) = self.error.map(|e| e.0) {
            check.check(e > 0.0 && e < 1.0, at, "error", || {
                format!("`error` must be between 0 and 1, it is {e}")
            });
        }
        if let Some(o) = self.opening.map(|o| o.0) {
            check.check(o > 0.0 && o <= 2.0, at, "opening", || {
                format!("`opening` must be above 0 and at most 2, it is {o}")
            });
        }
        check.every_steps(self.every, at);
    }

    fn fill_defaults(&mut self) {
        if self.error.is_none() && self.opening.is_none() {
            self.error = Some(ERROR.into());
        }
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Bodies)
    }

    fn field(&self, _scene: &ScenarioContext) -> Box<dyn Field> {
        Box::new(Tree::new(self.accuracy(), self.every, G))
    }

    fn papers() -> Vec<Citation> {
        vec![DEHNEN]
    }
}

/// Accuracy of the tree's accelerations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Root of the mean over bodies of (|error| / |acceleration|)^2, against the direct sum.
    Error(f64),
    /// Opening angle: two nodes act on each other as a whole when the sum of their radii is less than this times their
    /// distance.
    Opening(f64),
}

/// Self-gravity of all bodies by a tree.
pub struct Tree {
    pub accuracy: Accuracy,
    /// Re-evaluated every so many steps.
    pub every: u64,
    /// Newton's constant, m^3 kg^-1 s^-2.
    pub constant: f64,
    solver: TreeSolver,
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new(Accuracy::Error(ERROR), 1, G)
    }
}

impl Tree {
    pub fn new(accuracy: Accuracy, every: u64, constant: f64) -> Self {
        Tree { accuracy, every: every.max(1), constant, solver: TreeSolver::default() }
    }
}

impl Accuracy {
    /// The order and the tolerances that give this accuracy.
    pub fn settings(&self) -> Settings {
        match *self {
            Accuracy::Opening(angle) => {
                let opening = if angle.is_finite() { angle.clamp(0.0, 0.95) } else { 0.6 };
                Settings {
                    order: 4,
                    opening,
                    reach: opening,
                    tolerance: None,
                    target: None,
                    double: false,
                    close: 1e-2,
                }
            }
            Accuracy::Error(error) => {
                let error = if error.is_finite() { error.clamp(1e-9, 0.1) } else { 1e-3 };
                // Measured on uniform spheres and on packed grains: the rms error is then about half of the target.
                // `reach` bounds what the tolerance cannot see: many small sources at one place, each within the
                // tolerance, whose errors on a wide target are all alike.
                let (order, factor, opening) = match error {
                    e if e >= 3e-3 => (4, 0.6, 0.65),
                    e if e >= 2e-4 => (5, 1.5, 0.7),
                    _ => (6, 1.6, 0.7),
                };
                let double = error < 4e-5;
                let close = if double { 0.0 } else { 20.0 * f64::from(f32::EPSILON) / error };
                let (tolerance, target) = (Some(factor * error), Some(error));
                let reach = (12.0 * error).powf(1.0 / order as f64);
                Settings { order, opening, reach, tolerance, target, double, close }
            }
        }
    }
}

impl Field for Tree {
    fn name(&self) -> &'static str {
        "tree self-gravity"
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()> {
        check_finite(world)?;
        let (bodies, settings) = (&world.bodies, self.accuracy.settings());
        self.solver.accelerate(&bodies.position, &bodies.mass, self.constant, &settings, on.accelerations);
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        check_finite(world)?;
        let (bodies, settings) = (&world.bodies, self.accuracy.settings());
        let potential = self.solver.potential(&bodies.position, &bodies.mass, &settings);
        let sum: f64 = potential.iter().zip(&bodies.mass).map(|(p, m)| p * m).sum();
        Ok(-0.5 * self.constant * sum)
    }

    fn pulls<'a>(&self, _world: &'a World, pulls: &mut Pulls<'a>) {
        pulls.own = true;
    }

    fn memory(&self, bodies: usize) -> f64 {
        BYTES_PER_BODY * bodies as f64
    }

    fn citations(&self) -> Vec<Citation> {
        TreeGravity::papers()
    }

    fn every(&self) -> u64 {
        self.every
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        let mut advice = self_gravity_advice(world);
        match self.accuracy {
            Accuracy::Error(e) if e.is_nan() || e <= 0.0 => advice.push(Advice::fatal(format!(
                "the tree's error must be above zero, for example 1e-3; it is {e}"
            ))),
            Accuracy::Error(e) if e > 0.1 => advice.push(Advice::warning(format!(
                "a relative error of {e} is too large for the tree; the largest is 0.1"
            ))),
            Accuracy::Error(e) if e < 1e-9 => advice.push(Advice::warning(format!(
                "a relative error of {e} is too small for the tree; the smallest is 1e-9. Use the direct sum"
            ))),
            Accuracy::Opening(a) if a.is_nan() || a <= 0.0 => advice.push(Advice::fatal(format!(
                "the tree's opening angle must be above zero, for example 0.6; it is {a}"
            ))),
            Accuracy::Opening(a) if a > 0.95 => advice.push(Advice::warning(format!(
                "an opening angle of {a} does not converge; the largest is 0.95"
            ))),
            _ => {}
        }
        advice
    }
}
