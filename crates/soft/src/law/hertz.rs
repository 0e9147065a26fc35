//! Hertz in the normal and Mindlin in the tangential direction (no-slip stiffness, with the Coulomb limit of the
//! shared sliding part). Damping as for a linear spring with the tangent stiffness: with the factor sqrt(5/6)
//! the restitution does not depend on the speed and is exactly the one asked for (Antypov and Elliott 2011).

use rubblepile_core::{PairValues, simd::Lanes};

use super::{ContactLaw, Springs, Touch, damping};
use crate::Settings;

#[derive(Debug, Clone, Copy)]
pub struct HertzMindlin;

impl ContactLaw for HertzMindlin {
    /// The integral of k delta^(3/2) is 2/5 k delta^(5/2).
    const ENERGY: f64 = 0.4;

    /// 4/3 E*, 8 G*, and the damping of C_N and of C_S.
    fn constants(pair: &PairValues, _settings: &Settings) -> [f64; 8] {
        let normal = 4.0 / 3.0 * pair.modulus;
        let sliding = 8.0 * pair.shear_modulus;
        // Tangent stiffness S_n = 2 E* sqrt(R delta) = 3/2 of the secant.
        [
            normal,
            sliding,
            (5.0f64 / 6.0 * 1.5).sqrt() * damping(pair.restitution_normal),
            (5.0f64 / 6.0).sqrt() * damping(pair.restitution_tangential),
            0.0,
            0.0,
            0.0,
            0.0,
        ]
    }

    #[inline(always)]
    fn springs<L: Lanes>(c: &[L; 8], touch: &Touch<L>) -> Springs<L> {
        // Half the contact radius scale: a = sqrt(R_e delta). Rounding may make the overlap of a grazing contact
        // slightly negative.
        let a = (touch.radius * touch.overlap.max(L::splat(0.0))).sqrt();
        let (normal, sliding) = (c[0] * a, c[1] * a);
        Springs {
            normal,
            normal_damping: c[2] * (normal * touch.mass).sqrt(),
            sliding,
            sliding_damping: c[3] * (sliding * touch.mass).sqrt(),
        }
    }
}
