//! How fast grains on an asteroid step: contact with the surface alone, and everything together.

use std::{collections::BTreeMap, time::Instant};

use glam::DVec3;
use rubblepile_core::{Fields, G, Material, Method, Report, World};
use rubblepile_geometry::mesh::{
    Axes, SurfaceTree, asteroid,
    make::{Form, Relief, body},
};
use rubblepile_gravity::{Accuracy, AsteroidField, Tree};
use rubblepile_soft::{Settings, SoftSpheres};

use super::BenchRow;
use crate::cases::{Case, CaseError, Options, Rows};

/// A whole step: contact, gravity of the asteroid, self-gravity at 1e-3, the asteroid's own motion.
pub struct Step;

/// Contact with the surface, of few and of many facets.
pub struct SurfaceContact;

const GRAIN: f64 = 0.1;
/// That of asteroid-surface-2024, section 3.2.2.
const TIMESTEP: f64 = 1.7e-3;
const STIFFNESS: f64 = 1.0103e4;
/// The interval of field updates: 0.1 s, in which the asteroid turns by 5e-5.
const EVERY: u64 = 60;

fn empty(facets: usize) -> World {
    let mut world = World::new(TIMESTEP);
    world.materials = vec![Material {
        name: "regolith".into(),
        density: 3350.0,
        restitution_normal: 0.55,
        restitution_tangential: 0.55,
        friction_sliding: 0.55,
        friction_rolling: 1.05,
        friction_twisting: 1.3,
        shape: 0.5,
        // As in runs 3 and 4 of Table 3: it holds the heap in touch.
        cohesion: 1.0,
        stiffness: Some(STIFFNESS),
        ..Material::default()
    }];
    world.groups = vec!["pile".into()];
    let form = Form::Top { equator: 270.0, pole: 245.0, ridge: 0.4 };
    let relief = Relief { roughness: 0.5, ..Relief::default() };
    let mut top = asteroid(body(form, &relief, facets, 1), 1194.0, Axes::Principal);
    top.spin = std::f64::consts::TAU / (4.3 * 3600.0) * DVec3::Z;
    world.asteroids.push(top);
    world
}

/// Adds grains that move with the asteroid.
fn add(world: &mut World, places: impl Iterator<Item = DVec3>) {
    let pose = world.asteroids[0].pose();
    for x in places {
        let row = world.bodies.push_sphere(x, GRAIN, 3350.0, 0, 0);
        world.bodies.velocity[row] = pose.velocity_at(x);
        world.bodies.spin[row] = pose.spin;
    }
}

/// Grains in a heap on a slope: a close-packed cone on the ground, every grain in touch with twelve others. A pile that has come to
/// rest has half as many contacts.
fn heap(world: &mut World, grains: usize) -> Result<(), CaseError> {
    let tree = SurfaceTree::new(&world.asteroids[0].mesh);
    let way = DVec3::new(0.75, 0.3, 0.6).normalize();
    let (distance, _) = tree.ray(1e3 * way, -way).ok_or("no ground")?;
    let middle = (1e3 - distance) * way;
    let (u, v) = way.any_orthonormal_pair();
    // As deep as the weight of some layers presses them; deeper, they would spring apart.
    let spacing = 2.0 * GRAIN * (1.0 - 5e-7);
    let (mut places, mut wide) = (Vec::new(), 1.0);
    while places.len() < grains {
        // A cone half as high as it is wide, larger each time until it holds them all.
        wide *= 1.1;
        places.clear();
        let reach = (1.2 * wide / spacing) as i32;
        for layer in -4i32.. {
            let high = f64::from(layer) * spacing * (2.0f64 / 3.0).sqrt();
            let radius = wide - 2.0 * high.max(0.0);
            if radius < 0.0 {
                break;
            }
            let shift = f64::from(layer.rem_euclid(2)) / 3.0;
            for (i, j) in (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| (i, j))) {
                let (i, j) = (f64::from(i) + shift, f64::from(j) + shift);
                let (a, b) = (spacing * (i + 0.5 * j), spacing * 3f64.sqrt() * 0.5 * j);
                let x = middle + a * u + b * v + (high + GRAIN) * way;
                if a.hypot(b) < radius && tree.nearest(x).is_some_and(|n| n.distance > 0.99 * GRAIN) {
                    places.push(x);
                }
            }
        }
    }
    places.truncate(grains);
    add(world, places.into_iter());
    Ok(())
}

fn settings() -> Settings {
    Settings::default()
}

