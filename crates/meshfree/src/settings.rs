//! What a scenario says of deformable grains, the table `[method.meshfree]`, and what is chosen where it says nothing.

use std::ops::Bound;

use rubblepile_core::{
    Citation, Method, World,
    settings::{
        Auto, Check, ContactStiffnessKind, Frequency, Length, LengthKind, MethodSettings, Number, Problem,
        Quantity, Time, TimeKind, restitution,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    DeformableGrains, grains,
    law::{self, Elasticity, LawError, PlaneCondition},
    shape,
    step::{self, Scheme},
};

/// Deformable grains in the plane of x and y, one metre deep: displacements of nodes without a mesh, large strains, contact with
/// friction and adhesion, an implicit step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Meshfree")]
pub struct Settings {
    /// Time step; `"auto"`: from gravity, speeds, and how long a wave takes to cross a grain. A step that does not converge is taken
    /// in pieces.
    pub timestep: Auto<TimeKind>,
    /// The time integration scheme.
    pub scheme: Scheme,
    /// The constitutive law.
    pub law: law::ElasticLaw,
    /// Area of material over that at the start below which `saint-venant-kirchhoff` resists as a logarithm does, since it would
    /// soften until a grain is a film; 0: never. A run warns when material is below.
    pub compression_limit: Number,
    /// Plane strain or plane stress.
    pub plane: PlaneCondition,
    /// Interpolation of displacements between nodes.
    pub shape_functions: shape::Interpolation,
    /// Residual, relative to the balancing forces, at which Newton-Raphson has converged.
    pub residual: Number,
    /// Largest gap or overlap of a contact; `"auto"`: a millionth of the node spacing.
    pub gap: Auto<LengthKind>,
    /// Initial penalty stiffness of contacts, which affects convergence and not the solution; `"auto"`: from moduli and the
    /// distance of nodes.
    pub contact_stiffness: Auto<ContactStiffnessKind>,
    /// Growth factor of the penalty stiffness per augmentation.
    pub stiffness_growth: Number,
    /// Maximum number of Newton-Raphson iterations.
    pub iterations: u32,
    /// Maximum number of augmentations per half step.
    pub augmentations: u32,
    /// How far from each other nodes and outlines are watched: farther than they move in half a step; `"auto"`: the distance of nodes.
    pub watch_distance: Auto<LengthKind>,
    /// Rayleigh's alpha, damping by mass: it also slows rigid motion.
    pub mass_damping: Frequency,
    /// Rayleigh's beta, damping by stiffness: it also slows rotation.
    pub stiffness_damping: Time,
    /// Time constant of a viscous stress proportional to the strain rate; rigid motion is not damped.
    pub viscous_damping: Time,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            timestep: Auto::Auto,
            scheme: Scheme::Composite,
            law: law::ElasticLaw::SaintVenantKirchhoff,
            compression_limit: Quantity::new(law::COMPRESSION_LIMIT),
            plane: PlaneCondition::Strain,
            shape_functions: shape::Interpolation::Radial,
            residual: Quantity::new(1e-10),
            gap: Auto::Auto,
            contact_stiffness: Auto::Auto,
            stiffness_growth: Quantity::new(2.0),
            iterations: 20,
            augmentations: 400,
            watch_distance: Auto::Auto,
            mass_damping: Quantity::new(0.0),
            stiffness_damping: Quantity::new(0.0),
            viscous_damping: Quantity::new(0.0),
        }
    }
}

const MOLLON: Citation = Citation {
    key: "Mollon2016",
    about: "deformable grains without a mesh",
    authors: "Mollon, G.",
    title: "A multibody meshfree strategy for the simulation of highly deformable granular materials",
    journal: "International Journal for Numerical Methods in Engineering",
    year: 2016,
    volume: "108",
    pages: "1477--1497",
    doi: "10.1002/nme.5258",
};

