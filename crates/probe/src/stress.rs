//! Mean stress from the contacts.
//!
//! Eqs (19) and (20) of contact-dynamics-2021: `sigma = 1/V sum_p sum_c f (x) r`, f the force on grain p at contact
//! c and r the vector from its centre to the contact. The two ends of a contact of two grains add up to
//! `-f (x) b`, with b the branch from the partner's centre to the body's; at a wall b starts at the contact. Taken
//! as it is written, compression is negative; as in that paper's figures and in soil mechanics it is positive
//! here, so that `sigma = 1/V sum f (x) b`, and the pressure is a third of its trace.
//!
//! Rolling and twisting torques make the sum unsymmetric: the symmetric part is given. The kinetic pressure,
//! a third of the trace of `1/V sum m v (x) v` with v relative to the centre of mass, stands apart: in a pile that
//! turns as a whole it contains the turning.

use glam::DVec3;
use rubblepile_core::{
    Column, Contact, Probe, Result, World,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{momentum::Momenta, settings::ProbeSettings, sum::reduce, volume::Volume};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StressSampling(pub Sampling);

impl ProbeSettings for StressSampling {
    fn about() -> &'static str {
        "Mean stress tensor."
    }

    fn example() -> Self {
        StressSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Stress::default())
    }
}

/// Mean stress tensor, pressure, kinetic pressure, and the volume they are taken in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stress {
    pub volume: Volume,
}

/// Symmetric part of f (x) b: xx, yy, zz, xy, yz, zx.
fn symmetric(f: DVec3, b: DVec3) -> [f64; 6] {
    [
        f.x * b.x,
        f.y * b.y,
        f.z * b.z,
        0.5 * (f.x * b.y + f.y * b.x),
        0.5 * (f.y * b.z + f.z * b.y),
        0.5 * (f.z * b.x + f.x * b.z),
    ]
}

/// Sum of f (x) b, symmetric part: xx, yy, zz, xy, yz, zx, in J.
pub fn moment_tensor(contacts: &[Contact]) -> [f64; 6] {
    reduce(contacts.len(), |k| symmetric(contacts[k].force, contacts[k].branch))
}

/// The internal moment tensor of each body, eq. (19), with the sign of this module: xx, yy, zz, xy, yz, zx, in J. Over all
/// bodies they add up to [`moment_tensor`].
pub fn moments_by_row(world: &World, contacts: &[Contact]) -> Vec<[f64; 6]> {
    let x = &world.bodies.position;
    let mut of_row = vec![[0.0; 6]; x.len()];
    let mut add = |row: u32, f: DVec3, r: DVec3| {
        if let Some(own) = of_row.get_mut(row as usize) {
            own.iter_mut().zip(symmetric(f, r)).for_each(|(sum, part)| *sum -= part);
        }
    };
    for c in contacts {
        let Some(own) = x.get(c.row as usize) else { continue };
        let r = c.point - *own;
        add(c.row, c.force, r);
        if let Some(partner) = c.partner_row {
            add(partner, -c.force, r + c.branch);
        }
    }
    of_row
}

