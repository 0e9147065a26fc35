//! What a drift knows of every grain.

use glam::DVec3;
use rubblepile_core::World;

use crate::{grid::Crossing, queue::Queue};

/// A grain in flight: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Grain {
    /// At `since`.
    pub position: DVec3,
    /// s from the start of the drift
    pub since: f64,
    pub velocity: DVec3,
    pub radius: f64,
}

impl Grain {
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        self.position + (t - self.since) * self.velocity
    }
}

/// What a grain meets next.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    pub pair: f64,
    pub partner: u32,
    /// How many times the partner had met something when this was found.
    pub partner_met: u32,
    pub wall: f64,
    pub which: u32,
    pub face: u32,
    pub crossing: f64,
    pub into: Crossing,
}

impl Ahead {
    pub const NOTHING: Ahead = Ahead {
        pair: f64::INFINITY,
        partner: u32::MAX,
        partner_met: 0,
        wall: f64::INFINITY,
        which: 0,
        face: 0,
        crossing: f64::INFINITY,
        into: Crossing { axis: 0, up: true },
    };

    pub fn first(&self) -> f64 {
        self.pair.min(self.wall).min(self.crossing)
    }

    /// Takes a meeting with another grain in, if it is the first. Of several at once the one with the lowest row, in whatever
    /// order they are seen.
    #[inline]
    pub fn consider(&mut self, t: f64, partner: u32, partner_met: u32) {
        if t < self.pair || (t == self.pair && partner < self.partner) {
            (self.pair, self.partner, self.partner_met) = (t, partner, partner_met);
        }
    }
}

/// How a grain ends a drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Free,
    /// Moves with a wall, and gives way to nothing: the number of its [`Hold`].
    Held(u32),
    Absorbed,
}

/// How a wall has a grain.
#[derive(Debug, Clone, Copy)]
pub struct Hold {
    /// Which wall, and where in its frame.
    pub which: usize,
    pub place: DVec3,
}

/// What a drift knows of every grain. Kept from one to the next, so that short ones need not ask for it.
#[derive(Debug, Default)]
pub struct Memory {
    pub grains: Vec<Grain>,
    pub spin: Vec<DVec3>,
    /// How many times each has met something.
    pub met: Vec<u32>,
    /// How many times in a row it has met something at once after the time before.
    pub at_once: Vec<u32>,
    pub fate: Vec<Fate>,
    pub holds: Vec<Hold>,
    pub ahead: Vec<Ahead>,
    pub queue: Queue,
}

impl Memory {
    pub fn fill(&mut self, world: &World) {
        fn all<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
            list.clear();
            list.resize(n, value);
        }
        let b = &world.bodies;
        self.grains.clear();
        self.grains.extend((0..b.len()).map(|k| Grain {
            position: b.position[k],
            since: 0.0,
            velocity: b.velocity[k],
            radius: b.radius[k],
        }));
        self.spin.clone_from(&b.spin);
        all(&mut self.met, b.len(), 0);
        all(&mut self.at_once, b.len(), 0);
        self.holds.clear();
        all(&mut self.fate, b.len(), Fate::Free);
        all(&mut self.ahead, b.len(), Ahead::NOTHING);
    }

    /// Puts the grains, at the end of a drift, into the world.
    pub fn write(&self, world: &mut World) {
        for (k, g) in self.grains.iter().enumerate() {
            world.bodies.position[k] = g.position;
            world.bodies.velocity[k] = g.velocity;
        }
        world.bodies.spin.copy_from_slice(&self.spin);
    }
}
