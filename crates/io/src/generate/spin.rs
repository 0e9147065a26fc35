//! Spin of grains about themselves at the start: the `spin` of a group. Each part adds to what is there.

use std::ops::Range;

use rubblepile_core::{
    Bodies, Rng,
    settings::{AngularVelocity, AngularVelocityKind, Check, Vector, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector_or_table::FromVector;

/// Initial spins of grains: the sum of what is given. Default: not rotating.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpinTable {
    /// The same spin for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<Vector<AngularVelocityKind>>,
    /// Random directions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomSpin>,
}

/// Spins of one magnitude about random axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomSpin {
    /// Angular speed of every grain.
    pub rate: AngularVelocity,
}

impl FromVector<AngularVelocityKind> for SpinTable {
    const EXPECTED: &'static str = "a vector in rad/s, or a table with `constant` or `random`";
    fn from_vector(constant: Vector<AngularVelocityKind>) -> Self {
        SpinTable { constant: Some(constant), ..Default::default() }
    }
}

impl SpinTable {
    /// Adds what is wrong with it; `at` is its path.
    pub fn check(&self, c: &mut Check, at: &str) {
        if let Some(w) = self.constant {
            c.modest(w, at, "constant");
        }
        if let Some(r) = &self.random {
            c.not_negative(r.rate, &join(at, "random"), "rate");
        }
    }

    /// Adds it to the spins of these rows.
    pub fn add(&self, bodies: &mut Bodies, rows: Range<usize>, stream: &dyn Fn(&str) -> Rng) {
        let spins = &mut bodies.spin[rows];
        if let Some(constant) = self.constant {
            spins.iter_mut().for_each(|w| *w += constant.0);
        }
        if let Some(random) = &self.random {
            let mut rng = stream("spin");
            spins.iter_mut().for_each(|w| *w += random.rate.0 * rng.direction());
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn random_spins_have_one_rate_about_different_axes() {
        let mut bodies = Bodies::default();
        bodies.push_sphere(DVec3::X, 0.1, 1000.0, 0, 0);
        bodies.push_sphere(-DVec3::X, 0.1, 1000.0, 0, 0);
        let constant = Some(Vector::new(0.0, 0.0, 2.0));
        let table = SpinTable { constant, random: Some(RandomSpin { rate: 0.5.into() }) };
        table.add(&mut bodies, 0..2, &|_| Rng::new(1));
        assert!(((bodies.spin[0] - DVec3::Z * 2.0).length() - 0.5).abs() < 1e-12);
        assert_ne!(bodies.spin[0], bodies.spin[1]);
    }
}
