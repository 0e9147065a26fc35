//! One drift: grains fly straight, and collisions are resolved one by one in order of time.
//!
//! Each grain has one entry in the queue that holds: the first of what it would meet next among its neighbours, the walls, and the
//! face of its cell. A collision makes new entries for the two that met and changes no others: an entry of a third
//! grain that was to meet one of them is found to be out of date (the partner has met something since) when its turn comes, and
//! is renewed then. It cannot hide an earlier collision: all that was later than it when it was made is still later or
//! was found by the partner whose path has changed.
//!
//! Velocities in a drift are those in the middle of the step (kick, drift, kick): grains fly along the chords of their
//! parabolas. Two grains that fall alike meet at the same time on chords and on parabolas. A wall does not fall with them, and
//! is met on the parabola, with the velocity of the moment `v + a (t - h/2)`: a bounce in a uniform field then keeps the
//! energy exactly, whatever the step.
//!
//! Asteroids fall, too, and give way: when they are met, on the parabolas of both, and what that does is in `ground` and `flight`.
//!
//! `predict` finds the next event of a grain; `resolve` carries out collisions.

use glam::DVec3;
use rubblepile_core::{
    Asteroid, Domain, Error, Result, Wall, World,
    wall::{
        Pose,
        catch::{Held, WallTally},
    },
};
use rubblepile_geometry::{meeting::MovingWall, mesh::Surfaces};

use crate::{
    bounce::Restitution,
    buffers::{DriftBuffers, Fate, FlyingGrain, NextEvent},
    flight::Flight,
    grid::CellGrid,
    lists::Lists,
};

/// Collisions at one and the same moment, for each grain, after which the clock is said to stand still.
const STANDSTILL: u64 = 10_000;

/// Counts and energies of a drift.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub grain_collisions: u64,
    pub wall_collisions: u64,
    pub asteroid_collisions: u64,
    /// Of all, those below the rest speed.
    pub slow: u64,
    pub crossings: u64,
    /// Kinetic energy lost along the normal and along the surface, and work done by walls, J.
    pub lost_normal: f64,
    pub lost_tangential: f64,
    pub wall_work: f64,
}

/// The inputs of a drift besides the grains.
#[derive(Clone, Copy)]
pub struct DriftContext<'a> {
    pub domain: Domain,
    pub walls: &'a [Wall],
    pub asteroids: &'a [Asteroid],
    /// Of the asteroids.
    pub surfaces: &'a Surfaces,
    /// World time at the start of the drift.
    pub start: f64,
    /// Length of the drift.
    pub h: f64,
    /// By pair of materials.
    pub restitution: &'a [Restitution],
    pub materials: usize,
    pub rest_speed: f64,
    /// Of every row, or empty.
    pub acceleration: &'a [DVec3],
    /// Rows that walls hold, with their places in the wall's frame.
    pub held: &'a [(u32, Held)],
    /// Whether what is held is met on its true path, and not on the chord of the drift.
    pub curvilinear: bool,
}

/// How collision candidates of a grain are found.
pub enum BroadPhase<'a> {
    /// In the cells around its own. It may fly as far as it likes.
    Cells(CellGrid),
    /// In its list, as long as it stays within the leash of its place at the start.
    Lists { lists: &'a Lists, leash: f64 },
}

impl BroadPhase<'_> {
    pub fn cells(world: &World) -> Self {
        let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
        BroadPhase::Cells(CellGrid::new(world.bodies.position.iter().copied(), 2.0 * largest, &world.domain))
    }
}

/// The asteroids of a world at the start of a drift.
pub fn flights(world: &World, h: f64) -> Vec<Flight> {
    let on = &world.rates.field_on_asteroids;
    world.asteroids.iter().enumerate().map(|(k, asteroid)| Flight::new(asteroid, on.get(k), h)).collect()
}

/// A grain that a wall has caught, as it was from then on.
pub struct Caught {
    pub held: Held,
    pub position: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
}

/// The result of a drift.
pub struct End {
    pub buffers: DriftBuffers,
    pub caught: Vec<Caught>,
    pub absorbed: Vec<u32>,
    pub walls: Vec<WallTally>,
    pub flights: Vec<Flight>,
    pub tally: Tally,
}

pub struct Drift<'a> {
    pub scene: DriftContext<'a>,
    /// Periods and one over them; zero along open axes.
    pub period: (DVec3, DVec3),
    pub buffers: DriftBuffers,
    pub caught: Vec<Caught>,
    pub absorbed: Vec<u32>,
    pub walls: Vec<WallTally>,
    pub targets: Vec<MovingWall<'a>>,
    /// The asteroids, and the radius of the smallest grain where there are any.
    pub flights: Vec<Flight>,
    pub smallest: f64,
    /// A grain that is inside an asteroid.
    pub inside: Option<(usize, usize)>,
    /// Positions of the walls at the end.
    pub ends: Vec<Pose>,
    /// Positions at the start.
    start: &'a [DVec3],
    pub id: &'a [u64],
    pub broad_phase: BroadPhase<'a>,
    /// Whether a grain has left its leash.
    strayed: bool,
    /// No grain is held or absorbed, so that fates need not be loaded from memory.
    pub all_free: bool,
    pub now: f64,
    pub tally: Tally,
}

