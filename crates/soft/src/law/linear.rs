//! Linear spring and dashpot: eq. (1), Table 2 of asteroid-surface-2024.

use rubblepile_core::{PairValues, simd::Lanes};

use super::{ContactLaw, Springs, Touch, damping};
use crate::Settings;

/// Overlap over radius that the largest expected speed makes (Table 2).
const OVERLAP: f64 = 0.01;

#[derive(Debug, Clone, Copy)]
pub struct Linear;

impl ContactLaw for Linear {
    const ENERGY: f64 = 0.5;

    /// k_N if given; otherwise its factor for m_ij / R_e^2; k_S / k_N; damping of C_N and of C_S.
    fn constants(pair: &PairValues, settings: &Settings) -> [f64; 8] {
        let (given, from_speed) = match pair.stiffness {
            Some(k) => (k, 0.0),
            None => (0.0, speed_factor(settings.max_speed.unwrap_or(0.0))),
        };
        let ratio = pair.stiffness_ratio;
        [
            given,
            from_speed,
            ratio,
            damping(pair.restitution_normal),
            damping(pair.restitution_tangential) * ratio.sqrt(),
            0.0,
            0.0,
            0.0,
        ]
    }

    #[inline(always)]
    fn springs<L: Lanes>(c: &[L; 8], touch: &Touch<L>) -> Springs<L> {
        let k = c[0] + c[1] * touch.mass / (touch.radius * touch.radius);
        let root = (k * touch.mass).sqrt();
        Springs {
            normal: k,
            normal_damping: c[3] * root,
            sliding: c[2] * k,
            // C_S has sqrt(k_S m_ij) = sqrt(k_S / k_N) sqrt(k_N m_ij).
            sliding_damping: c[4] * root,
        }
    }
}

/// Table 2 has k_N = m (v_max / 0.01 R)^2 for equal spheres. With m = 2 m_ij and R = 2 R_e it is
/// (v_max / 0.01)^2 / 2 times m_ij / R_e^2, which serves unequal ones and walls too.
pub fn speed_factor(max_speed: f64) -> f64 {
    0.5 * (max_speed / OVERLAP).powi(2)
}
