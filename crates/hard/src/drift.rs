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
//! **Rest.** Grains that come to rest would collide ever faster (inelastic collapse). Collisions below a rest speed part
//! with that speed along the normal: a grain at rest trembles, by `v^2 / 2g`, and the clock goes on. What that puts in is taken
//! out again by collisions above it. Tangential restitution stays,
//! but for collisions that follow another one of the same grain almost at once: between three that touch, what one
//! contact takes along its surface is the others' normal motion, and they would go on without time passing. The same happens
//! at any speed to a grain that something pushes into a wedge: after some tens of collisions at once it is smooth too. Slow
//! collisions are counted. Grains that lose nothing (a restitution of 1) need none of this, and get none.

use glam::DVec3;
use rubblepile_core::{
    Domain, Error, Result, Touch, Wall, World,
    wall::{Held, Pose, WallTally},
};
use rubblepile_geometry::{
    meeting::{Path, Target, meet},
    walls::nearest_at,
};

use crate::{
    bounce::{Restitution, impulse, spin_change},
    grid::{Crossing, Grid},
    lists::Lists,
    queue::Queue,
};

/// Time after a collision in which the next slow one is elastic along the surface too, over the step.
const AT_ONCE: f64 = 0.01;
/// Collisions of a grain, each at once after the one before, from which on it is smooth.
const WEDGED: u32 = 32;
/// Collisions at one and the same moment, for each grain, after which the clock is said to stand still.
const STANDSTILL: u64 = 10_000;

/// A grain in flight: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Grain {
    /// At `since`.
    position: DVec3,
    /// s from the start of the drift
    since: f64,
    velocity: DVec3,
    radius: f64,
}

impl Grain {
    #[inline]
    fn at(&self, t: f64) -> DVec3 {
        self.position + (t - self.since) * self.velocity
    }
}

/// What a grain meets next.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    pair: f64,
    partner: u32,
    /// How many times the partner had met something when this was found.
    partner_met: u32,
    wall: f64,
    which: u32,
    face: u32,
    crossing: f64,
    into: Crossing,
}

impl Ahead {
    const NOTHING: Ahead = Ahead {
        pair: f64::INFINITY,
        partner: u32::MAX,
        partner_met: 0,
        wall: f64::INFINITY,
        which: 0,
        face: 0,
        crossing: f64::INFINITY,
        into: Crossing { axis: 0, up: true },
    };

    fn first(&self) -> f64 {
        self.pair.min(self.wall).min(self.crossing)
    }

    /// Takes a meeting with another grain in, if it is the first. Of several at once the one with the lowest row, in whatever
    /// order they are seen.
    #[inline]
    fn consider(&mut self, t: f64, partner: u32, partner_met: u32) {
        if t < self.pair || (t == self.pair && partner < self.partner) {
            (self.pair, self.partner, self.partner_met) = (t, partner, partner_met);
        }
    }
}

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
}

/// How a grain ends a drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Free,
    /// Moves with a wall, and gives way to nothing.
    Held,
    Absorbed,
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

/// What a drift knows of every grain. Kept from one to the next, so that short ones need not ask for it.
#[derive(Debug, Default)]
pub struct Memory {
    grains: Vec<Grain>,
    spin: Vec<DVec3>,
    /// How many times each has met something.
    met: Vec<u32>,
    /// How many times in a row it has met something at once after the time before.
    at_once: Vec<u32>,
    fate: Vec<Fate>,
    ahead: Vec<Ahead>,
    queue: Queue,
}

impl Memory {
    fn fill(&mut self, world: &World) {
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

/// What came of a drift.
pub struct End {
    pub memory: Memory,
    /// Rows that a wall has caught, and how.
    pub caught: Vec<(u32, Held)>,
    pub absorbed: Vec<u32>,
    pub walls: Vec<WallTally>,
    pub tally: Tally,
}

pub struct Drift<'a> {
    scene: Scene<'a>,
    /// Periods and one over them; zero along open axes.
    period: (DVec3, DVec3),
    memory: Memory,
    caught: Vec<(u32, Held)>,
    absorbed: Vec<u32>,
    walls: Vec<WallTally>,
    targets: Vec<Target<'a>>,
    /// Where walls are at the end.
    ends: Vec<Pose>,
    /// Positions at the start.
    start: &'a [DVec3],
    mass: &'a [f64],
    material: &'a [u32],
    near: Near<'a>,
    /// Whether a grain has left its leash.
    strayed: bool,
    now: f64,
    tally: Tally,
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
            mass: &b.mass,
            material: &b.material,
            near,
            strayed: false,
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
        queue.fill(ahead.iter().map(Ahead::first));
        drift
    }