impl<'a> Drift<'a> {
    pub fn new(
        world: &'a World,
        scene: DriftContext<'a>,
        broad_phase: BroadPhase<'a>,
        mut buffers: DriftBuffers,
    ) -> Self {
        let b = &world.bodies;
        buffers.fill(world);
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let period = scene.domain.period();
        let period = (DVec3::from_array(period.to_array().map(finite)), 1.0 / period);
        let walls = scene.walls.iter().map(|w| WallTally { wall: w.id, ..WallTally::default() }).collect();
        let end = scene.start + scene.h;
        let flights = flights(world, scene.h);
        let smallest = match flights.is_empty() {
            true => 0.0,
            false => b.radius.iter().copied().fold(f64::INFINITY, f64::min),
        };
        let mut drift = Drift {
            period,
            buffers,
            caught: Vec::new(),
            absorbed: Vec::new(),
            walls,
            targets: scene.walls.iter().map(MovingWall::new).collect(),
            flights,
            smallest,
            inside: None,
            ends: scene.walls.iter().map(|w| w.pose(end)).collect(),
            scene,
            start: &b.position,
            id: &b.id,
            broad_phase,
            strayed: false,
            all_free: true,
            now: 0.0,
            tally: Tally::default(),
        };
        for &(row, held) in drift.scene.held {
            drift.hold(row as usize, held);
        }
        match drift.broad_phase {
            BroadPhase::Cells(_) => {
                for k in 0..b.len() as u32 {
                    drift.buffers.ahead[k as usize] = drift.predict(k);
                }
            }
            BroadPhase::Lists { lists, .. } => drift.predict_all(lists),
        }
        let DriftBuffers { queue, ahead, .. } = &mut drift.buffers;
        queue.fill(ahead.iter().map(NextEvent::first), scene.h);
        drift
    }

    /// Carries out everything up to the end of the drift. Should a grain leave its leash, lists cannot say whom it meets: the
    /// drift comes to nothing, and gives back its memory.
    pub fn run(mut self) -> Result<std::result::Result<End, DriftBuffers>> {
        let h = self.scene.h;
        let mut moment = (0.0, 0u64);
        loop {
            if self.strayed {
                return Ok(Err(self.buffers));
            }
            if let Some((row, which)) = self.inside {
                let (id, asteroid) = (self.id[row], self.scene.asteroids[which].name.clone());
                return Err(Error::Inside { id, asteroid, time: self.scene.start + self.now });
            }
            let Some((time, k)) = self.buffers.queue.take() else { break };
            let ahead = self.buffers.ahead[k as usize];
            if ahead.first() != time {
                // Something came in between, and this never happens.
                continue;
            }
            self.read_ahead();
            self.now = time;
            if ahead.crossing == time && ahead.pair > time && ahead.wall > time {
                self.cross(k, ahead.into);
                continue;
            }
            if ahead.pair == time {
                self.meet_grain(k, ahead);
            } else {
                self.meet_wall(k, ahead);
            }
            moment = if time > moment.0 { (time, 0) } else { (time, moment.1 + 1) };
            if moment.1 > STANDSTILL * self.buffers.rows.len() as u64 {
                return Err(Error::Standstill { time: self.scene.start + time, collisions: moment.1 });
            }
        }
        for row in &mut self.buffers.rows {
            let g = FlyingGrain::from(*row);
            *row = FlyingGrain { position: g.at(h), ..g }.into();
        }
        Ok(Ok(End {
            buffers: self.buffers,
            caught: self.caught,
            absorbed: self.absorbed,
            walls: self.walls,
            flights: self.flights,
            tally: self.tally,
        }))
    }

    /// Notes it if a grain leaves its leash: where it ends tells, since its path up to now did not.
    pub fn watch(&mut self, row: usize) {
        if let BroadPhase::Lists { leash, .. } = self.broad_phase {
            let end = self.buffers.grain(row).at(self.scene.h);
            self.strayed |= end.distance_squared(self.start[row]) > leash * leash;
        }
    }

    /// From `a` to the nearest image of `b`.
    #[inline]
    pub fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        // Adding and taking away 1.5 * 2^52 rounds to whole numbers, without a call.
        const WHOLE: DVec3 = DVec3::splat(6755399441055744.0);
        let d = b - a;
        if self.scene.domain == Domain::Open {
            return d;
        }
        d - self.period.0 * (d * self.period.1 + WHOLE - WHOLE)
    }

    pub fn set(&mut self, k: u32, ahead: NextEvent) {
        self.buffers.ahead[k as usize] = ahead;
        self.buffers.queue.set(k, ahead.first());
    }

    /// State of a grain so far.
    #[inline]
    pub fn fate(&self, row: usize) -> Fate {
        if self.all_free { Fate::Free } else { self.buffers.fate[row] }
    }

    pub fn acceleration(&self, row: usize) -> DVec3 {
        if matches!(self.fate(row), Fate::Held(_)) {
            return DVec3::ZERO;
        }
        self.scene.acceleration.get(row).copied().unwrap_or(DVec3::ZERO)
    }

    /// What the velocity of the moment is more than that of the drift.
    pub fn kick(&self, row: usize) -> DVec3 {
        (self.now - 0.5 * self.scene.h) * self.acceleration(row)
    }

    /// From the chord of the drift to the parabola of the fall.
    pub fn sag(&self, row: usize) -> DVec3 {
        0.5 * self.now * (self.now - self.scene.h) * self.acceleration(row)
    }
}
