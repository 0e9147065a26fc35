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
//! contact takes along its surface is the others' normal motion, and they would go on without time passing. Slow collisions
//! are counted. Grains that lose nothing (a restitution of 1) need none of this, and get none.

use glam::DVec3;
use rubblepile_core::{
    Domain, Error, Result, Touch, Wall, World,
    wall::{Held, WallTally},
};
use rubblepile_geometry::{
    meeting::{Path, Target, meet},
    walls::nearest_at,
};

use crate::{
    bounce::{Restitution, impulse, spin_change},
    grid::{Crossing, Grid},
    queue::Queue,
};

/// Time after a collision in which the next slow one is elastic along the surface too, over the step.
const AT_ONCE: f64 = 0.01;
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

/// The world's grains at the end of a drift.
pub struct End {
    pub position: Vec<DVec3>,
    pub velocity: Vec<DVec3>,
    pub spin: Vec<DVec3>,
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
    grains: Vec<Grain>,
    /// How many times each grain has met something.
    met: Vec<u32>,
    fate: Vec<Fate>,
    caught: Vec<(u32, Held)>,
    absorbed: Vec<u32>,
    walls: Vec<WallTally>,
    targets: Vec<Target<'a>>,
    spin: Vec<DVec3>,
    mass: &'a [f64],
    material: &'a [u32],
    grid: Grid,
    ahead: Vec<Ahead>,
    queue: Queue,
    now: f64,
    tally: Tally,
}

impl<'a> Drift<'a> {
    pub fn new(world: &'a World, scene: Scene<'a>) -> Self {
        let b = &world.bodies;
        let grains: Vec<Grain> = (0..b.len())
            .map(|k| Grain {
                position: b.position[k],
                since: 0.0,
                velocity: b.velocity[k],
                radius: b.radius[k],
            })
            .collect();
        let largest = b.radius.iter().copied().fold(0.0, f64::max);
        let grid = Grid::new(grains.iter().map(|g| g.position), 2.0 * largest, &scene.domain);
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let period = scene.domain.period();
        let period = (DVec3::from_array(period.to_array().map(finite)), 1.0 / period);
        let walls = scene.walls.iter().map(|w| WallTally { wall: w.id, ..WallTally::default() }).collect();
        let mut drift = Drift {
            period,
            met: vec![0; b.len()],
            fate: vec![Fate::Free; b.len()],
            caught: Vec::new(),
            absorbed: Vec::new(),
            walls,
            targets: scene.walls.iter().map(Target::new).collect(),
            scene,
            spin: b.spin.clone(),
            mass: &b.mass,
            material: &b.material,
            grid,
            ahead: vec![Ahead::NOTHING; b.len()],
            queue: Queue::default(),
            now: 0.0,
            tally: Tally::default(),
            grains,
        };
        for &(row, held) in drift.scene.held {
            drift.hold(row as usize, held);
        }
        for k in 0..drift.grains.len() as u32 {
            drift.ahead[k as usize] = drift.look_ahead(k);
        }
        drift.queue.fill(drift.ahead.iter().map(Ahead::first));
        drift
    }

    /// Carries out everything up to the end of the drift.
    pub fn run(mut self) -> Result<End> {
        let h = self.scene.h;
        let mut moment = (0.0, 0u64);
        loop {
            let (time, k) = self.queue.first();
            // Not a number is never earlier than the end.
            if time > h || k == u32::MAX || time.is_nan() {
                break;
            }
            self.now = time;
            let ahead = self.ahead[k as usize];
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
            if moment.1 > STANDSTILL * self.grains.len() as u64 {
                return Err(Error::Standstill { time: self.scene.start + time, collisions: moment.1 });
            }
        }
        Ok(End {
            position: self.grains.iter().map(|g| g.at(h)).collect(),
            velocity: self.grains.iter().map(|g| g.velocity).collect(),
            spin: self.spin,
            caught: self.caught,
            absorbed: self.absorbed,
            walls: self.walls,
            tally: self.tally,
        })
    }

    /// From now on a grain goes with its wall: along the chord to where the wall has it at the end of the drift.
    fn hold(&mut self, row: usize, held: Held) {
        self.fate[row] = Fate::Held;
        let Some(wall) = self.scene.walls.iter().find(|w| w.id == held.wall) else { return };
        let end = wall.pose(self.scene.start + self.scene.h);
        let left = self.scene.h - self.now;
        let g = &mut self.grains[row];
        g.velocity = if left > 0.0 { (end.to_world(held.place) - g.position) / left } else { DVec3::ZERO };
        self.spin[row] = end.spin;
    }

