//! The quantities of a map by name, and what they are over the whole surface.

use super::FacetValues;

/// A column of a map.
#[derive(Debug, Clone, Copy)]
pub struct MapQuantity {
    /// For files: `slope`.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// As it is written; angles in degrees.
    pub unit: &'static str,
    /// With the unit, as columns of tables are named.
    pub column: &'static str,
    pub of: fn(&FacetValues) -> f64,
}

pub const QUANTITIES: [MapQuantity; 7] = [
    MapQuantity {
        name: "slope",
        title: "slope",
        unit: "deg",
        column: "slope_deg",
        of: |f| f.slope.to_degrees(),
    },
    MapQuantity {
        name: "acceleration",
        title: "effective acceleration",
        unit: "m/s2",
        column: "acceleration_m_per_s2",
        of: |f| f.acceleration.length(),
    },
    MapQuantity {
        name: "potential",
        title: "potential",
        unit: "J/kg",
        column: "potential_J_per_kg",
        of: |f| f.potential,
    },
    MapQuantity {
        name: "escape-speed",
        title: "escape speed",
        unit: "m/s",
        column: "escape_speed_m_per_s",
        of: |f| f.escape_speed,
    },
    MapQuantity {
        name: "lift-off-speed",
        title: "lift-off speed",
        unit: "m/s",
        column: "lift_off_speed_m_per_s",
        of: |f| f.lift_off_speed,
    },
    MapQuantity {
        name: "factor-of-safety",
        title: "factor of safety",
        unit: "",
        column: "factor_of_safety",
        of: |f| f.factor_of_safety,
    },
    MapQuantity {
        name: "fission",
        title: "fission margin",
        unit: "N",
        column: "fission_N",
        of: |f| f.fission,
    },
];

/// Of the finite values of a quantity; how they are spread over the area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub least: f64,
    pub mean: f64,
    pub most: f64,
}

impl MapQuantity {
    /// Part of the area that the value does not exceed, at least; `None` where no value is finite.
    pub fn quantile(&self, facets: &[FacetValues], part: f64) -> Option<f64> {
        let mut values: Vec<(f64, f64)> = facets.iter().map(|f| ((self.of)(f), f.area)).collect();
        values.retain(|v| v.0.is_finite());
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole: f64 = values.iter().map(|v| v.1).sum();
        let mut sum = 0.0;
        let found = values.iter().find(|v| {
            sum += v.1;
            sum >= part * whole
        });
        found.or(values.last()).map(|v| v.0)
    }

    pub fn range(&self, facets: &[FacetValues]) -> Option<Range> {
        let finite = facets.iter().map(|f| ((self.of)(f), f.area)).filter(|v| v.0.is_finite());
        let (mut range, mut area) = (Range { least: f64::INFINITY, mean: 0.0, most: f64::NEG_INFINITY }, 0.0);
        for (value, weight) in finite {
            range.least = range.least.min(value);
            range.most = range.most.max(value);
            range.mean += value * weight;
            area += weight;
        }
        range.mean /= area;
        (area > 0.0).then_some(range)
    }
}

/// Part of the area of which something is true.
pub fn part(facets: &[FacetValues], is: impl Fn(&FacetValues) -> bool) -> f64 {
    let area = |is: &dyn Fn(&FacetValues) -> bool| {
        facets.iter().filter(|f| is(f)).map(|f| f.area).fold(0.0, |sum, area| sum + area)
    };
    area(&is) / area(&|_| true)
}
