//! Kernels over a batch: apply impulses, measure velocities, relax (`relax.rs`).

use rubblepile_core::simd::{LANES, Lanes, V3};

use crate::{
    batch::{Batch, Eight3, LeverArmLanes, LeverArms, load3, store3},
    colours::{SolverBody, Work},
};

/// The two bodies of eight contacts.
#[derive(Clone, Copy)]
pub struct BodyPair<L> {
    va: V3<L>,
    pub wa: V3<L>,
    /// Inverse masses and inverse moments.
    ma: L,
    pub ia: L,
    vb: V3<L>,
    pub wb: V3<L>,
    mb: L,
    pub ib: L,
}

#[inline(always)]
fn read<'a>(rows: &'a [&mut SolverBody; LANES]) -> [&'a SolverBody; LANES] {
    [rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]]
}

impl<L: Lanes> BodyPair<L> {
    #[inline(always)]
    pub fn load(a: &[&mut SolverBody; LANES], b: &[&mut SolverBody; LANES]) -> Self {
        let [ax, ay, az, au, av, aw, ma, ia] = L::columns8(read(a));
        let [bx, by, bz, bu, bv, bw, mb, ib] = L::columns8(read(b));
        BodyPair {
            va: V3(ax, ay, az),
            wa: V3(au, av, aw),
            ma,
            ia,
            vb: V3(bx, by, bz),
            wb: V3(bu, bv, bw),
            mb,
            ib,
        }
    }

    #[inline(always)]
    pub fn store(self, a: [&mut SolverBody; LANES], b: [&mut SolverBody; LANES]) {
        let BodyPair { va, wa, ma, ia, vb, wb, mb, ib } = self;
        L::store_rows8([va.0, va.1, va.2, wa.0, wa.1, wa.2, ma, ia], a);
        L::store_rows8([vb.0, vb.1, vb.2, wb.0, wb.1, wb.2, mb, ib], b);
    }

    #[inline(always)]
    pub fn velocity(&self, arms: &impl LeverArmLanes<L>) -> V3<L> {
        self.vb - self.va + arms.slip(self.wa, self.wb)
    }

    #[inline(always)]
    pub fn push(&mut self, arms: &impl LeverArmLanes<L>, p: V3<L>) {
        self.va = self.va - p * self.ma;
        self.vb = self.vb + p * self.mb;
        let (da, db) = arms.push(p);
        self.wa = self.wa + da;
        self.wb = self.wb + db;
    }
}

/// Adds impulses (`extra`) that are not in the bodies' velocities yet.
pub struct Apply;

impl<A: LeverArms> Work<Batch<A>, Eight3> for Apply {
    type Pass = ();

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Eight3,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        pair.push(&arms, load3(extra));
        pair.store(a, b);
    }
}

/// Adds torque impulses (`extra`) that are not in the bodies' spins yet.
pub struct ApplyTorque;

impl<A: LeverArms> Work<Batch<A>, Eight3> for ApplyTorque {
    type Pass = ();

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Eight3,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        let (da, db) = arms.twist(load3(extra));
        pair.wa = pair.wa + da;
        pair.wb = pair.wb + db;
        pair.store(a, b);
    }
}

/// Relative velocities into `extra`.
pub struct RelativeVelocity;

impl<A: LeverArms> Work<Batch<A>, Eight3> for RelativeVelocity {
    type Pass = ();

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Eight3,
    ) {
        let pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        *extra = store3(pair.velocity(&arms));
    }
}

/// Relative spins into `extra`.
pub struct RelativeSpin;

impl<A: LeverArms> Work<Batch<A>, Eight3> for RelativeSpin {
    type Pass = ();

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        (): (),
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        _: &mut Batch<A>,
        extra: &mut Eight3,
    ) {
        let pair = BodyPair::<L>::load(&a, &b);
        *extra = store3(pair.wb - pair.wa);
    }
}

/// The projection onto Coulomb's cone `|p_t| <= mu p_n`.
#[inline(always)]
pub fn onto_cone<L: Lanes>(z: V3<L>, n: V3<L>, mu: L) -> V3<L> {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let zn = z.dot(n);
    let zt = z - n * zn;
    let length = zt.dot(zt).sqrt();
    // On the side of the cone: the nearest point of its surface; below it: the tip.
    let side = ((zn + mu * length) / (one + mu * mu)).max(zero);
    let inside = (mu * zn).less(length);
    let normal = L::select(inside, side, zn.max(zero));
    // Where nothing is tangential the scale does not matter, but must be a number.
    let safe = L::select(zero.less(length), length, one);
    let scale = L::select(inside, mu * side / safe, one);
    zt * scale + n * normal
}

