//! Grains at walls and on asteroids: eight at a time through the law.
//!
//! A facet of an asteroid is a wall that has a share of the contact, eq. (6) of asteroid-surface-2024, and that is pushed
//! back, eqs (13) and (14). Each facet remembers displacements of its own. One that a grain comes upon takes over what the
//! facets remember that the grain has touched so far, by their shares and as far as they face the same way: on a plane the
//! memory is then that of the plane, and in a corner a new face begins with nothing.

use glam::DVec3;
use rubblepile_core::{
    Partner, Poses, SurfaceRef, World, Wrench,
    simd::{LANES, Lanes, Portable, V3},
};
use rubblepile_geometry::mesh;

use crate::{
    blocks::{Block, NO_MEMORY, SpringRow, WallSlot},
    contact::{ContactEnergy, Displacement, RelativeMotion, resolve, stored},
    forces::{LaneSums, Shared, add, constants, load_memory, memory_rows, release, rows},
    law::{ContactLaw, ContactPair},
};

/// Shares below this count as this where memory is handed on: a grain may leave a facet in the step that it comes upon
/// the next.
const LEAST_SHARE: f64 = 1e-9;
/// Where the first row of a facet's memory has the share that the facet had at the last step.
const SHARE: usize = 3;

/// Where walls and asteroids are, and how they will move in a time `ahead` under what acts on the asteroids.
pub fn poses(world: &World, ahead: f64) -> Poses {
    let walls = world.walls.iter().map(|w| w.pose(world.time()));
    let asteroids = world.asteroids.iter().enumerate().map(|(k, asteroid)| {
        let mut asteroid = asteroid.clone();
        if let Some(on) = world.rates.on_asteroids.get(k) {
            asteroid.kick(on, ahead);
        }
        asteroid.pose()
    });
    Poses { walls: walls.collect(), asteroids: asteroids.collect() }
}

/// What a slot is of, as contact history has it.
pub fn partner(world: &World, slot: &WallSlot) -> Partner {
    world.partner_at(slot.surface.get(), slot.face)
}

/// A grain at a wall or a facet, ready for the lanes.
#[derive(Debug, Clone, Copy)]
pub struct AtWall {
    pub slot: usize,
    pub body: usize,
    pub material: f64,
    pub normal: DVec3,
    pub distance: f64,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// Of the contact: 1 for walls.
    pub share: f64,
    pub depth: f64,
    /// Where the force acts, from the centre of the asteroid.
    pub arm: DVec3,
}

impl AtWall {
    /// The slot's grain and wall, if they touch.
    pub fn touching(shared: &Shared, block: &Block, slot: usize) -> Option<Self> {
        let w = &block.walls[slot];
        let surface = w.surface.get();
        let pose = &shared.poses[surface];
        let body = block.first + w.row as usize;
        let [x, y, z, r, ..] = shared.motion[body];
        let x = DVec3::new(x, y, z);
        let wall = match surface {
            SurfaceRef::Wall(k) => &shared.walls[k as usize],
            SurfaceRef::Asteroid(k) => {
                let touch = mesh::touch(block.corners[slot], pose.to_local(x), r)?;
                let normal = -(pose.rotation * touch.normal);
                let point = x + touch.distance * normal;
                return Some(AtWall {
                    slot,
                    body,
                    material: f64::from(shared.asteroids[k as usize].material),
                    normal,
                    distance: touch.distance,
                    velocity: pose.velocity_at(point),
                    spin: pose.spin,
                    share: touch.share,
                    depth: touch.depth,
                    arm: point - pose.translation,
                });
            }
        };
        let near = wall.surface.nearest_at(w.face, pose, x);
        (near.distance < r).then(|| AtWall {
            slot,
            body,
            material: f64::from(wall.material),
            normal: near.normal,
            distance: near.distance,
            velocity: pose.velocity_at(near.point),
            spin: pose.spin,
            share: 1.0,
            depth: r - near.distance,
            arm: DVec3::ZERO,
        })
    }

    /// Table 1 for eight grains at walls: R_j and m_j are infinite, and l_i is the distance.
    #[inline(always)]
    pub fn kinematics<L: Lanes>(shared: &Shared, at: &[AtWall; LANES]) -> (RelativeMotion<L>, L, L) {
        let [_, _, _, r, u, v, w, m] = L::columns8(std::array::from_fn(|k| &shared.motion[at[k].body]));
        let [p, q, s, _] = L::columns4(std::array::from_fn(|k| &shared.spin[at[k].body]));
        let (mut normal, mut velocity, mut turning) =
            ([[0.0; 4]; LANES], [[0.0; 4]; LANES], [[0.0; 4]; LANES]);
        for k in 0..LANES {
            let (n, v, w) = (at[k].normal, at[k].velocity, at[k].spin);
            normal[k] = [n.x, n.y, n.z, at[k].distance];
            velocity[k] = [v.x, v.y, v.z, 0.0];
            turning[k] = [w.x, w.y, w.z, 0.0];
        }
        let [nx, ny, nz, li] = L::columns4(std::array::from_fn(|k| &normal[k]));
        let [a, b, c, _] = L::columns4(std::array::from_fn(|k| &velocity[k]));
        let [d, e, f, _] = L::columns4(std::array::from_fn(|k| &turning[k]));
        let n = V3(nx, ny, nz);
        let dv = V3(a, b, c) - V3(u, v, w);
        let approach = dv.dot(n);
        let spin = V3(p, q, s);
        let seen = RelativeMotion {
            normal: n,
            touch: ContactPair { overlap: r - li, radius: r, mass: m },
            approach,
            slip: dv - n * approach + n.cross(spin * li),
            spin: V3(d, e, f) - spin,
            lever: L::splat(0.5) / li.max(L::splat(f64::MIN_POSITIVE)),
        };
        (seen, li, r)
    }
}

