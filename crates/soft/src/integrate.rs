//! Kick and drift of the leapfrog (kick-drift-kick, second order).
//!
//! Forces that depend on velocity kinematics it predicted to the end of the step with the last acceleration, which keeps
//! the second order. In a rotating frame the Coriolis term is taken half explicitly, half implicitly, in the two
//! halves of the kick: the step is symmetric in time and solved in closed form.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Frame, World,
    simd::{Kernel, Lanes, dispatch},
};

use crate::blocks::{Blocks, PackedBody, ROWS, Spin, worst};

/// Which halves of a step to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halves {
    /// Sum the forces and kick to the end of the step.
    pub finish: bool,
    /// Kick into the next step and drift.
    pub start: bool,
}

/// How the frame turns velocities in half a step.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// Omega h for velocities, Omega h / 2 for spins; zero in an inertial frame.
    velocity: DVec3,
    spin: DVec3,
    turns: bool,
}

impl Turn {
    fn new(frame: &Frame, h: f64) -> Self {
        match *frame {
            Frame::Inertial => Turn { velocity: DVec3::ZERO, spin: DVec3::ZERO, turns: false },
            // -2 Omega x v over h / 2; -Omega x omega over h / 2.
            Frame::Rotating { angular_velocity: w } => {
                Turn { velocity: h * w, spin: 0.5 * h * w, turns: true }
            }
        }
    }

    /// v + kick - b x v
    #[inline(always)]
    fn explicit(&self, b: DVec3, v: DVec3, kick: DVec3) -> DVec3 {
        if self.turns { v + kick - b.cross(v) } else { v + kick }
    }

    /// The v' with v' + b x v' = v + kick
    #[inline(always)]
    fn implicit(&self, b: DVec3, v: DVec3, kick: DVec3) -> DVec3 {
        let y = v + kick;
        if self.turns { (y - b.cross(y) + b * b.dot(y)) / (1.0 + b.length_squared()) } else { y }
    }
}

/// Does the chosen halves for every row; gives the longest way that a body has drifted.
pub fn kick_and_drift(
    world: &mut World,
    blocks: &Blocks,
    motion: &mut [PackedBody],
    spin: &mut [Spin],
    halves: Halves,
) -> f64 {
    let h = world.clock.timestep;
    let turn = Turn::new(&world.frame, h);
    let field = &world.rates.field;
    let bodies = &mut world.bodies;
    let columns = (
        bodies.position.par_chunks_mut(ROWS),
        bodies.velocity.par_chunks_mut(ROWS),
        bodies.spin.par_chunks_mut(ROWS),
        world.rates.acceleration.par_chunks_mut(ROWS),
        world.rates.spin_rate.par_chunks_mut(ROWS),
        motion.par_chunks_mut(ROWS),
        spin.par_chunks_mut(ROWS),
    );
    columns
        .into_par_iter()
        .enumerate()
        .map(|(b, (position, velocity, spin, acceleration, spin_rate, motion, packed_spin))| {
            let rows = b * ROWS..b * ROWS + position.len();
            dispatch(BlockRows {
                blocks,
                block: b,
                halves,
                turn,
                h,
                field: if field.is_empty() { field } else { &field[rows] },
                position,
                velocity,
                spin,
                acceleration,
                spin_rate,
                motion,
                packed_spin,
            })
        })
        .reduce(|| 0.0, worst)
        .sqrt()
        * h
}

/// The rows of one block.
struct BlockRows<'a> {
    blocks: &'a Blocks,
    block: usize,
    halves: Halves,
    turn: Turn,
    h: f64,
    field: &'a [DVec3],
    position: &'a mut [DVec3],
    velocity: &'a mut [DVec3],
    spin: &'a mut [DVec3],
    acceleration: &'a mut [DVec3],
    spin_rate: &'a mut [DVec3],
    motion: &'a mut [PackedBody],
    packed_spin: &'a mut [Spin],
}