    /// From `a` to the nearest image of `b`.
    #[inline]
    fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        // Adding and taking away 1.5 * 2^52 rounds to whole numbers, without a call.
        const WHOLE: DVec3 = DVec3::splat(6755399441055744.0);
        let d = b - a;
        d - self.period.0 * (d * self.period.1 + WHOLE - WHOLE)
    }

    /// When two grains meet, eq. (3); infinite past the end of the drift.
    #[inline]
    fn pair_time(&self, k: u32, a: &Grain, at: DVec3, j: u32) -> f64 {
        if self.fate[k as usize] == Fate::Held && self.fate[j as usize] == Fate::Held {
            return f64::INFINITY;
        }
        let b = &self.grains[j as usize];
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
        let me = self.grains[k as usize];
        let at = me.at(self.now);
        let mut ahead = Ahead::NOTHING;
        self.grid.around(k, |j| {
            if j != k {
                let t = self.pair_time(k, &me, at, j);
                // Of several at once the one with the lowest row, in whatever order the cells are seen.
                if t < ahead.pair || (t == ahead.pair && j < ahead.partner && t.is_finite()) {
                    (ahead.pair, ahead.partner) = (t, j);
                }
            }
        });
        if ahead.pair.is_finite() {
            ahead.partner_met = self.met[ahead.partner as usize];
        }
        self.look_for_walls(k as usize, &mut ahead);
        let (t, into) = self.grid.crossing(k, at, me.velocity);
        (ahead.crossing, ahead.into) = (self.now + t, into);
        ahead
    }

    fn look_for_walls(&self, row: usize, ahead: &mut Ahead) {
        if self.fate[row] == Fate::Held {
            return;
        }
        let me = &self.grains[row];
        let path = Path {
            position: me.at(self.now) + self.sag(row),
            velocity: me.velocity + self.kick(row),
            acceleration: self.acceleration(row),
            radius: me.radius,
            within: self.scene.h - self.now,
        };
        for (which, wall) in self.targets.iter().enumerate() {
            if let Some((t, face)) = wall.first_touch(self.scene.start + self.now, &path)
                && self.now + t < ahead.wall
            {
                (ahead.wall, ahead.which, ahead.face) = (self.now + t, which as u32, face);
            }
        }
    }

    fn look_again(&mut self, k: u32) {
        let ahead = self.look_ahead(k);
        self.set(k, ahead);
    }

    fn set(&mut self, k: u32, ahead: Ahead) {
        self.ahead[k as usize] = ahead;
        self.queue.set(k, ahead.first());
    }

    fn cross(&mut self, k: u32, into: Crossing) {
        self.tally.crossings += 1;
        self.grid.cross(k, into);
        let me = self.grains[k as usize];
        let at = me.at(self.now);
        let mut ahead = self.ahead[k as usize];
        self.grid.ahead(k, into, |j| {
            if j != k {
                let t = self.pair_time(k, &me, at, j);
                if t < ahead.pair {
                    (ahead.pair, ahead.partner, ahead.partner_met) = (t, j, self.met[j as usize]);
                }
            }
        });
        let (t, into) = self.grid.crossing(k, at, me.velocity);
        (ahead.crossing, ahead.into) = (self.now + t, into);
        self.set(k, ahead);
    }

    fn meet_grain(&mut self, k: u32, ahead: Ahead) {
        let j = ahead.partner;
        if self.met[j as usize] != ahead.partner_met {
            self.look_again(k);
            return;
        }
        let (i, j) = (k as usize, j as usize);
        let met_at_once = [i, j].map(|k| self.bring_here(k));
        let (a, b) = (self.grains[i], self.grains[j]);
        let rho = self.between(a.position, b.position);
        let normal = rho.normalize_or(DVec3::X);
        let (arm_a, arm_b) = (a.radius * normal, -b.radius * normal);
        let v = b.velocity + self.kick(j) - a.velocity - self.kick(i);
        let turning = self.spin[j].cross(arm_b) - self.spin[i].cross(arm_a);
        // What a wall holds is as heavy as the wall (section 2.1).
        let mass = |k: usize| if self.fate[k] == Fate::Held { f64::INFINITY } else { self.mass[k] };
        let (ma, mb) = (mass(i), mass(j));
        let reduced = 1.0 / (1.0 / ma + 1.0 / mb);
        let e = self.scene.restitution
            [self.material[i] as usize * self.scene.materials + self.material[j] as usize];
        let at_once = met_at_once[0] || met_at_once[1];
        let p = reduced * self.impulse(v, turning, normal, e, reduced, at_once);
        self.grains[i].velocity -= p / ma;
        self.grains[j].velocity += p / mb;
        self.spin[i] += spin_change(arm_a, -p, ma, a.radius);
        self.spin[j] += spin_change(arm_b, p, mb, b.radius);
        self.tally.grain_collisions += 1;
        self.met[i] = self.met[i].wrapping_add(1);
        self.met[j] = self.met[j].wrapping_add(1);
        for k in [i as u32, j as u32] {
            self.look_again(k);
        }
    }

    fn meet_wall(&mut self, k: u32, ahead: Ahead) {
        let i = k as usize;
        let at_once = self.bring_here(i);
        let me = self.grains[i];
        let wall = &self.scene.walls[ahead.which as usize];
        let pose = wall.pose(self.scene.start + self.now);
        match wall.touch {
            Touch::Bounce => {}
            Touch::Stick => {
                let sag = self.sag(i);
                self.grains[i].position += sag;
                let held = Held { body: 0, wall: wall.id, place: pose.to_local(self.grains[i].position) };
                let brought = me.velocity + self.kick(i) - pose.velocity_at(self.grains[i].position);
                self.walls[ahead.which as usize].collisions += 1;
                self.walls[ahead.which as usize].impulse += self.mass[i] * brought;
                self.caught.push((k, held));
                self.hold(i, held);
                self.met[i] = self.met[i].wrapping_add(1);
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
                self.fate[i] = Fate::Absorbed;
                self.met[i] = self.met[i].wrapping_add(1);
                self.grid.unlink(k);
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
        let turning = self.spin[i].cross(arm);
        let v = me.velocity + self.kick(i) - wall_velocity;
        let p = m * self.impulse(v, turning, normal, e, m, at_once);
        self.tally.wall_work += p.dot(wall_velocity);
        let before = (me.velocity + self.kick(i)).length_squared() * m
            + 0.4 * m * me.radius.powi(2) * self.spin[i].length_squared();
        self.grains[i].velocity += p / m;
        self.spin[i] += spin_change(arm, p, m, me.radius);
        let velocity = self.grains[i].velocity + self.kick(i);
        let after =
            velocity.length_squared() * m + 0.4 * m * me.radius.powi(2) * self.spin[i].length_squared();
        let tally = &mut self.walls[ahead.which as usize];
        tally.collisions += 1;
        tally.impulse -= p;
        tally.energy += 0.5 * (before - after);
        self.tally.wall_collisions += 1;
        self.met[i] = self.met[i].wrapping_add(1);
        self.look_again(k);
    }

    fn acceleration(&self, row: usize) -> DVec3 {
        if self.fate[row] == Fate::Held {
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
        at_once: bool,
    ) -> DVec3 {
        let u = v + turning;
        let approach = -u.dot(normal);
        let slow = approach < self.scene.rest_speed;
        self.tally.slow += u64::from(slow);
        // What only touches, however elastic, must part; it has no speed of its own to do so with.
        let (rebound, tangential) = if (slow && e.normal < 1.0) || approach <= 0.0 {
            let tangential = if at_once { 1.0 } else { e.tangential };
            (self.scene.rest_speed, tangential)
        } else {
            (e.normal * approach, e.tangential)
        };
        let slip2 = u.length_squared() - approach * approach;
        self.tally.lost_normal += 0.5 * reduced * (approach * approach - rebound * rebound);
        self.tally.lost_tangential += reduced / 7.0 * (1.0 - tangential * tangential) * slip2.max(0.0);
        impulse(u, normal, rebound, tangential)
    }

    /// Moves a grain to where it is now; whether it has met something a moment ago.
    fn bring_here(&mut self, k: usize) -> bool {
        let g = &mut self.grains[k];
        let at_once = self.met[k] > 0 && self.now - g.since < AT_ONCE * self.scene.h;
        g.position = g.at(self.now);
        g.since = self.now;
        at_once
    }
}
