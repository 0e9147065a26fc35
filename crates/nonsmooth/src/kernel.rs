//! Kernels over a batch: solve, apply impulses, measure velocities.

use rubblepile_core::simd::{LANES, Lanes, V3};

use crate::{
    batch::{Batch, Eight, Eight3, LeverArmLanes, LeverArms, Rolling, load3, store3},
    colours::{SolverBody, Work},
    solver::Trail,
};

/// The two bodies of eight contacts.
#[derive(Clone, Copy)]
struct BodyPair<L> {
    va: V3<L>,
    wa: V3<L>,
    /// Inverse masses and inverse moments.
    ma: L,
    ia: L,
    vb: V3<L>,
    wb: V3<L>,
    mb: L,
    ib: L,
}

#[inline(always)]
fn read<'a>(rows: &'a [&mut SolverBody; LANES]) -> [&'a SolverBody; LANES] {
    [rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]]
}

impl<L: Lanes> BodyPair<L> {
    #[inline(always)]
    fn load(a: &[&mut SolverBody; LANES], b: &[&mut SolverBody; LANES]) -> Self {
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
    fn store(self, a: [&mut SolverBody; LANES], b: [&mut SolverBody; LANES]) {
        let BodyPair { va, wa, ma, ia, vb, wb, mb, ib } = self;
        L::store_rows8([va.0, va.1, va.2, wa.0, wa.1, wa.2, ma, ia], a);
        L::store_rows8([vb.0, vb.1, vb.2, wb.0, wb.1, wb.2, mb, ib], b);
    }

    #[inline(always)]
    fn velocity(&self, arms: &impl LeverArmLanes<L>) -> V3<L> {
        self.vb - self.va + arms.slip(self.wa, self.wb)
    }

    #[inline(always)]
    fn push(&mut self, arms: &impl LeverArmLanes<L>, p: V3<L>) {
        self.va = self.va - p * self.ma;
        self.vb = self.vb + p * self.mb;
        let (da, db) = arms.push(p);
        self.wa = self.wa + da;
        self.wb = self.wb + db;
    }
}

/// Rolling and twisting, if there is any.
pub trait Roll: Send {
    fn resist<L: Lanes, R: LeverArmLanes<L>>(
        &mut self,
        arms: &R,
        n: V3<L>,
        normal: L,
        wa: &mut V3<L>,
        wb: &mut V3<L>,
    );
}

impl Roll for () {
    #[inline(always)]
    fn resist<L: Lanes, R: LeverArmLanes<L>>(&mut self, _: &R, _: V3<L>, _: L, _: &mut V3<L>, _: &mut V3<L>) {
    }
}

/// `q` cut to the length `limit`.
#[inline(always)]
fn cut<L: Lanes>(q: V3<L>, limit: L) -> V3<L> {
    let squared = q.dot(q);
    let scale = limit / squared.sqrt();
    q * L::select((limit * limit).less(squared), scale, L::splat(1.0))
}

impl Roll for Rolling {
    #[inline(always)]
    fn resist<L: Lanes, R: LeverArmLanes<L>>(
        &mut self,
        arms: &R,
        n: V3<L>,
        normal: L,
        wa: &mut V3<L>,
        wb: &mut V3<L>,
    ) {
        let old: V3<L> = load3(&self.torque);
        let free = old - (*wb - *wa) * L::load(&self.inverse);
        let about = free.dot(n);
        let most = L::load(&self.twist) * normal;
        let twist = about.min(most).max(-most);
        let new = cut(free - n * about, L::load(&self.roll) * normal) + n * twist;
        self.torque = store3(new);
        let (da, db) = arms.twist(new - old);
        *wa = *wa + da;
        *wb = *wb + db;
    }
}

/// One visit of non-smooth Gauss-Seidel: Table 1 with the diagonal block of eq. (13).
pub struct Solve;

impl<A: LeverArms, E: Roll> Work<Batch<A>, E> for Solve {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut E,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let n = load3::<L>(&data.normal);
        let arms = data.arms.load(n, pair.ia, pair.ib);
        let u = pair.velocity(&arms);
        let p = load3::<L>(&data.impulse);
        let (un, pn) = (u.dot(n), p.dot(n));
        let inverse = L::load(&data.inverse_normal);
        let normal = (pn - inverse * (un + L::load(&data.bias))).max(L::splat(0.0));
        let tangent = p - n * pn;
        // The normal goes first; where it moves the contact sideways, friction answers to that too.
        let ut = if A::COUPLED {
            pair.push(&arms, n * (normal - pn));
            pair.velocity(&arms).across(n)
        } else {
            u - n * un
        };
        let free = tangent - ut * L::load(&data.inverse_tangent);
        let friction = cut(free, L::load(&data.friction) * normal);
        let new = friction + n * normal;
        data.impulse = store3(new);
        pair.push(&arms, if A::COUPLED { friction - tangent } else { new - p });
        extra.resist(&arms, n, normal, &mut pair.wa, &mut pair.wb);
        pair.store(a, b);
    }
}

