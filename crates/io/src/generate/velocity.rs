//! How grains move at the start: the `velocity` of a group. Each part adds to what is there, over a range of rows.
//!
//! Spins are in `spin.rs`, except those that a rigid rotation gives.

use std::ops::Range;

use glam::DVec3;
use rubblepile_core::{
    Bodies, Rng,
    settings::{AngularVelocityKind, Check, NumberKind, Speed, SpeedKind, Time, Vector, join},
    wall::shapes::z_axis,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector_or_table::FromVector;

/// Initial velocities of grains: the sum of what is given. Default: at rest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VelocityTable {
    /// The same velocity for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<Vector<SpeedKind>>,
    /// Random velocities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomVelocity>,
    /// As one rigid body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RigidRotation>,
    /// With an asteroid, as if they were a part of it: its name. A `heap` does so by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// Random velocities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomVelocity {
    /// Root of the mean squared speed: the speeds are scaled to have exactly this.
    pub rms_speed: Speed,
    /// Distribution of speeds.
    #[serde(default)]
    pub distribution: SpeedDistribution,
    /// Subtracts the mean, so that the group has no momentum.
    #[serde(default)]
    pub zero_momentum: bool,
}

/// Distribution of random speeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeedDistribution {
    /// Every component normal, as in a gas.
    #[default]
    Maxwellian,
    /// Random direction, the same speed for all.
    Equal,
}

/// Moves as one rigid body, spins included unless `spins` says otherwise. Give `angular_velocity`, or `period` and `axis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidRotation {
    /// Angular velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<Vector<AngularVelocityKind>>,
    /// Rotation period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Axis of rotation, of any length. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector<NumberKind>>,
    /// The fixed point.
    #[serde(default)]
    pub about: About,
    /// Whether grains spin with the rotation, as in a rigid body; otherwise only their centres move.
    #[serde(default = "yes")]
    pub spins: bool,
}

fn yes() -> bool {
    true
}

/// The fixed point of a rotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The centre of mass of the group.
    #[default]
    CentreOfMass,
    /// The origin.
    Origin,
}

impl FromVector<SpeedKind> for VelocityTable {
    const EXPECTED: &'static str = "a vector in m/s, or a table with `constant`, `random` or `rotation`";
    fn from_vector(constant: Vector<SpeedKind>) -> Self {
        VelocityTable { constant: Some(constant), ..Default::default() }
    }
}

impl VelocityTable {
    /// Writes out the defaults that depend on other keys.
    pub fn fill_defaults(&mut self) {
        if let Some(r) = &mut self.rotation
            && r.period.is_some()
        {
            r.axis = r.axis.or(Some(z_axis()));
        }
    }

    /// Adds what is wrong with it; `at` is its path.
    pub fn check(&self, c: &mut Check, at: &str) {
        if let Some(v) = self.constant {
            c.modest(v, at, "constant");
        }
        if let Some(name) = &self.with {
            let scene = c.scene;
            c.known(name, scene.asteroids.iter().map(String::as_str), "asteroid", join(at, "with"));
        }
        if let Some(r) = &self.random {
            c.not_negative(r.rms_speed, &join(at, "random"), "rms_speed");
        }
        if let Some(r) = &self.rotation {
            c.rotation(r.angular_velocity, r.period, r.axis, &join(at, "rotation"));
        }
    }

    /// Adds it to the velocities of these rows, but for the motion with an asteroid.
    pub fn add(&self, bodies: &mut Bodies, rows: Range<usize>, stream: &dyn Fn(&str) -> Rng) {
        if let Some(constant) = self.constant {
            bodies.velocity[rows.clone()].iter_mut().for_each(|v| *v += constant.0);
        }
        if let Some(random) = &self.random {
            random.add(bodies, rows.clone(), &mut stream("velocity"));
        }
        if let Some(rotation) = &self.rotation {
            rotation.add(bodies, rows);
        }
    }
}

