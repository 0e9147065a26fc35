//! Bulk density and porosity of the largest cluster from its alpha shape (section 4.2 of nbody-polyhedra-2017), and
//! its dynamically equivalent ellipsoid scaled to that volume. Expensive: a few microseconds per vertex.

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Auto, Check, LengthKind, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Aggregate,
    aggregate::scaled_to,
    alpha::Envelope,
    clusters::{TOLERANCE, clusters},
    settings::ProbeSettings,
};

/// The sampling interval, and the resolution of the surface of the largest cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PorositySampling {
    /// Interval of simulated time; the first measurement is at the start. Expensive: a few microseconds per vertex.
    pub every: Time,
    /// Radius of the ball that rolls over the cluster: gaps too narrow for it count as inside; `"auto"`: from
    /// the sizes of the grains.
    #[serde(default = "automatic")]
    pub alpha: Auto<LengthKind>,
}

fn automatic() -> Auto<LengthKind> {
    Auto::Auto
}

impl ProbeSettings for PorositySampling {
    fn about() -> &'static str {
        "Bulk density and porosity of the largest cluster, from its alpha shape."
    }

    fn example() -> Self {
        PorositySampling { every: Time::new(1.0), alpha: Auto::Auto }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        if let Auto::Value(alpha) = self.alpha {
            c.positive(alpha, at, "alpha");
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Porosity { alpha: self.alpha.value() })
    }
}

/// Alpha shape of the largest cluster: volume, bulk density, porosity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Porosity {
    /// Radius of the ball that is rolled over the pile, m; `None`: see [`crate::alpha`].
    pub alpha: Option<f64>,
}

impl Probe for Porosity {
    fn columns(&self) -> Vec<Column> {
        let shape = "alpha shape of the most massive cluster";
        let mut all = vec![
            Column::new("alpha", "m", "Radius of the ball that rolls over the cluster"),
            Column::new("bulk_volume", "m3", format!("Volume inside the {shape}")),
            Column::new("bulk_area", "m2", format!("Surface area of the {shape}")),
            Column::new("bulk_density", "kg/m3", "Mass of the cluster over its bulk volume"),
            Column::new("porosity", "", "1 - solid volume / bulk volume"),
            Column::new("hull_volume", "m3", "Volume of the convex hull of the cluster"),
            Column::new("hull_porosity", "", "1 - solid volume / hull volume"),
        ];
        all.extend(["a", "b", "c"].map(|axis| {
            let what = format!(
                "Semi-axis {axis} (a >= b >= c) of the dynamically equivalent ellipsoid, scaled to the bulk volume"
            );
            Column::new(format!("bulk_ellipsoid_{axis}"), "m", what)
        }));
        all
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
        let axes = scaled_to(Aggregate::of(world, largest, &[], &[])?.dynamic_axes, e.volume);
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
