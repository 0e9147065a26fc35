//! Collisions of grains with asteroids: their times and impulses.

use rubblepile_core::{Error, Result, SurfaceRef, World, text};
use rubblepile_geometry::{
    meeting::{Meeting, Path, first_touch_of_surface},
    mesh::{Surfaces, closest_point},
};

use crate::{
    bounce::{exchange, spin_change},
    buffers::{Fate, NextEvent},
    drift::Drift,
};

/// In place of a facet: nothing is met, but what is ahead is not known any further.
const LOOK_AGAIN: u32 = u32::MAX;

impl Drift<'_> {
    /// The first asteroid that a grain meets, unless something is known to come before.
    pub fn predict_asteroids(&mut self, row: usize, ahead: &mut NextEvent) {
        if self.flights.is_empty() || self.fate(row) != Fate::Free {
            return;
        }
        let path = self.path(row);
        for (which, flight) in self.flights.iter_mut().enumerate() {
            flight.keep_up(self.now);
            let until = flight.until();
            let path = Path { within: until - self.now, ..path };
            let clear = &mut self.buffers.clear[which][row];
            let tree = self.scene.surfaces.tree(which);
            let size = flight.asteroid().radius;
            let (time, facet) = match first_touch_of_surface(tree, size, &flight.ride(self.now), &path, clear)
            {
                Meeting::At(t, facet) => (self.now + t, facet),
                Meeting::Never if until < self.scene.h => (until, LOOK_AGAIN),
                Meeting::Never => continue,
                Meeting::Inside => {
                    self.inside = Some((row, which));
                    continue;
                }
            };
            if time < ahead.wall {
                let surface = SurfaceRef::Asteroid(which as u32).pack();
                (ahead.wall, ahead.surface, ahead.face, ahead.leg) = (time, surface, facet, flight.leg);
            }
        }
    }

    /// The walls and asteroids that are ahead of a grain have changed, and nothing else.
    fn predict_ground_again(&mut self, k: u32) {
        let before = self.buffers.ahead[k as usize];
        let mut ahead = NextEvent { wall: f64::INFINITY, ..before };
        self.predict_walls(k as usize, &mut ahead);
        self.predict_asteroids(k as usize, &mut ahead);
        self.buffers.ahead[k as usize] = ahead;
        // What has been taken out of the queue goes in again.
        if ahead.first() != before.first() || ahead.first() <= self.now {
            self.buffers.queue.set(k, ahead.first());
        }
    }

    pub fn meet_asteroid(&mut self, k: u32, which: usize, ahead: NextEvent) {
        let (i, now) = (k as usize, self.now);
        if ahead.face == LOOK_AGAIN || self.flights[which].leg != ahead.leg {
            self.predict_ground_again(k);
            return;
        }
        let at_once = self.bring_here(i);
        let me = self.buffers.grain(i);
        let (flight, body) = (&self.flights[which], self.buffers.bodies[i]);
        let mut pose = flight.pose(now);
        let place = pose.to_local(me.position + self.sag(i));
        let corners = flight.asteroid().mesh.corners(ahead.face as usize);
        // Convention of the paper: the asteroid is the first, the grain the second.
        let normal = (pose.rotation * (place - closest_point(&corners, place))).normalize_or(glam::DVec3::X);
        let arm = -me.radius * normal;
        let point = pose.to_world(place) + arm;
        let own = self.velocity_now(i) + body.spin.cross(arm);
        // The spin of the moment, unless with that they part: whether they meet is for the even turn of the leg to say.
        let even = std::mem::replace(&mut pose.spin, flight.spin_at(pose.rotation));
        if (own - pose.velocity_at(point)).dot(normal) >= 0.0 {
            pose.spin = even;
        }
        let under = pose.velocity_at(point);
        let u = own - under;
        // Impulses act where both are on the chords of the drift: there the angular momentum of the two is kept.
        let asteroid_arm = me.position + arm - flight.centre(now);
        let e = self.scene.restitution
            [body.material as usize * self.scene.materials + flight.asteroid().material as usize];
        let (resting, tangential) = self.policy(-u.dot(normal), e, at_once);
        let rest_speed = self.scene.rest_speed;
        let met = exchange(
            u,
            normal,
            tangential,
            |approach| if resting { rest_speed } else { e.normal * approach.max(0.0) },
            |p| {
                let spin = spin_change(arm, p, body.mass, me.radius);
                p / body.mass + spin.cross(arm) + flight.yields(pose.rotation, asteroid_arm, p)
            },
        );
        if flight.asteroid().fixed {
            self.tally.wall_work += met.impulse.dot(under);
        }
        self.tally.slow += u64::from(-u.dot(normal) < rest_speed);
        self.tally.lost_normal += met.lost_normal;
        self.tally.lost_tangential += met.lost_tangential;
        self.tally.asteroid_collisions += 1;
        self.buffers.push(i, met.impulse / body.mass);
        self.buffers.bodies[i].spin += spin_change(arm, met.impulse, body.mass, me.radius);
        self.buffers.met[i] = self.buffers.met[i].wrapping_add(1);
        self.flights[which].hit(now, -met.impulse, asteroid_arm);
        self.predict_again(k);
        if self.flights[which].astray(self.smallest) {
            self.flights[which].expect(now);
            for other in 0..self.buffers.rows.len() as u32 {
                if other != k && self.fate(other as usize) == Fate::Free {
                    self.predict_ground_again(other);
                }
            }
        }
    }
}

/// Hard spheres cannot overlap: one that is inside an asteroid, or deeper in its surface than a part of its radius, is an error.
pub fn check_outside(surfaces: &Surfaces, world: &World, deepest: f64) -> Result<()> {
    surfaces.check_outside(world)?;
    let b = &world.bodies;
    for (k, asteroid) in world.asteroids.iter().enumerate() {
        let pose = asteroid.pose();
        for row in 0..b.len() {
            let (x, radius) = (pose.to_local(b.position[row]), b.radius[row]);
            if x.length() > asteroid.radius + radius {
                continue;
            }
            let gap = surfaces.tree(k).nearest(x).map_or(f64::INFINITY, |n| n.distance - radius);
            if gap < -deepest * radius {
                return Err(Error::Unsupported(format!(
                    "body {} overlaps asteroid `{}` by {:.1e} of its radius at t = {}: hard spheres cannot overlap; \
                     move it away",
                    b.id[row],
                    asteroid.name,
                    -gap / radius,
                    text::time(world.time())
                )));
            }
        }
    }
    Ok(())
}
