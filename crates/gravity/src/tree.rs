//! Self-gravity by a tree of expansions, at a cost in proportion to N.
//!
//! A fast multipole method: nodes act on nodes through multipole and local expansions, leaves on neighbouring
//! leaves body by body (`walk.rs`, `near.rs`, `expansion.rs`; the equations stand there and in `build.rs`). With
//! [`Accuracy::Error`] the order of the expansions and the tolerance of each interaction follow from the error asked
//! for, and the result is checked on a sample of bodies. Where the field nearly cancels (inside a hollow shell) a few bodies
//! that the sample may miss make the whole rms, and it can exceed the target by some tens of per cent. It does not conserve momentum exactly: to that end take [`crate::Direct`].

use glam::DVec3;
use rubblepile_core::{Advice, Field, G, Result, World};

use crate::{
    check_finite, self_gravity_advice,
    solver::{Settings, Solver},
};

/// How good the tree's accelerations are.
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
    solver: Solver,
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new(Accuracy::Error(1e-3), 1, G)
    }
}

impl Tree {
    pub fn new(accuracy: Accuracy, every: u64, constant: f64) -> Self {
        Tree { accuracy, every: every.max(1), constant, solver: Solver::default() }
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

    fn accelerate(&mut self, world: &World, out: &mut [DVec3]) -> Result<()> {
        check_finite(world)?;
        let (bodies, settings) = (&world.bodies, self.accuracy.settings());
        self.solver.accelerate(&bodies.position, &bodies.mass, self.constant, &settings, out);
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        check_finite(world)?;
        let (bodies, settings) = (&world.bodies, self.accuracy.settings());
        let potential = self.solver.potential(&bodies.position, &bodies.mass, &settings);
        let sum: f64 = potential.iter().zip(&bodies.mass).map(|(p, m)| p * m).sum();
        Ok(-0.5 * self.constant * sum)
    }

    fn every(&self) -> u64 {
        self.every
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        let mut advice = self_gravity_advice(world);
        match self.accuracy {
            Accuracy::Error(e) if e.is_nan() || e <= 0.0 => advice.push(Advice::fatal(format!(
                "the tree's error is {e}: it must be above zero, for instance 1e-3"
            ))),
            Accuracy::Error(e) if e > 0.1 => advice.push(Advice::warning(format!(
                "a relative error of {e} is more than the tree will make: it works to 0.1"
            ))),
            Accuracy::Error(e) if e < 1e-9 => advice.push(Advice::warning(format!(
                "a relative error of {e} is below what the tree can do: it works to 1e-9; take the direct sum"
            ))),
            Accuracy::Opening(a) if a.is_nan() || a <= 0.0 => advice.push(Advice::fatal(format!(
                "the tree's opening angle is {a}: it must be above zero, for instance 0.6"
            ))),
            Accuracy::Opening(a) if a > 0.95 => advice.push(Advice::warning(format!(
                "an opening angle of {a} does not converge: the tree works with 0.95"
            ))),
            _ => {}
        }
        advice
    }
}
