//! Where energy goes in a sub-step: heat of damping and friction, and what walls that move bring in.

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    sample::{NodePartner, Sample},
    step::NodalState,
};

/// J per metre of depth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// Heat of damping.
    pub inside: f64,
    /// Heat of friction.
    pub sliding: f64,
    /// Work of walls on grains.
    pub wall_work: f64,
}

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        self.inside += other.inside;
        self.sliding += other.sliding;
        self.wall_work += other.wall_work;
    }
}

impl Losses {
    /// From one state to the next, `h` later. Walls are where they are at the end. What damps goes with the mean velocity, as in the
    /// trapezoidal rule of eqs (25), (26); forces of contact are the mean of those before and after.
    pub fn between(sample: &Sample, from: &NodalState, to: &NodalState, h: f64, reach: f64) -> Self {
        let moves: Vec<DVec2> =
            to.displacement.iter().zip(&from.displacement).map(|(b, a)| *b - *a).collect();
        let before = at_contacts(sample, from, &moves, reach);
        let after = at_contacts(sample, to, &moves, reach);
        Losses {
            inside: damped(sample, from, &moves, h),
            sliding: 0.5 * (before.sliding + after.sliding),
            wall_work: 0.5 * (before.wall_work + after.wall_work),
        }
    }
}

/// Heat of damping while nodes move. (Of the Green-Lagrange strain all of the change is that of its rate half way.)
fn damped(sample: &Sample, from: &NodalState, moves: &[DVec2], h: f64) -> f64 {
    let of_grain = |g: usize| {
        let nodes = sample.nodes_of(g);
        let damping = sample.grains[g].damping;
        let moves = &moves[nodes.clone()];
        let half: Vec<DVec2> =
            from.displacement[nodes].iter().zip(moves).map(|(u, d)| *u + 0.5 * *d).collect();
        sample.grains[g].bulk.damped(&half, moves, (damping.stiffness, damping.viscous))
    };
    let inner: Vec<f64> = (0..sample.grains.len()).into_par_iter().map(of_grain).collect();
    let (momentum, _) = sample.mass_times(moves, moves);
    let slowed: f64 = sample.slowed(&momentum).iter().zip(moves).map(|(p, d)| p.dot(*d)).sum();
    (inner.iter().sum::<f64>() + slowed) / h
}

/// What the forces of contact in a state do along moves of the nodes, and of the walls.
fn at_contacts(sample: &Sample, state: &NodalState, moves: &[DVec2], reach: f64) -> Losses {
    let positions = sample.positions(&state.displacement);
    let mut sum = Losses::default();
    for watch in state.watches.iter().filter(|w| w.hold.pressure != 0.0) {
        let Some(touch) = sample.touch(watch, &positions, moves, reach) else { continue };
        let element = sample.element(watch, &touch, (watch.hold.pressure, 0.0), &positions, moves);
        let wall = match watch.partner {
            NodePartner::Wall(w) => sample.walls[w as usize].moved,
            NodePartner::Grain(_) => DVec2::ZERO,
        };
        // Of an element the second node is the one that is pressed, and that a wall pushes.
        sum.wall_work += element.force[1].dot(wall);
        if watch.hold.traction != 0.0 {
            let (nodes, count) = sample.element_nodes(watch, &touch);
            let masters = nodes[..count].iter().skip(3).zip(touch.shares());
            let slip =
                masters.fold(moves[nodes[1]] - wall, |slip, (node, share)| slip - share * moves[*node]);
            let push = watch.hold.pressure * element.length * touch.normal();
            sum.sliding -= (element.force[1] - push).dot(slip);
        }
    }
    sum
}