    /// As [`Drift::look_ahead`] for every grain, with each pair looked at once.
    fn look_ahead_for_all(&mut self, lists: &Lists) {
        for k in 0..self.memory.grains.len() as u32 {
            let me = self.memory.grains[k as usize];
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
            let (time, k) = self.memory.queue.first();
            // Not a number is never earlier than the end.
            if time > h || k == u32::MAX || time.is_nan() {
                break;
            }
            self.now = time;
            let ahead = self.memory.ahead[k as usize];
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
            if moment.1 > STANDSTILL * self.memory.grains.len() as u64 {
                return Err(Error::Standstill { time: self.scene.start + time, collisions: moment.1 });
            }
        }
        for g in &mut self.memory.grains {
            g.position = g.at(h);
        }
        Ok(Ok(End {
            memory: self.memory,
            caught: self.caught,
            absorbed: self.absorbed,
            walls: self.walls,
            tally: self.tally,
        }))
    }

    /// From now on a grain goes with its wall: along the chord to where the wall has it at the end of the drift.
    fn hold(&mut self, row: usize, held: Held) {
        self.memory.fate[row] = Fate::Held;
        let Some(which) = self.scene.walls.iter().position(|w| w.id == held.wall) else { return };
        let end = self.ends[which];
        let left = self.scene.h - self.now;
        let g = &mut self.memory.grains[row];
        g.velocity = if left > 0.0 { (end.to_world(held.place) - g.position) / left } else { DVec3::ZERO };
        self.memory.spin[row] = end.spin;
        self.watch(row);
    }

    /// Notes it if a grain leaves its leash: where it ends tells, since its path up to now did not.
    fn watch(&mut self, row: usize) {
        if let Near::Lists { leash, .. } = self.near {
            let end = self.memory.grains[row].at(self.scene.h);
            self.strayed |= end.distance_squared(self.start[row]) > leash * leash;
        }
    }

    /// From `a` to the nearest image of `b`.
    #[inline]
    fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
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
        match (self.memory.fate[k as usize], self.memory.fate[j as usize]) {
            (Fate::Held, Fate::Held) | (_, Fate::Absorbed) => return f64::INFINITY,
            _ => {}
        }
        let b = &self.memory.grains[j as usize];
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
    fn look_ahead(&self, k: u32) -> Ahead {
        let mut ahead = Ahead::NOTHING;
        self.look_for_grains(k, &mut ahead);
        self.look_for_walls(k as usize, &mut ahead);
        ahead
    }

    fn look_for_grains(&self, k: u32, ahead: &mut Ahead) {
        let me = self.memory.grains[k as usize];
        let at = me.at(self.now);
        let mut see = |j: u32| {
            let t = self.pair_time(k, &me, at, j);
            if t.is_finite() {
                ahead.consider(t, j, self.memory.met[j as usize]);
            }
        };
        match &self.near {
            Near::Lists { lists, .. } => lists.of(k).iter().for_each(|&j| see(j)),
            Near::Cells(grid) => {
                grid.around(k, |j| {
                    if j != k {
                        see(j);
                    }
                });
                let (t, into) = grid.crossing(k, at, me.velocity);
                (ahead.crossing, ahead.into) = (self.now + t, into);
            }
        }
    }