/// Adds impulses (`extra`) that are not in the bodies' velocities yet.
pub struct Apply;

impl<A: LeverArms> Work<Batch<A>, Eight3> for Apply {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
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

/// Moves the impulses on by this part of their last change.
pub struct Shift(pub f64);

impl<A: LeverArms> Work<Batch<A>, Trail> for Shift {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Trail,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        let p = load3::<L>(&data.impulse);
        let change = (p - load3::<L>(&extra.last)) * L::splat(self.0);
        extra.last = data.impulse;
        data.impulse = store3(p + change);
        extra.start = data.impulse;
        pair.push(&arms, change);
        pair.store(a, b);
    }
}

/// The same for the torque impulses.
pub struct ShiftTorque(pub f64);

impl<A: LeverArms> Work<Batch<A>, Rolling> for ShiftTorque {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Rolling,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        let t = load3::<L>(&extra.torque);
        let change = (t - load3::<L>(&extra.last)) * L::splat(self.0);
        extra.last = extra.torque;
        extra.torque = store3(t + change);
        let (da, db) = arms.twist(change);
        pair.wa = pair.wa + da;
        pair.wb = pair.wb + db;
        pair.store(a, b);
    }
}

/// Adds the torque impulses of the last step.
pub struct ApplyTorque;

impl<A: LeverArms> Work<Batch<A>, Rolling> for ApplyTorque {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Rolling,
    ) {
        let mut pair = BodyPair::<L>::load(&a, &b);
        let arms = data.arms.load(load3::<L>(&data.normal), pair.ia, pair.ib);
        let (da, db) = arms.twist(load3(&extra.torque));
        pair.wa = pair.wa + da;
        pair.wb = pair.wb + db;
        pair.store(a, b);
    }
}

/// Relative velocities into `extra`.
pub struct RelativeVelocity;

impl<A: LeverArms> Work<Batch<A>, Eight3> for RelativeVelocity {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
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

/// How far a contact is from being solved, as a velocity: `|p - P_K(p - rho (u + (bias + mu |u_t|) n))| / rho`, the
/// natural map of the cone form with the term of De Saxce (eq. 9 of nbody-polyhedra-2017). It vanishes if and only if
/// Signorini's and Coulomb's conditions hold (eqs 10 and 11 of contact-dynamics-2021). `extra`: its square.
pub struct Residual;

impl<A: LeverArms> Work<Batch<A>, Eight> for Residual {
    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        extra: &mut Eight,
    ) {
        let pair = BodyPair::<L>::load(&a, &b);
        let n = load3::<L>(&data.normal);
        let arms = data.arms.load(n, pair.ia, pair.ib);
        let u = pair.velocity(&arms);
        let mu = L::load(&data.friction);
        let un = u.dot(n);
        let ut = u - n * un;
        let slide = ut.dot(ut).sqrt();
        let rho = L::load(&data.inverse_normal).min(L::load(&data.inverse_tangent));
        let p = load3::<L>(&data.impulse);
        let z = p - (u + n * (L::load(&data.bias) + mu * slide)) * rho;
        let d = (p - onto_cone(z, n, mu)) * (L::splat(1.0) / rho);
        *extra = d.dot(d).store();
    }
}
