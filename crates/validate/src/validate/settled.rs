//! Beds of spheres and of boulders that settle on a floor with periodic sides: made once, measured and solved by the
//! cases `soft-nonsmooth` and `solvers`.

use std::{f64::consts::PI, sync::Arc};

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Domain, Fields, Material, Method, Report, Rng, Shape, Surface, Wall, World, wall::Plane,
};
use rubblepile_geometry::{find_pairs, solid};
use rubblepile_gravity::Uniform;

use crate::cases::CaseError;

/// So that a sphere of diameter 1 weighs 1 where gravity is 1.
pub const DENSITY: f64 = 6.0 / PI;

/// A floor of `side` x `side`, without grains.
pub fn empty(side: f64, friction: f64, restitution: f64) -> World {
    let mut world = World::new(1.0);
    world.materials = vec![Material {
        name: "unit".into(),
        density: DENSITY,
        friction_sliding: friction,
        restitution_normal: restitution,
        restitution_tangential: restitution,
        ..Material::default()
    }];
    world.groups = vec!["bed".into()];
    let max = DVec3::new(side, side, 1.0);
    world.domain = Domain::Periodic { min: DVec3::ZERO, max, axes: [true, true, false] };
    let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    world.walls = vec![Wall::new(0, "floor", 0, floor)];
    world
}

/// Spheres of diameters 1 +- 5 % in a loose lattice with random pushes, about to fall.
pub fn spheres(side: usize, layers: usize, seed: u64, friction: f64, restitution: f64) -> World {
    let mut world = empty(side as f64, friction, restitution);
    let mut rng = Rng::stream(seed, "settled bed");
    let across = side - 1;
    let spacing = side as f64 / across as f64;
    for k in 0..across * across * layers {
        let cell =
            DVec3::new((k % across) as f64, (k / across % across) as f64, (k / across / across) as f64);
        let radius = 0.5 * rng.range(0.95, 1.05);
        let row = world.bodies.push_sphere(spacing * (cell + 0.5), radius, DENSITY, 0, 0);
        world.bodies.velocity[row] = 0.7 * rng.direction();
    }
    world
}

/// Boulders of 12 corners and radius 0.6 in a loose lattice.
pub fn boulders(side: usize, layers: usize, seed: u64, friction: f64) -> World {
    let mut world = empty(1.3 * side as f64, friction, 0.0);
    let mut rng = Rng::stream(seed, "settled boulders");
    for k in 0..side * side * layers {
        let cell = DVec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
        let boulder = solid::scaled(&solid::random_boulder(12, &mut rng), 0.6);
        let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 2.0 * PI));
        let shape = world.shapes.len() as u32;
        world.bodies.push_solid(1.3 * (cell + 0.5), turn, (shape, &boulder), DENSITY, 0, 0);
        world.shapes.push(Shape::Solid(Arc::new(boulder)));
    }
    world
}

/// Lets a bed fall under unit gravity until `end`.
pub fn settle(world: &mut World, method: &mut dyn Method, step: f64, end: f64) -> Result<(), CaseError> {
    world.clock.set_timestep(step);
    let mut fields = Fields { list: vec![Box::new(Uniform { acceleration: -DVec3::Z })] };
    method.advance(world, &mut fields, end, &mut Report::default())?;
    Ok(())
}

/// What a settled bed is like, in its inner part: more than 3 diameters from the floor and from its top.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bed {
    /// Volume of spheres over volume.
    pub packing: f64,
    /// Kinetic energy per grain over m g d.
    pub kinetic: f64,
    /// Mean overlap of the pairs that overlap.
    pub overlap: f64,
}

/// A layer away from floor and top.
fn inner(world: &World) -> (f64, f64) {
    let mut heights: Vec<f64> = world.bodies.position.iter().map(|x| x.z).collect();
    heights.sort_by(f64::total_cmp);
    // A few grains that lie on top of the rest are no surface.
    (3.0, heights[heights.len() * 98 / 100] - 3.0)
}

/// Volume of a sphere below a height `z` above its centre.
fn below(radius: f64, z: f64) -> f64 {
    let z = z.clamp(-radius, radius);
    PI * (2.0 / 3.0 * radius.powi(3) + radius * radius * z - z.powi(3) / 3.0)
}

impl Bed {
    pub fn of(world: &World) -> Result<Bed, CaseError> {
        let b = &world.bodies;
        let (low, high) = inner(world);
        if high - low < 3.0 {
            return Err(format!("the bed is {:.1} diameters high: there is no inner part", high + 3.0).into());
        }
        let period = world.domain.period();
        let inside: f64 = (0..b.len())
            .map(|k| below(b.radius[k], high - b.position[k].z) - below(b.radius[k], low - b.position[k].z))
            .sum();
        let (t, r) = b.kinetic_energy();
        let depths: Vec<f64> = gaps(world, 0.0).into_iter().map(|g| -g).collect();
        Ok(Bed {
            packing: inside / ((high - low) * period.x * period.y),
            kinetic: (t + r) / b.len() as f64,
            overlap: depths.iter().sum::<f64>() / depths.len().max(1) as f64,
        })
    }
}

/// Gaps below `reach` of the pairs of the inner part; a pair with one sphere outside it counts for half, as the mean number
/// of contacts wants it: entries are repeated for each end inside.
fn ends(world: &World, reach: f64) -> (Vec<f64>, usize) {
    let b = &world.bodies;
    let (low, high) = inner(world);
    let within = |k: usize| (low..high).contains(&b.position[k].z);
    let list = find_pairs(&b.position, &b.radius, reach.max(1e-3), &world.domain);
    let mut gaps = Vec::new();
    for i in 0..b.len() {
        for &j in list.of(i) {
            let j = j as usize;
            let d = world.domain.shortest(b.position[j] - b.position[i]).length();
            let gap = d - b.radius[i] - b.radius[j];
            if gap < reach {
                gaps.extend(std::iter::repeat_n(gap, usize::from(within(i)) + usize::from(within(j))));
            }
        }
    }
    (gaps, (0..b.len()).filter(|&k| within(k)).count())
}

fn gaps(world: &World, reach: f64) -> Vec<f64> {
    ends(world, reach).0
}

/// Mean number of neighbours nearer than `reach`, of the spheres of the inner part.
pub fn coordination(world: &World, reach: f64) -> f64 {
    let (gaps, spheres) = ends(world, reach);
    gaps.len() as f64 / spheres.max(1) as f64
}
