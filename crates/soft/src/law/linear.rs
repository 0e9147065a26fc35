//! Linear spring and dashpot: eq. (1), Table 2 of asteroid-surface-2024.

use std::f64::consts::PI;

use rubblepile_core::{
    Citation, PairValues, World,
    settings::{Problem, ScenarioContext},
    simd::Lanes,
};

use super::{ContactLaw, ContactPair, Springs, damping};
use crate::{Settings, settings::SONG};

/// Overlap over radius that the largest expected speed makes (Table 2).
const OVERLAP: f64 = 0.01;

#[derive(Debug, Clone, Copy)]
pub struct Linear;

impl ContactLaw for Linear {
    const ABOUT: &'static str = "Linear spring and dashpot.";
    const ENERGY: f64 = 0.5;

    /// k_N if given; otherwise its factor for m_ij / R_e^2; k_S / k_N; damping of C_N and of C_S.
    fn constants(&self, pair: &PairValues, settings: &Settings) -> [f64; 8] {
        let (given, from_speed) = match pair.stiffness {
            Some(k) => (k, 0.0),
            None => (0.0, speed_factor(settings.max_speed.map_or(0.0, |v| v.0))),
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
    fn springs<L: Lanes>(c: &[L; 8], touch: &ContactPair<L>) -> Springs<L> {
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

    /// Half a period of the damped oscillator: pi / omega / sqrt(1 - zeta^2).
    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
        let k = match pair.stiffness {
            Some(k) => k,
            None => speed_factor(settings.max_speed?.0) * mass / (radius * radius),
        };
        let zeta = 0.5 * damping(pair.restitution_normal);
        Some(PI * (mass / k / (1.0 - zeta * zeta)).sqrt())
    }

    fn check_material(
        &self,
        scene: &ScenarioContext,
        material: usize,
        settings: &Settings,
    ) -> Option<Problem> {
        let m = &scene.materials[material];
        let with_itself = |p: &rubblepile_core::PairOverride| {
            p.a as usize == material && p.b as usize == material && p.stiffness.is_some()
        };
        let known = settings.max_speed.is_some() || m.stiffness.is_some();
        (!known && !scene.pairs.iter().any(with_itself)).then(|| {
            Problem::new("", format!("the stiffness of `{}` is unknown", m.name))
                .help("give `max_speed` in [method.soft], or `stiffness` in this material")
        })
    }

    fn missing(&self, world: &World, present: &[usize], settings: &Settings) -> Option<String> {
        if settings.max_speed.is_some() {
            return None;
        }
        let (table, n) = (world.pair_table(), world.materials.len());
        let pairs = present.iter().flat_map(|&a| present.iter().map(move |&b| (a, b)));
        let (a, b) = pairs.into_iter().find(|&(a, b)| table[a * n + b].stiffness.is_none())?;
        Some(format!(
            "no stiffness is known for contacts of `{}` with `{}`: give the material a `stiffness`, or `method.soft` the \
             largest speed you expect as `max_speed`",
            world.materials[a].name, world.materials[b].name
        ))
    }

    fn papers() -> Vec<Citation> {
        vec![SONG]
    }
}

/// Table 2 has k_N = m (v_max / 0.01 R)^2 for equal spheres. With m = 2 m_ij and R = 2 R_e it is
/// (v_max / 0.01)^2 / 2 times m_ij / R_e^2, which serves unequal ones and walls too.
pub fn speed_factor(max_speed: f64) -> f64 {
    0.5 * (max_speed / OVERLAP).powi(2)
}
