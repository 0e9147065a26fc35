//! One drift: all grains fly straight, and every collision of this time is carried out in its turn.
//!
//! Each grain has one entry in the queue: the first of what it would meet next among its neighbours, the walls, and the
//! face of its cell. A collision makes new entries for the two that met and touches nobody else: an entry of a third
//! grain that was to meet one of them is found to be out of date (the partner has met something since) when its turn comes, and
//! is made anew then. It cannot hide an earlier collision: all that was later than it when it was made is still later or
//! was found by the partner whose path has changed.
//!
//! Velocities in a drift are those in the middle of the step (kick, drift, kick): grains fly along the chords of their
//! parabolas. Two grains that fall alike meet at the same time on chords and on parabolas. A wall does not fall with them, and
//! is met on the parabola, with the velocity of the moment `v + a (t - h/2)`: a bounce in a uniform field then keeps the
//! energy exactly, whatever the step.
//!
//! What a collision does is in `resolve`.

use glam::DVec3;
use rubblepile_core::{
    Domain, Error, Result, Surface, Wall, World,
    simd::{dispatch, prefetch},
    wall::{Held, Pose, WallTally},
};
use rubblepile_geometry::meeting::{Path, Target, meet};

use crate::{
    bounce::Restitution,
    grid::{Crossing, Grid},
    lists::Lists,
    memory::{Ahead, Fate, Grain, Hold, Memory},
    sight::Sight,
};

/// Collisions at one and the same moment, for each grain, after which the clock is said to stand still.
const STANDSTILL: u64 = 10_000;
/// How many events ahead memory is asked for a grain and for its cells.
const FAR: usize = 12;
const NEAR: usize = 6;

/// What happened in a drift.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub grain_collisions: u64,
    pub wall_collisions: u64,
    /// Of both, those below the rest speed.
    pub slow: u64,
    pub crossings: u64,
    /// Kinetic energy lost along the normal and along the surface, and work done by walls, J.
    pub lost_normal: f64,
    pub lost_tangential: f64,
    pub wall_work: f64,
}

/// What a drift needs to know besides the grains.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub domain: Domain,
    pub walls: &'a [Wall],
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

/// Where a grain looks for others.
pub enum Near<'a> {
    /// In the cells around its own. It may fly as far as it likes.
    Cells(Grid),
    /// In its list, as long as it stays within the leash of its place at the start.
    Lists { lists: &'a Lists, leash: f64 },
}

impl Near<'_> {
    pub fn cells(world: &World) -> Self {
        let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
        Near::Cells(Grid::new(world.bodies.position.iter().copied(), 2.0 * largest, &world.domain))
    }
}

/// A grain that a wall has caught, as it was from then on.
pub struct Caught {
    pub held: Held,
    pub position: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
}

/// What came of a drift.
pub struct End {
    pub memory: Memory,
    pub caught: Vec<Caught>,
    pub absorbed: Vec<u32>,
    pub walls: Vec<WallTally>,
    pub tally: Tally,
}

pub struct Drift<'a> {
    pub scene: Scene<'a>,
    /// Periods and one over them; zero along open axes.
    period: (DVec3, DVec3),
    pub memory: Memory,
    pub caught: Vec<Caught>,
    pub absorbed: Vec<u32>,
    pub walls: Vec<WallTally>,
    targets: Vec<Target<'a>>,
    /// Where walls are at the end.
    pub ends: Vec<Pose>,
    /// Positions at the start.
    start: &'a [DVec3],
    pub id: &'a [u64],
    pub mass: &'a [f64],
    pub material: &'a [u32],
    pub near: Near<'a>,
    /// Whether a grain has left its leash.
    strayed: bool,
    /// Nobody is held or absorbed: fates, which would be another place in memory to look at, need no look.
    pub all_free: bool,
    pub now: f64,
    pub tally: Tally,
}

impl<'a> Drift<'a> {
    pub fn new(world: &'a World, scene: Scene<'a>, near: Near<'a>, mut memory: Memory) -> Self {
        let b = &world.bodies;
        memory.fill(world);
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let period = scene.domain.period();
        let period = (DVec3::from_array(period.to_array().map(finite)), 1.0 / period);
        let walls = scene.walls.iter().map(|w| WallTally { wall: w.id, ..WallTally::default() }).collect();
        let end = scene.start + scene.h;
        let mut drift = Drift {
            period,
            memory,
            caught: Vec::new(),
            absorbed: Vec::new(),
            walls,
            targets: scene.walls.iter().map(Target::new).collect(),
            ends: scene.walls.iter().map(|w| w.pose(end)).collect(),
            scene,
            start: &b.position,
            id: &b.id,
            mass: &b.mass,
            material: &b.material,
            near,
            strayed: false,
            all_free: true,
            now: 0.0,
            tally: Tally::default(),
        };
        for &(row, held) in drift.scene.held {
            drift.hold(row as usize, held);
        }
        match drift.near {
            Near::Cells(_) => {
                for k in 0..b.len() as u32 {
                    drift.memory.ahead[k as usize] = drift.look_ahead(k);
                }
            }
            Near::Lists { lists, .. } => drift.look_ahead_for_all(lists),
        }
        let Memory { queue, ahead, .. } = &mut drift.memory;
        queue.fill(ahead.iter().map(Ahead::first), scene.h);
        drift
    }

