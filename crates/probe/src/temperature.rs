//! Granular temperature, of translation and of rotation.
//!
//! Both are means by mass, so that 3/2 M T is the energy of the motion about the mean: T = <|v - u|^2>/3, and for the
//! spins <I w^2 / m>/3, which for spheres is 2/5 r^2 w^2 / 3. The mean velocity u is that of all free grains; groups share
//! it, so that what one drifts through another counts as heat. In a flow u differs from place to place, and is taken
//! cell by cell. The u of a few grains follows them: with mass fractions f in a cell, |v_k - u|^2 is 1 - 2 f_k + sum f^2 of
//! what it would be about the true mean, and the weights make up for that. A grain alone in its cell has weight 0.

use std::collections::HashMap;

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result, World,
    method::Moment,
    settings::{Check, Length, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    groups::{free, rows_of},
    settings::{ProbeSettings, check_groups},
    sum::reduce,
};

/// Which grains, how often, and the mean velocity to subtract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemperatureSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Names of the groups of grains that have their own columns. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// For flows: side of the cubes over which velocities are averaged. Default: one mean for all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Length>,
}

impl ProbeSettings for TemperatureSampling {
    fn about() -> &'static str {
        "Granular temperature of all grains and by group: a third of the mean, by mass, of the squared velocity less the mean one;\n\
         and of the spins, a third of the mean of I w^2 / m (for spheres 2/5 r^2 w^2)."
    }

    fn example() -> Self {
        TemperatureSampling { every: Time::new(1.0), groups: None, cells: None }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn fill_defaults(&mut self, scene: &ScenarioContext) {
        self.groups.get_or_insert_with(|| scene.groups.clone());
    }

    fn check(&self, c: &mut Check, at: &str) {
        check_groups(c, &self.groups, at);
        if let Some(side) = self.cells {
            c.positive(side, at, "cells");
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        let groups = self.groups.clone().unwrap_or_default();
        Box::new(Temperature { groups, cells: self.cells.map(|side| side.0) })
    }
}

/// Granular temperature of all free grains and of groups.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Temperature {
    pub groups: Vec<String>,
    /// Side of the cubes whose mean velocities are subtracted, m; `None`: one mean for all.
    pub cells: Option<f64>,
}

/// What a row differs from the mean by, m/s, and the weight to compare it with, kg.
struct Fluctuation {
    about_mean: Vec<DVec3>,
    weight: Vec<f64>,
}

fn motion(world: &World, rows: &[usize], cells: Option<f64>) -> Fluctuation {
    let b = &world.bodies;
    let mut of = Fluctuation { about_mean: vec![DVec3::ZERO; b.len()], weight: vec![0.0; b.len()] };
    let Some(side) = cells else {
        let [mass, x, y, z] = reduce(rows.len(), |k| {
            let p = b.mass[rows[k]] * b.velocity[rows[k]];
            [b.mass[rows[k]], p.x, p.y, p.z]
        });
        for &k in rows {
            of.about_mean[k] = b.velocity[k] - DVec3::new(x, y, z) / mass;
            of.weight[k] = b.mass[k];
        }
        return of;
    };
    let cell = |k: usize| (b.position[k] / side).floor().to_array().map(|c| c as i64);
    // Mass, mass squared and momentum of each cell.
    let mut sums: HashMap<[i64; 3], (f64, f64, DVec3)> = HashMap::new();
    for &k in rows {
        let sum = sums.entry(cell(k)).or_default();
        sum.0 += b.mass[k];
        sum.1 += b.mass[k] * b.mass[k];
        sum.2 += b.mass[k] * b.velocity[k];
    }
    for &k in rows {
        let (mass, squares, momentum) = sums[&cell(k)];
        of.about_mean[k] = b.velocity[k] - momentum / mass;
        // Rounding may leave a grain that is alone a weight of 1e-16.
        let left = 1.0 - 2.0 * b.mass[k] / mass + squares / (mass * mass);
        of.weight[k] = if left > 1e-12 { b.mass[k] * left } else { 0.0 };
    }
    of
}

