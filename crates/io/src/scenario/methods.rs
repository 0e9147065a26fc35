//! The `[method]` table: one struct a method. Checks of it are here too, beside what they check.

use rubblepile_hard as hard;
use rubblepile_meshfree as meshfree;
use rubblepile_nonsmooth as nonsmooth;
use rubblepile_soft as soft;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::method_meshfree::Meshfree;
use super::{
    check::Checker,
    quantity::*,
    tables::{MaterialTable, Pair},
};
use rubblepile_core::settings::Problem;

/// The method of a run with its settings; whoever runs it makes the method.
#[derive(Debug, Clone, PartialEq)]
pub enum MethodPlan {
    Soft(soft::Settings),
    Nonsmooth(nonsmooth::Settings),
    Hard(hard::Settings),
    Meshfree(meshfree::Settings),
}

/// How contact is resolved: exactly one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Soft spheres: springs, dashpots and sliders, stepped explicitly.
    Soft(Soft),
    /// Contact dynamics: rigid spheres and polyhedra that do not overlap, stepped implicitly.
    Nonsmooth(Nonsmooth),
    /// Hard spheres: every collision, one by one, in the order of time.
    Hard(Hard),
    /// Deformable grains in the plane, without a mesh, stepped implicitly.
    Meshfree(Meshfree),
}

impl Default for Method {
    fn default() -> Self {
        Method::Soft(Soft::default())
    }
}

/// Soft spheres: springs, dashpots and sliders, stepped explicitly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Soft {
    /// Time step; `"auto"`: from the shortest contact time.
    pub timestep: Auto<TimeKind>,
    /// Which springs.
    pub law: LawName,
    /// Largest speed expected: gives the stiffness of the linear law, at an overlap of 1 % of the radius, for
    /// materials that have no `stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<Speed>,
    /// Margin of the neighbour list; `"auto"`: from the radii.
    pub skin: Auto<LengthKind>,
    /// The run stops when a grain overlaps something by more than this part of its radius.
    pub deepest_overlap: Number,
}

impl Default for Soft {
    fn default() -> Self {
        Soft {
            timestep: Auto::Auto,
            law: LawName::Linear,
            max_speed: None,
            skin: Auto::Auto,
            deepest_overlap: Quantity::new(0.5),
        }
    }
}

/// The springs of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawName {
    /// Linear spring and dashpot.
    Linear,
    /// Hertz in the normal and Mindlin in the tangential direction.
    HertzMindlin,
}

/// Contact dynamics: bodies are rigid and do not overlap; what they exchange in a step are impulses, found together
/// for all contacts. Steps may be long: what falls and how fast decides, not a stiffness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nonsmooth {
    /// Time step; `"auto"`: from sizes, speeds and gravity.
    pub timestep: Auto<TimeKind>,
    /// Weight of the end of a step against its start, from 0.5 (second order, no numerical damping) to 1 (damped).
    pub theta: Number,
    /// How the contact problem of a step is solved; all give the same solution to within `tolerance`.
    pub solver: SolverName,
    /// Residual of the contact problem, relative to its load, at which a step counts as solved.
    pub tolerance: Number,
    /// Most iterations of a step.
    pub iterations: u32,
    /// The run stops after so many steps in a row whose problem was not solved; 0: never.
    pub unsolved_steps: u64,
    /// Gap below which two bodies are looked at as they may come to touch within a step; `"auto"`: from sizes and
    /// speeds.
    pub margin: Auto<LengthKind>,
}

impl Default for Nonsmooth {
    fn default() -> Self {
        let nonsmooth::Settings { solver: _, theta, tolerance, iterations, unsolved_steps, margin: _ } =
            nonsmooth::Settings::default();
        Nonsmooth {
            timestep: Auto::Auto,
            theta: Quantity::new(theta),
            solver: SolverName::GaussSeidel,
            tolerance: Quantity::new(tolerance),
            iterations,
            unsolved_steps,
            margin: Auto::Auto,
        }
    }
}

