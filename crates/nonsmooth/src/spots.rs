//! The contact points of a configuration: who is near whom, where, and by how much.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{PairValues, World, wall::Pose};
use rubblepile_geometry::walls::nearest_at;

use crate::near::Near;

/// Rows a task: fixed, so that the list does not depend on the number of threads.
const BLOCK: usize = 256;

/// What a body touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// Another body, in a higher row; `image`: from its position to that of its nearest periodic image.
    Body { row: u32, image: DVec3 },
    /// A wall by its place in the world's list, and its velocity at the contact point.
    Wall { wall: u32, face: u32, velocity: DVec3 },
}

/// One contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    pub row: u32,
    pub partner: Side,
    /// Name of the point among those of the pair.
    pub feature: u32,
    /// Midway between the two surfaces.
    pub point: DVec3,
    /// From the body to its partner.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal; negative: overlap.
    pub gap: f64,
    /// Row of the table of laws.
    pub law: u32,
    /// Effective radius, for rolling.
    pub lever: f64,
}

impl Spot {
    pub fn partner_row(&self) -> Option<u32> {
        match self.partner {
            Side::Body { row, .. } => Some(row),
            Side::Wall { .. } => None,
        }
    }
}

/// The law between two materials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    pub restitution: f64,
    pub friction: f64,
    /// Torque over normal force and effective radius: mu beta, as in the soft method.
    pub rolling: f64,
    pub twisting: f64,
    pub cohesion_force: f64,
    pub cohesion_range: f64,
}

impl Law {
    pub fn new(pair: &PairValues) -> Self {
        Law {
            restitution: pair.restitution_normal,
            friction: pair.friction_sliding,
            rolling: pair.friction_rolling * pair.shape,
            twisting: pair.friction_twisting * pair.shape,
            cohesion_force: pair.cohesion_force,
            // The force is there at touch, whatever the range.
            cohesion_range: if pair.cohesion_force > 0.0 { pair.cohesion_range.max(0.0) } else { 0.0 },
        }
    }

    pub fn rolls(&self) -> bool {
        self.rolling > 0.0 || self.twisting > 0.0
    }
}

/// How far ahead contacts are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Margin given by the user, m; otherwise a part of the radius and what speeds close in `ahead`.
    pub margin: Option<f64>,
    /// s
    pub ahead: f64,
}

/// Gap that counts as near at any speed, over the smaller radius.
const ALWAYS: f64 = 1e-3;
/// How much faster than now two bodies may close once contacts have pushed them.
const FASTER: f64 = 1.5;

impl Reach {
    pub fn of(&self, smaller_radius: f64, closing: f64, law: &Law) -> f64 {
        let own = self.margin.unwrap_or(ALWAYS * smaller_radius + FASTER * self.ahead * closing);
        own.max(law.cohesion_range)
    }
}

/// What detection needs to see.
pub struct Scene<'a> {
    pub world: &'a World,
    pub laws: &'a [Law],
    pub reach: Reach,
    /// Of the walls, at the time of the configuration.
    pub poses: &'a [Pose],
}

impl Scene<'_> {
    pub fn law(&self, row: usize, material: u32) -> u32 {
        self.world.bodies.material[row] * self.world.materials.len() as u32 + material
    }
}

/// All contact points, in the order of rows, partners (walls last) and features.
pub fn find(scene: &Scene, near: &mut Near) -> Vec<Spot> {
    let n = scene.world.bodies.len();
    let blocks: Vec<Vec<Spot>> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|b| {
            let mut spots = Vec::new();
            for i in b * BLOCK..((b + 1) * BLOCK).min(n) {
                for &j in near.list.of(i) {
                    spheres(scene, i, j as usize, &mut spots);
                }
                for wall in 0..scene.world.walls.len() {
                    sphere_wall(scene, i, wall, &mut spots);
                }
            }
            spots
        })
        .collect();
    blocks.concat()
}

fn spheres(scene: &Scene, i: usize, j: usize, spots: &mut Vec<Spot>) {
    let b = &scene.world.bodies;
    let apart = b.position[j] - b.position[i];
    let d = scene.world.domain.shortest(apart);
    let (ri, rj) = (b.radius[i], b.radius[j]);
    let distance = d.length();
    let gap = distance - ri - rj;
    let law = scene.law(i, b.material[j]);
    let closing = (b.velocity[j] - b.velocity[i]).length();
    if gap > scene.reach.of(ri.min(rj), closing, &scene.laws[law as usize]) {
        return;
    }
    // Two spheres in one place have no normal of their own: any will do to part them.
    let normal = if distance > 0.0 { d / distance } else { DVec3::X };
    spots.push(Spot {
        row: i as u32,
        partner: Side::Body { row: j as u32, image: d - apart },
        feature: 0,
        point: b.position[i] + (ri + 0.5 * gap) * normal,
        normal,
        gap,
        law,
        lever: ri * rj / (ri + rj),
    });
}

fn sphere_wall(scene: &Scene, i: usize, wall: usize, spots: &mut Vec<Spot>) {
    let b = &scene.world.bodies;
    let (x, r, w) = (b.position[i], b.radius[i], &scene.world.walls[wall]);
    let law = scene.law(i, w.material);
    for face in 0..w.surface.faces() {
        let pose = &scene.poses[wall];
        let near = nearest_at(&w.surface, face, pose, x);
        let gap = near.distance - r;
        let velocity = pose.velocity_at(near.point);
        let closing = (velocity - b.velocity[i]).length();
        if gap > scene.reach.of(r, closing, &scene.laws[law as usize]) {
            continue;
        }
        spots.push(Spot {
            row: i as u32,
            partner: Side::Wall { wall: wall as u32, face, velocity },
            feature: 0,
            point: x + (r + 0.5 * gap) * near.normal,
            normal: near.normal,
            gap,
            law,
            lever: r,
        });
    }
}
