//! Between the world and the solver: grains with their shape functions, walls as straight lines, multipliers as what presses.

use std::{collections::HashMap, sync::Arc};

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rubblepile_core::{
    Advice, Error, PairValues, Partner, Result, Surface, Wall, WallMotion, World, text, wall::Plane,
};

use crate::{
    Deformable, DeformableState, PressedNode, Reference, Settings,
    bulk::Bulk,
    fill::Filling,
    grain, grains, overlap,
    sample::{self, ContactMultipliers, Damping, Grip, Sample, SampleGrain},
    step::NodalState,
};

/// One straight side of a wall: which wall, by its place among them, and which face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallSide {
    pub wall: usize,
    pub face: u32,
}

pub fn sides(world: &World) -> Vec<WallSide> {
    let of_wall = |(wall, w): (usize, &Wall)| grain::faces(w).map(move |face| WallSide { wall, face });
    world.walls.iter().enumerate().flat_map(of_wall).collect()
}

/// Where a side is at a time.
pub fn line(world: &World, side: WallSide, time: f64) -> sample::StraightWall {
    let (point, normal) = grain::side(&world.walls[side.wall], side.face, time);
    let material = world.walls[side.wall].material as usize;
    sample::StraightWall { material, ..sample::StraightWall::new(point, normal) }
}

/// What no line in the plane can be made of, in words.
fn no_line(wall: &Wall) -> Option<&'static str> {
    let flat = |n: DVec3| n.z.abs() <= 1e-9;
    match wall.surface {
        Surface::Plane(Plane { normal, .. }) if !flat(wall.rotation * normal) => {
            return Some("its normal leaves the plane of x and y");
        }
        Surface::Plane(_) | Surface::Box(_) => {}
        _ => return Some("only planes and boxes bound deformable grains"),
    }
    match wall.motion {
        WallMotion::Rotation { axis, .. } if axis.truncate().length() > 1e-9 => {
            Some("it rotates out of the plane of x and y")
        }
        _ => None,
    }
}

/// What the method cannot do with this world.
pub fn faults(world: &World, settings: &Settings) -> Vec<Advice> {
    let mut faults = Vec::new();
    let mut refuse = |text: String| faults.push(Advice::fatal(text));
    if grains(world).is_empty() {
        refuse("there are no deformable grains: add a [[deformable]] table".into());
    }
    if !world.bodies.is_empty() || !world.asteroids.is_empty() {
        refuse("deformable grains cannot be combined with spheres, polyhedra or asteroids".into());
    }
    if world.domain.period().is_finite() || world.domain.period().min_element().is_finite() {
        refuse("deformable grains do not support periodic boxes: use walls".into());
    }
    if world.frame != rubblepile_core::Frame::Inertial {
        refuse("deformable grains need the inertial frame, not a rotating one".into());
    }
    for wall in &world.walls {
        if let Some(why) = no_line(wall) {
            refuse(format!("wall `{}` cannot be used with deformable grains: {why}", wall.name));
        }
    }
    for grain in grains(world) {
        let material = &world.materials[grain.material as usize];
        if let Err(error) = settings.law_of(material.young, material.poisson) {
            refuse(format!("material `{}`: {error}", material.name));
            break;
        }
        if material.density.is_nan() || material.density <= 0.0 {
            refuse(format!("material `{}` has no density", material.name));
            break;
        }
    }
    if !faults.is_empty() {
        return faults;
    }
    // Later on grains may be pressed into each other by a gap.
    if world.clock.step == 0 {
        let outlines: Vec<Vec<DVec2>> = grains(world).iter().map(Deformable::outline).collect();
        if let Some((a, b)) = overlap::first_overlap(&outlines) {
            let (a, b) = (grains(world)[a].id, grains(world)[b].id);
            faults.push(Advice::fatal(format!("grains {a} and {b} overlap at the start: move them apart")));
        }
        faults.extend(behind(world, 0.0).map(|(_, text)| Advice::fatal(text)));
    }
    faults
}

/// The first grain, by its place among them, that is farther behind a wall than this, and what to say of it.
pub fn behind(world: &World, allowed: f64) -> Option<(usize, String)> {
    let time = world.time();
    for side in sides(world) {
        let line = line(world, side, time);
        for (k, grain) in grains(world).iter().enumerate() {
            let depth = |x: &DVec2| (line.point - *x).dot(line.normal);
            let deepest = grain.outline().iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
            if deepest > allowed {
                let name = &world.walls[side.wall].name;
                let text = format!(
                    "grain {} is behind wall `{name}` by {deepest:.3e} m at t = {}: grains must be inside of boxes, and on the \
                     side of a plane that its normal points to",
                    grain.id,
                    text::time(time)
                );
                return Some((k, text));
            }
        }
    }
    None
}

/// The inputs of the grains, to detect changes.
type Made = Vec<(Arc<Reference>, Option<f64>, f64, f64)>;

/// Grains with their shape functions, and the sides of walls.
pub struct PreparedSample {
    pub sample: Sample,
    pub sides: Vec<WallSide>,
    made: Made,
    gravity: DVec2,
}

fn made(world: &World) -> Made {
    let of = |g: &Deformable| {
        let m = &world.materials[g.material as usize];
        (g.reference.clone(), m.young, m.poisson, m.density)
    };
    grains(world).iter().map(of).collect()
}

