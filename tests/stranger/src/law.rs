//! A contact law: a spring whose stiffness goes with the square root of the overlap, F = k sqrt(overlap / radius) overlap.

use rubblepile::{
    core::{PairValues, simd::Lanes},
    soft::{
        ContactLaw, Settings,
        law::{ContactPair, Springs, damping},
    },
};

pub struct Stiffening;

impl ContactLaw for Stiffening {
    const ABOUT: &'static str = "Stiffens with the square root of the overlap.";

    /// The energy of F = k' x^(3/2) is 2/5 k' x^(5/2).
    const ENERGY: f64 = 0.4;

    fn constants(&self, pair: &PairValues, _: &Settings) -> [f64; 8] {
        let damping = (5.0f64 / 4.0).sqrt() * damping(pair.restitution_normal);
        [pair.stiffness.unwrap_or(1e5), damping, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[inline(always)]
    fn springs<L: Lanes>(c: &[L; 8], touch: &ContactPair<L>) -> Springs<L> {
        let normal = c[0] * (touch.overlap.max(L::splat(0.0)) / touch.radius).sqrt();
        let damping = c[1] * (normal * touch.mass).sqrt();
        Springs { normal, normal_damping: damping, sliding: normal, sliding_damping: damping }
    }

    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
        let speed = settings.max_speed?.0;
        let k = pair.stiffness.unwrap_or(1e5) / radius.sqrt();
        Some(2.94 * (1.25 * mass * speed * speed / k).powf(0.4) / speed)
    }
}
