//! The `[method.meshfree]` table, and its checks.

use rubblepile_meshfree as meshfree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check::Checker, quantity::*};

/// Deformable grains in the plane of x and y, one metre deep: displacements of nodes without a mesh, large strains, contact with
/// friction and adhesion, an implicit step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Meshfree {
    /// Time step; `"auto"`: from gravity, speeds, and how long a wave takes to cross a grain. A step that does not converge is taken
    /// in pieces.
    pub timestep: Auto<TimeKind>,
    /// How time is cut.
    pub scheme: SchemeName,
    /// The elastic law.
    pub law: ElasticLaw,
    /// What is held in the direction that is not there.
    pub plane: PlaneName,
    /// How displacements are interpolated between nodes.
    pub shape_functions: ShapeFunctions,
    /// Residual over the forces that balance in it, at which Newton-Raphson is done.
    pub residual: Number,
    /// Largest distance of what touches; `"auto"`: a millionth of the distance of nodes.
    pub gap: Auto<LengthKind>,
    /// Stiffness with which contacts are closed at first, which changes how fast and not what is found; `"auto"`: from moduli and the
    /// distance of nodes.
    pub contact_stiffness: Auto<ContactStiffnessKind>,
    /// By how much that grows from one augmentation to the next.
    pub stiffness_growth: Number,
    /// Most iterations of a Newton-Raphson loop.
    pub iterations: u32,
    /// Most augmentations of half a step.
    pub augmentations: u32,
    /// How far from each other nodes and outlines are watched: farther than they move in half a step; `"auto"`: the distance of nodes.
    pub watch_distance: Auto<LengthKind>,
    /// Damping by mass, Rayleigh's alpha: it slows down grains as a whole too.
    pub mass_damping: Frequency,
    /// Damping by stiffness, Rayleigh's beta: it slows down what turns too.
    pub stiffness_damping: Time,
    /// Time of a viscous stress that goes with the rate of strain, and leaves alone what moves or turns as a whole.
    pub viscous_damping: Time,
}

/// How time is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeName {
    /// Newmark's rule to the middle of a step, a backward one with three points to its end.
    Composite,
    /// As composite, but that contacts push during the first half with what they push with at its end: they bring no energy in, however short the step.
    ContactImplicit,
    /// Newmark's rule alone: contacts tremble at rest.
    Newmark,
}

/// The elastic law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElasticLaw {
    /// Stress proportional to the Green-Lagrange strain: softens when pressed far.
    SaintVenantKirchhoff,
    /// Never inside out.
    NeoHookean,
}

/// What is held in the direction that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneName {
    /// No strain: a slice of something long.
    Strain,
    /// No stress: a thin plate.
    Stress,
}

/// How displacements are interpolated between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeFunctions {
    /// Radial point interpolation: through the values at the nodes.
    Radial,
    /// Moving least squares: smoother, not through them.
    LeastSquares,
}

impl Default for Meshfree {
    fn default() -> Self {
        let s = meshfree::Settings::default();
        Meshfree {
            timestep: Auto::Auto,
            scheme: SchemeName::Composite,
            law: ElasticLaw::SaintVenantKirchhoff,
            plane: PlaneName::Strain,
            shape_functions: ShapeFunctions::Radial,
            residual: Quantity::new(s.residual),
            gap: Auto::Auto,
            contact_stiffness: Auto::Auto,
            stiffness_growth: Quantity::new(s.stiffness_growth),
            iterations: s.iterations,
            augmentations: s.augmentations,
            watch_distance: Auto::Auto,
            mass_damping: Quantity::new(s.mass_damping),
            stiffness_damping: Quantity::new(s.stiffness_damping),
            viscous_damping: Quantity::new(s.viscous_damping),
        }
    }
}

impl Meshfree {
    pub(super) fn settings(&self) -> meshfree::Settings {
        meshfree::Settings {
            scheme: match self.scheme {
                SchemeName::Composite => meshfree::step::Scheme::Composite,
                SchemeName::ContactImplicit => meshfree::step::Scheme::ContactImplicit,
                SchemeName::Newmark => meshfree::step::Scheme::Newmark,
            },
            law: match self.law {
                ElasticLaw::SaintVenantKirchhoff => meshfree::law::Kind::SaintVenantKirchhoff,
                ElasticLaw::NeoHookean => meshfree::law::Kind::NeoHookean,
            },
            plane: match self.plane {
                PlaneName::Strain => meshfree::law::Plane::Strain,
                PlaneName::Stress => meshfree::law::Plane::Stress,
            },
            shape_functions: match self.shape_functions {
                ShapeFunctions::Radial => meshfree::shape::Kind::Radial,
                ShapeFunctions::LeastSquares => meshfree::shape::Kind::LeastSquares,
            },
            residual: self.residual.0,
            gap: self.gap.value(),
            contact_stiffness: self.contact_stiffness.value(),
            stiffness_growth: self.stiffness_growth.0,
            iterations: self.iterations,
            augmentations: self.augmentations,
            watch_distance: self.watch_distance.value(),
            mass_damping: self.mass_damping.0,
            stiffness_damping: self.stiffness_damping.0,
            viscous_damping: self.viscous_damping.0,
        }
    }
}

impl Checker<'_> {
    pub(super) fn meshfree(&mut self, m: &Meshfree) {
        let at = "method.meshfree";
        self.timestep(m.timestep, at);
        let residual = m.residual.0;
        self.check(residual > 0.0 && residual < 1.0, at, "residual", || {
            format!("`residual` must be above 0 and below 1, it is {residual}")
        });
        for (key, value) in [("gap", m.gap.value()), ("watch_distance", m.watch_distance.value())] {
            if let Some(v) = value {
                self.positive(Length::new(v), at, key);
            }
        }
        if let Auto::Value(v) = m.contact_stiffness {
            self.positive(v, at, "contact_stiffness");
        }
        let growth = m.stiffness_growth.0;
        self.check((1.0..=100.0).contains(&growth), at, "stiffness_growth", || {
            format!("`stiffness_growth` must be between 1 and 100, it is {growth}")
        });
        for (key, n) in [("iterations", m.iterations), ("augmentations", m.augmentations)] {
            self.check((1..=10_000).contains(&n), at, key, || {
                format!("`{key}` must be between 1 and 10000, it is {n}")
            });
        }
        self.not_negative(m.mass_damping, at, "mass_damping");
        self.not_negative(m.stiffness_damping, at, "stiffness_damping");
        self.not_negative(m.viscous_damping, at, "viscous_damping");
    }
}
