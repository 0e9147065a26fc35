//! Kernels over a batch: apply impulses, measure velocities, relax (`relax.rs`).

use rubblepile_core::simd::{LANES, Lanes, V3};

use crate::{
    batch::{Batch, Eight3, LeverArmLanes, LeverArms, Rolling, load3, store3},
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

/// Adds the torque impulses of the last step.
pub struct ApplyTorque;

impl<A: LeverArms> Work<Batch<A>, Rolling> for ApplyTorque {
    type Pass = ();

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        (): (),
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