impl RandomVelocity {
    fn add(&self, bodies: &mut Bodies, rows: Range<usize>, rng: &mut Rng) {
        let mut draw = || match self.distribution {
            SpeedDistribution::Maxwellian => DVec3::new(rng.normal(), rng.normal(), rng.normal()),
            SpeedDistribution::Equal => rng.direction(),
        };
        let mut extra: Vec<DVec3> = rows.clone().map(|_| draw()).collect();
        if self.zero_momentum {
            let mass: f64 = bodies.mass[rows.clone()].iter().sum();
            let momentum: DVec3 = extra.iter().zip(&bodies.mass[rows.clone()]).map(|(v, m)| *v * *m).sum();
            if mass > 0.0 {
                extra.iter_mut().for_each(|v| *v -= momentum / mass);
            }
        }
        let mean_square = extra.iter().map(|v| v.length_squared()).sum::<f64>() / extra.len().max(1) as f64;
        // A lone grain without momentum is at rest: what is left of it is rounding.
        let scale = if mean_square > 1e-20 { self.rms_speed.0 / mean_square.sqrt() } else { 0.0 };
        for (v, extra) in bodies.velocity[rows].iter_mut().zip(extra) {
            *v += scale * extra;
        }
    }
}

impl RigidRotation {
    fn add(&self, bodies: &mut Bodies, rows: Range<usize>) {
        let w = angular_velocity(self.angular_velocity, self.period, self.axis);
        let about = match self.about {
            About::CentreOfMass => centre_of_mass(bodies, rows.clone()),
            About::Origin => DVec3::ZERO,
        };
        for k in rows {
            bodies.velocity[k] += w.cross(bodies.position[k] - about);
            if self.spins {
                bodies.spin[k] += w;
            }
        }
    }
}

/// An angular velocity from either way of writing it; checked before.
pub fn angular_velocity(
    w: Option<Vector<AngularVelocityKind>>,
    period: Option<Time>,
    axis: Option<Vector<NumberKind>>,
) -> DVec3 {
    match (w, period) {
        (Some(w), _) => w.0,
        (None, Some(period)) => {
            std::f64::consts::TAU / period.0 * axis.map_or(DVec3::Z, |a| a.0.normalize_or(DVec3::Z))
        }
        (None, None) => DVec3::ZERO,
    }
}

fn centre_of_mass(bodies: &Bodies, rows: Range<usize>) -> DVec3 {
    let mass: f64 = bodies.mass[rows.clone()].iter().sum();
    let sum: DVec3 = rows.map(|k| bodies.mass[k] * bodies.position[k]).sum();
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_velocities_have_no_momentum_and_the_speed_asked_for() {
        let mut rng = Rng::stream(9, "velocity");
        for distribution in [SpeedDistribution::Maxwellian, SpeedDistribution::Equal] {
            let mut bodies = Bodies::default();
            for k in 0..500 {
                bodies.push_sphere(DVec3::X * k as f64, 0.1 + 1e-3 * k as f64, 1000.0, 0, 0);
            }
            RandomVelocity { rms_speed: 2.5.into(), distribution, zero_momentum: true }.add(
                &mut bodies,
                0..500,
                &mut rng,
            );
            let momentum: DVec3 = (0..500).map(|k| bodies.mass[k] * bodies.velocity[k]).sum();
            assert!(momentum.length() < 1e-9 * bodies.total_mass());
            let mean = bodies.velocity.iter().map(|v| v.length_squared()).sum::<f64>() / 500.0;
            assert!((mean.sqrt() - 2.5).abs() < 1e-12);
        }
    }

    #[test]
    fn rotation_is_rigid() {
        let mut bodies = Bodies::default();
        bodies.push_sphere(DVec3::X, 0.1, 1000.0, 0, 0);
        bodies.push_sphere(-DVec3::X, 0.1, 1000.0, 0, 0);
        let rotation = |w: f64, about, spins| RigidRotation {
            angular_velocity: Some(Vector::new(0.0, 0.0, w)),
            period: None,
            axis: None,
            about,
            spins,
        };
        rotation(2.0, About::CentreOfMass, true).add(&mut bodies, 0..2);
        assert_eq!(bodies.velocity, [DVec3::Y * 2.0, -DVec3::Y * 2.0]);
        assert_eq!(bodies.spin[0], DVec3::Z * 2.0);
        rotation(1.0, About::Origin, false).add(&mut bodies, 0..2);
        assert_eq!((bodies.velocity[0], bodies.spin[0]), (DVec3::Y * 3.0, DVec3::Z * 2.0));
    }
}
