//! Histogram of heights, by group.

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Check, Length, NumberKind, Quantity, ScenarioContext, Time, Vector},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    heights::{Floor, heights},
    settings::{ProbeSettings, check_groups, check_up, fill_up, unit},
};

/// Which grains, how often, the floor from which heights are measured, and the bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistogramSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Number of bins, of equal width.
    pub bins: u32,
    /// Heights above the floor of the start of the first bin and the end of the last one, m.
    pub range: [Length; 2],
    /// Names of the groups of grains. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Upward direction, of any length. Default: opposite to uniform gravity, or z without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector<NumberKind>>,
    /// Height of the floor along `up`.
    #[serde(default = "zero")]
    pub from: Length,
}

fn zero() -> Length {
    Quantity::new(0.0)
}

impl ProbeSettings for HistogramSampling {
    fn about() -> &'static str {
        "By group: histogram of the heights of the grains' lowest points, with the numbers below and above it."
    }

    fn example() -> Self {
        let range = [zero(), Length::new(1.0)];
        HistogramSampling { every: Time::new(1.0), bins: 1, range, groups: None, up: None, from: zero() }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn fill_defaults(&mut self, scene: &ScenarioContext) {
        self.groups.get_or_insert_with(|| scene.groups.clone());
        fill_up(&mut self.up, scene);
    }

    fn check(&self, c: &mut Check, at: &str) {
        check_groups(c, &self.groups, at);
        check_up(c, self.up, at);
        let (bins, [low, high]) = (self.bins, self.range.map(|z| z.0));
        c.check((1..=1000).contains(&bins), at, "bins", || {
            format!("`bins` must be between 1 and 1000, it is {bins}")
        });
        c.check(low < high, at, "range", || {
            format!("`range` must go from low to high; it goes from {low} to {high}")
        });
        c.modest(Vector::<NumberKind>::new(self.from.0, low, high), at, "range");
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(HeightHistogram {
            floor: Floor { up: unit(self.up), height: self.from.0 },
            groups: self.groups.clone().unwrap_or_default(),
            range: self.range.map(|z| z.0),
            bins: self.bins as usize,
        })
    }
}

/// Numbers of grains between heights, by group: below the range, in each bin, above it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightHistogram {
    pub floor: Floor,
    pub groups: Vec<String>,
    /// m
    pub range: [f64; 2],
    pub bins: usize,
}

impl Probe for HeightHistogram {
    fn columns(&self) -> Vec<Column> {
        let of = |g: &String| {
            let [low, high] = self.range;
            let width = (high - low) / self.bins as f64;
            let column = |name: String, place: String| {
                Column::new(name, "", format!("Grains of group {g} whose lowest point is {place}"))
            };
            let bin = |k: usize| {
                let from = low + width * k as f64;
                let place = format!("from {from:.4} m to {:.4} m above the floor", from + width);
                column(format!("{g}_in_height_bin_{}", k + 1), place)
            };
            let mut all = vec![column(format!("{g}_below_height_bins"), format!("below {low} m"))];
            all.extend((0..self.bins).map(bin));
            all.push(column(format!("{g}_above_height_bins"), format!("at {high} m or above")));
            all
        };
        self.groups.iter().flat_map(of).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let [low, high] = self.range;
        for heights in heights(moment.world, &self.groups, &self.floor) {
            let mut counts = vec![0.0; self.bins + 2];
            for z in heights {
                let bin = (self.bins as f64 * (z - low) / (high - low)).floor();
                // The cast saturates, also for what is not a number.
                counts[((bin + 1.0).max(0.0) as usize).min(self.bins + 1)] += 1.0;
            }
            row.extend(counts);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{
        heights::tests::gas,
        testing::{measure, value, world},
    };

    #[test]
    fn every_grain_is_in_one_bin() {
        let mut w = world(&[-0.5, 0.0, 0.9, 1.0, 2.999, 3.0, 99.0].map(|z| (z * DVec3::Z, 0.0)));
        w.groups = vec!["all".into()];
        let floor = Floor { up: DVec3::Z, height: 0.0 };
        let mut probe = HeightHistogram { floor, groups: w.groups.clone(), range: [0.0, 3.0], bins: 3 };
        assert_eq!(measure(&mut probe, &w, Vec::new()), [1.0, 2.0, 1.0, 1.0, 2.0]);
        assert_eq!(probe.columns()[1].name, "all_in_height_bin_1");
        let (w, floor, groups) = gas();
        let mut probe = HeightHistogram { floor, groups, range: [0.0, 2.0], bins: 2 };
        let row = measure(&mut probe, &w, Vec::new());
        assert_eq!(row.iter().sum::<f64>(), 2000.0);
        // Of the gas 1 - exp(-1/2) = 0.39 is below 1 m.
        let low = value(&probe, &row, "gas_in_height_bin_1");
        assert!((low - 393.0).abs() < 50.0, "{row:?}");
    }
}
