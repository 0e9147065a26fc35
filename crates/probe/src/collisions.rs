//! What hard spheres have met so far, and how hot they are.

use glam::DVec3;
use rubblepile_core::{Probe, Result, method::Moment};

use crate::sum::reduce;

/// Collisions since the start, what walls have taken, and the granular temperature.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collisions;

impl Probe for Collisions {
    fn columns(&self) -> Vec<String> {
        [
            "grain_collisions",
            "wall_collisions",
            "impulse_on_walls_x_kg_m_per_s",
            "impulse_on_walls_y_kg_m_per_s",
            "impulse_on_walls_z_kg_m_per_s",
            "energy_to_walls_J",
            "held_grains",
            "absorbed_grains",
            "absorbed_mass_kg",
            "granular_temperature_m2_per_s2",
            "spin_temperature_m2_per_s2",
        ]
        .map(String::from)
        .to_vec()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let (world, b) = (moment.world, &moment.world.bodies);
        let tallies = &world.wall_tallies;
        let impulse: DVec3 = tallies.iter().map(|t| t.impulse).sum();
        row.push(world.grain_collisions as f64);
        row.push(tallies.iter().map(|t| t.collisions).sum::<u64>() as f64);
        row.extend(impulse.to_array());
        row.push(tallies.iter().map(|t| t.energy).sum());
        row.push(world.held.len() as f64);
        row.push(tallies.iter().map(|t| t.absorbed).sum::<u64>() as f64);
        row.push(tallies.iter().map(|t| t.absorbed_mass).sum());
        // A third of the mean squared velocity less that of all, by mass; and the same of the spins, as I w^2 / m.
        let mass = b.total_mass();
        let (_, drift) = b.centre_of_mass();
        let [heat, turning] = reduce(b.len(), |k| {
            let spin = b.inertia[k].x * b.spin[k].length_squared();
            [b.mass[k] * (b.velocity[k] - drift).length_squared(), spin]
        });
        let a_kilogram = |sum: f64| if mass > 0.0 { sum / (3.0 * mass) } else { 0.0 };
        row.extend([a_kilogram(heat), a_kilogram(turning)]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{measure, value, world};

    #[test]
    fn counts_and_temperature() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (2.0 * DVec3::X, 1.0)]);
        w.bodies.velocity = vec![4.0 * DVec3::X, 10.0 * DVec3::X];
        w.grain_collisions = 7;
        *w.tally_of(3) = rubblepile_core::wall::WallTally {
            wall: 3,
            collisions: 5,
            impulse: DVec3::Y,
            absorbed: 2,
            ..Default::default()
        };
        w.tally_of(1).collisions = 1;
        let row = measure(&mut Collisions, &w, Vec::new());
        let of = |name: &str| value(&Collisions, &row, name);
        assert_eq!((of("grain_collisions"), of("wall_collisions"), of("absorbed_grains")), (7.0, 6.0, 2.0));
        assert_eq!(of("impulse_on_walls_y_kg_m_per_s"), 1.0);
        // Three metres a second off the mean of seven.
        assert!((of("granular_temperature_m2_per_s2") - 3.0).abs() < 1e-12);
        assert_eq!(of("spin_temperature_m2_per_s2"), 0.0);
        let empty = measure(&mut Collisions, &world(&[]), Vec::new());
        assert!(empty.iter().all(|v| *v == 0.0));
    }
}
