//! Overlaps over the smaller radius of the pair (the grain's own radius at a wall). Soft spheres
//! are meant to stay near 1 %: past a few per cent the stiffness is too low for the speeds or the loads.

use rubblepile_core::{
    Column, Error, Probe, Result,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{settings::ProbeSettings, smaller_radius, sum::reduce};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OverlapSampling(pub Sampling);

impl ProbeSettings for OverlapSampling {
    fn about() -> &'static str {
        "Mean and deepest overlap."
    }

    fn example() -> Self {
        OverlapSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Overlap)
    }
}

/// Largest and mean overlap over radius.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overlap;

impl Probe for Overlap {
    fn columns(&self) -> Vec<Column> {
        let of = "overlap over the smaller radius of the two that touch";
        vec![
            Column::new("largest_overlap_over_radius", "", format!("Largest {of}")),
            Column::new(
                "mean_overlap_over_radius",
                "",
                format!("Mean {of}, over all rows of the contact table"),
            ),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let ratios = moment
            .contacts()?
            .iter()
            .map(|c| Ok(c.overlap / smaller_radius(world, c)?))
            .collect::<Result<Vec<f64>, Error>>()?;
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        let [sum] = reduce(ratios.len(), |k| [ratios[k]]);
        row.extend([largest, if ratios.is_empty() { 0.0 } else { sum / ratios.len() as f64 }]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{contact, measure, try_measure, world};

    #[test]
    fn over_the_smaller_radius() {
        let w = world(&[(DVec3::ZERO, 2.0), (DVec3::X, 0.5)]);
        let table = vec![contact(0, Some(1), DVec3::X, 0.01), contact(0, None, DVec3::X, 0.02)];
        let row = measure(&mut Overlap, &w, table);
        assert_eq!(row[0], 0.02);
        assert!((row[1] - 0.015).abs() < 1e-16);
    }

    #[test]
    fn nothing_touches() {
        assert_eq!(measure(&mut Overlap, &world(&[]), Vec::new()), [0.0, 0.0]);
    }

    #[test]
    fn a_row_that_is_not_there_is_an_error() {
        assert!(try_measure(&mut Overlap, &world(&[]), vec![contact(3, None, DVec3::X, 0.1)]).is_err());
    }
}
