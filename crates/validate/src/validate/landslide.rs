//! `landslide` and `fission`: how boulders leave the slope of a spinning top, without cohesion and with it.

use glam::DVec3;
use rubblepile_core::{World, run::Engine};
use rubblepile_geometry::mesh::SurfaceTree;

use super::{ValidateRow, hopper::Alone};
use crate::{
    cases::{Case, CaseError, Options, Rows},
    scenario::simulation,
};

pub struct Landslide;
pub struct Fission;

const PAPER: &str = "asteroid-surface-2024, section 3.2.2";
/// When the asteroid begins to turn fast, s.
const SPIN_UP: f64 = 3600.0;
/// Grains higher than this over the ground have left it, in radii of a grain.
const HIGH: f64 = 10.0;

/// Where grains are, in the frame of the asteroid.
struct GrainPlace {
    position: DVec3,
    /// Over the ground, m.
    height: f64,
}

fn places(world: &World, tree: &SurfaceTree) -> Vec<GrainPlace> {
    let pose = world.asteroids[0].pose();
    let rows = world.bodies.rows_by_id();
    rows.into_iter()
        .map(|k| {
            let position = pose.to_local(world.bodies.position[k as usize]);
            GrainPlace { position, height: tree.nearest(position).map_or(f64::NAN, |n| n.distance) }
        })
        .collect()
}

/// The result of a pile.
struct Fate {
    /// Latitude of the pile before, and of the grains on the ground at the end; degrees.
    latitude: [f64; 2],
    longitude: [f64; 2],
    /// Part of the grains that had left the ground at the end.
    left: f64,
    /// Mean way along the ground from where a grain was before to where it left, m.
    way: f64,
}

/// Runs to the end of the scenario, or to `until`; `seen` is given the latitude of the pile before it slides, degrees.
fn fate(
    (scenario, text): (&str, &str),
    until: Option<&str>,
    rows: &Rows<ValidateRow>,
    seen: impl Fn(f64),
) -> Result<Fate, CaseError> {
    let sets: Vec<String> = until.into_iter().map(|t| format!("run.end=\"{t}\"")).collect();
    let mut run: Engine = simulation(scenario, text, &sets)?;
    let end = run.end;
    let tree = SurfaceTree::new(&run.world.asteroids[0].mesh);
    let advance = |run: &mut Engine, until: f64| {
        run.end = until;
        run.world.ended = false;
        run.run(&mut Alone).map(|_| ())
    };
    advance(&mut run, SPIN_UP - 1.0)?;
    let before = places(&run.world, &tree);
    let radius = run.world.bodies.radius[0];
    let direction = |places: &[GrainPlace]| {
        let on = places.iter().filter(|p| p.height < HIGH * radius);
        let mean: DVec3 = on.map(|p| p.position).sum();
        (mean.z.atan2(mean.x.hypot(mean.y)).to_degrees(), mean.y.atan2(mean.x).to_degrees())
    };
    let (lat_before, lon_before) = direction(&before);
    seen(lat_before);
    let mut ways: Vec<Option<f64>> = vec![None; before.len()];
    let mut time = SPIN_UP;
    while time < end {
        time += 60.0;
        advance(&mut run, time)?;
        rows.progress(time / end);
        for ((now, then), way) in places(&run.world, &tree).iter().zip(&before).zip(&mut ways) {
            if now.height > HIGH * radius && way.is_none() {
                // Over the ground: along the sphere between the two directions.
                *way = Some(then.position.length() * now.position.angle_between(then.position));
            }
        }
    }
    let (lat_after, lon_after) = direction(&places(&run.world, &tree));
    let gone: Vec<f64> = ways.into_iter().flatten().collect();
    Ok(Fate {
        latitude: [lat_before, lat_after],
        longitude: [lon_before, lon_after],
        left: gone.len() as f64 / before.len() as f64,
        way: gone.iter().sum::<f64>() / gone.len().max(1) as f64,
    })
}

impl Case for Landslide {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "landslide"
    }

    fn about(&self) -> &'static str {
        "boulders without cohesion on a top that turns in 3.4 h: they slide to the equator and leave"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let text = include_str!("../../scenarios/landslide-small.toml");
        let push = |what: &str, reference: f64, ours: f64, tolerance: f64| {
            rows.push(ValidateRow::new(self.name(), what, reference, ours, tolerance, PAPER));
        };
        let until = (!options.full).then_some("8 h");
        let fate = fate(("scenarios/landslide-small.toml", text), until, rows, |latitude| {
            push("latitude of the pile before, degrees", 35.0, latitude, 5.0);
        })?;
        let [before, after] = fate.latitude;
        let [east, then_east] = fate.longitude;
        push("latitude of what is on the ground at the end over that before", 0.0, after / before, 0.5);
        push("it drifts to the west, degrees", -20.0, then_east - east, 20.0);
        push("part that has left the ground", 0.5, fate.left, 0.45);
        Ok(())
    }
}

impl Case for Fission {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "fission"
    }

    fn about(&self) -> &'static str {
        "boulders with cohesion on a top that turns in 2.6 h: they lift off near where they were"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let text = include_str!("../../scenarios/fission-small.toml");
        let until = (!options.full).then_some("4 h");
        let fate = fate(("scenarios/fission-small.toml", text), until, rows, |_| {})?;
        let row = |what: &str, reference: f64, ours: f64, tolerance: f64| {
            ValidateRow::new(self.name(), what, reference, ours, tolerance, PAPER)
        };
        rows.extend([
            // More than half: what lies on the ground itself is held by its cohesion.
            row("part that has left the ground", 1.0, fate.left, 0.5),
            row(
                "way along the ground before leaving it, over the radius of the asteroid",
                0.0,
                fate.way / 282.0,
                0.5,
            ),
        ]);
        Ok(())
    }
}
