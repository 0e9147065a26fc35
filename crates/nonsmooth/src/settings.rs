//! The settings of contact dynamics: the table `[method.nonsmooth]`.

use std::ops::Bound;

use rubblepile_core::{
    Citation, Method,
    settings::{Auto, Check, LengthKind, MethodSettings, Number, Problem, Quantity, TimeKind, restitution},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ContactDynamics;

/// Contact dynamics: bodies are rigid and do not overlap; what they exchange in a step are impulses, found together
/// for all contacts. Steps may be long: what falls and how fast decides, not a stiffness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Nonsmooth")]
pub struct Settings {
    /// Time step; `"auto"`: from sizes, speeds and gravity.
    pub timestep: Auto<TimeKind>,
    // Of eqs (4) and (5).
    /// Weight of the end of a step against its start, from 0.5 (second order, no numerical damping) to 1 (damped).
    pub theta: Number,
    /// The solver of the contact problem; all give the same solution to within `tolerance`.
    pub solver: Solver,
    /// Relative residual at which a step counts as solved.
    pub tolerance: Number,
    /// Maximum number of iterations per step.
    pub iterations: u32,
    /// The run stops after this many consecutive unsolved steps; 0: never.
    pub unsolved_steps: u64,
    /// Gap below which two bodies may come into contact within a step; `"auto"`: from sizes and
    /// speeds.
    pub margin: Auto<LengthKind>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            timestep: Auto::Auto,
            theta: Quantity::new(0.5),
            solver: Solver::GaussSeidel,
            tolerance: Quantity::new(1e-3),
            iterations: 5000,
            unsolved_steps: 1000,
            margin: Auto::Auto,
        }
    }
}

/// The solver of the contact problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SolverName")]
pub enum Solver {
    // Eqs (8), (12), (13) and Table 1 of contact-dynamics-2021.
    /// Contact by contact: robust, the best choice for most piles.
    GaussSeidel,
    // nbody-polyhedra-2017, [34].
    /// All contacts at once: projected gradient with Nesterov's acceleration.
    AcceleratedGradient,
    // nbody-polyhedra-2017, [33].
    /// All contacts at once: spectral projected gradient with Barzilai-Borwein steps.
    SpectralGradient,
}

const SANCHEZ: Citation = Citation {
    key: "Sanchez2021",
    about: "contact dynamics of grains under their own gravity",
    authors: "S{\\'a}nchez, P. and Renouf, M. and Az{\\'e}ma, E. and Mozul, R. and Dubois, F.",
    title: "A contact dynamics code implementation for the simulation of asteroid evolution and regolith in the \
            asteroid environment",
    journal: "Icarus",
    year: 2021,
    volume: "363",
    pages: "114441",
    doi: "10.1016/j.icarus.2021.114441",
};

const FERRARI: Citation = Citation {
    key: "Ferrari2017",
    about: "contact dynamics of polyhedra as a cone problem",
    authors: "Ferrari, F. and Tasora, A. and Masarati, P. and Lavagna, M.",
    title: "{N}-body gravitational and contact dynamics for asteroid aggregation",
    journal: "Multibody System Dynamics",
    year: 2017,
    volume: "39",
    pages: "3--20",
    doi: "10.1007/s11044-016-9547-2",
};

impl Settings {
    pub const ABOUT: &str =
        "Contact dynamics: rigid spheres and polyhedra that do not overlap, stepped implicitly.";
}

impl MethodSettings for Settings {
    fn name(&self) -> &'static str {
        "nonsmooth"
    }

    fn timestep(&self) -> Option<f64> {
        self.timestep.value()
    }

    fn check(&self, check: &mut Check, at: &str) {
        check.timestep(self.timestep, at);
        let theta = self.theta.0;
        check.check((0.5..=1.0).contains(&theta), at, "theta", || {
            format!("`theta` must be between 0.5 and 1, it is {theta}")
        });
        let tolerance = self.tolerance.0;
        check.check(tolerance > 0.0 && tolerance < 1.0, at, "tolerance", || {
            format!("`tolerance` must be above 0 and below 1, it is {tolerance}")
        });
        check.check(self.iterations >= 1, at, "iterations", || "`iterations` must be at least 1".into());
        check.check(self.unsolved_steps <= i64::MAX as u64, at, "unsolved_steps", || {
            "the number is too large for TOML".into()
        });
        if let Auto::Value(v) = self.margin {
            check.positive(v, at, "margin");
        }
    }

    fn walls_catch(&self) -> bool {
        true
    }

    fn refuses(&self, key: &str, value: f64) -> Option<Problem> {
        if key == "cohesion" && value != 0.0 {
            let message = "`cohesion` is a strength of soft spheres, and [method.nonsmooth] has none";
            let help = "give `cohesion_force`, in N, and `cohesion_range`, the gap up to which it acts";
            return Some(Problem::new("", message).help(help));
        }
        restitution(key, value, Bound::Included(0.0))
    }

    fn method(&self) -> Box<dyn Method> {
        Box::new(ContactDynamics::new(self.clone()))
    }

    fn papers() -> Vec<Citation> {
        vec![SANCHEZ, FERRARI]
    }
}
