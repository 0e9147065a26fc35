//! The gravity of asteroids: on grains, from grains on them, and among themselves.
//!
//! Each asteroid is a homogeneous polyhedron that moves and turns (eqs 7-12 of asteroid-surface-2024). What it does to a
//! grain the grain does to it, at the grain's place: eqs (13) and (14). So momentum and angular momentum are kept to
//! rounding, however well the field itself is known.
//!
//! Of two asteroids the heavier one is a polyhedron and the lighter one is felt as six masses on its principal axes, which
//! have its mass and its moments of inertia: right up to the second order in its size over the distance.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Actions, Advice, Asteroid, Error, Field, Frame, G, Mesh, Pulls, Result, World, Wrench,
    settings::{Check, FieldSettings, Number, Quantity, ScenarioContext, field::Source, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    check_finite,
    list::every_step,
    polyhedron::{Polyhedron, PolyhedronTree},
};

/// The gravity of asteroids: of the homogeneous solid inside the surface, on grains and on other asteroids, and back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolyhedronGravity {
    /// Name of the asteroid. Default: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Largest relative error of the acceleration; 0: every facet is summed.
    #[serde(default = "millionth")]
    pub error: Number,
    /// Number of steps between updates.
    #[serde(default = "every_step")]
    pub every: u64,
}

fn millionth() -> Number {
    Quantity::new(1e-6)
}

impl Default for PolyhedronGravity {
    fn default() -> Self {
        PolyhedronGravity { body: None, error: millionth(), every: every_step() }
    }
}

impl PolyhedronGravity {
    pub const ABOUT: &str = "The gravity of asteroids, as homogeneous polyhedra.";
}

impl FieldSettings for PolyhedronGravity {
    fn check(&self, check: &mut Check, at: &str) {
        let error = self.error.0;
        check.check((0.0..=0.1).contains(&error) && (error == 0.0 || error >= 1e-12), at, "error", || {
            format!("`error` must be 0, or from 1e-12 to 0.1, it is {error}")
        });
        check.every_steps(self.every, at);
        let scene = check.scene;
        match &self.body {
            Some(body) => {
                check.known(body, scene.asteroids.iter().map(String::as_str), "asteroid", join(at, "body"));
            }
            None if scene.asteroids.is_empty() => {
                check.add_help(at, "there is no asteroid to take the gravity of", "add an [[asteroid]] table")
            }
            None => {}
        }
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Asteroid(self.body.as_deref()))
    }

    fn field(&self, scene: &ScenarioContext) -> Box<dyn Field> {
        let id = |name: &String| scene.asteroids.iter().position(|a| a == name);
        let only = self.body.as_ref().and_then(id).map(|k| k as u32);
        Box::new(AsteroidField::new(only.into_iter().collect(), self.error.0, self.every))
    }
}

/// Grains whose reaction is summed at a time: fixed, so that threads do not change the sum.
const CHUNK: usize = 1024;

/// Made from a surface: how it is summed.
enum SurfaceGravity {
    Exact(Polyhedron),
    Tree(Box<PolyhedronTree>),
}

/// The field of some asteroids of a world.
pub struct AsteroidField {
    /// Ids; empty: all of them.
    only: Vec<u32>,
    /// Relative error of accelerations; 0: every facet is summed.
    error: f64,
    every: u64,
    bodies: Vec<(Arc<Mesh>, SurfaceGravity)>,
}

impl AsteroidField {
    pub fn new(only: Vec<u32>, error: f64, every: u64) -> Self {
        AsteroidField { only, error, every: every.max(1), bodies: Vec::new() }
    }

    fn acts(&self, asteroid: &Asteroid) -> bool {
        self.only.is_empty() || self.only.contains(&asteroid.id)
    }

    /// Makes the polyhedra that are not there yet.
    fn prepare(&mut self, world: &World) -> Result<()> {
        let known = self.bodies.len() == world.asteroids.len()
            && self.bodies.iter().zip(&world.asteroids).all(|(b, a)| Arc::ptr_eq(&b.0, &a.mesh));
        if !known {
            let made = world.asteroids.iter().map(|a| {
                let body = Polyhedron::new(&a.mesh.vertices, &a.mesh.triangles).map_err(|_| {
                    Error::Unsupported(format!("asteroid `{}` has no closed surface", a.name))
                })?;
                let solid = if self.error > 0.0 {
                    SurfaceGravity::Tree(Box::new(PolyhedronTree::new(&body, self.error)))
                } else {
                    SurfaceGravity::Exact(body)
                };
                Ok((a.mesh.clone(), solid))
            });
            self.bodies = made.collect::<Result<_>>()?;
        }
        Ok(())
    }