    fn look_for_walls(&self, row: usize, ahead: &mut Ahead) {
        if self.memory.fate[row] == Fate::Held {
            return;
        }
        let lists = match self.near {
            Near::Lists { lists, .. } if !lists.touches_walls(row) => return,
            Near::Lists { lists, .. } => Some(lists),
            Near::Cells(_) => None,
        };
        let me = &self.memory.grains[row];
        let path = Path {
            position: me.at(self.now) + self.sag(row),
            velocity: me.velocity + self.kick(row),
            acceleration: self.acceleration(row),
            radius: me.radius,
            within: self.scene.h - self.now,
        };
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
    fn look_again(&mut self, k: u32) {
        self.watch(k as usize);
        let ahead = self.look_ahead(k);
        self.set(k, ahead);
    }

    fn set(&mut self, k: u32, ahead: Ahead) {
        self.memory.ahead[k as usize] = ahead;
        self.memory.queue.set(k, ahead.first());
    }

    fn cross(&mut self, k: u32, into: Crossing) {
        let Near::Cells(grid) = &mut self.near else { return };
        self.tally.crossings += 1;
        grid.cross(k, into);
        let me = self.memory.grains[k as usize];
        let at = me.at(self.now);
        let mut ahead = self.memory.ahead[k as usize];
        let Near::Cells(grid) = &self.near else { return };
        grid.ahead(k, into, |j| {
            if j != k {
                let t = self.pair_time(k, &me, at, j);
                if t.is_finite() {
                    ahead.consider(t, j, self.memory.met[j as usize]);
                }
            }
        });
        let (t, into) = grid.crossing(k, at, me.velocity);
        (ahead.crossing, ahead.into) = (self.now + t, into);
        self.set(k, ahead);
    }

    fn meet_grain(&mut self, k: u32, ahead: Ahead) {
        let j = ahead.partner;
        if self.memory.met[j as usize] != ahead.partner_met {
            let mut ahead = Ahead { pair: f64::INFINITY, partner: u32::MAX, ..ahead };
            self.look_for_grains(k, &mut ahead);
            self.set(k, ahead);
            return;
        }
        let (i, j) = (k as usize, j as usize);
        let at_once = [i, j].map(|k| self.bring_here(k)).into_iter().fold(0, u32::max);
        let (a, b) = (self.memory.grains[i], self.memory.grains[j]);
        let rho = self.between(a.position, b.position);
        let normal = rho.normalize_or(DVec3::X);
        let (arm_a, arm_b) = (a.radius * normal, -b.radius * normal);
        let v = b.velocity + self.kick(j) - a.velocity - self.kick(i);
        let turning = self.memory.spin[j].cross(arm_b) - self.memory.spin[i].cross(arm_a);
        // What a wall holds is as heavy as the wall (section 2.1).
        let mass = |k: usize| if self.memory.fate[k] == Fate::Held { f64::INFINITY } else { self.mass[k] };
        let (ma, mb) = (mass(i), mass(j));
        let reduced = 1.0 / (1.0 / ma + 1.0 / mb);
        let e = self.scene.restitution
            [self.material[i] as usize * self.scene.materials + self.material[j] as usize];
        let p = reduced * self.impulse(v, turning, normal, e, reduced, at_once);
        self.memory.grains[i].velocity -= p / ma;
        self.memory.grains[j].velocity += p / mb;
        self.memory.spin[i] += spin_change(arm_a, -p, ma, a.radius);
        self.memory.spin[j] += spin_change(arm_b, p, mb, b.radius);
        self.tally.grain_collisions += 1;
        self.memory.met[i] = self.memory.met[i].wrapping_add(1);
        self.memory.met[j] = self.memory.met[j].wrapping_add(1);
        for k in [i as u32, j as u32] {
            self.look_again(k);
        }
    }

    fn meet_wall(&mut self, k: u32, ahead: Ahead) {
        let i = k as usize;
        let at_once = self.bring_here(i);
        let me = self.memory.grains[i];
        let wall = &self.scene.walls[ahead.which as usize];
        let pose = wall.pose(self.scene.start + self.now);
        match wall.touch {
            Touch::Bounce => {}
            Touch::Stick => {
                let sag = self.sag(i);
                self.memory.grains[i].position += sag;
                let held =
                    Held { body: 0, wall: wall.id, place: pose.to_local(self.memory.grains[i].position) };
                self.walls[ahead.which as usize].collisions += 1;
                self.caught.push((k, held));
                self.hold(i, held);
                self.memory.met[i] = self.memory.met[i].wrapping_add(1);
                self.look_again(k);
                return;
            }
            Touch::Absorb => {
                let velocity = me.velocity + self.kick(i);
                let tally = &mut self.walls[ahead.which as usize];
                tally.collisions += 1;
                tally.absorbed += 1;
                tally.absorbed_mass += self.mass[i];
                tally.absorbed_momentum += self.mass[i] * velocity;
                self.absorbed.push(k);
                self.memory.fate[i] = Fate::Absorbed;
                self.memory.met[i] = self.memory.met[i].wrapping_add(1);
                if let Near::Cells(grid) = &mut self.near {
                    grid.unlink(k);
                }
                self.set(k, Ahead::NOTHING);
                return;
            }
        }
        let near = nearest_at(&wall.surface, ahead.face, &pose, me.position + self.sag(i));
        // Convention of the paper: the wall is the first, the grain the second.
        let normal = -near.normal;
        let arm = -me.radius * normal;
        let wall_velocity = pose.velocity_at(near.point);
        let e =
            self.scene.restitution[self.material[i] as usize * self.scene.materials + wall.material as usize];
        let m = self.mass[i];
        let turning = self.memory.spin[i].cross(arm);
        let v = me.velocity + self.kick(i) - wall_velocity;
        let p = m * self.impulse(v, turning, normal, e, m, at_once);
        self.tally.wall_work += p.dot(wall_velocity);
        let before = (me.velocity + self.kick(i)).length_squared() * m
            + 0.4 * m * me.radius.powi(2) * self.memory.spin[i].length_squared();
        self.memory.grains[i].velocity += p / m;
        self.memory.spin[i] += spin_change(arm, p, m, me.radius);
        let velocity = self.memory.grains[i].velocity + self.kick(i);
        let after = velocity.length_squared() * m
            + 0.4 * m * me.radius.powi(2) * self.memory.spin[i].length_squared();
        let tally = &mut self.walls[ahead.which as usize];
        tally.collisions += 1;
        tally.impulse -= p;
        tally.energy += 0.5 * (before - after);
        self.tally.wall_collisions += 1;
        self.memory.met[i] = self.memory.met[i].wrapping_add(1);
        self.look_again(k);
    }

    fn acceleration(&self, row: usize) -> DVec3 {
        if self.memory.fate[row] == Fate::Held {
            return DVec3::ZERO;
        }
        self.scene.acceleration.get(row).copied().unwrap_or(DVec3::ZERO)
    }

    /// What the velocity of the moment is more than that of the drift.
    fn kick(&self, row: usize) -> DVec3 {
        (self.now - 0.5 * self.scene.h) * self.acceleration(row)
    }

    /// From the chord of the drift to the parabola of the fall.
    fn sag(&self, row: usize) -> DVec3 {
        0.5 * self.now * (self.now - self.scene.h) * self.acceleration(row)
    }

    /// Impulse over the reduced mass; what it costs is noted. `v` is the relative velocity of the centres, `turning` what spins
    /// add to it at the point of contact.
    fn impulse(
        &mut self,
        v: DVec3,
        turning: DVec3,
        normal: DVec3,
        e: Restitution,
        reduced: f64,
        at_once: u32,
    ) -> DVec3 {
        let u = v + turning;
        let approach = -u.dot(normal);
        let slow = approach < self.scene.rest_speed;
        self.tally.slow += u64::from(slow);
        // What only touches, however elastic, must part; it has no speed of its own to do so with.
        let (rebound, tangential) = if (slow && e.normal < 1.0) || approach <= 0.0 {
            (self.scene.rest_speed, if at_once > 0 { 1.0 } else { e.tangential })
        } else {
            (e.normal * approach, if at_once >= WEDGED { 1.0 } else { e.tangential })
        };
        let slip2 = u.length_squared() - approach * approach;
        self.tally.lost_normal += 0.5 * reduced * (approach * approach - rebound * rebound);
        self.tally.lost_tangential += reduced / 7.0 * (1.0 - tangential * tangential) * slip2.max(0.0);
        impulse(u, normal, rebound, tangential)
    }

    /// Moves a grain to where it is now; how many times in a row it has met something at once after the time before.
    fn bring_here(&mut self, k: usize) -> u32 {
        let Memory { grains, met, at_once, .. } = &mut self.memory;
        let g = &mut grains[k];
        let again = met[k] > 0 && self.now - g.since < AT_ONCE * self.scene.h;
        at_once[k] = if again { at_once[k] + 1 } else { 0 };
        g.position = g.at(self.now);
        g.since = self.now;
        at_once[k]
    }
}