/// Contact stiffness over modulus by spacing: Table I of meshfree-2016 has 17 and 19.
const STIFFNESS: f64 = 20.0;
/// Gap over spacing: Table I has 6e-12 and 5e-7.
const GAP: f64 = 1e-6;
/// Below this part of what the next augmentation brings a loop of Newton-Raphson ends.
const SLACK: f64 = 0.03;
/// Motion of nodes, over their spacing, at which a grain's tangent is updated.
const STALE: f64 = 1e-3;

impl MethodSettings for Settings {
    fn name(&self) -> &'static str {
        "meshfree"
    }

    fn timestep(&self) -> Option<f64> {
        self.timestep.value()
    }

    fn check(&self, check: &mut Check, at: &str) {
        check.timestep(self.timestep, at);
        let residual = self.residual.0;
        check.check(residual > 0.0 && residual < 1.0, at, "residual", || {
            format!("`residual` must be above 0 and below 1, it is {residual}")
        });
        let limit = self.compression_limit.0;
        check.check((0.0..1.0).contains(&limit), at, "compression_limit", || {
            format!("`compression_limit` must be at least 0 and below 1, it is {limit}")
        });
        for (key, value) in [("gap", self.gap.value()), ("watch_distance", self.watch_distance.value())] {
            if let Some(v) = value {
                check.positive(Length::new(v), at, key);
            }
        }
        if let Auto::Value(v) = self.contact_stiffness {
            check.positive(v, at, "contact_stiffness");
        }
        let growth = self.stiffness_growth.0;
        check.check((1.0..=100.0).contains(&growth), at, "stiffness_growth", || {
            format!("`stiffness_growth` must be between 1 and 100, it is {growth}")
        });
        for (key, n) in [("iterations", self.iterations), ("augmentations", self.augmentations)] {
            check.check((1..=10_000).contains(&n), at, key, || {
                format!("`{key}` must be between 1 and 10000, it is {n}")
            });
        }
        check.not_negative(self.mass_damping, at, "mass_damping");
        check.not_negative(self.stiffness_damping, at, "stiffness_damping");
        check.not_negative(self.viscous_damping, at, "viscous_damping");
    }

    fn refuses(&self, key: &str, value: f64) -> Option<Problem> {
        if matches!(key, "cohesion_force" | "cohesion_range") && value != 0.0 {
            let message =
                format!("`{key}` belongs to [method.nonsmooth]: it does not act between deformable grains");
            let help = "for deformable grains use `cohesion`, the tension in Pa that separates them";
            return Some(Problem::new("", message).help(help));
        }
        restitution(key, value, Bound::Included(0.0))
    }

    fn method(&self) -> Box<dyn Method> {
        Box::new(DeformableGrains::new(self.clone()))
    }

    fn papers() -> Vec<Citation> {
        vec![MOLLON]
    }
}

impl Settings {
    pub const ABOUT: &str = "Deformable grains in the plane, without a mesh, stepped implicitly.";

    /// The elastic law of a material; without a modulus there is none.
    pub fn law_of(&self, young: Option<f64>, poisson: f64) -> Result<Elasticity, LawError> {
        let law = Elasticity::new(self.law, self.plane, young.unwrap_or(f64::NAN), poisson)?;
        Ok(law.with_limit(self.compression_limit.0))
    }

    /// The numbers of the solver. They depend on grains as they were made, so that a restart finds the same.
    pub fn resolve(&self, world: &World) -> step::Settings {
        let (mut finest, mut coarsest, mut stiffest) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        for grain in grains(world) {
            let spacing = grain.reference.spacing();
            (finest, coarsest) = (finest.min(spacing), coarsest.max(spacing));
            let young = world.materials[grain.material as usize].young.unwrap_or(0.0);
            stiffest = stiffest.max(young / spacing);
        }
        step::Settings {
            scheme: self.scheme,
            residual: self.residual.0,
            gap: self.gap.value().unwrap_or(GAP * finest),
            stiffness: self.contact_stiffness.value().unwrap_or(STIFFNESS * stiffest),
            growth: self.stiffness_growth.0,
            slack: SLACK,
            stale: STALE,
            newton: self.iterations as usize,
            augmentations: self.augmentations as usize,
            reach: self.watch_distance.value().unwrap_or(coarsest),
        }
    }
}
