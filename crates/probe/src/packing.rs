//! Size and packing fraction of the pile: the smallest enclosing sphere, and the volume of the grains
//! over a [`Volume`], by default that of the sphere (section 3.2.2 of contact-dynamics-2021) or of the periodic
//! box. Polyhedra have their own volume, and the sphere goes around their vertices. Overlaps are not subtracted: their volume is of the order of the square of the overlap.

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    settings::ProbeSettings,
    sum::reduce,
    volume::{Volume, sphere_of},
};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PackingSampling(pub Sampling);

impl ProbeSettings for PackingSampling {
    fn about() -> &'static str {
        "Packing fraction."
    }

    fn example() -> Self {
        PackingSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Packing::default())
    }
}

/// Enclosing sphere and packing fraction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Packing {
    pub volume: Volume,
}

impl Probe for Packing {
    fn columns(&self) -> Vec<Column> {
        let sphere = "the smallest sphere that encloses all grains";
        let mut all = vec![Column::new("enclosing_sphere_radius", "m", format!("Radius of {sphere}"))];
        all.extend(Column::vector("enclosing_sphere", "m", &format!("Centre of {sphere}")));
        all.push(Column::new(
            "packing_fraction",
            "",
            "Volume of the grains (overlaps count twice) over that of the sphere, or of the box if it is periodic along all axes",
        ));
        all
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let [grains] = reduce(world.bodies.len(), |k| [world.volume(k)]);
        let Some(sphere) = sphere_of(world)? else {
            row.extend([0.0; 5]);
            return Ok(());
        };
        // The sphere is at hand: it is not looked for twice.
        let volume = match self.volume {
            Volume::EnclosingSphere => sphere.volume(),
            Volume::Automatic => Volume::PeriodicBox.of(world).unwrap_or(sphere.volume()),
            other => other.of(world)?,
        };
        row.push(sphere.radius);
        row.extend(sphere.centre.to_array());
        row.push(grains / volume);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use rubblepile_core::Domain;

    use super::*;
    use crate::testing::{boxes, measure, world};

    #[test]
    fn two_touching_spheres_fill_a_quarter() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::new(2.0, 0.0, 0.0), 1.0)]);
        let row = measure(&mut Packing::default(), &w, Vec::new());
        assert!((row[0] - 2.0).abs() < 1e-12 && (row[1] - 1.0).abs() < 1e-12);
        assert!((row[4] - 0.25).abs() < 1e-12);
        w.domain = Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(4.0), axes: [true; 3] };
        let row = measure(&mut Packing::default(), &w, Vec::new());
        assert!((row[4] - 2.0 * 4.0 / 3.0 * std::f64::consts::PI / 64.0).abs() < 1e-15);
    }

    #[test]
    fn a_box_is_measured_by_its_corners() {
        // Two cubes of side 2 side by side make a bar of 4 x 2 x 2; turned about z, the corners are where they were.
        let w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::new(2.0, 0.0, 0.0), std::f64::consts::FRAC_PI_2)]);
        let row = measure(&mut Packing::default(), &w, Vec::new());
        let radius = 6f64.sqrt();
        assert!((row[0] - radius).abs() < 1e-12 && (row[1] - 1.0).abs() < 1e-12, "{row:?}");
        let fraction = 16.0 / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
        assert!((row[4] - fraction).abs() < 1e-12);
    }

    #[test]
    fn an_empty_world_has_no_size() {
        assert_eq!(measure(&mut Packing::default(), &world(&[]), Vec::new()), [0.0; 5]);
    }
}
