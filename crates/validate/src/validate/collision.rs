//! One collision from first contact to separation: a tool for the case `impact`.

use glam::DVec3;
use rubblepile_core::{Fields, Material, Method, Report, Surface, Wall, World, wall::Plane};
use rubblepile_soft::{Settings, SoftSpheres};

use crate::cases::CaseError;

/// What was seen of a collision.
#[derive(Debug, Clone, Copy)]
pub struct Collision {
    /// s, from touch to parting, to a part of a step
    pub time: f64,
    /// Largest overlap, m.
    pub overlap: f64,
    /// Largest force along the normal, N.
    pub force: f64,
}

/// A sphere that touches the plane z = 0, or a second sphere, about to collide at normal speed `approach`.
#[derive(Debug, Clone)]
pub struct SetUp {
    pub materials: Vec<Material>,
    /// Radius of the first sphere, which is of material 0.
    pub radius: f64,
    /// Radius of the second, of material 0 too; `None`: a plane of material 1.
    pub second: Option<f64>,
    /// The first comes down (or towards the second) at this speed, m/s.
    pub approach: f64,
    /// Its velocity along x, m/s, and its spin about y, rad/s.
    pub tangential: f64,
    pub spin: f64,
    /// Whether the second moves towards the first at the same speed, with the opposite spin sense of gears.
    pub mirrored: bool,
    pub settings: Settings,
    /// Time step, s.
    pub step: f64,
}

impl SetUp {
    pub fn world(&self) -> World {
        let mut world = World::new(self.step);
        world.materials = self.materials.clone();
        world.groups = vec!["spheres".into()];
        let density = self.materials[0].density;
        // Damping jumps at touch and the law is asked at whole steps: half a step before touch is the middle of all
        // the moments at which a step may find it.
        let gap = DVec3::Z * 0.5 * self.step * self.approach;
        let first = world.bodies.push_sphere(DVec3::Z * self.radius + gap, self.radius, density, 0, 0);
        world.bodies.velocity[first] = DVec3::new(self.tangential, 0.0, -self.approach);
        world.bodies.spin[first] = DVec3::Y * self.spin;
        match self.second {
            Some(r) => {
                let second = world.bodies.push_sphere(DVec3::Z * -r, r, density, 0, 0);
                if self.mirrored {
                    world.bodies.position[second] -= gap;
                    world.bodies.velocity[second] = DVec3::new(-self.tangential, 0.0, self.approach);
                    world.bodies.spin[second] = -DVec3::Y * self.spin;
                }
            }
            None => {
                let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
                world.walls.push(Wall::new(0, "plane", 1, plane));
            }
        }
        world
    }

    /// Runs until the two part.
    pub fn collide(&self) -> Result<(World, Collision), CaseError> {
        let mut world = self.world();
        let mut method = SoftSpheres::new(self.settings.clone());
        let (mut fields, mut report) = (Fields::default(), Report::default());
        let mut seen = Collision { time: 0.0, overlap: 0.0, force: 0.0 };
        let mut before = 0.0;
        for _ in 0..1_000_000 {
            let until = world.time() + self.step;
            method.advance(&mut world, &mut fields, until, &mut report)?;
            let overlap = overlap(&world);
            if overlap <= 0.0 {
                // Straight line between the last two steps.
                seen.time = world.time() - self.step * overlap / (overlap - before) - 0.5 * self.step;
                return Ok((world, seen));
            }
            before = overlap;
            seen.overlap = seen.overlap.max(overlap);
            for c in method.contacts(&world)? {
                seen.force = seen.force.max(-c.force.dot(c.normal));
            }
        }
        Err("the spheres never parted".into())
    }
}

fn overlap(world: &World) -> f64 {
    let b = &world.bodies;
    match b.len() {
        1 => b.radius[0] - b.position[0].z,
        _ => b.radius[0] + b.radius[1] - (b.position[1] - b.position[0]).length(),
    }
}

/// Row of the sphere that was made first.
pub fn first(world: &World) -> usize {
    world.bodies.id.iter().position(|&id| id == 0).unwrap_or(0)
}
