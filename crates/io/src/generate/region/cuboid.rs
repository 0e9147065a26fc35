//! A box along the axes. Where it spans a periodic box, grains may cross its sides.

use glam::DVec3;
use rubblepile_core::{Domain, Rng, settings::Check, wall::BoxShape};
use serde::{Deserialize, Serialize};

use super::{Region, RegionSettings};

/// A box along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoxRegion(pub BoxShape);

schema_of!(BoxRegion: BoxShape);

impl BoxRegion {
    pub const ABOUT: &str = "A box along the axes.";

    /// Lowest position of the centre of a sphere of radius `r`, and the size of the box of all positions.
    fn room(&self, r: f64, domain: &Domain) -> (DVec3, DVec3) {
        let (min, max) = self.bounds();
        let (mut low, mut high) = (min + r, max - r);
        if let Domain::Periodic { min: dmin, max: dmax, axes } = *domain {
            for k in 0..3 {
                let spans = max[k] - min[k] >= (dmax[k] - dmin[k]) * (1.0 - 1e-9);
                if axes[k] && spans {
                    (low[k], high[k]) = (dmin[k], dmax[k]);
                }
            }
        }
        (low, high - low)
    }
}

impl RegionSettings for BoxRegion {
    fn check(&self, c: &mut Check, at: &str) {
        c.corners(self.0.min, self.0.max, at);
    }

    fn region(&self) -> Box<dyn Region> {
        Box::new(self.clone())
    }
}

impl Region for BoxRegion {
    fn volume(&self) -> f64 {
        let (min, max) = self.bounds();
        (max - min).element_product()
    }

    fn centre(&self) -> DVec3 {
        let (min, max) = self.bounds();
        0.5 * (min + max)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.0.min.0, self.0.max.0)
    }

    fn holds(&self, x: DVec3, r: f64) -> bool {
        let (min, max) = self.bounds();
        let slack = 1e-12 * (max - min).max_element();
        (x - r - min).min_element() >= -slack && (max - x - r).min_element() >= -slack
    }

    fn has_room(&self, r: f64, domain: &Domain) -> bool {
        self.room(r, domain).1.min_element() >= 0.0
    }

    fn draw(&self, r: f64, domain: &Domain, rng: &mut Rng) -> DVec3 {
        let (low, size) = self.room(r, domain);
        let x = DVec3::new(rng.uniform(), rng.uniform(), rng.uniform());
        low + size * x
    }

    fn is_box(&self) -> bool {
        true
    }
}