    /// As [`Drift::look_ahead`] for every grain, with each pair looked at once.
    fn look_ahead_for_all(&mut self, lists: &Lists) {
        for k in 0..self.memory.rows.len() as u32 {
            let me = self.memory.grain(k as usize);
            let mut mine = self.memory.ahead[k as usize];
            for &j in lists.above(k) {
                let t = self.pair_time(k, &me, me.position, j);
                if t.is_finite() {
                    mine.consider(t, j, 0);
                    self.memory.ahead[j as usize].consider(t, k, 0);
                }
            }
            self.look_for_walls(k as usize, &mut mine);
            self.memory.ahead[k as usize] = mine;
        }
    }

    /// Carries out everything up to the end of the drift. Should a grain leave its leash, lists cannot say whom it meets: the
    /// drift comes to nothing, and gives back its memory.
    pub fn run(mut self) -> Result<std::result::Result<End, Memory>> {
        let h = self.scene.h;
        let mut moment = (0.0, 0u64);
        loop {
            if self.strayed {
                return Ok(Err(self.memory));
            }
            let Some((time, k)) = self.memory.queue.take() else { break };
            let ahead = self.memory.ahead[k as usize];
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
            if moment.1 > STANDSTILL * self.memory.rows.len() as u64 {
                return Err(Error::Standstill { time: self.scene.start + time, collisions: moment.1 });
            }
        }
        for row in &mut self.memory.rows {
            let g = Grain::from(*row);
            *row = Grain { position: g.at(h), ..g }.into();
        }
        Ok(Ok(End {
            memory: self.memory,
            caught: self.caught,
            absorbed: self.absorbed,
            walls: self.walls,
            tally: self.tally,
        }))
    }

    /// Asks for what the next events will read: by then it is here. They are anywhere in the world, and so in memory.
    #[inline]
    fn read_ahead(&self) {
        let Memory { queue, rows, ahead, .. } = &self.memory;
        let Near::Cells(grid) = &self.near else { return };
        if let Some((_, k)) = queue.soon(FAR) {
            prefetch(ahead, k as usize);
            prefetch(rows, k as usize);
            grid.ask_for_place(k);
        }
        if let Some((time, k)) = queue.soon(NEAR)
            && ahead[k as usize].first() == time
        {
            grid.ask_for_cells(k);
        }
    }