/// Hard spheres: collisions take no time, are found before they happen, and are carried out one by one. For grains that
/// fly and bounce; grains that lie on each other are better served by the other methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hard {
    /// Time step, at whose ends gravity acts; `"auto"`: from gravity, or without it from speeds.
    pub timestep: Auto<TimeKind>,
    /// Collisions slower than this along the normal part with this speed, so that grains that come to rest do not collide
    /// ever faster; `"auto"`: ten times what gravity adds to a speed in a step.
    pub rest_speed: Auto<SpeedKind>,
    /// Whether grains that sticky walls hold are met on their true paths, and not on the chords of a step: slower, and exact
    /// where a wall turns or swings by much in a step.
    pub curvilinear: bool,
}

impl Default for Hard {
    fn default() -> Self {
        Hard { timestep: Auto::Auto, rest_speed: Auto::Auto, curvilinear: false }
    }
}

/// How the contact problem of a step is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Contact by contact: robust, the best choice for most piles.
    GaussSeidel,
    /// All contacts at once: projected gradient with Nesterov's acceleration.
    AcceleratedGradient,
    /// All contacts at once: spectral projected gradient with Barzilai-Borwein steps.
    SpectralGradient,
}

impl Method {
    /// s; `None`: to be chosen.
    pub(super) fn timestep(&self) -> Option<f64> {
        match self {
            Method::Soft(m) => m.timestep.value(),
            Method::Nonsmooth(m) => m.timestep.value(),
            Method::Hard(m) => m.timestep.value(),
            Method::Meshfree(m) => m.timestep.value(),
        }
    }

    pub(super) fn plan(&self) -> MethodPlan {
        match self {
            Method::Soft(m) => MethodPlan::Soft(soft::Settings {
                law: match m.law {
                    LawName::Linear => soft::Law::Linear,
                    LawName::HertzMindlin => soft::Law::HertzMindlin,
                },
                max_speed: m.max_speed.map(|v| v.0),
                skin: m.skin.value(),
                deepest_overlap: m.deepest_overlap.0,
            }),
            Method::Nonsmooth(m) => MethodPlan::Nonsmooth(nonsmooth::Settings {
                solver: match m.solver {
                    SolverName::GaussSeidel => nonsmooth::Solver::GaussSeidel,
                    SolverName::AcceleratedGradient => nonsmooth::Solver::AcceleratedGradient,
                    SolverName::SpectralGradient => nonsmooth::Solver::SpectralGradient,
                },
                theta: m.theta.0,
                tolerance: m.tolerance.0,
                iterations: m.iterations,
                unsolved_steps: m.unsolved_steps,
                margin: m.margin.value(),
            }),
            Method::Hard(m) => MethodPlan::Hard(hard::Settings {
                rest_speed: m.rest_speed.value(),
                curvilinear: m.curvilinear,
            }),
            Method::Meshfree(m) => MethodPlan::Meshfree(m.settings()),
        }
    }
}