impl Probe for Stress {
    fn columns(&self) -> Vec<Column> {
        let mut all = Vec::from(Column::tensor(
            "stress",
            "Pa",
            "Mean stress of the contacts, symmetric part of `1/V sum f (x) b`, compression positive",
        ));
        all.extend([
            Column::new("pressure", "Pa", "A third of the trace of the mean stress"),
            Column::new(
                "kinetic_pressure",
                "Pa",
                "`1/(3 V) sum m |v - u|^2`, u the velocity of the centre of mass: a pile that rotates has it too",
            ),
            Column::new(
                "stress_volume",
                "m3",
                "The volume V: of the box if it is periodic along all axes, otherwise of the smallest enclosing sphere",
            ),
        ]);
        all
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let volume = self.volume.of(world)?;
        let tensor = moment_tensor(moment.contacts()?);
        let bodies = &world.bodies;
        let momenta = Momenta::of(bodies);
        let drift = if momenta.mass > 0.0 { momenta.linear / momenta.mass } else { DVec3::ZERO };
        let [motion] =
            reduce(bodies.len(), |k| [bodies.mass[k] * (bodies.velocity[k] - drift).length_squared()]);
        // No grains, no volume: nothing to share out, and no stress.
        let mean = |x: f64| if volume > 0.0 { x / volume } else { 0.0 };
        row.extend(tensor.map(mean));
        row.extend([mean((tensor[0] + tensor[1] + tensor[2]) / 3.0), mean(motion / 3.0), volume]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{contact, measure, value, world};

    #[test]
    fn a_column_under_load() {
        // Two spheres pressed along z with 6 N, and the lower one held by a floor with the same.
        let mut w = world(&[(DVec3::Z, 1.0), (DVec3::new(0.0, 0.0, 3.0), 1.0)]);
        w.bodies.mass = vec![1.0, 1.0];
        w.bodies.velocity = vec![DVec3::new(5.0, 1.0, 0.0), DVec3::new(5.0, -1.0, 0.0)];
        let mut pair = contact(0, Some(1), DVec3::Z, 0.0);
        (pair.force, pair.branch) = (DVec3::new(0.0, 0.0, -6.0), DVec3::new(0.0, 0.0, -2.0));
        let mut floor = contact(0, None, -DVec3::Z, 0.0);
        (floor.force, floor.branch) = (DVec3::new(3.0, 0.0, 6.0), DVec3::new(0.0, 0.0, 1.0));
        let mut probe = Stress { volume: Volume::Given(2.0) };
        let row = measure(&mut probe, &w, vec![pair, floor]);
        let at = |name| value(&probe, &row, name);
        assert_eq!(at("stress_zz_Pa"), (12.0 + 6.0) / 2.0);
        assert_eq!(at("stress_xx_Pa"), 0.0);
        assert_eq!(at("stress_zx_Pa"), 0.5 * 3.0 / 2.0);
        assert_eq!(at("pressure_Pa"), 3.0);
        assert_eq!(at("kinetic_pressure_Pa"), 2.0 / 3.0 / 2.0);
        assert_eq!(at("stress_volume_m3"), 2.0);
    }

    #[test]
    fn swapping_the_ends_of_a_contact_changes_nothing() {
        let mut a = contact(0, Some(1), DVec3::X, 0.0);
        (a.force, a.branch) = (DVec3::new(-3.0, 1.0, 0.5), DVec3::new(-2.0, 0.1, 0.3));
        let mut b = contact(1, Some(0), -DVec3::X, 0.0);
        (b.force, b.branch) = (-a.force, -a.branch);
        assert_eq!(moment_tensor(&[a]), moment_tensor(&[b]));
    }

    #[test]
    fn the_moments_of_bodies_add_up_to_that_of_all() {
        let w = world(&[(DVec3::ZERO, 1.0), (DVec3::new(1.6, 0.4, 0.0), 0.8)]);
        let mut pair = contact(0, Some(1), DVec3::X, 0.1);
        (pair.force, pair.branch) = (DVec3::new(-3.0, 1.0, 0.5), -w.bodies.position[1]);
        pair.point = DVec3::new(0.9, 0.2, 0.1);
        let mut wall = contact(1, None, DVec3::Z, 0.0);
        (wall.force, wall.point) = (DVec3::new(0.0, 0.3, -2.0), DVec3::new(1.6, 0.4, 0.8));
        wall.branch = w.bodies.position[1] - wall.point;
        let own = moments_by_row(&w, &[pair, wall]);
        let whole = moment_tensor(&[pair, wall]);
        for k in 0..6 {
            assert!((own[0][k] + own[1][k] - whole[k]).abs() < 1e-14, "{own:?} {whole:?}");
        }
    }

    #[test]
    fn an_empty_world_bears_none() {
        assert_eq!(measure(&mut Stress::default(), &world(&[]), Vec::new()), [0.0; 9]);
    }
}