impl Probe for Temperature {
    fn columns(&self) -> Vec<Column> {
        let of = |whose: &str, of: &str| {
            let translation =
                "Granular temperature of translation, `<|v - u|^2> / 3` by mass, u the mean velocity";
            let rotation = "Granular temperature of rotation, `<w I w / m> / 3` by mass";
            [("granular", translation), ("spin", rotation)].map(|(kind, what)| {
                Column::new(format!("{kind}_temperature{whose}"), "m2/s2", format!("{what}, of {of}"))
            })
        };
        let groups = self.groups.iter().flat_map(|g| of(&format!("_of_{g}"), &format!("group {g}")));
        of("", "all grains that no wall holds").into_iter().chain(groups).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let (world, b) = (moment.world, &moment.world.bodies);
        let free = free(world);
        let all: Vec<usize> = (0..b.len()).filter(|&k| free[k]).collect();
        let motion = motion(world, &all, self.cells);
        for rows in std::iter::once(all).chain(rows_of(world, &self.groups)) {
            let [heat, weight, turning, mass] = reduce(rows.len(), |k| {
                let k = rows[k];
                let w = b.orientation[k].inverse() * b.spin[k];
                let turning = (b.inertia[k] * w * w).element_sum();
                let heat = if motion.weight[k] > 0.0 { motion.about_mean[k].length_squared() } else { 0.0 };
                [b.mass[k] * heat, motion.weight[k], turning, b.mass[k]]
            });
            // Without grains, or with none that has a neighbour, there is no temperature.
            row.extend([heat / (3.0 * weight), turning / (3.0 * mass)]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rubblepile_core::Rng;
    use rubblepile_core::wall::catch::Held;

    use super::*;
    use crate::testing::{measure, value, world};

    #[test]
    fn of_all_and_of_groups_about_one_mean() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (2.0 * DVec3::X, 1.0), (9.0 * DVec3::X, 1.0)]);
        w.groups = vec!["cold".into(), "hot".into(), "none".into()];
        w.bodies.group = vec![0, 1, 1];
        w.bodies.velocity = vec![4.0 * DVec3::X, 10.0 * DVec3::X, 1e6 * DVec3::Y];
        w.bodies.spin[1] = 3.0 * DVec3::Y;
        // A part of a wall: the million does not count.
        w.caught.held =
            vec![Held { body: 2, wall: 0, place: DVec3::ZERO, orientation: glam::DQuat::IDENTITY }];
        let mut probe = Temperature { groups: w.groups.clone(), cells: None };
        let row = measure(&mut probe, &w, Vec::new());
        let of = |name: &str| value(&probe, &row, name);
        // Three metres a second off the mean of seven, either of them.
        assert!((of("granular_temperature_m2_per_s2") - 3.0).abs() < 1e-12);
        assert!((of("granular_temperature_of_cold_m2_per_s2") - 3.0).abs() < 1e-12);
        // 2/5 r^2 w^2 / 3 with w = 3/s.
        assert!((of("spin_temperature_of_hot_m2_per_s2") - 1.2).abs() < 1e-12);
        assert!((of("spin_temperature_m2_per_s2") - 0.6).abs() < 1e-12);
        assert_eq!(of("spin_temperature_of_cold_m2_per_s2"), 0.0);
        assert!(of("granular_temperature_of_none_m2_per_s2").is_nan());
    }

    #[test]
    fn cells_take_a_shear_out_and_lose_no_heat() {
        let mut rng = Rng::new(5);
        let mut w = world(&[]);
        for k in 0..20_000 {
            let at = DVec3::from_array(std::array::from_fn(|_| 10.0 * rng.uniform()));
            w.bodies.push_sphere(at, if k % 2 == 0 { 0.1 } else { 0.2 }, 1.0, 0, 0);
            // Evenly within +-3 m/s: a temperature of 3; a shear of 20 m/s a metre.
            let heat = DVec3::from_array(std::array::from_fn(|_| 6.0 * rng.uniform() - 3.0));
            w.bodies.velocity[k] = heat + 20.0 * at.z * DVec3::X;
        }
        let temperature =
            |cells, w: &World| measure(&mut Temperature { groups: Vec::new(), cells }, w, Vec::new())[0];
        assert!(temperature(None, &w) > 1000.0);
        // Two or three grains a cell, and the shear within a cell: (20 / 2)^2 / 12 / 3.
        let local = temperature(Some(0.5), &w);
        assert!((local - 3.0 - 25.0 / 9.0).abs() < 0.15, "{local}");
        // Every grain alone.
        assert!(temperature(Some(1e-3), &w).is_nan());
        assert!(temperature(Some(1.0), &world(&[])).is_nan());
    }
}