    /// Notes it if a grain leaves its leash: where it ends tells, since its path up to now did not.
    pub fn watch(&mut self, row: usize) {
        if let Near::Lists { leash, .. } = self.near {
            let end = self.memory.grain(row).at(self.scene.h);
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

    /// When two grains meet, eq. (3); infinite past the end of the drift.
    #[inline(always)]
    fn pair_time(&self, k: u32, a: &Grain, at: DVec3, j: u32) -> f64 {
        if !self.all_free {
            match (self.memory.fate[k as usize], self.memory.fate[j as usize]) {
                (Fate::Held(_), Fate::Held(_)) | (_, Fate::Absorbed) => return f64::INFINITY,
                (Fate::Held(hold), _) if self.scene.curvilinear => return self.time_to_held(j, k, hold),
                (_, Fate::Held(hold)) if self.scene.curvilinear => return self.time_to_held(k, j, hold),
                _ => {}
            }
        }
        let b = self.memory.grain(j as usize);
        let rho = self.between(at, b.at(self.now));
        let v = b.velocity - a.velocity;
        let rv = rho.dot(v);
        if rv >= 0.0 {
            return f64::INFINITY;
        }
        match meet(rho.length_squared(), rv, v.length_squared(), a.radius + b.radius, self.scene.h - self.now)
        {
            Some(t) => self.now + t,
            None => f64::INFINITY,
        }
    }

    /// All that is ahead of a grain from now on.
    fn look_ahead(&mut self, k: u32) -> Ahead {
        let mut ahead = Ahead::NOTHING;
        self.look_for_grains(k, &mut ahead);
        self.look_for_walls(k as usize, &mut ahead);
        ahead
    }

    /// The parabola of a grain's fall, from now on.
    fn path(&self, row: usize) -> Path {
        let me = self.memory.grain(row);
        Path {
            position: me.at(self.now) + self.sag(row),
            velocity: me.velocity + self.kick(row),
            acceleration: self.acceleration(row),
            radius: me.radius,
            within: self.scene.h - self.now,
        }
    }

    /// When a grain meets one that a wall holds, along the true paths of both: for the centre of the grain, what is held is a
    /// point of the wall with the two radii about it.
    fn time_to_held(&self, row: u32, held: u32, hold: u32) -> f64 {
        let Hold { which, place } = self.memory.holds[hold as usize];
        let surface = Surface::Cylinder { centre: place, axis: DVec3::Z, radius: 0.0, length: Some(0.0) };
        let point = Wall { surface, name: String::new(), ..self.scene.walls[which] };
        let mut path = self.path(row as usize);
        let held = self.memory.grain(held as usize);
        path.radius += held.radius;
        // The image that is near.
        let there = held.at(self.now);
        path.position = there + self.between(there, path.position);
        match Target::new(&point).first_touch(self.scene.start + self.now, &path) {
            Some((t, _)) => self.now + t,
            None => f64::INFINITY,
        }
    }

    pub fn look_for_grains(&mut self, k: u32, ahead: &mut Ahead) {
        let mut me = self.memory.grain(k as usize);
        (me.position, me.since) = (me.at(self.now), self.now);
        if let Near::Lists { lists, .. } = self.near {
            self.see(k, me, lists.of(k), ahead);
            return;
        }
        let mut seen = std::mem::take(&mut self.memory.seen);
        if let Near::Cells(grid) = &self.near {
            self.see(k, me, grid.around(k, &mut seen), ahead);
            let (t, into) = grid.crossing(k, me.position, me.velocity);
            (ahead.crossing, ahead.into) = (self.now + t, into);
        }
        self.memory.seen = seen;
    }

    /// Whom of these a grain, which is as it is now, meets first.
    fn see(&self, k: u32, me: Grain, others: &[u32], ahead: &mut Ahead) {
        for &j in others {
            prefetch(&self.memory.rows, j as usize);
        }
        if self.all_free {
            let (now, end) = (self.now, self.scene.h);
            let sight = Sight { rows: &self.memory.rows, me, others, now, end, period: self.period };
            let (t, j) = dispatch(sight);
            if t.is_finite() {
                ahead.consider(t, j, self.memory.met[j as usize]);
            }
            return;
        }
        for &j in others.iter().filter(|&&j| j != k) {
            let t = self.pair_time(k, &me, me.position, j);
            if t.is_finite() {
                ahead.consider(t, j, self.memory.met[j as usize]);
            }
        }
    }

    fn look_for_walls(&self, row: usize, ahead: &mut Ahead) {
        if matches!(self.memory.fate[row], Fate::Held(_)) {
            return;
        }
        let lists = match self.near {
            Near::Lists { lists, .. } if !lists.touches_walls(row) => return,
            Near::Lists { lists, .. } => Some(lists),
            Near::Cells(_) => None,
        };
        let path = self.path(row);
        for (which, wall) in self.targets.iter().enumerate() {
            if lists.is_none_or(|lists| lists.may_touch(row, which))
                && let Some((t, face)) = wall.first_touch(self.scene.start + self.now, &path)
                && self.now + t < ahead.wall
            {
                (ahead.wall, ahead.which, ahead.face) = (self.now + t, which as u32, face);
            }
        }
    }

    /// The grain's path has changed: everything ahead is new.
    pub fn look_again(&mut self, k: u32) {
        self.watch(k as usize);
        let ahead = self.look_ahead(k);
        self.set(k, ahead);
    }

    pub fn set(&mut self, k: u32, ahead: Ahead) {
        self.memory.ahead[k as usize] = ahead;
        self.memory.queue.set(k, ahead.first());
    }

    fn cross(&mut self, k: u32, into: Crossing) {
        let Near::Cells(grid) = &mut self.near else { return };
        self.tally.crossings += 1;
        grid.cross(k, into);
        let mut me = self.memory.grain(k as usize);
        (me.position, me.since) = (me.at(self.now), self.now);
        let mut ahead = self.memory.ahead[k as usize];
        let mut seen = std::mem::take(&mut self.memory.seen);
        if let Near::Cells(grid) = &self.near {
            self.see(k, me, grid.ahead(k, into, &mut seen), &mut ahead);
            let (t, into) = grid.crossing(k, me.position, me.velocity);
            (ahead.crossing, ahead.into) = (self.now + t, into);
        }
        self.memory.seen = seen;
        self.set(k, ahead);
    }

    fn acceleration(&self, row: usize) -> DVec3 {
        if matches!(self.memory.fate[row], Fate::Held(_)) {
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