    /// Accelerations at points of the world.
    fn pull(&self, asteroid: usize, body: &Asteroid, points: &[DVec3]) -> Vec<DVec3> {
        let pose = body.pose();
        let local: Vec<DVec3> = points.iter().map(|x| pose.to_local(*x)).collect();
        let strength = G * body.density;
        let mut found = match &self.bodies[asteroid].1 {
            SurfaceGravity::Exact(body) => body.accelerations(&local),
            SurfaceGravity::Tree(tree) => tree.accelerations(&local),
        };
        found.iter_mut().for_each(|a| *a = pose.rotation * (strength * *a));
        found
    }

    /// Potentials at points of the world, J/kg, negative.
    fn potential(&self, asteroid: usize, body: &Asteroid, points: &[DVec3]) -> Vec<f64> {
        let pose = body.pose();
        let local: Vec<DVec3> = points.iter().map(|x| pose.to_local(*x)).collect();
        let found: Vec<f64> = match &self.bodies[asteroid].1 {
            SurfaceGravity::Exact(body) => body.pull(&local).iter().map(|p| p.potential).collect(),
            SurfaceGravity::Tree(tree) => tree.potentials(&local).iter().map(|p| p.0).collect(),
        };
        found.into_iter().map(|p| -G * body.density * p).collect()
    }

    /// Pairs of asteroids of which at least one acts: the polyhedron, and the one that is felt as points.
    fn pairs(&self, world: &World) -> Vec<(usize, usize)> {
        let all = &world.asteroids;
        let mut pairs = Vec::new();
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                if self.acts(&all[i]) && self.acts(&all[j]) {
                    pairs.push(if all[i].mass >= all[j].mass { (i, j) } else { (j, i) });
                }
            }
        }
        pairs
    }
}

/// Six equal masses on the principal axes that have the mass and the moments of inertia.
fn six_points(asteroid: &Asteroid) -> [DVec3; 6] {
    let i = asteroid.inertia;
    // Integrals of x^2, y^2, z^2; each pair of points has a third of the mass.
    let square = 0.5 * (DVec3::splat(i.element_sum()) - 2.0 * i);
    let reach = (3.0 / asteroid.mass * square).max(DVec3::ZERO).map(f64::sqrt);
    let turn = asteroid.orientation * asteroid.axes;
    let [x, y, z] = [reach.x * DVec3::X, reach.y * DVec3::Y, reach.z * DVec3::Z].map(|v| turn * v);
    [x, -x, y, -y, z, -z].map(|v| asteroid.position + v)
}

