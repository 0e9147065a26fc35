//! The contact history of contact dynamics: the impulses of the last step, which warm-start the next.

use glam::DVec3;
use rubblepile_core::{Part, Partner, archive_struct, part::Remembered};

/// The impulses at one contact point. Its normal points from the body to its partner. For two bodies, `body` has the
/// smaller id.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseHistory {
    pub body: u64,
    pub partner: Partner,
    /// Which of several contact points of the two, 0 if there is one.
    pub feature: u32,
    /// On the partner, N s.
    pub impulse: DVec3,
    /// Of the rolling and twisting torque on the partner, N m s.
    pub angular_impulse: DVec3,
}

/// How well the contact problems of the steps were solved, since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolverRecord {
    pub steps: u64,
    /// Steps whose residual stayed above the tolerance, and the largest of their residuals.
    pub unsolved: u64,
    pub worst_residual: f64,
    /// Unsolved steps in a row until now.
    pub unsolved_in_a_row: u64,
    pub iterations: u64,
}

impl SolverRecord {
    /// Unsolved steps over steps.
    pub fn unsolved_share(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.unsolved as f64 / self.steps as f64 }
    }
}

/// The part of a world that belongs to contact dynamics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NonsmoothState {
    pub contacts: Vec<ImpulseHistory>,
    pub solver: SolverRecord,
}

archive_struct!(ImpulseHistory { body, partner, feature, impulse, angular_impulse });
archive_struct!(SolverRecord { steps, unsolved, worst_residual, unsolved_in_a_row, iterations });
archive_struct!(NonsmoothState { contacts, solver });

impl Part for NonsmoothState {
    fn method(&self) -> &'static str {
        "nonsmooth"
    }

    fn remembered(&self) -> Box<dyn Iterator<Item = Remembered> + '_> {
        let contact = |h: &ImpulseHistory| Remembered {
            body: h.body,
            partner: h.partner,
            feature: h.feature,
            impulse: Some(h.impulse),
        };
        Box::new(self.contacts.iter().map(contact))
    }
}
