//! The contact table: every contact as it is now, with the same law as the step, and nothing changed.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Contact, Partner, SurfaceRef, World,
    simd::{LANES, Portable},
};

use rubblepile_geometry::mesh;

use crate::{
    blocks::{Block, Blocks, NO_MEMORY, SpringRow},
    contact::resolve,
    forces::{Shared, constants, find_touching, kinematics, load_memory, rows},
    integrate::pack,
    law::{ContactLaw, Springy},
    step::Constants,
    walls::{AtWall, partner, poses},
};

const BLOCKS_AT_ONCE: usize = 64;

/// All contacts in the order of the rows, those with walls after those with bodies.
pub(crate) fn contacts(
    world: &World,
    blocks: &mut Blocks,
    coefficients: &Constants,
    law: &dyn Springy,
) -> Vec<Contact> {
    let (motion, spin) = pack(world);
    let poses = poses(world, 0.0);
    let shared = coefficients.shared(world, &motion, &spin, &poses, 0.0, f64::INFINITY);
    // The table of a million grains is large: a few blocks at a time, so that it is never there twice.
    let (mut all, mut at_walls) = (Vec::with_capacity(blocks.live_count()), Vec::new());
    for some in blocks.list.chunks_mut(BLOCKS_AT_ONCE) {
        let lists: Vec<(Vec<Contact>, Vec<Contact>)> =
            some.par_iter_mut().map(|block| law.table(world, &shared, block)).collect();
        for (pairs, walls) in lists {
            all.extend(pairs);
            at_walls.extend(walls);
        }
    }
    all.extend(at_walls);
    all
}

/// How many contacts each row has, without the table.
pub fn counts(world: &World, blocks: &Blocks) -> Vec<u32> {
    let (x, r) = (&world.bodies.position, &world.bodies.radius);
    let mut counts = vec![0u32; x.len()];
    let poses = poses(world, 0.0);
    for block in &blocks.list {
        for i in block.first..block.first + block.rows {
            let k = i - block.first;
            for &j in &block.partner[block.start[k] as usize..block.start[k + 1] as usize] {
                let (j, reach) = (j as usize, r[i] + r[j as usize]);
                if world.domain.shortest(x[j] - x[i]).length_squared() < reach * reach {
                    counts[i] += 1;
                    counts[j] += 1;
                }
            }
        }
        // An asteroid counts once, however many of its facets a grain touches.
        let mut last = None;
        for w in &block.walls {
            let (i, surface) = (block.first + w.row as usize, w.surface.get());
            let pose = &poses[surface];
            let touches = match surface {
                SurfaceRef::Wall(k) => {
                    world.walls[k as usize].surface.nearest_at(w.face, pose, x[i]).distance < r[i]
                }
                SurfaceRef::Asteroid(k) => {
                    let corners = world.asteroids[k as usize].mesh.corners(w.face as usize);
                    last != Some((i, surface)) && mesh::touch(corners, pose.to_local(x[i]), r[i]).is_some()
                }
            };
            if touches {
                counts[i] += 1;
                last = Some((i, surface));
            }
        }
    }
    counts
}

pub fn of_block<C: ContactLaw>(
    world: &World,
    shared: &Shared,
    block: &mut Block,
) -> (Vec<Contact>, Vec<Contact>) {
    // The search notes who touches now; the step must find its own notes as it left them.
    let live = block.live.clone();
    let touching = find_touching(shared, block).touching;
    let mut pairs = Vec::with_capacity(touching.len());
    for batch in touching.chunks(LANES) {
        let at: [(u32, u32); LANES] = std::array::from_fn(|k| batch[k.min(batch.len() - 1)]);
        let i = at.map(|(_, row)| block.first + row as usize);
        let j = at.map(|(slot, _)| block.partner[slot as usize] as usize);
        let (seen, li, lj, _) = kinematics::<Portable>(shared, i, j);
        let (law, friction) = constants::<Portable>(shared, |k| (shared.spin[i[k]][3], shared.spin[j[k]][3]));
        let memory: [[SpringRow; 2]; LANES] = std::array::from_fn(|k| {
            let slot = at[k].0 as usize;
            if live[slot] { block.memory_of(slot) } else { NO_MEMORY }
        });
        let mut held = load_memory::<Portable, true>(std::array::from_fn(|k| &memory[k][..]));
        let zero = Portable([0.0; LANES]);
        let (push, energy) = resolve::<Portable, C, true, true>(&seen, &law, &friction, &mut held, zero);
        let on = rows(&seen, &push, li, lj);
        for k in 0..batch.len() {
            let normal = DVec3::new(seen.normal.0.0[k], seen.normal.1.0[k], seen.normal.2.0[k]);
            pairs.push(Contact {
                row: i[k] as u32,
                partner_row: Some(j[k] as u32),
                body: world.bodies.id[i[k]],
                partner: Partner::Body(world.bodies.id[j[k]]),
                feature: 0,
                point: world.bodies.position[i[k]] + li.0[k] * normal,
                normal,
                overlap: seen.touch.overlap.0[k],
                force: DVec3::new(on.force[k][0], on.force[k][1], on.force[k][2]),
                torque: DVec3::new(push.torque.0.0[k], push.torque.1.0[k], push.torque.2.0[k]),
                branch: -(li.0[k] + lj.0[k]) * normal,
                elastic: energy.stored.0[k],
            });
        }
    }
    block.live = live;
    let walls = (0..block.walls.len())
        .filter_map(|slot| AtWall::touching(shared, block, slot))
        .map(|at| at_wall::<C>(world, shared, block, at))
        .collect();
    (pairs, walls)
}

fn at_wall<C: ContactLaw>(world: &World, shared: &Shared, block: &Block, at: AtWall) -> Contact {
    let lanes = [at; LANES];
    let (seen, li, _) = AtWall::kinematics::<Portable>(shared, &lanes);
    let (law, friction) = constants::<Portable>(shared, |_| (shared.spin[at.body][3], at.material));
    let slot = &block.walls[at.slot];
    let memory = if slot.live { &slot.memory } else { &NO_MEMORY };
    let mut held = load_memory::<Portable, true>([&memory[..]; LANES]);
    let zero = Portable([0.0; LANES]);
    let (push, energy) = resolve::<Portable, C, true, true>(&seen, &law, &friction, &mut held, zero);
    let push = push.scaled(Portable([at.share; LANES]));
    let on = rows(&seen, &push, li, li);
    Contact {
        row: at.body as u32,
        partner_row: None,
        body: world.bodies.id[at.body],
        partner: partner(world, slot),
        feature: 0,
        point: world.bodies.position[at.body] + at.distance * at.normal,
        normal: at.normal,
        overlap: at.depth,
        force: DVec3::new(on.force[0][0], on.force[0][1], on.force[0][2]),
        torque: DVec3::new(push.torque.0.0[0], push.torque.1.0[0], push.torque.2.0[0]),
        branch: -at.distance * at.normal,
        elastic: at.share * energy.stored.0[0],
    }
}
