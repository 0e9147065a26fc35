//! Nesterov's momentum for Gauss-Seidel: a pair of sweeps, to and fro, starts from a point ahead of the last impulses, in the
//! direction of the last change.
//!
//! A load is carried through a pile of `d` layers in about `d` pairs of sweeps instead of `d^2`. Coulomb's law is not the
//! minimum of anything, so momentum that has grown for long can drive the impulses away from the solution: some of it is taken
//! back when pairs of sweeps change more and more, and it begins anew when a change turns back (O'Donoghue and Candes 2015).
//!
//! Contacts go only part of the way to what solves them alone. Where they slide, they may otherwise answer each other for ever,
//! even without momentum: the normal impulse limits the friction of its contact, which moves the normal impulses of others. Where
//! momentum leads in circles, it must stay below what it was, and contacts go less far.

use crate::relax::{Stride, Sums};

/// Momentum is taken back when so many pairs of sweeps in a row changed more than the one before, by this factor of t. Of 1/2,
/// 0.7 and 0.8, and of 1 to 4 pairs, these solve the settled bed of `bench contact-n1` best.
const LONGEST_GROWTH: u32 = 2;
const SLOWDOWN: f64 = 0.7;
/// The same after so many pairs of sweeps: what is slow needs momentum. With it from the start the bed takes half as long again.
const LATE: u32 = 300;
const LATE_SLOWDOWN: f64 = 0.9;

/// Momentum that is restrained leaves this much more of 1 than before, and at least this.
const RESTRAINT: f64 = 1.5;
const LEAST: f64 = 0.02;

/// Of 0.6 to 1, this solves most steps fastest: the steps of a collapse in 3/4 of the sweeps that 1 takes. Restraint takes a fifth of
/// it.
const RELAXATION: f64 = 0.8;
const LESS_FAR: f64 = 0.8;
const SHORTEST: f64 = 0.3;

/// Momentum of one solve.
pub struct Momentum {
    /// Nesterov's t: the momentum is `(t - 1) / t'`.
    t: f64,
    part: f64,
    /// `part` stays below this.
    most: f64,
    /// Square of the last change by a pair of sweeps, and how often in a row it has grown.
    change: f64,
    grown: u32,
    pairs: u32,
    relaxation: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Momentum { t: 1.0, part: 0.0, most: 1.0, change: 0.0, grown: 0, pairs: 0, relaxation: RELAXATION }
    }
}

impl Momentum {
    /// Of the next pair of sweeps.
    pub fn stride(&self) -> Stride {
        Stride { momentum: self.part, relaxation: self.relaxation }
    }

    /// Begins anew with less than there is.
    pub fn restrain(&mut self) {
        self.relaxation = (LESS_FAR * self.relaxation).max(SHORTEST);
        self.most = (1.0 - RESTRAINT * (1.0 - self.part).max(LEAST)).max(0.0);
        (self.t, self.part, self.grown) = (1.0, 0.0, 0);
    }

    /// After a pair of sweeps.
    pub fn advance(&mut self, Sums { change, turned, .. }: Sums) {
        self.pairs += 1;
        self.grown = if self.change > 0.0 && change > self.change { self.grown + 1 } else { 0 };
        self.change = change;
        if turned > 0.0 {
            self.t = 1.0;
            self.grown = 0;
        } else if self.grown == LONGEST_GROWTH {
            let slowdown = if self.pairs < LATE { SLOWDOWN } else { LATE_SLOWDOWN };
            self.t = (slowdown * self.t).max(1.0);
            self.grown = 0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        self.part = ((self.t - 1.0) / next).min(self.most);
        self.t = next;
    }
}