/// The slots that touch. Those that have come apart forget, those that are new on an asteroid take over.
fn find<C: ContactLaw, const ENERGY: bool>(shared: &Shared, block: &mut Block) -> Vec<AtWall> {
    let touching: Vec<AtWall> =
        (0..block.walls.len()).filter_map(|slot| AtWall::touching(shared, block, slot)).collect();
    let mut next = touching.iter().peekable();
    let mut fresh = Vec::new();
    for slot in 0..block.walls.len() {
        let w = &block.walls[slot];
        let at = next.next_if(|at| at.slot == slot);
        if let (Some(at), false) = (at, w.live)
            && w.surface.get().asteroid().is_some()
        {
            fresh.push((slot, inherited(block, &touching, at)));
        }
    }
    let mut next = touching.iter().peekable();
    for slot in 0..block.walls.len() {
        let touches = next.next_if(|at| at.slot == slot).is_some();
        if block.walls[slot].live && !touches {
            if ENERGY {
                let_go::<C>(shared, block, slot);
            }
            block.walls[slot].memory = NO_MEMORY;
        }
        block.walls[slot].live = touches;
    }
    for (slot, memory) in fresh {
        block.walls[slot].memory = memory;
    }
    touching
}

/// The slots of the same grain at the same wall or asteroid.
fn slots_of(block: &Block, slot: usize) -> std::ops::Range<usize> {
    let own = &block.walls[slot];
    let same = |w: &&WallSlot| w.row == own.row && w.surface == own.surface;
    // They are side by side.
    let before = block.walls[..slot].iter().rev().take_while(same).count();
    let after = block.walls[slot + 1..].iter().take_while(same).count();
    slot - before..slot + after + 1
}

/// Counts the energy that the springs of a slot still held when it came apart.
fn let_go<C: ContactLaw>(shared: &Shared, block: &mut Block, slot: usize) {
    let w = &block.walls[slot];
    let surface = w.surface.get();
    let body = block.first + w.row as usize;
    let [x, y, z, r, _, _, _, m] = shared.motion[body];
    let pair = |material: u32| shared.pair(shared.spin[body][3], f64::from(material));
    match surface {
        SurfaceRef::Wall(k) => {
            let touch = ContactPair { overlap: 0.0, radius: r, mass: m };
            release::<C>(pair(shared.walls[k as usize].material), touch, &w.memory, &mut block.lost);
        }
        // Perhaps for another facet: the normal spring is not at its end then.
        SurfaceRef::Asteroid(k) => {
            let [a, b, c] = block.corners[slot];
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let distance = (shared.poses[surface].to_local(DVec3::new(x, y, z)) - a).dot(normal);
            let c = pair(shared.asteroids[k as usize].material);
            let touch = ContactPair { overlap: (r - distance).clamp(0.0, r), radius: r, mass: m };
            let held = load_memory::<Portable, true>([&w.memory[..]; LANES]);
            let touch = touch.map(Portable::splat);
            let held = stored::<Portable, C>(
                &touch,
                &c.law.map(Portable::splat),
                &c.friction.map(Portable::splat),
                &held,
            );
            for (sum, held) in block.lost.iter_mut().zip(held) {
                *sum += w.memory[0][SHARE] * held.0[0];
            }
        }
    }
}

/// What a grain remembers of the other facets of the same asteroid.
fn inherited(block: &Block, touching: &[AtWall], at: &AtWall) -> [SpringRow; 2] {
    let (mut sum, mut shares) = (NO_MEMORY, 0.0);
    for slot in slots_of(block, at.slot) {
        let w = &block.walls[slot];
        if !w.live {
            continue;
        }
        let other = touching.binary_search_by_key(&slot, |t| t.slot).ok().map(|k| &touching[k]);
        let share = other.map_or(LEAST_SHARE, |t| t.share.max(LEAST_SHARE));
        // Where it has left, which way it faced is not known any more.
        let facing = other.map_or(1.0, |t| t.normal.dot(at.normal).max(0.0));
        shares += share;
        for (row, memory) in sum.iter_mut().zip(&w.memory) {
            for k in 0..4 {
                row[k] += share * facing * memory[k];
            }
        }
    }
    if shares > 0.0 {
        sum.iter_mut().flatten().for_each(|value| *value /= shares);
    }
    // A contact that begins takes nothing from other facets.
    sum[0][SHARE] = if shares > 0.0 { 0.0 } else { at.share };
    sum
}

