//! The settings of soft spheres: the table `[method.soft]`.

use std::ops::Bound;

use rubblepile_core::{
    Advice, Citation, Method, Severity, World,
    settings::{
        Auto, Check, LengthKind, MethodSettings, Number, Problem, Quantity, Speed, StartOverlap, TimeKind,
        restitution,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    SoftSpheres,
    law::{self, Law},
};

/// Soft spheres: springs, dashpots and sliders, stepped explicitly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Soft")]
pub struct Settings {
    /// Time step; `"auto"`: from the shortest contact time.
    pub timestep: Auto<TimeKind>,
    /// The contact law.
    pub law: Law,
    /// Largest speed expected: gives the stiffness of the linear law, at an overlap of 1 % of the radius, for
    /// materials that have no `stiffness`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<Speed>,
    /// Margin of the neighbour list; `"auto"`: from the radii.
    pub skin: Auto<LengthKind>,
    /// The run stops when an overlap exceeds this fraction of the grain's radius.
    pub deepest_overlap: Number,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            timestep: Auto::Auto,
            law: Law::Linear,
            max_speed: None,
            skin: Auto::Auto,
            deepest_overlap: Quantity::new(0.5),
        }
    }
}

pub(crate) const SONG: Citation = Citation {
    key: "Song2024",
    about: "the soft-sphere contact model",
    authors: "Song, Z. and Yu, Y. and Soldini, S. and Cheng, B. and Michel, P.",
    title: "An integrated {DEM} code for tracing the entire regolith mass movement on asteroids",
    journal: "Monthly Notices of the Royal Astronomical Society",
    year: 2024,
    volume: "532",
    pages: "1307--1329",
    doi: "10.1093/mnras/stae1537",
};

impl Settings {
    pub const ABOUT: &str = "Soft spheres: springs, dashpots and sliders, stepped explicitly.";
}

impl MethodSettings for Settings {
    fn name(&self) -> &'static str {
        "soft"
    }

    fn timestep(&self) -> Option<f64> {
        self.timestep.value()
    }

    fn check(&self, check: &mut Check, at: &str) {
        check.timestep(self.timestep, at);
        if let Auto::Value(v) = self.skin {
            check.positive(v, at, "skin");
        }
        if let Some(v) = self.max_speed {
            check.positive(v, at, "max_speed");
        }
        let deepest = self.deepest_overlap.0;
        check.check(deepest > 0.0 && deepest <= 1.0, at, "deepest_overlap", || {
            format!("`deepest_overlap` must be above 0 and at most 1, it is {deepest}")
        });
        let scene = check.scene;
        let law = self.law.springs();
        for material in (0..scene.materials.len()).filter(|&k| scene.material_has_grains[k]) {
            if let Some(mut problem) = law.check_material(scene, material, self) {
                problem.path = format!("material[{material}]");
                check.problems.push(problem);
            }
        }
    }

    fn refuses(&self, key: &str, value: f64) -> Option<Problem> {
        match key {
            "cohesion_force" | "cohesion_range" if value != 0.0 => Some(
                Problem::new(
                    "",
                    format!("`{key}` belongs to [method.nonsmooth]: it does not act between soft spheres"),
                )
                .help("soft spheres use `cohesion`, a strength in Pa"),
            ),
            // Springs and dashpots cannot take all speed out of an impact.
            _ => restitution(key, value, Bound::Excluded(0.0)),
        }
    }

    fn spheres_only(&self) -> bool {
        true
    }

    fn walls_catch(&self) -> bool {
        true
    }

    fn start_overlap(&self) -> StartOverlap {
        StartOverlap { tolerated: 0.01, severity: Severity::Warning, outcome: "fly apart" }
    }

    fn warnings(&self, world: &World) -> Vec<Advice> {
        let (_, drift) = world.bodies.centre_of_mass();
        let fastest = world.bodies.velocity.iter().map(|v| v.distance(drift)).fold(0.0, f64::max);
        match self.max_speed {
            Some(limit) if fastest > limit.0 => vec![Advice::warning(format!(
                "grains start at up to {fastest:.3e} m/s, faster than `max_speed` ({:.3e} m/s): contacts will be too soft",
                limit.0
            ))],
            _ => Vec::new(),
        }
    }

    fn method(&self) -> Box<dyn Method> {
        Box::new(SoftSpheres::new(self.clone()))
    }

    fn papers() -> Vec<Citation> {
        let mut papers = vec![SONG];
        papers.extend(law::papers().into_iter().filter(|p| *p != SONG));
        papers
    }
}
