//! The kernels of Gauss-Seidel: a visit to eight contacts (Table 1 of contact-dynamics-2021, with the diagonal block of
//! eq. 13), with Nesterov's momentum (`solver/momentum.rs`), and how far they are from being solved.

use rubblepile_core::simd::{LANES, Lanes, V3};

use crate::{
    batch::{Batch, Eight3, LeverArmLanes, LeverArms, Rolling, load3, store3},
    colours::{SolverBody, Work},
    kernel::BodyPair,
};

/// What a solve keeps of eight contacts besides their batch.
#[derive(Clone)]
pub struct Visit<R> {
    /// Impulses after the last pair of sweeps.
    last: Eight3,
    /// Impulses that this pair started from.
    start: Eight3,
    /// Of this batch.
    sums: Sums,
    /// Of the block that begins with this batch.
    pub gathered: Sums,
    pub rolling: R,
}

impl<R> Visit<R> {
    pub fn new(impulse: Eight3, rolling: R) -> Self {
        let (sums, gathered) = (Sums::default(), Sums::default());
        Visit { last: impulse, start: impulse, sums, gathered, rolling }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    /// How far the last pair of sweeps went, squared, and whether it turned back (above zero): both as energies.
    pub change: f64,
    pub turned: f64,
    /// See [`misfit`].
    pub misfit: f64,
}

impl std::iter::Sum for Sums {
    fn sum<I: Iterator<Item = Sums>>(all: I) -> Sums {
        all.fold(Sums::default(), |a, b| Sums {
            change: a.change + b.change,
            turned: a.turned + b.turned,
            misfit: a.misfit + b.misfit,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pass {
    /// A sweep.
    Plain,
    /// The first sweep of a pair: starts ahead of the last impulses.
    Ahead(Stride),
    /// The second sweep of a pair: compares.
    Back(Stride),
    Misfit,
}

/// How a pair of sweeps goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    /// How far ahead it starts, as a part of the last change.
    pub momentum: f64,
    /// How far impulses go towards what solves their contact, as a part of the way.
    pub relaxation: f64,
}

pub struct Relax;

impl<A: LeverArms, R: Roll> Work<Batch<A>, Visit<R>> for Relax {
    type Pass = Pass;

    #[inline(always)]
    fn batch<L: Lanes>(
        &self,
        pass: Pass,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut Batch<A>,
        visit: &mut Visit<R>,
    ) {
        match pass {
            Pass::Plain => {
                let p = load3(&data.impulse);
                solve::<L, A, R>(a, b, data, p, &mut visit.rolling, 1.0);
            }
            Pass::Ahead(Stride { momentum, relaxation }) => {
                let p = load3::<L>(&data.impulse);
                let ahead = p + (p - load3::<L>(&visit.last)) * L::splat(momentum);
                visit.last = data.impulse;
                visit.start = store3(ahead);
                visit.rolling.shift::<L>(momentum);
                solve::<L, A, R>(a, b, data, ahead, &mut visit.rolling, relaxation);
            }
            Pass::Back(Stride { relaxation, .. }) => {
                let p = load3(&data.impulse);
                solve::<L, A, R>(a, b, data, p, &mut visit.rolling, relaxation);
                let now = load3::<L>(&data.impulse);
                let d = now - load3::<L>(&visit.start);
                let compliance = L::splat(1.0) / L::load(&data.inverse_normal);
                visit.sums.change = sum((d.dot(d) * compliance).store());
                visit.sums.turned = -sum((d.dot(now - load3::<L>(&visit.last)) * compliance).store());
            }
            Pass::Misfit => visit.sums.misfit = misfit::<L, A, R>(a, b, data, &visit.rolling),
        }
    }

    /// Velocities are linear in the impulses: those of impulses ahead are as far ahead.
    fn rows(&self, pass: Pass, rows: &mut [SolverBody], last: &mut [SolverBody]) {
        let Pass::Ahead(Stride { momentum, .. }) = pass else { return };
        for (row, last) in rows.iter_mut().zip(last) {
            let now = *row;
            // Inverse mass and inertia are the same in both.
            for k in 0..LANES {
                row[k] += momentum * (now[k] - last[k]);
            }
            *last = now;
        }
    }

    fn extras(&self, _: Pass, visits: &mut [Visit<R>]) {
        let gathered = visits.iter().map(|v| v.sums).sum();
        if let Some(first) = visits.first_mut() {
            first.gathered = gathered;
        }
    }
}

fn sum(x: [f64; LANES]) -> f64 {
    ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]))
}

/// One visit: the impulses `p`, which the bodies have felt, go the part `relaxation` of the way to those that solve the contacts while
/// all others stay, as far as Coulomb's law allows.
#[inline(always)]
fn solve<L: Lanes, A: LeverArms, R: Roll>(
    a: [&mut SolverBody; LANES],
    b: [&mut SolverBody; LANES],
    data: &mut Batch<A>,
    p: V3<L>,
    rolling: &mut R,
    relaxation: f64,
) {
    let (mut pair, part) = (BodyPair::<L>::load(&a, &b), L::splat(relaxation));
    let n = load3::<L>(&data.normal);
    let arms = data.arms.load(n, pair.ia, pair.ib);
    let u = pair.velocity(&arms);
    let (un, pn) = (u.dot(n), p.dot(n));
    let inverse = L::load(&data.inverse_normal) * part;
    let normal = (pn - inverse * (un + L::load(&data.bias))).max(L::splat(0.0));
    let tangent = p - n * pn;
    // The normal goes first; where it moves the contact sideways, friction answers to that too.
    let ut = if A::COUPLED {
        pair.push(&arms, n * (normal - pn));
        pair.velocity(&arms).across(n)
    } else {
        u - n * un
    };
    let free = tangent - ut * (L::load(&data.inverse_tangent) * part);
    let friction = cut(free, L::load(&data.friction) * normal);
    let new = friction + n * normal;
    data.impulse = store3(new);
    pair.push(&arms, if A::COUPLED { friction - tangent } else { new - p });
    rolling.resist(&arms, n, normal, part, &mut pair.wa, &mut pair.wb);
    pair.store(a, b);
}

/// How far contacts are from being solved, as twice an energy: that of the velocities which would go if each contact were solved
/// while all others stay. It vanishes if and only if Signorini's and Coulomb's conditions hold (eqs 10 and 11 of
/// contact-dynamics-2021).
#[inline(always)]
fn misfit<L: Lanes, A: LeverArms, R: Roll>(
    a: [&mut SolverBody; LANES],
    b: [&mut SolverBody; LANES],
    data: &Batch<A>,
    rolling: &R,
) -> f64 {
    let pair = BodyPair::<L>::load(&a, &b);
    let n = load3::<L>(&data.normal);
    let arms = data.arms.load(n, pair.ia, pair.ib);
    let (u, p) = (pair.velocity(&arms), load3::<L>(&data.impulse));
    let (un, pn) = (u.dot(n), p.dot(n));
    let (ut, pt) = (u - n * un, p - n * pn);
    let (stiff, stiff_t) = (L::load(&data.inverse_normal), L::load(&data.inverse_tangent));
    let push = (pn - (un + L::load(&data.bias)) * stiff).max(L::splat(0.0)) - pn;
    let slide = cut(pt - ut * stiff_t, L::load(&data.friction) * pn) - pt;
    sum((push * push / stiff + slide.dot(slide) / stiff_t + rolling.misfit(n, pn, pair.wb - pair.wa)).store())
}

/// Rolling and twisting, if there is any.
pub trait Roll: Clone + Send {
    /// Moves the torques the part `relaxation` of the way to those that solve the contacts, as far as the normal impulses allow.
    fn resist<L: Lanes, R: LeverArmLanes<L>>(
        &mut self,
        arms: &R,
        n: V3<L>,
        normal: L,
        relaxation: L,
        wa: &mut V3<L>,
        wb: &mut V3<L>,
    );

