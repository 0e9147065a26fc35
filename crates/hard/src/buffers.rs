//! The data of a drift, one row per grain.

use glam::DVec3;
use rubblepile_core::{PackedSurface, World};
use rubblepile_geometry::meeting::Clear;

use crate::{grid::CellCrossing, queue::Queue};

/// A grain in flight.
#[derive(Debug, Clone, Copy)]
pub struct FlyingGrain {
    /// At `since`.
    pub position: DVec3,
    /// s from the start of the drift
    pub since: f64,
    pub velocity: DVec3,
    pub radius: f64,
}

impl FlyingGrain {
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        self.position + (t - self.since) * self.velocity
    }
}

/// A grain in flight, in the order of its fields: one cache line, as lanes read it.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct PackedGrain(pub [f64; 8]);

impl From<FlyingGrain> for PackedGrain {
    #[inline]
    fn from(g: FlyingGrain) -> Self {
        let (x, v) = (g.position, g.velocity);
        PackedGrain([x.x, x.y, x.z, g.since, v.x, v.y, v.z, g.radius])
    }
}

impl From<PackedGrain> for FlyingGrain {
    #[inline]
    fn from(PackedGrain([x, y, z, since, u, v, w, radius]): PackedGrain) -> Self {
        FlyingGrain { position: DVec3::new(x, y, z), since, velocity: DVec3::new(u, v, w), radius }
    }
}

/// The other properties of a grain that a collision needs: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Body {
    pub spin: DVec3,
    pub mass: f64,
    pub material: u32,
    /// Number of consecutive collisions without delay.
    pub at_once: u32,
}

/// The next event of a grain.
#[derive(Debug, Clone, Copy)]
pub struct NextEvent {
    pub pair: f64,
    pub partner: u32,
    /// Collision count of the partner when this was found.
    pub partner_met: u32,
    /// A wall or an asteroid: when, which, its face or facet, and the leg of the asteroid when this was found.
    pub wall: f64,
    pub surface: PackedSurface,
    pub face: u32,
    pub leg: u32,
    pub crossing: f64,
    pub into: CellCrossing,
}

impl NextEvent {
    pub const NOTHING: NextEvent = NextEvent {
        pair: f64::INFINITY,
        partner: u32::MAX,
        partner_met: 0,
        wall: f64::INFINITY,
        surface: PackedSurface::FIRST,
        face: 0,
        leg: 0,
        crossing: f64::INFINITY,
        into: CellCrossing { axis: 0, up: true },
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

/// State of a grain at the end of a drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Free,
    /// Moves with a wall, and gives way to nothing: the number of its [`WallAnchor`].
    Held(u32),
    Absorbed,
}

/// The attachment of a grain to a wall.
#[derive(Debug, Clone, Copy)]
pub struct WallAnchor {
    /// Which wall, and where in its frame.
    pub which: usize,
    pub place: DVec3,
}

/// The data of a drift, row by row. Reused from drift to drift to save allocations.
#[derive(Debug, Default)]
pub struct DriftBuffers {
    pub rows: Vec<PackedGrain>,
    pub bodies: Vec<Body>,
    /// Collision count of each grain.
    pub met: Vec<u32>,
    pub fate: Vec<Fate>,
    pub holds: Vec<WallAnchor>,
    pub ahead: Vec<NextEvent>,
    pub queue: Queue,
    /// Collision candidates of a grain.
    pub seen: Vec<u32>,
    /// By asteroid and row, from one drift to the next: where there is no surface. True whichever grain has the row.
    pub clear: Vec<Vec<Clear>>,
}

impl DriftBuffers {
    #[inline]
    pub fn grain(&self, row: usize) -> FlyingGrain {
        self.rows[row].into()
    }

    #[inline]
    pub fn put(&mut self, row: usize, grain: FlyingGrain) {
        self.rows[row] = grain.into();
    }

    /// Adds to a velocity.
    pub fn push(&mut self, row: usize, change: DVec3) {
        let grain = self.grain(row);
        self.put(row, FlyingGrain { velocity: grain.velocity + change, ..grain });
    }

    pub fn fill(&mut self, world: &World) {
        fn all<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
            list.clear();
            list.resize(n, value);
        }
        let b = &world.bodies;
        self.rows.clear();
        self.rows.extend((0..b.len()).map(|k| {
            let (position, velocity, radius) = (b.position[k], b.velocity[k], b.radius[k]);
            PackedGrain::from(FlyingGrain { position, since: 0.0, velocity, radius })
        }));
        self.bodies.clear();
        self.bodies.extend((0..b.len()).map(|k| {
            let (spin, mass, material) = (b.spin[k], b.mass[k], b.material[k]);
            Body { spin, mass, material, at_once: 0 }
        }));
        all(&mut self.met, b.len(), 0);
        self.holds.clear();
        all(&mut self.fate, b.len(), Fate::Free);
        all(&mut self.ahead, b.len(), NextEvent::NOTHING);
        if self.clear.len() != world.asteroids.len() || self.clear.iter().any(|c| c.len() != b.len()) {
            self.clear = vec![vec![Clear::UNKNOWN; b.len()]; world.asteroids.len()];
        }
    }

    /// Puts the grains, at the end of a drift, into the world.
    pub fn write(&self, world: &mut World) {
        for (k, &row) in self.rows.iter().enumerate() {
            let g = FlyingGrain::from(row);
            world.bodies.position[k] = g.position;
            world.bodies.velocity[k] = g.velocity;
            world.bodies.spin[k] = self.bodies[k].spin;
        }
    }
}
