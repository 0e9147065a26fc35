//! An asteroid in a drift: free motion and rotation between collisions.
//!
//! A time without a hit is a leg. In it the centre flies straight, as grains do, and the body turns at an even rate that ends where free
//! rotation does; the angular momentum is what it was. A body that tumbles gets a new leg, too, when it has turned by a part of a radian.
//!
//! **What others expect.** A hit changes the path of the asteroid, and so what all grains have ahead with it. Each knows from which leg
//! its expectation is, and when its turn comes it looks again if that leg is over. This cannot hide an earlier meeting but for what the
//! surface has strayed from where it was expected: how far that may get by the end of the drift is known from the velocities, and
//! before it comes to [`MOST_ASTRAY`] of a radius all grains look again. Asteroids are heavy, and this is rare; for light ones
//! it is after every hit.

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Asteroid, Wrench,
    rotation::{even_rate, spin_of, turns_steadily},
    wall::Pose,
};
use rubblepile_geometry::meeting::BodyPath;

/// How far the surface may be from where a grain expects it, over the smallest radius, before all look again.
const MOST_ASTRAY: f64 = 5e-8;

/// Radians that a tumbling body turns in a leg, at most: the error of its energy in a hit goes as the square.
const MOST_TURN: f64 = 0.05;

#[derive(Debug, Clone)]
pub struct Flight {
    /// As it was at the start of the leg, with the velocity of the drift; its spin is that of the moment.
    body: Asteroid,
    /// Angular momentum about its centre, kg m^2/s.
    momentum: DVec3,
    acceleration: DVec3,
    /// Even rate of the leg, rad/s.
    turn: DVec3,
    /// The leg, in s from the start of the drift, and the length of the drift.
    since: f64,
    until: f64,
    h: f64,
    /// Which leg this is.
    pub leg: u32,
    /// Velocity and rate when all grains looked last, how far the surface has strayed from there since, and until when that
    /// was summed up.
    expected: (DVec3, DVec3),
    strayed: f64,
    strayed_at: f64,
}

impl Flight {
    /// For a drift of length `h`, after the first kick; `on`: what fields do to it.
    pub fn new(asteroid: &Asteroid, on: Option<&Wrench>, h: f64) -> Self {
        let mut body = asteroid.clone();
        let mut acceleration = on.map_or(DVec3::ZERO, |on| on.force / body.mass);
        if body.fixed {
            (body.velocity, acceleration) = (DVec3::ZERO, DVec3::ZERO);
        }
        let momentum = body.spin_momentum();
        let mut flight = Flight {
            body,
            momentum,
            acceleration,
            turn: DVec3::ZERO,
            since: 0.0,
            until: h,
            h,
            leg: 0,
            expected: (DVec3::ZERO, DVec3::ZERO),
            strayed: 0.0,
            strayed_at: 0.0,
        };
        flight.set_out(0.0);
        flight.expect(0.0);
        flight
    }

    pub fn asteroid(&self) -> &Asteroid {
        &self.body
    }

    /// Until when it is known where it will be if nothing hits it.
    pub fn until(&self) -> f64 {
        self.until
    }

    fn principal(&self) -> DQuat {
        self.body.orientation * self.body.axes
    }

    /// Begins a leg where it is at a moment.
    fn set_out(&mut self, now: f64) {
        self.since = now;
        self.until = self.h;
        self.leg = self.leg.wrapping_add(1);
        if self.body.fixed {
            self.turn = self.body.spin;
            return;
        }
        let (q, inertia) = (self.principal(), self.body.inertia);
        self.body.spin = spin_of(q, self.momentum, inertia);
        let left = self.h - now;
        let speed = self.body.spin.length();
        if turns_steadily(q, self.momentum, inertia) {
            self.turn = self.body.spin;
        } else {
            if speed * left > MOST_TURN {
                self.until = now + MOST_TURN / speed;
            }
            self.turn = even_rate(q, self.momentum, inertia, self.until - now);
        }
    }