/// For every pair of materials.
fn grips(world: &World) -> Vec<Grip> {
    let of = |p: &PairValues| Grip { friction: p.friction_sliding, adhesion: p.cohesion };
    world.pair_table().iter().map(of).collect()
}

impl PreparedSample {
    /// `before`: one to take the grains from, where they are the same.
    pub fn new(world: &World, settings: &Settings, before: Option<PreparedSample>) -> Result<Self> {
        let (made, sides) = (made(world), sides(world));
        let same = |b: &PreparedSample| {
            b.made.len() == made.len()
                && b.made
                    .iter()
                    .zip(&made)
                    .all(|(a, b)| Arc::ptr_eq(&a.0, &b.0) && (a.1, a.2, a.3) == (b.1, b.2, b.3))
        };
        if let Some(mut scene) = before.filter(same) {
            scene.sides = sides;
            scene.sample.grips = grips(world);
            return Ok(scene);
        }
        let grain = |g: &Deformable| -> Result<SampleGrain> {
            let unusable = |why: String| Error::Unsupported(format!("grain {} cannot be used: {why}", g.id));
            let material = &world.materials[g.material as usize];
            let law =
                settings.law_of(material.young, material.poisson).map_err(|e| unusable(e.to_string()))?;
            let filling = filling(&g.reference);
            let bulk = Bulk::new(&filling, law, material.density, settings.shape_functions)
                .map_err(|e| unusable(e.to_string()))?;
            let damping = Damping {
                mass: settings.mass_damping.0,
                stiffness: settings.stiffness_damping.0,
                viscous: settings.viscous_damping.0,
            };
            Ok(SampleGrain { filling, bulk, damping, material: g.material as usize })
        };
        let grains = grains(world).par_iter().map(grain).collect::<Result<Vec<_>>>()?;
        let mut sample = Sample::new(grains, Vec::new(), DVec2::ZERO)
            .ok_or_else(|| Error::Unsupported("a grain has no stiffness as it was made".into()))?;
        sample.grips = grips(world);
        Ok(PreparedSample { sample, sides, made, gravity: DVec2::ZERO })
    }

    /// Puts the walls where they are at a time.
    pub fn place_walls(&mut self, world: &World, time: f64) {
        self.sample.walls = self.sides.iter().map(|side| line(world, *side, time)).collect();
    }

    pub fn set_gravity(&mut self, gravity: DVec2) {
        if gravity != self.gravity {
            self.sample.load = self.sample.grains.iter().flat_map(|g| g.bulk.body_force(gravity)).collect();
            self.gravity = gravity;
        }
    }

    /// The state of the world, for the solver. Walls must be where the world's time has them.
    pub fn state(&self, world: &World, reach: f64) -> NodalState {
        let all =
            |column: fn(&Deformable) -> &Vec<DVec2>| grains(world).iter().flat_map(column).copied().collect();
        let displacement: Vec<DVec2> = all(|g| &g.displacement);
        let mut watches = self.sample.watch(&self.sample.positions(&displacement), reach, &[]);
        let pressed: HashMap<(u64, u32, Partner), &PressedNode> = world
            .part::<DeformableState>()
            .into_iter()
            .flat_map(|part| &part.pressed)
            .map(|p| ((p.grain, p.node, p.partner), p))
            .collect();
        for watch in &mut watches {
            let grain = grains(world)[watch.grain as usize].id;
            if let Some(p) = pressed.get(&(grain, watch.node, self.partner(world, watch.partner))) {
                watch.hold =
                    ContactMultipliers { pressure: p.pressure, traction: p.traction, bonded: p.bonded };
            }
        }
        NodalState {
            displacement,
            velocity: all(|g| &g.velocity),
            acceleration: all(|g| &g.acceleration),
            watches,
        }
    }

    /// Writes a state into the world.
    pub fn store(&self, state: &NodalState, world: &mut World) {
        let pressed =
            state.watches.iter().filter(|w| w.hold != ContactMultipliers::default()).map(|w| PressedNode {
                grain: grains(world)[w.grain as usize].id,
                node: w.node,
                partner: self.partner(world, w.partner),
                pressure: w.hold.pressure,
                traction: w.hold.traction,
                bonded: w.hold.bonded,
            });
        let pressed = pressed.collect();
        let Some(part) = world.part_mut::<DeformableState>() else { return };
        part.pressed = pressed;
        for (g, grain) in part.grains.iter_mut().enumerate() {
            let nodes = self.sample.nodes_of(g);
            grain.displacement.copy_from_slice(&state.displacement[nodes.clone()]);
            grain.velocity.copy_from_slice(&state.velocity[nodes.clone()]);
            grain.acceleration.clear();
            grain.acceleration.extend_from_slice(&state.acceleration[nodes]);
        }
    }

    /// A partner as the world knows it.
    pub fn partner(&self, world: &World, partner: sample::NodePartner) -> Partner {
        match partner {
            sample::NodePartner::Grain(g) => Partner::Body(grains(world)[g as usize].id),
            sample::NodePartner::Wall(w) => {
                let side = self.sides[w as usize];
                Partner::Wall { wall: world.walls[side.wall].id, face: side.face }
            }
        }
    }
}

pub fn filling(reference: &Reference) -> Filling {
    Filling {
        nodes: reference.nodes.clone(),
        boundary: reference.boundary,
        triangles: reference.triangles.clone(),
    }
}
