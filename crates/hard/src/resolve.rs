//! Resolves a collision of a grain: with another grain, a wall, or a wall that holds it.
//!
//! **Rest.** Grains that come to rest would collide ever faster (inelastic collapse). Collisions below a rest speed part
//! with that speed along the normal: a grain at rest hops by `v^2 / 2g`, and time advances. What that puts in is taken
//! out again by collisions above it. Tangential restitution stays,
//! but for collisions that follow another one of the same grain almost at once: between three that touch, what one
//! contact takes along its surface is the others' normal motion, and they would go on without time passing. The same happens
//! at any speed to a grain that something pushes into a wedge: after some tens of collisions at once it is smooth too. Slow
//! collisions are counted. Grains that lose nothing (a restitution of 1) need none of this, and get none.

use glam::{DQuat, DVec3};
use rubblepile_core::{SurfaceRef, WallResponse, wall::catch::Held};

use crate::{
    bounce::{Restitution, impulse, spin_change},
    buffers::{DriftBuffers, Fate, FlyingGrain, NextEvent, WallAnchor},
    drift::{BroadPhase, Caught, Drift},
};

/// Time after a collision in which the next slow one is elastic along the surface too, over the step.
const AT_ONCE: f64 = 0.01;
/// Collisions of a grain, each at once after the one before, from which on it is smooth.
const WEDGED: u32 = 32;

