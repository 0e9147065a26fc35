//! Positions and rotation of asteroids, and the grains around them: figure 16 of asteroid-surface-2024.

use glam::DVec3;
use rubblepile_core::{
    Column, G, Partner, Probe, Result,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::ProbeSettings;

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct AsteroidSampling(pub Sampling);

impl ProbeSettings for AsteroidSampling {
    fn about() -> &'static str {
        "For each asteroid: position, velocity, spin, and the numbers of grains touching it, aloft and escaping."
    }

    fn example() -> Self {
        AsteroidSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, scene: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Asteroids { names: (0..).zip(scene.asteroids.iter().cloned()).collect() })
    }
}

/// For each of these asteroids (their ids and names).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asteroids {
    pub names: Vec<(u32, String)>,
}

/// How many columns an asteroid has.
const WIDTH: usize = 19;

impl Probe for Asteroids {
    fn columns(&self) -> Vec<Column> {
        let of = |name: &str| {
            let column = |what: &str, unit, definition: &str| {
                Column::new(format!("{name}_{what}"), unit, format!("Asteroid {name}: {definition}"))
            };
            let mut all = Vec::new();
            for axis in ["x", "y", "z"] {
                all.push(column(axis, "m", &format!("{axis} of its centre of mass")));
            }
            for axis in ["x", "y", "z"] {
                all.push(column(
                    &format!("v{axis}"),
                    "m/s",
                    &format!("velocity of its centre of mass along {axis}"),
                ));
            }
            for axis in ["x", "y", "z"] {
                // As figure 16a has it.
                let what = format!("angular velocity about axis {axis} of its own frame");
                all.push(column(&format!("spin_{axis}"), "rad/s", &what));
            }
            all.push(column("period", "s", "period of rotation `2 pi / |w|`; inf without rotation"));
            for axis in ["x", "y", "z"] {
                let what = format!("angular momentum `I w` about its centre, {axis} component");
                all.push(column(&format!("spin_momentum_{axis}"), "kg m2/s", &what));
            }
            all.extend([
                column("grains_touching", "", "grains that touch it"),
                column("grains_aloft", "", "grains that touch nothing at all"),
                column(
                    "grains_escaping",
                    "",
                    "grains aloft that are faster than escape speed, `v^2 / 2 > G M / r`, relative to its centre",
                ),
                column("farthest", "m", "distance of the farthest grain from its centre of mass"),
                column("latitude", "deg", "latitude of the mean position of the grains in contact, in its own frame"),
                column("longitude", "deg", "longitude of the mean position of the grains in contact, in its own frame"),
            ]);
            all
        };
        let removed = "Grains removed so far because they were too far away";
        let removed = Column::new("grains_removed", "", removed);
        self.names.iter().flat_map(|(_, name)| of(name)).chain([removed]).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let bodies = &world.bodies;
        let contacts = moment.contacts()?;
        let mut touches = vec![false; bodies.len()];
        for c in contacts {
            touches[c.row as usize] = true;
            c.partner_row.into_iter().for_each(|p| touches[p as usize] = true);
        }
        for (id, _) in &self.names {
            let Some(asteroid) = world.asteroids.iter().find(|a| a.id == *id) else {
                row.extend([f64::NAN; WIDTH]);
                continue;
            };
            let pose = asteroid.pose();
            let mut on = vec![false; bodies.len()];
            for c in contacts {
                on[c.row as usize] |=
                    matches!(c.partner, Partner::Asteroid { asteroid, .. } if asteroid == *id);
            }
            let (mut aloft, mut escaping, mut farthest) = (0u64, 0u64, 0.0f64);
            let mut mean = DVec3::ZERO;
            // Rows move when grains are sorted: in the order of the ids the sum is the same.
            for k in bodies.rows_by_id().into_iter().map(|k| k as usize) {
                let x = bodies.position[k] - asteroid.position;
                farthest = farthest.max(x.length());
                if touches[k] {
                    mean += pose.rotation.inverse() * x;
                    continue;
                }
                aloft += 1;
                let v = bodies.velocity[k] - asteroid.velocity;
                escaping += u64::from(0.5 * v.length_squared() > G * asteroid.mass / x.length());
            }
            let own_spin = pose.rotation.inverse() * asteroid.spin;
            row.extend(asteroid.position.to_array());
            row.extend(asteroid.velocity.to_array());
            row.extend(own_spin.to_array());
            row.push(std::f64::consts::TAU / asteroid.spin.length());
            row.extend(asteroid.spin_momentum().to_array());
            row.extend([on.iter().filter(|t| **t).count() as f64, aloft as f64, escaping as f64, farthest]);
            let place = if mean == DVec3::ZERO { DVec3::NAN } else { mean };
            row.push(place.z.atan2(place.x.hypot(place.y)).to_degrees());
            row.push(place.y.atan2(place.x).to_degrees());
        }
        row.push(world.departed.count as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;
    use rubblepile_core::{Asteroid, Mesh};

    use super::*;
    use crate::testing::{contact, measure, value, world};

    #[test]
    fn grains_are_on_it_or_aloft_or_lost() {
        let mut w = world(&[
            (DVec3::new(0.0, 10.0, 0.0), 1.0),
            (DVec3::new(0.0, 12.0, 0.0), 1.0),
            (DVec3::new(0.0, 0.0, 40.0), 1.0),
            (DVec3::new(0.0, 0.0, 50.0), 1.0),
        ]);
        w.bodies.velocity[3] = DVec3::new(0.0, 0.0, 1.0);
        w.asteroids.push(Asteroid {
            id: 3,
            name: "rock".into(),
            material: 0,
            density: 2000.0,
            mesh: Arc::new(Mesh::default()),
            radius: 9.0,
            mass: 1e6,
            inertia: DVec3::new(1.0, 2.0, 3.0),
            axes: DQuat::IDENTITY,
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            orientation: DQuat::from_rotation_z(0.5 * std::f64::consts::PI),
            spin: DVec3::new(0.0, 0.0, 2.0),
            fixed: false,
        });
        let mut on = contact(0, None, DVec3::NEG_Y, 0.0);
        on.partner = Partner::Asteroid { asteroid: 3, facet: 7 };
        let mut probe = Asteroids { names: vec![(3, "rock".into())] };
        let row = measure(&mut probe, &w, vec![on, contact(0, Some(1), DVec3::Y, 0.0)]);
        let at = |name| value(&probe, &row, name);
        assert_eq!((at("rock_grains_touching"), at("rock_grains_aloft")), (1.0, 2.0));
        assert_eq!((at("rock_grains_escaping"), at("rock_farthest_m")), (1.0, 50.0));
        assert!((at("rock_spin_momentum_z_kg_m2_per_s") - 6.0).abs() < 1e-12);
        assert!((at("rock_period_s") - std::f64::consts::PI).abs() < 1e-12);
        // It has turned by a quarter: what is at y in the world is at its x axis.
        assert!(at("rock_longitude_deg").abs() < 1e-9 && at("rock_latitude_deg").abs() < 1e-9);
        assert_eq!(at("grains_removed"), 0.0);
    }
}
