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

/// The part of a world that belongs to contact dynamics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NonsmoothState {
    pub contacts: Vec<ImpulseHistory>,
}

archive_struct!(ImpulseHistory { body, partner, feature, impulse, angular_impulse });
archive_struct!(NonsmoothState { contacts });

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