impl Kernel for BlockRows<'_> {
    /// The highest squared speed of a drift.
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Halves { finish, start } = self.halves;
        let (turn, half) = (self.turn, 0.5 * self.h);
        let mut fastest = 0.0;
        let from_others = if finish { import(self.blocks, self.block) } else { Vec::new() };
        let own = &self.blocks.list[self.block].sum;
        for k in 0..self.position.len() {
            let (mut x, mut v, mut w) = (self.position[k], self.velocity[k], self.spin[k]);
            let (motion, packed) = (&mut self.motion[k], &mut self.packed_spin[k]);
            let (a, alpha);
            if finish {
                let ([f, t], other) = (&own[k], from_others[k]);
                let (r, m) = (motion[3], motion[7]);
                let inverse = 1.0 / m;
                // A sphere: 1 / I = 5 / (2 m r^2).
                let inverse_inertia = 2.5 * inverse / (r * r);
                let g = self.field.get(k).copied().unwrap_or(DVec3::ZERO);
                a = (DVec3::new(f[0], f[1], f[2]) + other[0]) * inverse + g;
                alpha = (DVec3::new(t[0], t[1], t[2]) + other[1]) * inverse_inertia;
                v = turn.implicit(turn.velocity, v, half * a);
                w = turn.implicit(turn.spin, w, half * alpha);
                // Only what the next call will ask for needs to be kept.
                if !start {
                    self.acceleration[k] = a;
                    self.spin_rate[k] = alpha;
                }
            } else {
                (a, alpha) = (self.acceleration[k], self.spin_rate[k]);
            }
            if start {
                let (kick, twist) = (half * a, half * alpha);
                v = turn.explicit(turn.velocity, v, kick);
                w = turn.explicit(turn.spin, w, twist);
                x += self.h * v;
                let next_v = turn.explicit(turn.velocity, v, kick);
                let next_w = turn.explicit(turn.spin, w, twist);
                (motion[0], motion[1], motion[2]) = (x.x, x.y, x.z);
                (motion[4], motion[5], motion[6]) = (next_v.x, next_v.y, next_v.z);
                (packed[0], packed[1], packed[2]) = (next_w.x, next_w.y, next_w.z);
                fastest = worst(fastest, v.length_squared());
                self.position[k] = x;
            }
            self.velocity[k] = v;
            self.spin[k] = w;
        }
        fastest
    }
}

impl Blocks {
    /// Force and torque of all contacts on some rows.
    pub fn forces_on(&self, rows: impl Iterator<Item = usize>) -> Vec<(usize, [DVec3; 2])> {
        let mut imported: HashMap<usize, Vec<[DVec3; 2]>> = HashMap::new();
        let mut all = Vec::new();
        for row in rows {
            let (b, k) = (row / ROWS, row % ROWS);
            let others = imported.entry(b).or_insert_with(|| import(self, b));
            let [f, t] = &self.list[b].sum[k];
            let own = [f, t].map(|s| DVec3::new(s[0], s[1], s[2]));
            all.push((row, [own[0] + others[k][0], own[1] + others[k][1]]));
        }
        all
    }
}

/// What earlier blocks left for the rows of block `b`, in their order: force and torque.
#[inline(always)]
fn import(blocks: &Blocks, b: usize) -> Vec<[DVec3; 2]> {
    let mut sum = vec![[DVec3::ZERO; 2]; blocks.list[b].rows];
    for &(from, start, end) in &blocks.imports[b] {
        let source = &blocks.list[from as usize];
        for h in start as usize..end as usize {
            let [f, t] = &source.sum[source.rows + h];
            let [force, torque] = &mut sum[source.halo[h] as usize - b * ROWS];
            *force += DVec3::new(f[0], f[1], f[2]);
            *torque += DVec3::new(t[0], t[1], t[2]);
        }
    }
    sum
}

/// The bodies as the kernel reads them, at the end of a step.
pub fn pack(world: &World) -> (Vec<PackedBody>, Vec<Spin>) {
    let b = &world.bodies;
    (0..b.len())
        .into_par_iter()
        .map(|k| {
            let (x, v, w) = (b.position[k], b.velocity[k], b.spin[k]);
            (
                [x.x, x.y, x.z, b.radius[k], v.x, v.y, v.z, b.mass[k]],
                [w.x, w.y, w.z, f64::from(b.material[k])],
            )
        })
        .unzip()
}