/// What springs of facets held by their shares `was` at the last step, less what they hold by their shares now, before they
/// move: what one facet hands to another, or loses.
#[inline(always)]
fn handed_over<L: Lanes, C: ContactLaw>(
    seen: &RelativeMotion<L>,
    law: &[L; 8],
    friction: &[L; 8],
    held: &Displacement<L>,
    [was, share]: [L; 2],
    dt: L,
) -> [L; 4] {
    let n = seen.normal;
    let turned = Displacement { sliding: held.sliding.across(n), rolling: held.rolling.across(n), ..*held };
    // Half a step ago, as the displacements.
    let overlap = (seen.touch.overlap + L::splat(0.5) * dt * seen.approach).max(L::splat(0.0));
    let touch = ContactPair { overlap, ..seen.touch };
    let [normal, ..] = stored::<L, C>(&touch, law, friction, held);
    let [_, s0, r0, t0] = stored::<L, C>(&seen.touch, law, friction, held);
    let [_, s1, r1, t1] = stored::<L, C>(&seen.touch, law, friction, &turned);
    [(was - share) * normal, was * s0 - share * s1, was * r0 - share * r1, was * t0 - share * t1]
}

/// Forces of all walls and asteroids on the grains of a block.
#[inline(always)]
pub fn walls<L: Lanes, C: ContactLaw, const ROLLS: bool, const ENERGY: bool>(
    shared: &Shared,
    block: &mut Block,
    tally: &mut LaneSums<L>,
) {
    block.on_asteroids.clear();
    block.on_asteroids.resize(shared.asteroids.len(), Wrench::default());
    for batch in find::<C, ENERGY>(shared, block).chunks(LANES) {
        let at: [AtWall; LANES] = std::array::from_fn(|k| batch[k.min(batch.len() - 1)]);
        let (seen, li, small) = AtWall::kinematics::<L>(shared, &at);
        let (law, friction) = constants::<L>(shared, |k| (shared.spin[at[k].body][3], at[k].material));
        let mut held = load_memory::<L, ROLLS>(std::array::from_fn(|k| &block.walls[at[k].slot].memory[..]));
        let dt = L::splat(shared.dt);
        let began = held;
        let (push, mut energy) = resolve::<L, C, ROLLS, ENERGY>(&seen, &law, &friction, &mut held, dt);
        let share = L::load(&at.map(|a| a.share));
        let push = push.scaled(share);
        if ENERGY {
            energy = ContactEnergy {
                stored: energy.stored * share,
                normal: energy.normal * share,
                sliding: energy.sliding * share,
                rolling: energy.rolling * share,
                twisting: energy.twisting * share,
            };
            let on_facet =
                at.map(|a| f64::from(u8::from(block.walls[a.slot].surface.get().asteroid().is_some())));
            let was = L::load(&at.map(|a| block.walls[a.slot].memory[0][SHARE]));
            let more = handed_over::<L, C>(&seen, &law, &friction, &began, [was, share], dt);
            let [normal, sliding, rolling, twisting] = more.map(|part| part * L::load(&on_facet));
            energy.normal = energy.normal + normal;
            energy.sliding = energy.sliding + sliding;
            energy.rolling = energy.rolling + rolling;
            energy.twisting = energy.twisting + twisting;
        }
        let depth = L::load(&at.map(|a| a.depth));
        tally.add::<ENERGY>(&energy, depth - small * L::splat(shared.deepest), batch.len());
        let (slid, turned) = memory_rows(&held);
        let on = rows(&seen, &push, li, li);
        let torque = [push.torque.0.store(), push.torque.1.store(), push.torque.2.store()];
        for (k, at) in batch.iter().enumerate() {
            let w = &mut block.walls[at.slot];
            w.memory = [slid[k], turned[k]];
            w.memory[0][SHARE] = if w.surface.get().asteroid().is_some() { at.share } else { 0.0 };
            let [force_sum, torque_sum] = &mut block.sum[w.row as usize];
            add(force_sum, &on.force[k], 1.0);
            add(torque_sum, &on.torque[k], 1.0);
            let force = DVec3::new(on.force[k][0], on.force[k][1], on.force[k][2]);
            let torque = DVec3::new(torque[0][k], torque[1][k], torque[2][k]);
            match w.surface.get().asteroid() {
                Some(asteroid) => {
                    let back = &mut block.on_asteroids[asteroid];
                    back.push(-force, at.arm);
                    back.torque -= torque;
                }
                None if ENERGY => {
                    block.lost[4] += (force.dot(at.velocity) + torque.dot(at.spin)) * shared.dt;
                }
                None => {}
            }
        }
    }
}
