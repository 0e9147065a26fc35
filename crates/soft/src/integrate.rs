//! Kick and drift of the leapfrog (kick-drift-kick, second order).
//!
//! Forces that depend on velocity see it predicted to the end of the step with the last acceleration, which keeps
//! the second order. In a rotating frame the Coriolis term is taken half explicitly, half implicitly, in the two
//! halves of the kick: the step is symmetric in time and solved in closed form.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Frame, World};

use crate::blocks::{Blocks, Motion, ROWS, Spin};

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

/// Does the chosen halves for every row; says whether any has moved more than half the skin (or nowhere finite).
pub fn kick_and_drift(
    world: &mut World,
    blocks: &Blocks,
    motion: &mut [Motion],
    spin: &mut [Spin],
    halves: Halves,
) -> bool {
    let h = world.clock.timestep;
    let turn = Turn::new(&world.frame, h);
    let limit = 0.25 * blocks.skin * blocks.skin;
    let field = &world.rates.field;
    let bodies = &mut world.bodies;
    let (mass, inertia) = (&bodies.mass, &bodies.inertia);
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
        .map(|(b, (x, v, w, a, alpha, motion, spin))| {
            let first = b * ROWS;
            if halves.finish {
                gather(blocks, b, a, alpha);
                for k in 0..x.len() {
                    a[k] /= mass[first + k];
                    alpha[k] /= inertia[first + k].x;
                    if !field.is_empty() {
                        a[k] += field[first + k];
                    }
                    v[k] = turn.implicit(turn.velocity, v[k], 0.5 * h * a[k]);
                    w[k] = turn.implicit(turn.spin, w[k], 0.5 * h * alpha[k]);
                }
            }
            let mut moved = false;
            if halves.start {
                for k in 0..x.len() {
                    let (kick, twist) = (0.5 * h * a[k], 0.5 * h * alpha[k]);
                    v[k] = turn.explicit(turn.velocity, v[k], kick);
                    w[k] = turn.explicit(turn.spin, w[k], twist);
                    x[k] += h * v[k];
                    let next_v = turn.explicit(turn.velocity, v[k], kick);
                    let next_w = turn.explicit(turn.spin, w[k], twist);
                    let (m, s) = (&mut motion[k], &mut spin[k]);
                    (m[0], m[1], m[2]) = (x[k].x, x[k].y, x[k].z);
                    (m[4], m[5], m[6]) = (next_v.x, next_v.y, next_v.z);
                    (s[0], s[1], s[2]) = (next_w.x, next_w.y, next_w.z);
                    let d = (x[k] - blocks.reference[first + k]).length_squared();
                    // Written so that a distance that is not a number counts as too far.
                    moved |= !matches!(d.partial_cmp(&limit), Some(std::cmp::Ordering::Less));
                }
            }
            moved
        })
        .reduce(|| false, |a, b| a | b)
}

/// Force and torque of every row of block `b`: its own sums, then what earlier blocks left, in their order.
fn gather(blocks: &Blocks, b: usize, force: &mut [DVec3], torque: &mut [DVec3]) {
    let own = &blocks.list[b].sum;
    for k in 0..force.len() {
        let s = &own[k];
        force[k] = DVec3::new(s[0], s[1], s[2]);
        torque[k] = DVec3::new(s[3], s[4], s[5]);
    }
    for &(from, start, end) in &blocks.imports[b] {
        let source = &blocks.list[from as usize];
        for h in start as usize..end as usize {
            let row = source.halo[h] as usize - b * ROWS;
            let s = &source.sum[source.rows + h];
            force[row] += DVec3::new(s[0], s[1], s[2]);
            torque[row] += DVec3::new(s[3], s[4], s[5]);
        }
    }
}

/// The bodies as the kernel reads them, at the end of a step.
pub fn pack(world: &World) -> (Vec<Motion>, Vec<Spin>) {
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
