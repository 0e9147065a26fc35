//! Contact laws: stiffnesses and dashpots.
//!
//! A new law is one file here, with a type that implements [`ContactLaw`], and one line in [`laws!`]. A program of your own
//! needs neither: [`SoftSpheres::with_law`](crate::SoftSpheres::with_law) takes any type with that trait. Sliding, rolling,
//! twisting, cohesion and all bookkeeping are shared: kinematics [`crate::contact`].

mod kernel;

pub(crate) use kernel::Springy;
use rubblepile_core::{
    Citation, PairValues, World,
    settings::{Problem, ScenarioContext},
    simd::Lanes,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Settings;

/// Declares the modules of `module: Law` lines and the enum of laws; the name in a scenario is the type's in kebab case.
macro_rules! laws {
    ($($module:ident: $law:ident,)*) => {
        $(pub mod $module;)*

        /// The springs of a contact.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[schemars(rename = "LawName")]
        pub enum Law {
            $(
                #[schemars(description = <$module::$law as ContactLaw>::ABOUT)]
                $law,
            )*
        }

        impl Law {
            /// The kernels of the law.
            pub(crate) fn springs(self) -> Box<dyn Springy> {
                match self {
                    $(Law::$law => Box::new($module::$law),)*
                }
            }
        }

        /// Every paper that a law may cite.
        pub(crate) fn papers() -> Vec<Citation> {
            [$(<$module::$law as ContactLaw>::papers(),)*].concat()
        }
    };
}

laws! {
    linear: Linear,
    hertz: HertzMindlin,
}

/// Springs and dashpots of eight contacts.
#[derive(Debug, Clone, Copy)]
pub struct Springs<L> {
    /// Normal force over overlap, k_N (for a law that is not linear: the secant).
    pub normal: L,
    /// Normal damping, C_N.
    pub normal_damping: L,
    /// k_S
    pub sliding: L,
    /// C_S
    pub sliding_damping: L,
}

/// A contact as a law sees it.
#[derive(Debug, Clone, Copy)]
pub struct ContactPair<L> {
    /// delta_N
    pub overlap: L,
    /// R_e
    pub radius: L,
    /// m_ij
    pub mass: L,
}

impl<A> ContactPair<A> {
    pub fn map<B>(self, f: impl Fn(A) -> B) -> ContactPair<B> {
        ContactPair { overlap: f(self.overlap), radius: f(self.radius), mass: f(self.mass) }
    }
}

/// A contact law. Its kernel is compiled for each law, for eight contacts at a time; nothing is looked up per contact.
pub trait ContactLaw: Send + Sync + 'static {
    /// One sentence for the scenario reference.
    const ABOUT: &'static str = "";

    /// Stored normal energy is this times k_N delta^2: 1/2 for a linear spring.
    const ENERGY: f64;

    /// Constants of a pair of materials, as `springs` will kinematics them.
    fn constants(&self, pair: &PairValues, settings: &Settings) -> [f64; 8];

    /// Springs of eight contacts at once. Branches on values and closures over lanes are not compiled for the wide
    /// instructions: use arithmetic, `min`, `max`, `sqrt`, `less` and `select`, and mark it `#[inline(always)]`.
    fn springs<L: Lanes>(constants: &[L; 8], touch: &ContactPair<L>) -> Springs<L>;

    /// Duration of a contact with this reduced radius and mass, s, from which the automatic time step follows; `None`: not
    /// known.
    fn contact_time(
        &self,
        _pair: &PairValues,
        _settings: &Settings,
        _radius: f64,
        _mass: f64,
    ) -> Option<f64> {
        None
    }

    /// What a material of grains does not say and the law needs, found while a scenario is checked. The path of the problem
    /// is filled in by the caller.
    fn check_material(
        &self,
        _scene: &ScenarioContext,
        _material: usize,
        _settings: &Settings,
    ) -> Option<Problem> {
        None
    }

    /// The same for a world that is about to run, for the materials `present` of bodies and walls.
    fn missing(&self, _world: &World, _present: &[usize], _settings: &Settings) -> Option<String> {
        None
    }

    /// The papers behind it.
    fn papers() -> Vec<Citation>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

/// -2 ln e / sqrt(pi^2 + ln^2 e): twice the damping ratio that gives restitution e (Table 2).
pub fn damping(restitution: f64) -> f64 {
    let l = restitution.ln();
    -2.0 * l / (std::f64::consts::PI.powi(2) + l * l).sqrt()
}

/// Constants of a pair of materials, ready for the lanes.
#[derive(Debug, Clone, Copy)]
pub struct Coefficients {
    pub law: [f64; 8],
    /// mu_S, mu_R beta, mu_T beta mu_S, beta^2, 4 c beta
    pub friction: [f64; 8],
}

impl Coefficients {
    pub(crate) fn new(pair: &PairValues, law: &dyn Springy, settings: &Settings) -> Self {
        let beta = pair.shape;
        Coefficients {
            law: law.constants(pair, settings),
            friction: [
                pair.friction_sliding,
                pair.friction_rolling * beta,
                pair.friction_twisting * beta * pair.friction_sliding,
                beta * beta,
                4.0 * pair.cohesion * beta,
                0.0,
                0.0,
                0.0,
            ],
        }
    }

    /// Whether rolling or twisting can ever act.
    pub fn rolls(&self) -> bool {
        self.friction[3] > 0.0 && (self.friction[1] > 0.0 || self.friction[2] > 0.0)
    }
}