impl Drift<'_> {
    /// From now on a grain goes with its wall.
    pub fn hold(&mut self, row: usize, held: Held) {
        let Some(which) = self.scene.walls.iter().position(|w| w.id == held.wall) else { return };
        self.buffers.fate[row] = Fate::Held(self.buffers.holds.len() as u32);
        self.buffers.holds.push(WallAnchor { which, place: held.place });
        self.all_free = false;
        self.buffers.bodies[row].spin = self.ends[which].spin;
        self.aim(row, which, held.place);
        self.watch(row);
    }

    /// Along the chord to where the wall has the grain at the end of the drift.
    fn aim(&mut self, row: usize, which: usize, place: DVec3) {
        let left = self.scene.h - self.now;
        let mut g = self.buffers.grain(row);
        let way = self.ends[which].to_world(place) - g.position;
        g.velocity = if left > 0.0 { way / left } else { DVec3::ZERO };
        self.buffers.put(row, g);
    }

    pub fn meet_grain(&mut self, k: u32, ahead: NextEvent) {
        let j = ahead.partner;
        if self.buffers.met[j as usize] != ahead.partner_met {
            let mut ahead = NextEvent { pair: f64::INFINITY, partner: u32::MAX, ..ahead };
            self.predict_grains(k, &mut ahead);
            self.set(k, ahead);
            return;
        }
        let (i, j) = (k as usize, j as usize);
        let at_once = [i, j].map(|k| self.bring_here(k)).into_iter().fold(0, u32::max);
        let (a, b) = (self.buffers.grain(i), self.buffers.grain(j));
        let rho = self.between(a.position + self.sag_at_hold(i, j), b.position + self.sag_at_hold(j, i));
        let normal = rho.normalize_or(DVec3::X);
        let (arm_a, arm_b) = (a.radius * normal, -b.radius * normal);
        let (va, vb) = (self.velocity_now(i), self.velocity_now(j));
        let turning = self.buffers.bodies[j].spin.cross(arm_b) - self.buffers.bodies[i].spin.cross(arm_a);
        // What a wall holds is as heavy as the wall (section 2.1).
        let held = |k: usize| match self.fate(k) {
            Fate::Held(hold) => Some(self.buffers.holds[hold as usize].which),
            _ => None,
        };
        let holder = [held(i), held(j)];
        let mass = |k: usize, held: Option<usize>| {
            if held.is_some() { f64::INFINITY } else { self.buffers.bodies[k].mass }
        };
        let (ma, mb) = (mass(i, holder[0]), mass(j, holder[1]));
        let reduced = 1.0 / (1.0 / ma + 1.0 / mb);
        let e = self.scene.restitution[self.buffers.bodies[i].material as usize * self.scene.materials
            + self.buffers.bodies[j].material as usize];
        let p = reduced * self.impulse(vb - va, turning, normal, e, reduced, at_once);
        for (row, p, v, arm, m, radius, holder) in
            [(i, -p, va, arm_a, ma, a.radius, holder[0]), (j, p, vb, arm_b, mb, b.radius, holder[1])]
        {
            match holder {
                None => {
                    self.buffers.push(row, p / m);
                    self.buffers.bodies[row].spin += spin_change(arm, p, m, radius);
                    self.buffers.met[row] = self.buffers.met[row].wrapping_add(1);
                }
                // The wall feels it. Its path is what it was: what others expect of it stays true.
                Some(which) => {
                    let work = -p.dot(v + self.buffers.bodies[row].spin.cross(arm));
                    self.tally.wall_work += work;
                    self.walls[which].impulse += p;
                    self.walls[which].energy -= work;
                }
            }
        }
        self.tally.grain_collisions += 1;
        for k in [i as u32, j as u32] {
            self.predict_again(k);
        }
    }

    pub fn meet_wall(&mut self, k: u32, ahead: NextEvent) {
        let which = match ahead.surface.get() {
            SurfaceRef::Wall(which) => which as usize,
            SurfaceRef::Asteroid(which) => return self.meet_asteroid(k, which as usize, ahead),
        };
        let i = k as usize;
        let at_once = self.bring_here(i);
        let me = self.buffers.grain(i);
        let velocity = self.velocity_now(i);
        let wall = &self.scene.walls[which];
        let pose = wall.pose(self.scene.start + self.now);
        let (m, inertia) =
            (self.buffers.bodies[i].mass, 0.4 * self.buffers.bodies[i].mass * me.radius * me.radius);
        self.buffers.met[i] = self.buffers.met[i].wrapping_add(1);
        self.walls[which].collisions += 1;
        match wall.touch {
            WallResponse::Bounce => {}
            WallResponse::Stick => {
                let position = me.position + self.sag(i);
                self.buffers.put(i, FlyingGrain { position, ..me });
                let body = self.id[i];
                let place = pose.to_local(position);
                let held = Held { body, wall: wall.id, place, orientation: DQuat::IDENTITY };
                let (now, spin) = (pose.velocity_at(position), self.buffers.bodies[i].spin);
                let change = (now - velocity, pose.spin - spin);
                let work = m * change.0.dot(now) + inertia * change.1.dot(pose.spin);
                let heat = 0.5 * (m * change.0.length_squared() + inertia * change.1.length_squared());
                self.tally.lost_normal += heat;
                self.tally.wall_work += work;
                self.walls[which].impulse -= m * change.0;
                self.walls[which].energy += heat - work;
                self.caught.push(Caught { held, position, velocity: now, spin: pose.spin });
                self.hold(i, held);
                self.predict_again(k);
                return;
            }
            WallResponse::Absorb => {
                let energy = 0.5
                    * (m * velocity.length_squared()
                        + inertia * self.buffers.bodies[i].spin.length_squared());
                self.tally.lost_normal += energy;
                let tally = &mut self.walls[which];
                tally.energy += energy;
                tally.absorbed += 1;
                tally.absorbed_mass += m;
                tally.absorbed_momentum += m * velocity;
                self.absorbed.push(k);
                self.buffers.fate[i] = Fate::Absorbed;
                self.all_free = false;
                if let BroadPhase::Cells(grid) = &mut self.broad_phase {
                    grid.unlink(k);
                }
                self.set(k, NextEvent::NOTHING);
                return;
            }
        }
        let near = wall.surface.nearest_at(ahead.face, &pose, me.position + self.sag(i));
        // Convention of the paper: the wall is the first, the grain the second.
        let normal = -near.normal;
        let arm = -me.radius * normal;
        let wall_velocity = pose.velocity_at(near.point);
        let e = self.scene.restitution
            [self.buffers.bodies[i].material as usize * self.scene.materials + wall.material as usize];
        let turning = self.buffers.bodies[i].spin.cross(arm);
        let p = m * self.impulse(velocity - wall_velocity, turning, normal, e, m, at_once);
        let energy = |v: DVec3, spin: DVec3| 0.5 * (m * v.length_squared() + inertia * spin.length_squared());
        let before = energy(velocity, self.buffers.bodies[i].spin);
        self.buffers.push(i, p / m);
        self.buffers.bodies[i].spin += spin_change(arm, p, m, me.radius);
        let after = energy(velocity + p / m, self.buffers.bodies[i].spin);
        self.tally.wall_work += p.dot(wall_velocity);
        self.tally.wall_collisions += 1;
        let tally = &mut self.walls[which];
        tally.impulse -= p;
        tally.energy += before - after;
        self.predict_again(k);
    }

    /// The velocity of the moment.
    pub fn velocity_now(&self, row: usize) -> DVec3 {
        match self.fate(row) {
            Fate::Held(hold) if self.scene.curvilinear => {
                let WallAnchor { which, place } = self.buffers.holds[hold as usize];
                let pose = self.scene.walls[which].pose(self.scene.start + self.now);
                pose.velocity_at(pose.to_world(place))
            }
            _ => self.buffers.grain(row).velocity + self.kick(row),
        }
    }

    /// What is held does not fall: where it is met on its true path, the other one is on its parabola.
    fn sag_at_hold(&self, row: usize, other: usize) -> DVec3 {
        match self.fate(other) {
            Fate::Held(_) if self.scene.curvilinear => self.sag(row),
            _ => DVec3::ZERO,
        }
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
        self.tally.slow += u64::from(approach < self.scene.rest_speed);
        let (resting, tangential) = self.policy(approach, e, at_once);
        let rebound = if resting { self.scene.rest_speed } else { e.normal * approach };
        let slip2 = u.length_squared() - approach * approach;
        self.tally.lost_normal += 0.5 * reduced * (approach * approach - rebound * rebound);
        self.tally.lost_tangential += reduced / 7.0 * (1.0 - tangential * tangential) * slip2.max(0.0);
        impulse(u, normal, rebound, tangential)
    }

    /// Whether a collision parts with the rest speed, and its tangential restitution.
    #[inline]
    pub fn policy(&self, approach: f64, e: Restitution, at_once: u32) -> (bool, f64) {
        let slow = approach < self.scene.rest_speed;
        // What only touches, however elastic, must part; it has no speed of its own to do so with.
        if (slow && e.normal < 1.0) || approach <= 0.0 {
            (true, if at_once > 0 { 1.0 } else { e.tangential })
        } else {
            (false, if at_once >= WEDGED { 1.0 } else { e.tangential })
        }
    }

    /// Moves a grain to where it is now; how many times in a row it has met something at once after the time before.
    pub fn bring_here(&mut self, k: usize) -> u32 {
        let now = self.now;
        if let Fate::Held(hold) = self.fate(k) {
            let WallAnchor { which, place } = self.buffers.holds[hold as usize];
            let mut g = self.buffers.grain(k);
            g.position = match self.scene.curvilinear {
                true => self.scene.walls[which].pose(self.scene.start + now).to_world(place),
                false => g.at(now),
            };
            g.since = now;
            self.buffers.put(k, g);
            if self.scene.curvilinear {
                self.aim(k, which, place);
            }
            return 0;
        }
        let mut g = self.buffers.grain(k);
        let DriftBuffers { met, bodies, .. } = &mut self.buffers;
        let at_once = &mut bodies[k].at_once;
        let again = met[k] > 0 && now - g.since < AT_ONCE * self.scene.h;
        *at_once = if again { *at_once + 1 } else { 0 };
        let count = *at_once;
        (g.position, g.since) = (g.at(now), now);
        self.buffers.put(k, g);
        count
    }
}
