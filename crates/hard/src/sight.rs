//! The first collision of a grain with several others, eight at a time: `meeting::meet` for each, to the last bit, without
//! branches, which could not be predicted.

use glam::DVec3;
use rubblepile_core::simd::{Kernel, LANES, Lanes, V3};

use crate::buffers::{FlyingGrain, PackedGrain};

pub struct Sight<'a> {
    pub rows: &'a [PackedGrain],
    /// At the moment `now`.
    pub me: FlyingGrain,
    /// It may be among them: it does not fly towards itself.
    pub others: &'a [u32],
    pub now: f64,
    pub end: f64,
    /// Periods and one over them; zero along open axes.
    pub period: (DVec3, DVec3),
}

#[inline(always)]
fn nearest_image<L: Lanes>(d: L, period: f64, inverse: f64) -> L {
    d - L::splat(period) * (d * L::splat(inverse)).round()
}

impl Sight<'_> {
    /// When eight others are met, eq. (3); infinite past the end of the drift.
    #[inline(always)]
    fn times<L: Lanes>(&self, others: [u32; LANES]) -> L {
        let [x, y, z, since, u, v, w, radius] =
            L::columns8(std::array::from_fn(|k| &self.rows[others[k] as usize].0));
        let (zero, never) = (L::splat(0.0), L::splat(f64::INFINITY));
        let (a, va) = (self.me.position, self.me.velocity);
        let (now, within) = (L::splat(self.now), L::splat(self.end - self.now));
        let flown = now - since;
        let d =
            V3(x + flown * u - L::splat(a.x), y + flown * v - L::splat(a.y), z + flown * w - L::splat(a.z));
        let (period, inverse) = self.period;
        let rho = V3(
            nearest_image(d.0, period.x, inverse.x),
            nearest_image(d.1, period.y, inverse.y),
            nearest_image(d.2, period.z, inverse.z),
        );
        let v = V3(u - L::splat(va.x), v - L::splat(va.y), w - L::splat(va.z));
        let rv = rho.dot(v);
        let reach = L::splat(self.me.radius) + radius;
        let gap = rho.dot(rho) - reach * reach;
        let square = rv * rv - v.dot(v) * gap;
        let t = gap / (square.max(zero).sqrt() - rv);
        let t = L::select(square.less(zero), never, t);
        // It closes no faster than it does now.
        let t = L::select(zero.less(gap + L::splat(2.0) * rv * within), never, t);
        let t = L::select(zero.less(gap), t, zero);
        let t = L::select(within.less(t), never, t);
        now + L::select(rv.less(zero), t, never)
    }
}

impl Kernel for Sight<'_> {
    /// The time and the partner; of simultaneous ones, that with the lowest row. The time is infinite if nothing meets.
    type Output = (f64, u32);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (f64, u32) {
        let Some(&last) = self.others.last() else { return (f64::INFINITY, u32::MAX) };
        let (mut first, mut who) = (L::splat(f64::INFINITY), L::splat(f64::from(u32::MAX)));
        for eight in self.others.chunks(LANES) {
            // Lanes past the end repeat the last one.
            let mut others = [last; LANES];
            let mut j = [f64::from(last); LANES];
            for k in 0..eight.len() {
                (others[k], j[k]) = (eight[k], f64::from(eight[k]));
            }
            let (t, j) = (self.times::<L>(others), L::load(&j));
            let tied = L::select(first.less(t), who, who.min(j));
            who = L::select(t.less(first), j, tied);
            first = t.min(first);
        }
        let (first, who) = (first.store(), who.store());
        let mut best = (f64::INFINITY, u32::MAX);
        for k in 0..LANES {
            let (t, j) = (first[k], who[k] as u32);
            if t < best.0 || (t == best.0 && j < best.1) {
                best = (t, j);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::{
        Rng,
        simd::{Portable, dispatch},
    };
    use rubblepile_geometry::meeting::meet;

    #[test]
    fn eight_at_a_time_see_what_one_at_a_time_does() {
        let mut rng = Rng::new(9);
        let mut met = 0;
        for round in 0..2000 {
            let n = 1 + round % 30;
            let grains: Vec<FlyingGrain> = (0..n)
                .map(|_| FlyingGrain {
                    position: 6.0 * DVec3::new(rng.uniform(), rng.uniform(), rng.uniform()),
                    since: rng.uniform(),
                    velocity: rng.range(0.0, 3.0) * rng.direction(),
                    radius: rng.range(0.1, 0.6),
                })
                .collect();
            let rows: Vec<PackedGrain> = grains.iter().map(|&g| PackedGrain::from(g)).collect();
            let (now, end) = (1.0, rng.range(1.0, 3.0));
            let period = match round % 3 {
                0 => (DVec3::ZERO, DVec3::ZERO),
                1 => (DVec3::new(5.0, 0.0, 0.0), DVec3::new(0.2, 0.0, 0.0)),
                _ => (DVec3::splat(5.0), DVec3::splat(0.2)),
            };
            let mut me = grains[0];
            (me.position, me.since) = (me.at(now), now);
            let others: Vec<u32> = (0..n as u32).rev().collect();
            let sight = || Sight { rows: &rows, me, others: &others, now, end, period };
            let mut expected = (f64::INFINITY, u32::MAX);
            for (j, b) in grains.iter().enumerate().skip(1) {
                let d = b.at(now) - me.position;
                let rho =
                    d - period.0 * DVec3::from_array((d * period.1).to_array().map(f64::round_ties_even));
                let v = b.velocity - me.velocity;
                let reach = me.radius + b.radius;
                let t = meet(rho.length_squared(), rho.dot(v), v.length_squared(), reach, end - now);
                if let Some(t) = t
                    && now + t < expected.0
                {
                    expected = (now + t, j as u32);
                }
            }
            met += usize::from(expected.0.is_finite());
            if expected.0.is_infinite() {
                assert!(dispatch(sight()).0.is_infinite());
                continue;
            }
            assert_eq!(dispatch(sight()), expected);
            assert_eq!(sight().run::<Portable>(), expected);
        }
        assert!(met > 200, "{met} met");
    }
}