/// Limits of friction, rolling and twisting over the normal impulse, and how much a torque weighs against an impulse.
pub struct Limits<L> {
    pub friction: L,
    pub roll: L,
    pub twist: L,
    pub weight: L,
}

/// The projection of an impulse and a torque onto the cone `|p_t| <= mu p_n`, `|t_t| <= roll p_n`, `|t_n| <= twist p_n`: the
/// nearest point of it, with torques weighed.
#[inline(always)]
pub fn onto_rolling_cone<L: Lanes>(z: V3<L>, t: V3<L>, n: V3<L>, limits: &Limits<L>) -> (V3<L>, V3<L>) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (zn, about) = (z.dot(n), t.dot(n));
    let (slide, roll) = (z - n * zn, t - n * about);
    let (slides, rolls) = (slide.dot(slide).sqrt(), roll.dot(roll).sqrt());
    let twists = about.max(-about);
    let parts = [
        (slides, limits.friction, one),
        (rolls, limits.roll, limits.weight),
        (twists, limits.twist, limits.weight),
    ];
    // Half the derivative of the distance with the normal impulse x is x - z_n - sum w c (l - c x)_+: increasing and concave, so
    // that Newton's method from below finds the zero in as many steps as it has pieces.
    let mut normal = zero;
    for _ in 0..=parts.len() {
        let (mut above, mut below) = (zn, one);
        for &(length, most, weight) in &parts {
            let over = (most * normal).less(length);
            above = above + L::select(over, weight * most * length, zero);
            below = below + L::select(over, weight * most * most, zero);
        }
        normal = normal.max(above / below);
    }
    let scale = |(length, most, _): (L, L, L)| {
        let limit = most * normal;
        L::select(limit.less(length), limit / length, one)
    };
    let [by_slide, by_roll, by_twist] = parts.map(scale);
    (slide * by_slide + n * normal, roll * by_roll + n * (about * by_twist))
}

#[cfg(test)]
mod tests {
    use rubblepile_core::simd::Portable;

    use super::*;

    fn vector(x: [f64; 3]) -> V3<Portable> {
        V3(Portable::splat(x[0]), Portable::splat(x[1]), Portable::splat(x[2]))
    }

    fn numbers(v: V3<Portable>) -> [f64; 3] {
        store3(v).map(|lanes| lanes[0])
    }

    /// No point of the cone nearby is nearer, and what is inside stays.
    #[test]
    fn the_rolling_cone_is_projected_onto() {
        let limit = |mu: f64, roll: f64, twist: f64, weight: f64| Limits {
            friction: Portable::splat(mu),
            roll: Portable::splat(roll),
            twist: Portable::splat(twist),
            weight: Portable::splat(weight),
        };
        let n = vector([0.0, 0.0, 1.0]);
        let mut rng = rubblepile_core::Rng::new(5);
        for _ in 0..200 {
            let (mu, roll, twist, weight) =
                (rng.range(0.0, 1.0), rng.range(0.0, 0.5), rng.range(0.0, 0.5), rng.range(0.1, 10.0));
            let limits = limit(mu, roll, twist, weight);
            let mut random = || [rng.normal(), rng.normal(), rng.normal()];
            let (z, t) = (random(), random());
            let (p, q) = onto_rolling_cone(vector(z), vector(t), n, &limits);
            let (p, q) = (numbers(p), numbers(q));
            let inside = |p: [f64; 3], q: [f64; 3], slack: f64| {
                p[2] >= -slack
                    && p[0].hypot(p[1]) <= mu * p[2] + slack
                    && q[0].hypot(q[1]) <= roll * p[2] + slack
                    && q[2].abs() <= twist * p[2] + slack
            };
            let distance = |p: [f64; 3], q: [f64; 3]| -> f64 {
                (0..3).map(|k| (p[k] - z[k]).powi(2) + weight * (q[k] - t[k]).powi(2)).sum()
            };
            assert!(inside(p, q, 1e-12), "{p:?} {q:?}");
            if inside(z, t, 0.0) {
                assert!(distance(p, q) < 1e-24);
            }
            for _ in 0..100 {
                let (a, b) = (random(), random());
                let other = (
                    std::array::from_fn(|k| p[k] + 0.03 * a[k]),
                    std::array::from_fn(|k| q[k] + 0.03 * b[k]),
                );
                if inside(other.0, other.1, 0.0) {
                    assert!(distance(other.0, other.1) >= distance(p, q) - 1e-12);
                }
            }
        }
    }
}
