//! Broad phase: the neighbour list, rebuilt when a body has moved too far.

use glam::DVec3;
use rubblepile_core::World;
use rubblepile_geometry::{PairList, find_pairs};

use crate::detection::{ContactParameters, DetectionRange};

/// Margin of the list over the smallest radius.
const SKIN: f64 = 0.2;

#[derive(Debug, Default)]
pub struct Candidates {
    pub list: PairList,
    /// Where the bodies were when it was made, and the margin it was made with.
    origin: Vec<DVec3>,
    margin: f64,
    /// For solids: how far each body's surface may have come since the list was made, m.
    pub travel: Vec<f64>,
    /// For each pair: their distance when last found apart, plus how far both had come by then. No pair is tested
    /// twice that cannot have come near; what is found does not depend on it.
    pub clear: Vec<f64>,
}

impl Candidates {
    /// Rebuilds the list if it may have missed a pair; returns whether it did.
    pub fn update(&mut self, world: &World, reach: &DetectionRange, laws: &[ContactParameters]) -> bool {
        let needed = farthest_reach(world, reach, laws);
        let x = &world.bodies.position;
        self.carry_on(world);
        if self.origin.len() == x.len() {
            let moved =
                x.iter().zip(&self.origin).map(|(x, o)| (*x - *o).length_squared()).fold(0.0, f64::max);
            if 2.0 * moved.sqrt() + needed <= self.margin {
                return false;
            }
        }
        let smallest = world.bodies.radius.iter().copied().fold(f64::INFINITY, f64::min);
        self.margin = SKIN * smallest + 2.0 * needed;
        self.list = find_pairs(x, &world.bodies.radius, self.margin, &world.domain);
        self.origin.clone_from(x);
        let solids = !world.only_spheres();
        self.travel = vec![0.0; if solids { x.len() } else { 0 }];
        self.clear = vec![f64::NEG_INFINITY; if solids { self.list.partner.len() } else { 0 }];
        true
    }

    /// Adds the way of the last step: from one look to the next a body keeps its velocity.
    fn carry_on(&mut self, world: &World) {
        let (b, h) = (&world.bodies, world.clock.timestep);
        for (k, travel) in self.travel.iter_mut().enumerate() {
            let mut speed = b.velocity[k].length();
            if b.shape[k] != 0 {
                // A tumbling body turns faster at times, but not more than its moments differ.
                let uneven = b.inertia[k].max_element() / b.inertia[k].min_element();
                speed += uneven * b.spin[k].length() * b.radius[k];
            }
            *travel += h * speed;
        }
    }
}

/// The largest gap at which any two bodies may count as near now.
fn farthest_reach(world: &World, reach: &DetectionRange, laws: &[ContactParameters]) -> f64 {
    let b = &world.bodies;
    let mean = b.centre_of_mass().1;
    let fastest = b.velocity.iter().map(|v| (*v - mean).length_squared()).fold(0.0, f64::max).sqrt();
    let turning = (0..b.len())
        .filter(|&k| b.shape[k] != 0)
        .map(|k| b.spin[k].length() * b.radius[k])
        .fold(0.0, f64::max);
    let largest = b.radius.iter().copied().fold(0.0, f64::max);
    laws.iter().map(|law| reach.of(largest, 2.0 * (fastest + turning), law)).fold(0.0, f64::max)
}
