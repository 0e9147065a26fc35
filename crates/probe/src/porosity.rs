//! Bulk density and porosity of the largest cluster from its alpha shape (section 4.2 of nbody-polyhedra-2017), and
//! its dynamically equivalent ellipsoid scaled to that volume. Dear: some microseconds a vertex of its bodies.

use rubblepile_core::{Probe, Result, method::Moment};

use crate::{
    Aggregate,
    aggregate::scaled_to,
    alpha::Envelope,
    clusters::{TOLERANCE, clusters},
};

/// Alpha shape of the largest cluster: volume, bulk density, porosity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Porosity {
    /// Radius of the ball that is rolled over the pile, m; `None`: see [`crate::alpha`].
    pub alpha: Option<f64>,
}

impl Probe for Porosity {
    fn columns(&self) -> Vec<String> {
        [
            "alpha_m",
            "bulk_volume_m3",
            "bulk_area_m2",
            "bulk_density_kg_per_m3",
            "porosity",
            "hull_volume_m3",
            "hull_porosity",
            "bulk_ellipsoid_a_m",
            "bulk_ellipsoid_b_m",
            "bulk_ellipsoid_c_m",
        ]
        .map(String::from)
        .to_vec()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let found = clusters(world, moment.contacts()?, TOLERANCE)?;
        let Some(largest) = found.list.first() else {
            row.extend([f64::NAN; 10]);
            return Ok(());
        };
        let e = Envelope::of(world, largest, self.alpha)?;
        // Loads do not matter here: the contacts are not handed on.
        let axes = scaled_to(Aggregate::of(world, largest, &[])?.dynamic_axes, e.volume);
        row.extend([e.alpha, e.volume, e.surface.area(), e.bulk_density(), e.porosity()]);
        row.extend([e.hull_volume, e.hull_porosity()]);
        row.extend(axes.to_array());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{boxes, contact, measure, value, world};

    #[test]
    fn a_bar_of_boxes_is_solid_and_the_rest_of_the_world_is_not_seen() {
        let w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::X * 2.0, 0.0), (DVec3::new(50.0, 0.0, 1.0), 0.3)]);
        let mut probe = Porosity::default();
        let row = measure(&mut probe, &w, vec![contact(0, Some(1), DVec3::X, 0.0)]);
        let at = |name| value(&probe, &row, name);
        assert!((at("bulk_volume_m3") - 16.0).abs() < 1e-12 && (at("bulk_area_m2") - 40.0).abs() < 1e-12);
        assert!((at("bulk_density_kg_per_m3") - 1.0).abs() < 1e-12 && at("porosity").abs() < 1e-12);
        assert!((at("bulk_ellipsoid_a_m") / at("bulk_ellipsoid_c_m") - 2.0).abs() < 1e-9);
    }

    #[test]
    fn an_empty_world_has_none() {
        assert!(measure(&mut Porosity::default(), &world(&[]), Vec::new()).iter().all(|x| x.is_nan()));
    }
}
