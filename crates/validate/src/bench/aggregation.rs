//! How fast polyhedra fall together into a pile: the workload that another non-smooth program was timed on.
//!
//! Hulls of 12 random points on spheres of diameter 130 m x U(0.7, 1.3), density 3000 kg/m^3, uniform in a cube of
//! 5 km with centres at least 175 m apart, at rest; direct gravity, steps of 10 s, friction 0.6, restitution 0. Other
//! numbers of boulders get a cube of the same number density: its side grows with the cubic root.

use std::{collections::BTreeMap, f64::consts::TAU, sync::Arc, time::Instant};

use glam::{DQuat, DVec3};
use rubblepile_core::{Fields, G, Material, Measure, Method, Report, Rng, Shape, World};
use rubblepile_geometry::solid;
use rubblepile_gravity::Direct;
use rubblepile_nonsmooth::{ContactDynamics, Settings};

use super::BenchRow;
use crate::cases::{Case, CaseError, Options, Rows};

pub struct Aggregation;

const DENSITY: f64 = 3000.0;
const STEP: f64 = 10.0;
const HOUR: f64 = 3600.0;
const APART: f64 = 175.0;

fn world(n: usize) -> Result<World, CaseError> {
    let mut world = World::new(STEP);
    world.materials = vec![Material {
        name: "rock".into(),
        density: DENSITY,
        friction_sliding: 0.6,
        restitution_normal: 0.0,
        ..Material::default()
    }];
    world.groups = vec!["boulders".into()];
    let mut rng = Rng::stream(1, "bench aggregation");
    let side = 5000.0 * (n as f64 / 200.0).cbrt();
    while world.bodies.len() < n {
        let x = side * (DVec3::new(rng.uniform(), rng.uniform(), rng.uniform()) - 0.5);
        if world.bodies.position.iter().any(|y| (x - *y).length_squared() < APART * APART) {
            continue;
        }
        let radius = 65.0 * rng.range(0.7, 1.3);
        let points: Vec<DVec3> = (0..12).map(|_| radius * rng.direction()).collect();
        let boulder = solid::from_points(&points)?.solid;
        let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, TAU));
        let shape = world.shapes.len() as u32;
        world.bodies.push_solid(x, turn, (shape, &boulder), DENSITY, 0, 0);
        world.shapes.push(Shape::Solid(Arc::new(boulder)));
    }
    Ok(world)
}

/// Root of the mean square distance from the centre of mass, by mass, m.
fn rms_radius(world: &World) -> f64 {
    let b = &world.bodies;
    let centre = b.centre_of_mass().0;
    let sum: f64 = (0..b.len()).map(|k| b.mass[k] * (b.position[k] - centre).length_squared()).sum();
    (sum / b.total_mass()).sqrt()
}

impl Case for Aggregation {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "aggregation-200"
    }

    fn about(&self) -> &'static str {
        "200 boulders fall together, 30 and 40 hours in steps of 10 s (--n boulders at the same number density)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let n = options.n.unwrap_or(200).max(2);
        let mut world = world(n)?;
        // At most the number of iterations that the other program was given.
        let settings =
            Settings { tolerance: 1e-2.into(), iterations: 100, unsolved_steps: 0, ..Settings::default() };
        let mut method = ContactDynamics::new(settings);
        let mut fields = Fields { list: vec![Box::new(Direct::new(G, 1))] };
        let potential = fields.potential_energy(&world)?;
        let mut report = Report::new(Measure::ALL);
        let mut seconds = 0.0;
        for hours in [30.0, 40.0] {
            let start = Instant::now();
            method.advance(&mut world, &mut fields, hours * HOUR, &mut report)?;
            seconds += start.elapsed().as_secs_f64();
            let mut phases: BTreeMap<String, f64> =
                report.phases.iter().map(|(name, t)| ((*name).into(), t.as_secs_f64())).collect();
            for (name, count) in &report.counts {
                phases.insert((*name).into(), *count as f64);
            }
            let contacts = method.contacts(&world)?;
            let (t, r) = world.bodies.kinetic_energy();
            let balance = t + r + fields.potential_energy(&world)? + world.dissipation.total();
            phases.extend([
                ("hours".into(), hours),
                ("contact points".into(), contacts.len() as f64),
                ("deepest overlap, m".into(), contacts.iter().map(|c| c.overlap).fold(0.0, f64::max)),
                ("rms radius, m".into(), rms_radius(&world)),
                ("energy balance".into(), (balance - potential) / potential.abs()),
            ]);
            rows.push(BenchRow {
                case: self.name().into(),
                size: n as u64,
                threads: rayon::current_num_threads(),
                seconds,
                rate: world.clock.step as f64 / seconds,
                unit: "steps/s".into(),
                phases,
            });
        }
        Ok(())
    }
}