    /// Moves it to where it is at a moment of its leg.
    fn go(&mut self, now: f64) {
        let time = now - self.since;
        self.body.position += time * self.body.velocity;
        let turn = DQuat::from_scaled_axis(time * self.turn);
        self.body.orientation = (turn * self.body.orientation).normalize();
        self.since = now;
    }

    /// Begins the legs that a body begins by itself. What others expected of it ends with a leg, too: they look again then.
    pub fn keep_up(&mut self, now: f64) {
        while self.until <= now && self.until < self.h {
            let then = self.until;
            self.go(then);
            self.set_out(then);
            self.expect(then);
        }
    }

    /// Notes that all grains look now.
    pub fn expect(&mut self, now: f64) {
        self.expected = (self.body.velocity, self.turn);
        (self.strayed, self.strayed_at) = (0.0, now);
    }

    /// Whether grains of this radius may be off in what they expect by the end of the leg.
    pub fn astray(&self, smallest: f64) -> bool {
        self.strayed + (self.until - self.strayed_at) * self.straying() > MOST_ASTRAY * smallest
    }

    /// How fast its surface leaves the places where it was expected, at most.
    fn straying(&self) -> f64 {
        let (velocity, turn) = self.expected;
        (self.body.velocity - velocity).length() + self.body.radius * (self.turn - turn).length()
    }

    /// How it moves from a moment of its leg on. Like grains it meets others on the parabola of its fall.
    pub fn ride(&self, now: f64) -> BodyPath {
        let time = now - self.since;
        BodyPath {
            position: self.body.position
                + time * self.body.velocity
                + 0.5 * now * (now - self.h) * self.acceleration,
            velocity: self.body.velocity + (now - 0.5 * self.h) * self.acceleration,
            acceleration: self.acceleration,
            rotation: (DQuat::from_scaled_axis(time * self.turn) * self.body.orientation).normalize(),
            spin: self.turn,
        }
    }

    pub fn pose(&self, now: f64) -> Pose {
        self.ride(now).pose(0.0)
    }

    /// Its spin of the moment.
    pub fn spin_at(&self, rotation: DQuat) -> DVec3 {
        if self.body.fixed {
            return self.body.spin;
        }
        spin_of(rotation * self.body.axes, self.momentum, self.body.inertia)
    }

    /// Its centre on the chord of the drift.
    pub fn centre(&self, now: f64) -> DVec3 {
        self.body.position + (now - self.since) * self.body.velocity
    }

    /// How an impulse at `arm` from its centre changes the velocity there; `rotation` is that of the moment.
    pub fn yields(&self, rotation: DQuat, arm: DVec3, impulse: DVec3) -> DVec3 {
        if self.body.fixed {
            return DVec3::ZERO;
        }
        let q = rotation * self.body.axes;
        let spin = q * ((q.inverse() * arm.cross(impulse)) / self.body.inertia);
        impulse / self.body.mass + spin.cross(arm)
    }

    /// A hit at `arm` from its centre.
    pub fn hit(&mut self, now: f64, impulse: DVec3, arm: DVec3) {
        if self.body.fixed {
            return;
        }
        self.strayed += (now - self.strayed_at) * self.straying();
        self.strayed_at = now;
        self.go(now);
        self.body.velocity += impulse / self.body.mass;
        self.momentum += arm.cross(impulse);
        self.set_out(now);
    }

    /// As it is at the end of the drift.
    pub fn end(mut self, asteroid: &mut Asteroid) {
        self.keep_up(self.h);
        self.go(self.h);
        asteroid.orientation = self.body.orientation;
        if !self.body.fixed {
            asteroid.position = self.body.position;
            asteroid.velocity = self.body.velocity;
            asteroid.spin = spin_of(self.principal(), self.momentum, self.body.inertia);
        }
    }
}
