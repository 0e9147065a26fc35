//! The distribution of normal contact forces: their mean, and the histogram of `f / <f>`, the P(f) of granular physics.

use rubblepile_core::{
    Column, Contact, Probe, Result,
    method::Moment,
    settings::{Check, Number, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::ProbeSettings;

/// The sampling interval, and the bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Number of bins, of equal width.
    #[serde(default = "twelve")]
    pub bins: u32,
    /// End of the last bin, over the mean force; the first starts at 0.
    #[serde(default = "six")]
    pub range: Number,
}

fn twelve() -> u32 {
    12
}

fn six() -> Number {
    Number::new(6.0)
}

impl ProbeSettings for ForceSampling {
    fn about() -> &'static str {
        "Normal contact forces: mean, largest, and their distribution P(f)."
    }

    fn example() -> Self {
        ForceSampling { every: Time::new(1.0), bins: 1, range: six() }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        let bins = self.bins;
        c.check((1..=1000).contains(&bins), at, "bins", || {
            format!("`bins` must be between 1 and 1000, it is {bins}")
        });
        c.positive(self.range, at, "range");
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(ForceDistribution { bins: self.bins as usize, range: self.range.0 })
    }
}

/// Histogram of the normal forces of all contacts that push, over their mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceDistribution {
    pub bins: usize,
    pub range: f64,
}

/// Normal forces of the contacts that push, N; those that cohesion pulls together are left out.
pub fn normal_forces(contacts: &[Contact]) -> Vec<f64> {
    contacts.iter().map(|c| -c.force.dot(c.normal)).filter(|f| *f > 0.0).collect()
}

impl ForceDistribution {
    /// Probability density of `f / <f>` in each bin.
    pub fn density(&self, forces: &[f64]) -> Vec<f64> {
        let mean = forces.iter().sum::<f64>() / forces.len() as f64;
        let mut density = vec![0.0; self.bins];
        let unit = self.bins as f64 / self.range;
        for f in forces {
            if let Some(bin) = density.get_mut((f / mean * unit) as usize) {
                *bin += unit / forces.len() as f64;
            }
        }
        density
    }
}

impl Probe for ForceDistribution {
    fn columns(&self) -> Vec<Column> {
        let width = self.range / self.bins as f64;
        let bin = |k: usize| {
            let what = format!(
                "Probability density of `f / <f>` from {:.4} to {:.4}, f the normal force of a contact that pushes",
                width * k as f64,
                width * (k + 1) as f64
            );
            Column::new(format!("force_density_{}", k + 1), "", what)
        };
        let mut all = vec![
            Column::new("mean_normal_force", "N", "Mean normal force `<f>` of the contacts that push"),
            Column::new("largest_normal_force", "N", "Largest normal force of a contact"),
        ];
        all.extend((0..self.bins).map(bin));
        all
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let forces = normal_forces(moment.contacts()?);
        // No contacts, no forces.
        let mean = if forces.is_empty() { 0.0 } else { forces.iter().sum::<f64>() / forces.len() as f64 };
        row.extend([mean, forces.iter().copied().fold(0.0, f64::max)]);
        row.extend(self.density(&forces));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{contact, measure, world};

    #[test]
    fn three_that_push_and_one_that_pulls() {
        let w = world(&[(DVec3::ZERO, 1.0); 5]);
        let push = |k: u32, f: f64| {
            let mut c = contact(k, Some(k + 1), DVec3::X, 0.0);
            c.force = DVec3::new(-f, 7.0, 0.0);
            c
        };
        let table = vec![push(0, 1.0), push(1, 2.0), push(2, 9.0), push(3, -3.0)];
        let row = measure(&mut ForceDistribution { bins: 4, range: 4.0 }, &w, table);
        // Over the mean of 4: 0.25, 0.5, 2.25.
        assert_eq!(row, [4.0, 9.0, 2.0 / 3.0, 0.0, 1.0 / 3.0, 0.0]);
        let none = measure(&mut ForceDistribution { bins: 2, range: 4.0 }, &w, Vec::new());
        assert_eq!(none, [0.0; 4]);
    }
}
