//! The next event of a grain: a collision with a grain or a wall, or leaving its cell.

use glam::DVec3;
use rubblepile_core::{
    Surface, SurfaceRef, Wall,
    simd::{dispatch, prefetch},
    wall::Cylinder,
};
use rubblepile_geometry::meeting::{MovingWall, Path, meet};

use crate::{
    buffers::{DriftBuffers, Fate, FlyingGrain, NextEvent, WallAnchor},
    drift::{BroadPhase, Drift},
    grid::CellCrossing,
    lists::Lists,
    sight::Sight,
};

/// How many events ahead memory is asked for a grain and for its cells.
const FAR: usize = 12;
const NEAR: usize = 6;

impl Drift<'_> {
    /// As [`Drift::predict`] for every grain, with each pair tested once.
    pub fn predict_all(&mut self, lists: &Lists) {
        for k in 0..self.buffers.rows.len() as u32 {
            let me = self.buffers.grain(k as usize);
            let mut mine = self.buffers.ahead[k as usize];
            for &j in lists.above(k) {
                let t = self.pair_time(k, &me, me.position, j);
                if t.is_finite() {
                    mine.consider(t, j, 0);
                    self.buffers.ahead[j as usize].consider(t, k, 0);
                }
            }
            self.predict_walls(k as usize, &mut mine);
            self.predict_asteroids(k as usize, &mut mine);
            self.buffers.ahead[k as usize] = mine;
        }
    }

    /// Asks for what the next events will read: by then it is here. They are anywhere in the world, and so in memory.
    #[inline]
    pub fn read_ahead(&self) {
        let DriftBuffers { queue, rows, bodies, ahead, .. } = &self.buffers;
        let BroadPhase::Cells(grid) = &self.broad_phase else { return };
        if let Some((_, k)) = queue.soon(FAR) {
            prefetch(ahead, k as usize);
            prefetch(rows, k as usize);
            prefetch(bodies, k as usize);
            grid.prefetch_place(k);
        }
        if let Some((time, k)) = queue.soon(NEAR)
            && ahead[k as usize].first() == time
        {
            grid.prefetch_cells(k);
        }
    }

    /// When two grains meet, eq. (3); infinite past the end of the drift.
    #[inline(always)]
    fn pair_time(&self, k: u32, a: &FlyingGrain, at: DVec3, j: u32) -> f64 {
        if !self.all_free {
            match (self.buffers.fate[k as usize], self.buffers.fate[j as usize]) {
                (Fate::Held(_), Fate::Held(_)) | (_, Fate::Absorbed) => return f64::INFINITY,
                (Fate::Held(hold), _) if self.scene.curvilinear => return self.time_to_held(j, k, hold),
                (_, Fate::Held(hold)) if self.scene.curvilinear => return self.time_to_held(k, j, hold),
                _ => {}
            }
        }
        let b = self.buffers.grain(j as usize);
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
    pub fn predict(&mut self, k: u32) -> NextEvent {
        let mut ahead = NextEvent::NOTHING;
        self.predict_grains(k, &mut ahead);
        self.predict_walls(k as usize, &mut ahead);
        self.predict_asteroids(k as usize, &mut ahead);
        ahead
    }

    /// The parabola of a grain's fall, from now on.
    pub fn path(&self, row: usize) -> Path {
        let me = self.buffers.grain(row);
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
        let WallAnchor { which, place } = self.buffers.holds[hold as usize];
        let surface =
            Surface::Cylinder(Cylinder { centre: place, axis: DVec3::Z, radius: 0.0, length: Some(0.0) });
        let point = Wall { surface, name: String::new(), ..self.scene.walls[which] };
        let mut path = self.path(row as usize);
        let held = self.buffers.grain(held as usize);
        path.radius += held.radius;
        // The image that is near.
        let there = held.at(self.now);
        path.position = there + self.between(there, path.position);
        match MovingWall::new(&point).first_touch(self.scene.start + self.now, &path) {
            Some((t, _)) => self.now + t,
            None => f64::INFINITY,
        }
    }

    /// The first of a grain's neighbours that it meets, and when it leaves its cell.
    pub fn predict_grains(&mut self, k: u32, ahead: &mut NextEvent) {
        let mut me = self.buffers.grain(k as usize);
        (me.position, me.since) = (me.at(self.now), self.now);
        if let BroadPhase::Lists { lists, .. } = self.broad_phase {
            self.first_collision(k, me, lists.of(k), ahead);
            return;
        }
        let mut seen = std::mem::take(&mut self.buffers.seen);
        if let BroadPhase::Cells(grid) = &self.broad_phase {
            self.first_collision(k, me, grid.around(k, &mut seen), ahead);
            let (t, into) = grid.crossing(k, me.position, me.velocity);
            (ahead.crossing, ahead.into) = (self.now + t, into);
        }
        self.buffers.seen = seen;
    }

    /// The first of these that a grain, in its current state, collides with.
    fn first_collision(&self, k: u32, me: FlyingGrain, others: &[u32], ahead: &mut NextEvent) {
        // Lanes read eight of them at once: none is to wait for those before it.
        for &j in others {
            prefetch(&self.buffers.rows, j as usize);
        }
        if self.all_free {
            let (now, end) = (self.now, self.scene.h);
            let sight = Sight { rows: &self.buffers.rows, me, others, now, end, period: self.period };
            let (t, j) = dispatch(sight);
            if t.is_finite() {
                ahead.consider(t, j, self.buffers.met[j as usize]);
            }
            return;
        }
        for &j in others.iter().filter(|&&j| j != k) {
            let t = self.pair_time(k, &me, me.position, j);
            if t.is_finite() {
                ahead.consider(t, j, self.buffers.met[j as usize]);
            }
        }
    }

    pub fn predict_walls(&self, row: usize, ahead: &mut NextEvent) {
        if self.targets.is_empty() || matches!(self.fate(row), Fate::Held(_)) {
            return;
        }
        let lists = match self.broad_phase {
            BroadPhase::Lists { lists, .. } if !lists.touches_walls(row) => return,
            BroadPhase::Lists { lists, .. } => Some(lists),
            BroadPhase::Cells(_) => None,
        };
        let path = self.path(row);
        for (which, wall) in self.targets.iter().enumerate() {
            if lists.is_none_or(|lists| lists.may_touch(row, which))
                && let Some((t, face)) = wall.first_touch(self.scene.start + self.now, &path)
                && self.now + t < ahead.wall
            {
                let surface = SurfaceRef::Wall(which as u32).pack();
                (ahead.wall, ahead.surface, ahead.face) = (self.now + t, surface, face);
            }
        }
    }

    /// The grain's path has changed: everything ahead is new.
    pub fn predict_again(&mut self, k: u32) {
        self.watch(k as usize);
        let ahead = self.predict(k);
        self.set(k, ahead);
    }

    /// Moves a grain to the next cell, where it sees those that have come near.
    pub fn cross(&mut self, k: u32, into: CellCrossing) {
        let BroadPhase::Cells(grid) = &mut self.broad_phase else { return };
        self.tally.crossings += 1;
        grid.cross(k, into);
        let mut me = self.buffers.grain(k as usize);
        (me.position, me.since) = (me.at(self.now), self.now);
        let mut ahead = self.buffers.ahead[k as usize];
        let mut seen = std::mem::take(&mut self.buffers.seen);
        if let BroadPhase::Cells(grid) = &self.broad_phase {
            self.first_collision(k, me, grid.ahead(k, into, &mut seen), &mut ahead);
            let (t, into) = grid.crossing(k, me.position, me.velocity);
            (ahead.crossing, ahead.into) = (self.now + t, into);
        }
        self.buffers.seen = seen;
        self.set(k, ahead);
    }
}
