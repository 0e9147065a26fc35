//! The dynamic angle of repose in a drum, as in section 3.2 of Richardson et al. (2011): a straight line through points of the
//! surface, on one side of the centre.
//!
//! The bed is cut into strips along the axis, and the topmost grain of each that belongs to the bed is a point of
//! the surface. Grains fly above a flowing layer: one belongs to the bed only if at least three others, more than two that were
//! thrown up together, are below it within one and a half diameters; otherwise the next lower one is tried. Strips whose topmost
//! grain is that near to a wall, or to a grain that a wall holds, are left out: the bed ends there, and may be full up to the
//! wall. The plates at the ends of the drum, across the axis, are no such walls.

use std::collections::BTreeMap;

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result, World,
    method::Moment,
    settings::{Auto, Check, LengthKind, NumberKind, ScenarioContext, Time, Vector, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    groups::free,
    settings::{ProbeSettings, check_up, fill_up, unit},
};

/// A side of a drum, seen along its axis with `up` upwards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SideName")]
pub enum DrumSide {
    /// Left of the centre: where grains rise in a drum that turns about the axis at a positive rate.
    #[default]
    Left,
    /// Right of the centre.
    Right,
    /// The whole surface.
    Both,
}

/// Which surface to measure, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReposeSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Axis of the drum, of any length. The angle is positive where the surface falls from left to right when seen
    /// along it, as in a drum that turns about it at a positive rate.
    pub axis: Vector<NumberKind>,
    /// A point of the axis.
    #[serde(default = "origin")]
    pub centre: Vector<LengthKind>,
    /// Which side of the centre to use.
    #[serde(default)]
    pub side: DrumSide,
    /// Upward direction, of any length. Default: opposite to uniform gravity, or z without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Vector<NumberKind>>,
    /// Width of the strips; `"auto"`: the mean diameter of the grains.
    #[serde(default = "automatic")]
    pub strip: Auto<LengthKind>,
}

fn origin() -> Vector<LengthKind> {
    Vector::new(0.0, 0.0, 0.0)
}

fn automatic() -> Auto<LengthKind> {
    Auto::Auto
}

impl ProbeSettings for ReposeSampling {
    fn about() -> &'static str {
        "Angle of repose in a drum, with its error: a line through the topmost grains of strips along the axis."
    }

    fn example() -> Self {
        ReposeSampling {
            every: Time::new(1.0),
            axis: Vector::new(0.0, 1.0, 0.0),
            centre: origin(),
            side: DrumSide::Left,
            up: None,
            strip: Auto::Auto,
        }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn fill_defaults(&mut self, scene: &ScenarioContext) {
        fill_up(&mut self.up, scene);
    }

    fn check(&self, c: &mut Check, at: &str) {
        c.direction(self.axis, at, "axis");
        c.modest(self.centre, at, "centre");
        check_up(c, self.up, at);
        if let Auto::Value(width) = self.strip {
            c.positive(width, at, "strip");
        }
        let unit = |v: DVec3| v.normalize_or_zero();
        let sine = unit(self.axis.0).cross(unit(self.up.map_or(DVec3::Z, |up| up.0))).length();
        if self.axis.0 != DVec3::ZERO && sine < 1e-6 {
            let help = "check the axis of the drum, or `up`";
            c.add_help(join(at, "axis"), "`axis` must not be parallel to `up`", help);
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Repose {
            axis: self.axis.0,
            centre: self.centre.0,
            up: unit(self.up),
            side: self.side,
            strip: self.strip.value(),
        })
    }
}

/// Which surface is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repose {
    /// Along the drum, not along `up`; of any length.
    pub axis: DVec3,
    /// A point of the axis, m.
    pub centre: DVec3,
    /// Of any length.
    pub up: DVec3,
    pub side: DrumSide,
    /// Width of the strips, m; `None`: the mean diameter of the free grains.
    pub strip: Option<f64>,
}

/// A straight line through a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlopeFit {
    /// Positive where the surface falls from left to right, as in a drum that turns about the axis at a positive rate.
    pub degrees: f64,
    /// One standard deviation of the fit.
    pub error: f64,
    pub points: usize,
}

/// How near is near, in diameters.
const NEAR: f64 = 1.5;
const NEIGHBOURS_BELOW: usize = 3;

/// Fits a line to the surface; `None` with fewer than three points.
pub fn fit(world: &World, what: &Repose) -> Option<SlopeFit> {
    line(&surface(world, what))
}

