//! Hertz in the normal and Mindlin in the tangential direction (no-slip stiffness, with the Coulomb limit of the
//! shared sliding part). Damping as for a linear spring with the tangent stiffness: with the factor sqrt(5/6)
//! the restitution does not depend on the speed and is exactly the one asked for (Antypov and Elliott 2011).

use rubblepile_core::{
    Citation, PairValues, World,
    settings::{Problem, ScenarioContext},
    simd::Lanes,
};

use super::{ContactLaw, ContactPair, Springs, damping};
use crate::Settings;

const ANTYPOV: Citation = Citation {
    key: "Antypov2011",
    about: "the damping of the Hertz-Mindlin law",
    authors: "Antypov, D. and Elliott, J. A.",
    title: "On an analytical solution for the damped {H}ertzian spring",
    journal: "Europhysics Letters",
    year: 2011,
    volume: "94",
    pages: "50004",
    doi: "10.1209/0295-5075/94/50004",
};

#[derive(Debug, Clone, Copy)]
pub struct HertzMindlin;

impl ContactLaw for HertzMindlin {
    const ABOUT: &'static str = "Hertz in the normal and Mindlin in the tangential direction.";
    /// The integral of k delta^(3/2) is 2/5 k delta^(5/2).
    const ENERGY: f64 = 0.4;

    /// 4/3 E*, 8 G*, and the damping of C_N and of C_S.
    fn constants(&self, pair: &PairValues, _settings: &Settings) -> [f64; 8] {
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
    fn springs<L: Lanes>(c: &[L; 8], touch: &ContactPair<L>) -> Springs<L> {
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

    /// 2.8683 (m^2 / (R E*^2 v))^(1/5), exact for an elastic collision.
    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
        let v = settings.max_speed?.0;
        let e = pair.modulus;
        Some(2.8683 * (mass * mass / (radius * e * e * v)).powf(0.2))
    }

    fn check_material(
        &self,
        scene: &ScenarioContext,
        material: usize,
        _settings: &Settings,
    ) -> Option<Problem> {
        scene.materials[material].young.is_none().then(|| {
            Problem::new("", "the Hertz-Mindlin law needs Young's modulus")
                .help("add `young`, such as `young = \"5 MPa\"`, or use the linear law")
        })
    }

    fn missing(&self, world: &World, present: &[usize], _settings: &Settings) -> Option<String> {
        let &k = present.iter().find(|&&k| world.materials[k].young.is_none())?;
        Some(format!(
            "the Hertz-Mindlin law needs `young` (and `poisson`) for material `{}`",
            world.materials[k].name
        ))
    }

    fn papers() -> Vec<Citation> {
        vec![ANTYPOV]
    }
}
