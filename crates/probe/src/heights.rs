//! Heights of grains by group: scale heights (section 3.1 of Richardson et al. 2011).
//!
//! The height of a grain is that of its lowest point above the floor. If heights are drawn from `exp(-z/h)/h`, the most
//! likely scale height is their mean. How likely the sample is then, the test of Kolmogorov and Smirnov tells; as in the
//! paper the law is cut off at the highest grain. With the mean taken from the sample itself it is lenient: true samples give
//! more than one half on average. A rock's lowest point is taken as that of the sphere around it.

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result, World,
    method::Moment,
    settings::{Check, Length, NumberKind, Quantity, ScenarioContext, Time, Vector},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    groups::rows_of,
    kolmogorov,
    settings::{ProbeSettings, check_groups, check_up, fill_up, unit},
    sum::reduce,
};

/// What heights are measured from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Unit vector.
    pub up: DVec3,
    /// Height of the floor along `up`, m.
    pub height: f64,
}

impl Floor {
    /// Height of the lowest point of a grain, m.
    pub fn height_of(&self, world: &World, row: usize) -> f64 {
        self.up.dot(world.bodies.position[row]) - world.bodies.radius[row] - self.height
    }
}

/// Heights of the free grains of each of these groups, m.
pub fn heights(world: &World, groups: &[String], floor: &Floor) -> Vec<Vec<f64>> {
    let of = |rows: Vec<usize>| rows.into_iter().map(|k| floor.height_of(world, k)).collect();
    rows_of(world, groups).into_iter().map(of).collect()
}

/// The most likely scale height, m; not a number if there are no heights.
pub fn scale_height(heights: &[f64]) -> f64 {
    let [sum] = reduce(heights.len(), |k| [heights[k]]);
    sum / heights.len() as f64
}

/// Probability that a sample is at least as far from `1 - exp(-z/h)` as this one, if it was drawn from it; h is
/// its own scale height. Not a number without a positive one.
pub fn exponential_probability(mut heights: Vec<f64>) -> f64 {
    let scale = scale_height(&heights);
    heights.sort_unstable_by(f64::total_cmp);
    match heights.last() {
        Some(&highest) if scale > 0.0 => {
            let below = |z: f64| 1.0 - (-z / scale).exp();
            kolmogorov::probability(&heights, |z| below(z) / below(highest))
        }
        _ => f64::NAN,
    }
}

/// Which grains, how often, and the floor from which heights are measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
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

impl ProbeSettings for HeightSampling {
    fn about() -> &'static str {
        "By group: mean height of the centres; scale height, which is the mean height of the lowest points; and the\n\
         probability (Kolmogorov-Smirnov) that these are distributed as an exponential of that scale height."
    }

    fn example() -> Self {
        HeightSampling { every: Time::new(1.0), groups: None, up: None, from: zero() }
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
        c.modest(Vector::<NumberKind>::new(self.from.0, 0.0, 0.0), at, "from");
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Heights {
            floor: Floor { up: unit(self.up), height: self.from.0 },
            groups: self.groups.clone().unwrap_or_default(),
        })
    }
}

/// Mean height of the centres, scale height and its probability, by group.
#[derive(Debug, Clone, PartialEq)]
pub struct Heights {
    pub floor: Floor,
    pub groups: Vec<String>,
}

impl Probe for Heights {
    fn columns(&self) -> Vec<Column> {
        let of = |g: &String| {
            [
                Column::new(
                    format!("mean_height_of_{g}"),
                    "m",
                    format!("Mean height of the centres above the floor, group {g}"),
                ),
                Column::new(
                    format!("scale_height_of_{g}"),
                    "m",
                    format!(
                        "Scale height h of `exp(-z/h)`: mean height of the lowest points of the grains, group {g}"
                    ),
                ),
                Column::new(
                    format!("exponential_probability_of_{g}"),
                    "",
                    format!(
                        "Probability (Kolmogorov-Smirnov) of heights at least as far from `1 - exp(-z/h)`, cut off at the \
                         highest grain, group {g}"
                    ),
                ),
            ]
        };
        self.groups.iter().flat_map(of).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        for rows in rows_of(world, &self.groups) {
            let centre = |k: usize| self.floor.up.dot(world.bodies.position[rows[k]]) - self.floor.height;
            let [sum] = reduce(rows.len(), |k| [centre(k)]);
            let heights: Vec<f64> = rows.iter().map(|&k| self.floor.height_of(world, k)).collect();
            row.extend([sum / rows.len() as f64, scale_height(&heights), exponential_probability(heights)]);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rubblepile_core::Rng;
    use rubblepile_core::wall::catch::Held;

    use super::*;
    use crate::testing::{measure, value, world};

    /// Grains of two groups on a floor at 5 m, up along x: one follows the law with a scale height of 2 m, the other lies
    /// evenly between 0 and 2 m.
    pub fn gas() -> (World, Floor, Vec<String>) {
        let mut rng = Rng::new(3);
        let mut w = world(&[]);
        w.groups = vec!["even".into(), "gas".into()];
        for _ in 0..1000 {
            let z = [2.0 * rng.uniform(), -2.0 * (1.0 - rng.uniform()).ln()];
            for (group, z) in (0..).zip(z) {
                w.bodies.push_sphere(DVec3::new(5.0 + 0.1 + z, 7.0, -3.0), 0.1, 1.0, group, 0);
            }
        }
        let group = (0..w.bodies.len()).map(|k| (k % 2) as u32).collect();
        w.bodies.group = group;
        (w, Floor { up: DVec3::X, height: 5.0 }, vec!["gas".into(), "even".into()])
    }

    #[test]
    fn a_gas_has_its_scale_height_and_an_even_column_no_exponential() {
        let (w, floor, groups) = gas();
        let mut probe = Heights { floor, groups };
        let row = measure(&mut probe, &w, Vec::new());
        let of = |name: &str| value(&probe, &row, name);
        // Three deviations of the mean of a thousand.
        assert!((of("scale_height_of_gas_m") - 2.0).abs() < 0.19, "{row:?}");
        assert!((of("mean_height_of_gas_m") - of("scale_height_of_gas_m") - 0.1).abs() < 1e-12);
        assert!((of("scale_height_of_even_m") - 1.0).abs() < 0.06);
        assert!(of("exponential_probability_of_gas") > 0.05, "{row:?}");
        assert!(of("exponential_probability_of_even") < 1e-6);
    }

    #[test]
    fn held_grains_and_groups_without_any_do_not_count() {
        let mut w = world(&[(DVec3::Z, 1.0), (4.0 * DVec3::Z, 1.0)]);
        w.groups = vec!["all".into()];
        w.caught.held =
            vec![Held { body: 1, wall: 0, place: DVec3::ZERO, orientation: glam::DQuat::IDENTITY }];
        let floor = Floor { up: DVec3::Z, height: -1.0 };
        let mut probe = Heights { floor, groups: vec!["all".into(), "none".into()] };
        let row = measure(&mut probe, &w, Vec::new());
        assert_eq!(row[..2], [2.0, 1.0]);
        assert!(row[3..].iter().all(|v| v.is_nan()));
    }
}