/// Points of the surface: distance to the right of the centre and height above it, m.
pub fn surface(world: &World, what: &Repose) -> Vec<[f64; 2]> {
    let b = &world.bodies;
    let axis = what.axis.normalize_or_zero();
    // Upwards at right angles to the axis, and to the right when seen along it.
    let up = (what.up - what.up.dot(axis) * axis).normalize_or_zero();
    let right = axis.cross(up);
    let place = |k: usize| {
        let d = b.position[k] - what.centre;
        [right.dot(d), up.dot(d)]
    };
    let free = free(world);
    let (mut diameters, mut number) = (0.0, 0.0);
    for k in (0..b.len()).filter(|&k| free[k]) {
        diameters += 2.0 * b.radius[k];
        number += 1.0;
    }
    let width = what.strip.unwrap_or(diameters / number);
    if !(width > 0.0 && right != DVec3::ZERO) {
        return Vec::new();
    }
    // All grains from left to right, so that neighbours are in a window.
    let mut order: Vec<(f64, usize)> = (0..b.len()).map(|k| (place(k)[0], k)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let largest = b.radius.iter().copied().fold(0.0, f64::max);
    let near = |k: usize| {
        let (x, reach) = (place(k)[0], NEAR * (b.radius[k] + largest));
        let first = order.partition_point(|o| o.0 < x - reach);
        order[first..].iter().take_while(move |o| o.0 <= x + reach).filter_map(move |&(_, other)| {
            let d = world.domain.shortest(b.position[other] - b.position[k]);
            let is_near = other != k && d.length() <= NEAR * (b.radius[k] + b.radius[other]);
            is_near.then_some((other, up.dot(d)))
        })
    };
    let supported = |k: usize| near(k).filter(|(_, height)| *height < 0.0).count() >= NEIGHBOURS_BELOW;
    let at_a_wall = |k: usize| {
        near(k).any(|(other, _)| !free[other])
            || world.walls.iter().any(|wall| {
                let pose = wall.pose(world.time());
                (0..wall.surface.faces()).any(|face| {
                    let wall = wall.surface.nearest_at(face, &pose, b.position[k]);
                    wall.distance <= 2.0 * NEAR * b.radius[k] && wall.normal.dot(axis).abs() < 0.5
                })
            })
    };
    let mut strips: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for &(x, k) in &order {
        let counts = match what.side {
            DrumSide::Left => x < 0.0,
            DrumSide::Right => x > 0.0,
            DrumSide::Both => true,
        };
        if counts && free[k] {
            strips.entry((x / width).floor() as i64).or_default().push(k);
        }
    }
    let top = |mut rows: Vec<usize>| {
        rows.sort_unstable_by(|&i, &j| place(j)[1].total_cmp(&place(i)[1]));
        let k = rows.into_iter().find(|&k| supported(k))?;
        (!at_a_wall(k)).then(|| place(k))
    };
    strips.into_values().filter_map(top).collect()
}

/// Least squares, with the error that the scatter about the line gives.
fn line(points: &[[f64; 2]]) -> Option<SlopeFit> {
    let n = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let mean = |c: usize| points.iter().map(|p| p[c]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| f(p[0] - x, p[1] - y)).sum::<f64>();
    let (xx, xy) = (sum(&|x, _| x * x), sum(&|x, y| x * y));
    if xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let scatter = sum(&|x, y| (y - slope * x).powi(2)) / (n - 2.0);
    // d atan(s) = ds / (1 + s^2).
    let error = (scatter / xx).sqrt() / (1.0 + slope * slope);
    Some(SlopeFit { degrees: -slope.atan().to_degrees(), error: error.to_degrees(), points: points.len() })
}

impl Probe for Repose {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new(
                "repose_angle",
                "deg",
                "Slope of a straight line through the surface; positive where it falls from left to right along the axis",
            ),
            Column::new(
                "repose_error",
                "deg",
                "Standard deviation of the angle, from the scatter about the line",
            ),
            Column::new(
                "repose_points",
                "",
                "Points of the surface, the topmost grains of strips, that the line is fitted to",
            ),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let points = surface(moment.world, self);
        let slope = line(&points);
        row.extend(slope.map_or([f64::NAN; 2], |s| [s.degrees, s.error]));
        row.push(points.len() as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rubblepile_core::wall::catch::Held;
    use rubblepile_core::{
        Rng, Surface, Wall,
        wall::{Cylinder, Plane},
    };

    use super::*;
    use crate::testing::{measure, world};

    /// Along y, up is z: right is x.
    const ALONG_Y: Repose =
        Repose { axis: DVec3::Y, centre: DVec3::ZERO, up: DVec3::Z, side: DrumSide::Both, strip: None };

    /// Loose grains of diameter 1, as many as random places without overlap take, below `height(x)`.
    fn heap(height: impl Fn(f64) -> f64) -> World {
        let mut rng = Rng::new(11);
        let mut w = world(&[]);
        let mut cells: std::collections::HashMap<[i64; 3], Vec<DVec3>> = Default::default();
        for _ in 0..200_000 {
            let mut within = |low: f64, high: f64| low + (high - low) * rng.uniform();
            let x = DVec3::new(within(-25.0, 25.0), within(-2.5, 2.5), within(-18.0, 18.0));
            let cell = x.floor().to_array().map(|c| c as i64);
            let mut around = (0..27).flat_map(|k| {
                let at = [cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1];
                cells.get(&at).into_iter().flatten()
            });
            if x.z < height(x.x) && around.all(|o| o.distance(x) >= 1.0) {
                cells.entry(cell).or_default().push(x);
                w.bodies.push_sphere(x, 0.5, 1.0, 0, 0);
            }
        }
        w
    }

    fn falling(degrees: f64) -> impl Fn(f64) -> f64 {
        move |x| -degrees.to_radians().tan() * x
    }

    #[test]
    fn the_slope_of_a_heap_either_way_and_seen_from_either_end() {
        for degrees in [25.0, -10.0] {
            let w = heap(falling(degrees));
            let slope = fit(&w, &ALONG_Y).expect("a slope");
            assert!((slope.degrees - degrees).abs() < 1.0, "{slope:?}");
            assert!(slope.points >= 48 && slope.error > 0.05 && slope.error < 0.5, "{slope:?}");
            let other_end = Repose { axis: -2.0 * DVec3::Y, ..ALONG_Y };
            let slope = fit(&w, &other_end).expect("a slope");
            assert!((slope.degrees + degrees).abs() < 1.0, "{slope:?}");
            assert_eq!(measure(&mut other_end.clone(), &w, Vec::new())[0], slope.degrees);
        }
    }

    #[test]
    fn only_the_side_asked_for() {
        let w = heap(|x| falling(if x < 0.0 { 25.0 } else { 5.0 })(x));
        let on = |side| fit(&w, &Repose { side, ..ALONG_Y }).expect("a slope").degrees;
        assert!((on(DrumSide::Left) - 25.0).abs() < 1.0, "{}", on(DrumSide::Left));
        assert!((on(DrumSide::Right) - 5.0).abs() < 1.0, "{}", on(DrumSide::Right));
    }

    #[test]
    fn grains_that_fly_or_are_held_are_no_surface() {
        let mut w = heap(falling(25.0));
        let slope = fit(&w, &ALONG_Y);
        for k in 0..10 {
            let x = -20.0 + f64::from(k);
            // Pairs that fly together, and a ceiling of held grains.
            for at in [DVec3::new(x, 0.0, 15.0), DVec3::new(x, 0.0, 16.0), DVec3::new(x, 0.0, 17.5)] {
                w.bodies.push_sphere(at, if at.z > 17.0 { 0.4 } else { 0.1 }, 1.0, 0, 0);
            }
            let body = w.bodies.id[w.bodies.len() - 1];
            w.caught.held.push(Held {
                body,
                wall: 0,
                place: DVec3::ZERO,
                orientation: glam::DQuat::IDENTITY,
            });
        }
        // The mean diameter is another now.
        let strip = Some(1.0);
        assert_eq!(fit(&w, &Repose { strip, ..ALONG_Y }), slope);
    }

    #[test]
    fn where_the_bed_ends_at_a_wall_there_is_no_surface() {
        // A drum of radius 15: on the left the bed is full up to the wall.
        let mut w = world(&[]);
        let drum =
            Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius: 15.0, length: None });
        for x in heap(falling(25.0)).bodies.position {
            if x.with_y(0.0).length() < 14.5 {
                w.bodies.push_sphere(x, 0.5, 1.0, 0, 0);
            }
        }
        let left = Repose { side: DrumSide::Left, ..ALONG_Y };
        let bare = fit(&w, &left).expect("a slope").degrees;
        w.walls.push(Wall::new(0, "drum", 0, drum));
        // End plates change nothing.
        w.walls.push(Wall::new(
            1,
            "end",
            0,
            Surface::Plane(Plane { point: 2.5 * DVec3::Y, normal: DVec3::Y }),
        ));
        let slope = fit(&w, &left).expect("a slope");
        assert!((slope.degrees - 25.0).abs() < 2.0 && (bare - 25.0).abs() > 2.0, "{slope:?}, {bare}");
    }

    #[test]
    fn a_line_needs_three_points_and_an_axis() {
        assert_eq!(line(&[[0.0, 0.0], [1.0, 1.0]]), None);
        assert_eq!(fit(&world(&[]), &ALONG_Y), None);
        assert_eq!(fit(&heap(|_| 0.0), &Repose { axis: DVec3::Z, ..ALONG_Y }), None);
        let slope = line(&[[0.0, 0.0], [1.0, -1.0], [2.0, -2.0]]).expect("a line");
        assert!((slope.degrees - 45.0).abs() < 1e-12 && slope.error < 1e-7, "{slope:?}");
    }
}