fn fields() -> Fields {
    let asteroid = AsteroidField::new(Vec::new(), 1e-6, EVERY);
    Fields { list: vec![Box::new(asteroid), Box::new(Tree::new(Accuracy::Error(1e-3), EVERY, G))] }
}

impl Case for Step {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "asteroid-step"
    }

    fn about(&self) -> &'static str {
        "a heap of grains on an asteroid, whole steps (--n grains, default 25,088; --facets, default 20,000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let (grains, facets) = (options.n.unwrap_or(25_088).max(1), options.facets.unwrap_or(20_000));
        let mut world = empty(facets);
        heap(&mut world, grains)?;
        let mut method = SoftSpheres::new(settings());
        let mut fields = fields();
        // Let it shake down a little; then a whole number of stretches between two evaluations of the fields.
        let mut advance = |world: &mut World, steps: u64| -> Result<(f64, Report), CaseError> {
            let until = world.time() + steps as f64 * world.clock.timestep;
            let (start, mut report) = (Instant::now(), Report::default());
            method.advance(world, &mut fields, until, &mut report)?;
            Ok((start.elapsed().as_secs_f64() / steps as f64, report))
        };
        advance(&mut world, 2 * EVERY)?;
        let (mut best, mut phases) = (f64::INFINITY, BTreeMap::new());
        for _ in 0..4 {
            let (seconds, report) = advance(&mut world, 4 * EVERY)?;
            if seconds < best {
                best = seconds;
                let each = |time: std::time::Duration| time.as_secs_f64() / (4 * EVERY) as f64;
                phases = report.phases.iter().map(|(name, time)| (name.to_string(), each(*time))).collect();
            }
        }
        let contacts = method.contact_counts(&world)?.iter().map(|&c| u64::from(c)).sum::<u64>();
        phases.insert("contacts a grain".into(), contacts as f64 / world.bodies.len() as f64);
        rows.push(BenchRow {
            case: self.name().into(),
            size: world.bodies.len() as u64,
            threads: rayon::current_num_threads(),
            seconds: best,
            rate: 1.0 / best,
            unit: "steps/s".into(),
            phases,
        });
        Ok(())
    }
}

impl Case for SurfaceContact {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "mesh-contact"
    }

    fn about(&self) -> &'static str {
        "grains strewn over an asteroid, contact alone, on 10,000 and 1,000,000 facets (--n grains, default 20,000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let grains = options.n.unwrap_or(20_000).max(1);
        let sizes = options.facets.map_or(vec![10_000, 1_000_000], |f| vec![f]);
        for facets in sizes {
            let mut world = empty(facets);
            let tree = SurfaceTree::new(&world.asteroids[0].mesh);
            // Evenly over the sphere, a hundredth of a radius deep.
            let places: Vec<DVec3> = (0..grains)
                .filter_map(|k| {
                    let z = 1.0 - (2.0 * k as f64 + 1.0) / grains as f64;
                    let (s, turn) =
                        ((1.0 - z * z).sqrt(), k as f64 * std::f64::consts::PI * (3.0 - 5f64.sqrt()));
                    let way = DVec3::new(s * turn.cos(), s * turn.sin(), z);
                    let (distance, facet) = tree.ray(1e3 * way, -way)?;
                    let [a, b, c] = world.asteroids[0].mesh.corners(facet as usize);
                    let normal = (b - a).cross(c - a).normalize();
                    Some((1e3 - distance) * way + 0.99 * GRAIN * normal)
                })
                .collect();
            add(&mut world, places.into_iter());
            let mut method = SoftSpheres::new(settings());
            let mut best = f64::INFINITY;
            let mut phases = BTreeMap::new();
            // The first stretch makes the tree of the surface.
            for round in 0..6 {
                let until = world.time() + 100.0 * TIMESTEP;
                let (start, mut report) = (Instant::now(), Report::default());
                method.advance(&mut world, &mut Fields::default(), until, &mut report)?;
                let seconds = start.elapsed().as_secs_f64() / 100.0;
                if round > 0 && seconds < best {
                    best = seconds;
                    let each = |time: std::time::Duration| time.as_secs_f64() / 100.0;
                    phases =
                        report.phases.iter().map(|(name, time)| (name.to_string(), each(*time))).collect();
                }
            }
            rows.push(BenchRow {
                case: self.name().into(),
                size: world.asteroids[0].mesh.triangles.len() as u64,
                threads: rayon::current_num_threads(),
                seconds: best,
                rate: world.bodies.len() as f64 / best,
                unit: "grains/s".into(),
                phases,
            });
        }
        Ok(())
    }
}