    /// Moves the torques ahead by this part of their last change.
    fn shift<L: Lanes>(&mut self, part: f64);

    /// Twice the energy of what would go of a relative spin `w`.
    fn misfit<L: Lanes>(&self, n: V3<L>, normal: L, w: V3<L>) -> L;
}

impl Roll for () {
    #[inline(always)]
    fn resist<L: Lanes, R: LeverArmLanes<L>>(
        &mut self,
        _: &R,
        _: V3<L>,
        _: L,
        _: L,
        _: &mut V3<L>,
        _: &mut V3<L>,
    ) {
    }

    #[inline(always)]
    fn shift<L: Lanes>(&mut self, _: f64) {}

    #[inline(always)]
    fn misfit<L: Lanes>(&self, _: V3<L>, _: L, _: V3<L>) -> L {
        L::splat(0.0)
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
        relaxation: L,
        wa: &mut V3<L>,
        wb: &mut V3<L>,
    ) {
        let old: V3<L> = load3(&self.torque);
        let new = self.bounded(n, normal, (*wb - *wa) * relaxation);
        self.torque = store3(new);
        let (da, db) = arms.twist(new - old);
        *wa = *wa + da;
        *wb = *wb + db;
    }

    #[inline(always)]
    fn shift<L: Lanes>(&mut self, part: f64) {
        let t = load3::<L>(&self.torque);
        let change = (t - load3::<L>(&self.last)) * L::splat(part);
        self.last = self.torque;
        self.torque = store3(t + change);
    }

    #[inline(always)]
    fn misfit<L: Lanes>(&self, n: V3<L>, normal: L, w: V3<L>) -> L {
        let old: V3<L> = load3(&self.torque);
        let change = self.bounded(n, normal, w) - old;
        // Empty lanes resist nothing and change nothing.
        change.dot(change) / L::load(&self.inverse).max(L::splat(f64::MIN_POSITIVE))
    }
}

impl Rolling {
    /// The torques that would take away relative spins `w`, as far as the normal impulses allow.
    #[inline(always)]
    fn bounded<L: Lanes>(&self, n: V3<L>, normal: L, w: V3<L>) -> V3<L> {
        let free = load3::<L>(&self.torque) - w * L::load(&self.inverse);
        let about = free.dot(n);
        let most = L::load(&self.twist) * normal;
        cut(free - n * about, L::load(&self.roll) * normal) + n * about.min(most).max(-most)
    }
}