impl Checker<'_> {
    pub fn method(&mut self) {
        match &self.scenario.method {
            Method::Soft(m) => self.soft(m),
            Method::Nonsmooth(m) => self.nonsmooth(m),
            Method::Hard(m) => self.hard(m),
            Method::Meshfree(m) => self.meshfree(m),
        }
    }

    pub(super) fn timestep(&mut self, timestep: Auto<TimeKind>, at: &str) {
        if let Auto::Value(v) = timestep {
            self.positive(v, at, "timestep");
            let (dt, end) = (v.0, self.scenario.run.end.0);
            self.check(dt <= end, at, "timestep", || {
                format!("the time step of {dt} s is longer than the run")
            });
        }
    }

    fn soft(&mut self, soft: &Soft) {
        let at = "method.soft";
        self.timestep(soft.timestep, at);
        if let Auto::Value(v) = soft.skin {
            self.positive(v, at, "skin");
        }
        if let Some(v) = soft.max_speed {
            self.positive(v, at, "max_speed");
        }
        let deepest = soft.deepest_overlap.0;
        self.check(deepest > 0.0 && deepest <= 1.0, at, "deepest_overlap", || {
            format!("`deepest_overlap` must be above 0 and at most 1, it is {deepest}")
        });
        let used =
            |m: &MaterialTable| self.scenario.grains.iter().any(|g| g.material.as_ref() == Some(&m.name));
        for (k, m) in self.scenario.material.iter().enumerate().filter(|(_, m)| used(m)) {
            let given = |p: &&Pair| p.between[0] == m.name && p.between[1] == m.name && p.stiffness.is_some();
            if soft.law == LawName::HertzMindlin && m.young.is_none() {
                let help = "add `young`, such as `young = \"5 MPa\"`, or take the linear law";
                let message = "the Hertz-Mindlin law needs Young's modulus";
                self.problems.push(Problem::new(format!("material[{k}]"), message).help(help));
            }
            if soft.law == LawName::Linear
                && soft.max_speed.is_none()
                && m.stiffness.is_none()
                && !self.scenario.pair.iter().any(|p| given(&p))
            {
                let message = format!("nothing says how stiff `{}` is", m.name);
                let help = "give `max_speed` in [method.soft], or `stiffness` in this material";
                self.problems.push(Problem::new(format!("material[{k}]"), message).help(help));
            }
        }
    }

    fn nonsmooth(&mut self, m: &Nonsmooth) {
        let at = "method.nonsmooth";
        self.timestep(m.timestep, at);
        let theta = m.theta.0;
        self.check((0.5..=1.0).contains(&theta), at, "theta", || {
            format!("`theta` must be between 0.5 and 1, it is {theta}")
        });
        let tolerance = m.tolerance.0;
        self.check(tolerance > 0.0 && tolerance < 1.0, at, "tolerance", || {
            format!("`tolerance` must be above 0 and below 1, it is {tolerance}")
        });
        let iterations = m.iterations;
        self.check(iterations >= 1, at, "iterations", || "`iterations` must be at least 1".into());
        self.check(m.unsolved_steps <= i64::MAX as u64, at, "unsolved_steps", || {
            "the number is too large for TOML".into()
        });
        if let Auto::Value(v) = m.margin {
            self.positive(v, at, "margin");
        }
    }

    fn hard(&mut self, m: &Hard) {
        let at = "method.hard";
        self.timestep(m.timestep, at);
        if let Auto::Value(v) = m.rest_speed {
            let speed = v.0;
            self.check(speed >= 0.0 && speed.is_finite(), at, "rest_speed", || {
                format!("`rest_speed` must not be negative, it is {speed} m/s")
            });
        }
    }

    /// Cohesion of the other method: it would not act.
    pub fn foreign_cohesion(&mut self, key: &str, value: f64, path: String) {
        if value == 0.0 {
            return;
        }
        match (&self.scenario.method, key) {
            (Method::Nonsmooth(_), "cohesion") => self.add_help(
                path,
                "`cohesion` is a strength of soft spheres, and [method.nonsmooth] has none",
                "give `cohesion_force`, in N, and `cohesion_range`, the gap up to which it acts",
            ),
            (Method::Hard(_), "cohesion" | "cohesion_force" | "cohesion_range") => self.add_help(
                path,
                format!("hard spheres do not stick: `{key}` would not act"),
                "leave it out, or take [method.nonsmooth] or [method.soft]",
            ),
            (Method::Meshfree(_), "cohesion_force" | "cohesion_range") => self.add_help(
                path,
                format!("`{key}` belongs to [method.nonsmooth]: it does not act between deformable grains"),
                "deformable grains stick by `cohesion`, the tension in Pa that parts them",
            ),
            (Method::Soft(_), "cohesion_force" | "cohesion_range") => self.add_help(
                path,
                format!("`{key}` belongs to [method.nonsmooth]: it does not act between soft spheres"),
                "soft spheres stick by `cohesion`, a strength in Pa",
            ),
            _ => {}
        }
    }
}