impl Field for AsteroidField {
    fn name(&self) -> &'static str {
        "gravity of asteroids"
    }

    fn act(&mut self, world: &World, actions: &mut Actions) -> Result<()> {
        check_finite(world)?;
        self.prepare(world)?;
        let (positions, masses) = (&world.bodies.position, &world.bodies.mass);
        let mut on = vec![Wrench::default(); world.asteroids.len()];
        for (k, asteroid) in world.asteroids.iter().enumerate().filter(|(_, a)| self.acts(a)) {
            let found = self.pull(k, asteroid, positions);
            let parts: Vec<Wrench> =
                (found.par_chunks(CHUNK), positions.par_chunks(CHUNK), masses.par_chunks(CHUNK))
                    .into_par_iter()
                    .map(|(a, x, m)| {
                        let mut sum = Wrench::default();
                        for k in 0..a.len() {
                            sum.push(-m[k] * a[k], x[k] - asteroid.position);
                        }
                        sum
                    })
                    .collect();
            parts.into_iter().for_each(|part| on[k] += part);
            actions.accelerations.iter_mut().zip(found).for_each(|(sum, a)| *sum += a);
        }
        for (i, j) in self.pairs(world) {
            let (large, small) = (&world.asteroids[i], &world.asteroids[j]);
            let points = six_points(small);
            for (x, a) in points.iter().zip(self.pull(i, large, &points)) {
                let force = small.mass / 6.0 * a;
                on[j].push(force, *x - small.position);
                on[i].push(-force, *x - large.position);
            }
        }
        actions.on_asteroids.iter_mut().zip(on).for_each(|(sum, part)| *sum += part);
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        check_finite(world)?;
        self.prepare(world)?;
        let mut sum = 0.0;
        for (k, asteroid) in world.asteroids.iter().enumerate().filter(|(_, a)| self.acts(a)) {
            let potential = self.potential(k, asteroid, &world.bodies.position);
            sum += world.bodies.mass.iter().zip(potential).map(|(m, p)| m * p).sum::<f64>();
        }
        for (i, j) in self.pairs(world) {
            let small = &world.asteroids[j];
            let potential = self.potential(i, &world.asteroids[i], &six_points(small));
            sum += small.mass / 6.0 * potential.iter().sum::<f64>();
        }
        Ok(sum)
    }

    fn pulls<'a>(&self, world: &'a World, pulls: &mut Pulls<'a>) {
        pulls.asteroids.extend(world.asteroids.iter().filter(|a| self.acts(a)));
    }

    fn every(&self) -> u64 {
        self.every
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        let mut advice = Vec::new();
        if matches!(world.frame, Frame::Rotating { .. }) {
            advice.push(Advice::fatal("asteroids need the inertial frame, not a rotating one"));
        }
        advice
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use rubblepile_core::Rng;

    use super::*;

    /// A box of a density of 2000 kg/m^3.
    fn brick(half: DVec3, id: u32) -> Asteroid {
        let vertices: Vec<DVec3> = (0..8)
            .map(|k| half * DVec3::new([-1.0, 1.0][k & 1], [-1.0, 1.0][k >> 1 & 1], [-1.0, 1.0][k >> 2]))
            .collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
        let mesh = Mesh { vertices, triangles };
        let mass = 2000.0 * 8.0 * half.x * half.y * half.z;
        let s = half * half / 3.0;
        Asteroid {
            id,
            name: "brick".into(),
            material: 0,
            density: 2000.0,
            radius: mesh.radius(),
            mesh: Arc::new(mesh),
            mass,
            inertia: mass * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y),
            axes: DQuat::IDENTITY,
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            spin: DVec3::ZERO,
            fixed: false,
        }
    }

    fn binary() -> World {
        let mut world = World::new(1.0);
        let mut large = brick(DVec3::new(300.0, 200.0, 150.0), 0);
        large.orientation = DQuat::from_rotation_z(0.4);
        let mut small = brick(DVec3::new(80.0, 60.0, 50.0), 1);
        small.position = DVec3::new(900.0, 300.0, -200.0);
        small.orientation = DQuat::from_rotation_x(1.1);
        world.asteroids = vec![large, small];
        let mut rng = Rng::new(2);
        for _ in 0..50 {
            world.bodies.push_sphere(rng.range(500.0, 3000.0) * rng.direction(), 1.0, 3000.0, 0, 0);
        }
        world
    }

    #[test]
    fn what_is_done_to_grains_is_done_to_asteroids() {
        let world = binary();
        let mut field = AsteroidField::new(Vec::new(), 0.0, 1);
        let mut a = vec![DVec3::ZERO; world.bodies.len()];
        let mut on = vec![Wrench::default(); 2];
        field.act(&world, &mut Actions { accelerations: &mut a, on_asteroids: &mut on }).expect("a field");
        let (mut force, mut moment, mut scale) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (k, a) in a.iter().enumerate() {
            let f = world.bodies.mass[k] * *a;
            force += f;
            moment += world.bodies.position[k].cross(f);
        }
        for (w, a) in on.iter().zip(&world.asteroids) {
            force += w.force;
            moment += w.torque + a.position.cross(w.force);
            scale += w.force.length();
        }
        assert!(force.length() < 1e-12 * scale, "{force}");
        assert!(moment.length() < 1e-9 * scale, "{moment}");
    }

    #[test]
    fn force_and_torque_of_two_asteroids_are_the_slope_of_their_energy() {
        let mut world = binary();
        world.bodies = Default::default();
        let mut field = AsteroidField::new(Vec::new(), 0.0, 1);
        let mut on = vec![Wrench::default(); 2];
        field.act(&world, &mut Actions { accelerations: &mut [], on_asteroids: &mut on }).expect("a field");
        let mut energy = |change: &dyn Fn(&mut Asteroid, f64), by: f64| {
            let mut moved = world.clone();
            change(&mut moved.asteroids[1], by);
            field.potential_energy(&moved).expect("an energy")
        };
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let shift = |a: &mut Asteroid, by: f64| a.position += by * axis;
            let force = -(energy(&shift, 1.0) - energy(&shift, -1.0)) / 2.0;
            assert!((force - on[1].force.dot(axis)).abs() < 1e-5 * on[1].force.length());
            let turn = |a: &mut Asteroid, by: f64| {
                a.orientation = DQuat::from_axis_angle(axis, by) * a.orientation;
            };
            let torque = -(energy(&turn, 0.01) - energy(&turn, -0.01)) / 0.02;
            assert!((torque - on[1].torque.dot(axis)).abs() < 1e-3 * on[1].torque.length(), "{torque}");
        }
    }
}
