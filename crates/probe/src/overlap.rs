//! How deep the overlaps are, over the smaller radius of the pair (the grain's own radius at a wall). Soft spheres
//! are meant to stay near 1 %: past a few per cent the stiffness is too low for the speeds or the loads.

use rubblepile_core::{Error, Probe, Result, method::Moment};

use crate::{smaller_radius, sum::reduce};

/// Largest and mean overlap over radius.
#[derive(Debug, Clone, Copy, Default)]
pub struct Overlap;

impl Probe for Overlap {
    fn columns(&self) -> Vec<String> {
        ["largest_overlap_over_radius", "mean_overlap_over_radius"].map(String::from).to_vec()
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
