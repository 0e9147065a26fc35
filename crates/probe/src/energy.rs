//! Energy of grains and asteroids, by kind.
//!
//! The balance `kinetic + potential + elastic + dissipated - wall work` is constant but for the error of the time
//! step. Heat by cause and the work of walls are kept by the method because this probe [needs](Probe::needs) them; without
//! it these columns, and the balance, are NaN. In a rotating frame velocities are those of that frame: the balance
//! then needs the centrifugal potential, which the frame's field gives.
//!
//! Of deformable grains energies are per metre of depth; what is kinetic and not of the motion of a grain as a whole, its turning and
//! swinging, is in the column of rotation.

use rubblepile_core::{
    Bodies, Column, Measure, Probe, Result,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    settings::{GrainSelection, ProbeSettings},
    sum::reduce,
};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EnergySampling(pub Sampling);

impl ProbeSettings for EnergySampling {
    fn about() -> &'static str {
        "Kinetic, potential and elastic energy, and dissipation."
    }

    fn example() -> Self {
        EnergySampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn grains(&self) -> GrainSelection {
        GrainSelection::Both
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Energy)
    }
}

/// Kinetic, potential and elastic energy, heat by cause, work of the walls, and their balance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Energy;

/// Kinetic energy of translation and of rotation, J, by compensated sums.
pub fn kinetic_energy(bodies: &Bodies) -> [f64; 2] {
    reduce(bodies.len(), |k| {
        let w = bodies.orientation[k].inverse() * bodies.spin[k];
        [
            0.5 * bodies.mass[k] * bodies.velocity[k].length_squared(),
            0.5 * (bodies.inertia[k] * w * w).element_sum(),
        ]
    })
}

impl Probe for Energy {
    fn columns(&self) -> Vec<Column> {
        let heat = |name: &str, by: &str| {
            Column::new(format!("dissipated_{name}"), "J", format!("Energy dissipated so far {by}"))
        };
        vec![
            Column::new("kinetic_translation", "J", "Kinetic energy of the centres of mass, `sum m v^2 / 2`"),
            Column::new(
                "kinetic_rotation",
                "J",
                "Kinetic energy of rotation, `sum w I w / 2`; of deformable grains all but that of their centres",
            ),
            Column::new("potential", "J", "Potential energy in all fields, pairs counted once"),
            Column::new(
                "elastic",
                "J",
                "Energy stored in contacts (cohesion is a potential: negative) and in deformed grains",
            ),
            heat("normal", "by motion along contact normals"),
            heat("sliding", "by sliding"),
            heat("rolling", "by rolling"),
            heat("twisting", "by twisting"),
            heat("inside", "by damping inside deformable grains"),
            Column::new("wall_work", "J", "Work that walls have done on grains so far"),
            Column::new(
                "energy_balance",
                "J",
                "`kinetic + potential + elastic + dissipated - wall work`: constant but for the error of the time step",
            ),
        ]
    }

    fn needs(&self) -> Measure {
        Measure { dissipation: true }
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let [mut translation, mut rotation] = kinetic_energy(&world.bodies);
        for asteroid in &world.asteroids {
            let [t, r] = asteroid.kinetic_energy();
            (translation, rotation) = (translation + t, rotation + r);
        }
        let mut potential = moment.fields.potential_energy(world)?;
        let contacts = moment.contacts()?;
        let [mut elastic] = reduce(contacts.len(), |k| [contacts[k].elastic]);
        let pull = moment.fields.uniform().truncate();
        for grain in moment.deformation()?.iter().flat_map(|d| &d.grains) {
            let whole = 0.5 * grain.momentum.length_squared() / grain.mass;
            (translation, rotation) = (translation + whole, rotation + grain.kinetic - whole);
            potential -= grain.mass * pull.dot(grain.centre);
            elastic += grain.elastic;
        }
        let d = &world.dissipation;
        let heat = if moment.report.measure.dissipation {
            [d.normal, d.sliding, d.rolling, d.twisting, d.inside, d.wall_work]
        } else {
            [f64::NAN; 6]
        };
        let stored = [translation, rotation, potential, elastic];
        let [warmth @ .., wall_work] = heat;
        let terms: Vec<f64> = stored.into_iter().chain(warmth).chain([-wall_work]).collect();
        let [balance] = reduce(terms.len(), |k| [terms[k]]);
        row.extend(stored);
        row.extend(heat);
        row.push(balance);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use rubblepile_core::Deformation;

    use super::*;
    use crate::testing::{contact, measure, measure_felt, value, world};

    #[test]
    fn kinds_and_their_balance() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::new(3.0, 0.0, 0.0), 2.0)]);
        w.bodies.mass = vec![2.0, 5.0];
        w.bodies.velocity = vec![DVec3::new(3.0, 0.0, 4.0), DVec3::new(0.0, -1.0, 0.0)];
        w.bodies.inertia = vec![DVec3::new(1.0, 2.0, 3.0), DVec3::splat(10.0)];
        w.bodies.spin = vec![DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.0, 0.0, 0.0)];
        // A quarter turn about y brings the body's x axis to the world's -z: moment 1 instead of 3.
        w.bodies.orientation[0] = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        w.dissipation.normal = 1.0;
        w.dissipation.sliding = 2.0;
        w.dissipation.rolling = 4.0;
        w.dissipation.twisting = 8.0;
        w.dissipation.inside = 16.0;
        w.dissipation.wall_work = 100.0;
        let mut c = contact(0, Some(1), DVec3::X, 0.1);
        c.elastic = 0.5;
        // The fake field's potential is the sum of the masses times 10.
        let row = measure(&mut Energy, &w, vec![c]);
        let at = |name| value(&Energy, &row, name);
        assert_eq!(at("kinetic_translation_J"), 25.0 + 2.5);
        assert!((at("kinetic_rotation_J") - (2.0 + 5.0)).abs() < 1e-14);
        assert_eq!(at("potential_J"), 70.0);
        assert_eq!(at("elastic_J"), 0.5);
        assert_eq!(at("dissipated_twisting_J"), 8.0);
        assert!((at("energy_balance_J") - (27.5 + 7.0 + 70.0 + 0.5 + 31.0 - 100.0)).abs() < 1e-12);
    }

    #[test]
    fn heat_that_was_not_kept_is_not_a_zero() {
        let w = world(&[(DVec3::ZERO, 1.0)]);
        assert!(Energy.needs().dissipation);
        let row = measure_felt(&mut Energy, &w, Deformation::default());
        assert!(value(&Energy, &row, "dissipated_normal_J").is_nan());
        assert!(value(&Energy, &row, "energy_balance_J").is_nan());
        assert_eq!(value(&Energy, &row, "kinetic_translation_J"), 0.0);
    }
}
