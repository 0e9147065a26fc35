//! Nesterov's momentum for Gauss-Seidel: a pair of sweeps, to and fro, starts from a point ahead of the last impulses, in the
//! direction of the last change.
//!
//! A load is carried through a pile of `d` layers in about `d` pairs of sweeps instead of `d^2`. Coulomb's law is not the
//! minimum of anything, so momentum that has grown for long can drive the impulses away from the solution: some of it is taken
//! back when pairs of sweeps change more and more, and it begins anew when a change turns back (O'Donoghue and Candes 2015).
//! Where sliding keeps the residual from falling, momentum must stay below what it was.

use crate::relax::Sums;

/// Momentum is taken back when so many pairs of sweeps in a row changed more than the one before, by this factor of t. Of 1/2,
/// 0.7 and 0.8, and of 1 to 4 pairs, these solve the settled bed of `bench contact-n1` best.
const LONGEST_GROWTH: u32 = 2;
const SLOWDOWN: f64 = 0.7;

/// Momentum that is restrained leaves this much more of 1 than before, and at least this.
const RESTRAINT: f64 = 1.5;
const LEAST: f64 = 0.02;

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
    turned: bool,
}

impl Default for Momentum {
    fn default() -> Self {
        Momentum { t: 1.0, part: 0.0, most: 1.0, change: 0.0, grown: 0, turned: false }
    }
}

impl Momentum {
    /// How far the next pair of sweeps starts ahead, as a part of the last change.
    pub fn part(&self) -> f64 {
        self.part
    }

    /// Whether impulses have turned back since this was last asked.
    pub fn has_turned(&mut self) -> bool {
        std::mem::take(&mut self.turned)
    }

    /// Begins anew with less than there is.
    pub fn restrain(&mut self) {
        self.most = (1.0 - RESTRAINT * (1.0 - self.part).max(LEAST)).max(0.0);
        (self.t, self.part, self.grown) = (1.0, 0.0, 0);
    }

    /// After a pair of sweeps.
    pub fn advance(&mut self, Sums { change, turned, .. }: Sums) {
        self.grown = if self.change > 0.0 && change > self.change { self.grown + 1 } else { 0 };
        self.change = change;
        if turned > 0.0 {
            self.t = 1.0;
            self.grown = 0;
            self.turned = true;
        } else if self.grown == LONGEST_GROWTH {
            self.t = (SLOWDOWN * self.t).max(1.0);
            self.grown = 0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        self.part = ((self.t - 1.0) / next).min(self.most);
        self.t = next;
    }
}
