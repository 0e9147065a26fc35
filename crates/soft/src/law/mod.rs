//! The laws that give a contact its springs.
//!
//! A new law is one file here with a type that implements [`ContactLaw`], one name in [`crate::Law`] and one line
//! in [`with_law`]. Sliding, rolling, twisting, cohesion and all bookkeeping are shared: see [`crate::contact`].

pub mod hertz;
pub mod linear;

use rubblepile_core::{PairValues, simd::Lanes};

use crate::Settings;

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

/// What a law knows of a contact.
#[derive(Debug, Clone, Copy)]
pub struct Touch<L> {
    /// delta_N
    pub overlap: L,
    /// R_e
    pub radius: L,
    /// m_ij
    pub mass: L,
}

pub trait ContactLaw: Copy + Send + Sync + 'static {
    /// Stored normal energy is this times k_N delta^2: 1/2 for a linear spring.
    const ENERGY: f64;

    /// Constants of a pair of materials, as `springs` will see them.
    fn constants(pair: &PairValues, settings: &Settings) -> [f64; 8];

    fn springs<L: Lanes>(constants: &[L; 8], touch: &Touch<L>) -> Springs<L>;
}

/// Runs `$body` with `$law` standing for the type of the law chosen.
macro_rules! with_law {
    ($choice:expr, $law:ident => $body:expr) => {
        match $choice {
            $crate::settings::Law::Linear => {
                type $law = $crate::law::linear::Linear;
                $body
            }
            $crate::settings::Law::HertzMindlin => {
                type $law = $crate::law::hertz::HertzMindlin;
                $body
            }
        }
    };
}
pub(crate) use with_law;

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
    pub fn new(pair: &PairValues, settings: &Settings) -> Self {
        let law = with_law!(settings.law, Chosen => Chosen::constants(pair, settings));
        let beta = pair.shape;
        Coefficients {
            law,
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
