//! How many grains are in a box: what is left on the plate of a hopper, what has left the drum.

use glam::DVec3;
use rubblepile_core::{Probe, Result, method::Moment};

/// Counts the grains whose centre is in a box (sides included), and their mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Part of the names of the columns.
    pub name: String,
    pub min: DVec3,
    pub max: DVec3,
}

impl Probe for Counter {
    fn columns(&self) -> Vec<String> {
        vec![format!("grains_in_{}", self.name), format!("mass_in_{}_kg", self.name)]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let bodies = &moment.world.bodies;
        row.extend(crate::sum::reduce(bodies.len(), |k| {
            let x = bodies.position[k];
            let within = x.cmpge(self.min).all() && x.cmple(self.max).all();
            if within { [1.0, bodies.mass[k]] } else { [0.0, 0.0] }
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{measure, world};

    #[test]
    fn by_centre_with_the_sides() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::ONE, 1.0), (DVec3::new(0.5, 0.5, 1.1), 1.0)]);
        w.bodies.mass = vec![1.0, 2.0, 4.0];
        let mut probe = Counter { name: "cup".into(), min: DVec3::ZERO, max: DVec3::ONE };
        assert_eq!(measure(&mut probe, &w, Vec::new()), [2.0, 3.0]);
        assert_eq!(probe.columns(), ["grains_in_cup", "mass_in_cup_kg"]);
    }
}
