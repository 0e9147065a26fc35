//! The settings of hard spheres: the table `[method.hard]`.

use std::ops::Bound;

use rubblepile_core::{
    Citation, Method, Severity,
    settings::{Auto, Check, MethodSettings, Problem, SpeedKind, StartOverlap, TimeKind, restitution},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::HardSpheres;

/// Hard spheres: collisions take no time, are found before they happen, and are carried out one by one. For grains that
/// fly and bounce; grains that lie on each other are better served by the other methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Hard")]
pub struct Settings {
    /// Time step, at the ends of which gravity acts; `"auto"`: from gravity, or from speeds without it.
    pub timestep: Auto<TimeKind>,
    /// Collisions slower than this along the normal part with this speed, so that grains that come to rest do not collide
    /// ever faster; `"auto"`: ten times what gravity adds to a speed in a step.
    pub rest_speed: Auto<SpeedKind>,
    /// Whether grains that sticky walls hold are met on their true paths, and not on the chords of a step: slower, and exact
    /// where a wall turns or swings by much in a step.
    pub curvilinear: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { timestep: Auto::Auto, rest_speed: Auto::Auto, curvilinear: false }
    }
}

const RICHARDSON: Citation = Citation {
    key: "Richardson2011",
    about: "hard spheres and walls, collision by collision",
    authors: "Richardson, D. C. and Walsh, K. J. and Murdoch, N. and Michel, P.",
    title: "Numerical simulations of granular dynamics: {I}. {H}ard-sphere discrete element method and tests",
    journal: "Icarus",
    year: 2011,
    volume: "212",
    pages: "427--437",
    doi: "10.1016/j.icarus.2010.11.030",
};

impl Settings {
    pub const ABOUT: &str = "Hard spheres: every collision, one by one, in the order of time.";
}

impl MethodSettings for Settings {
    fn name(&self) -> &'static str {
        "hard"
    }

    fn timestep(&self) -> Option<f64> {
        self.timestep.value()
    }

    fn check(&self, check: &mut Check, at: &str) {
        check.timestep(self.timestep, at);
        if let Auto::Value(v) = self.rest_speed {
            let speed = v.0;
            check.check(speed >= 0.0 && speed.is_finite(), at, "rest_speed", || {
                format!("`rest_speed` must not be negative, it is {speed} m/s")
            });
        }
    }

    fn refuses(&self, key: &str, value: f64) -> Option<Problem> {
        match key {
            // Surfaces may spring back along themselves.
            "restitution.tangential" => restitution(key, value, Bound::Included(-1.0)),
            "cohesion" | "cohesion_force" | "cohesion_range" if value != 0.0 => Some(
                Problem::new("", format!("hard spheres have no cohesion: `{key}` has no effect"))
                    .help("remove it, or use [method.nonsmooth] or [method.soft]"),
            ),
            _ => restitution(key, value, Bound::Included(0.0)),
        }
    }

    fn spheres_only(&self) -> bool {
        true
    }

    fn walls_catch(&self) -> bool {
        true
    }

    fn counts_collisions(&self) -> bool {
        true
    }

    fn start_overlap(&self) -> StartOverlap {
        StartOverlap {
            tolerated: 1e-6,
            severity: Severity::Fatal,
            outcome: "not come free, for hard spheres cannot overlap; move them apart",
        }
    }

    fn method(&self) -> Box<dyn Method> {
        Box::new(HardSpheres::new(self.clone()))
    }

    fn papers() -> Vec<Citation> {
        vec![RICHARDSON]
    }
}
