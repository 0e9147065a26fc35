//! The contact history of soft spheres: spring displacements.

use glam::DVec3;
use rubblepile_core::{Part, Partner, archive_struct, part::Remembered};

/// The springs of one contact since it was made. Its normal points from the body to its partner. For two bodies, `body`
/// has the smaller id.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringHistory {
    pub body: u64,
    pub partner: Partner,
    /// Sliding displacement, m (world frame, in the contact plane).
    pub sliding: DVec3,
    /// Rolling angle, rad (world frame, in the contact plane).
    pub rolling: DVec3,
    /// Twisting angle about the normal, rad.
    pub twisting: f64,
    /// Of a facet of an asteroid: its share of the contact at the last step, eq. (6); otherwise 0.
    pub share: f64,
}

/// The part of a world that belongs to soft spheres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SoftState {
    pub contacts: Vec<SpringHistory>,
}

archive_struct!(SpringHistory { body, partner, sliding, rolling, twisting, share });
archive_struct!(SoftState { contacts });

impl Part for SoftState {
    fn method(&self) -> &'static str {
        "soft"
    }

    fn remembered(&self) -> Box<dyn Iterator<Item = Remembered> + '_> {
        let contact =
            |h: &SpringHistory| Remembered { body: h.body, partner: h.partner, feature: 0, impulse: None };
        Box::new(self.contacts.iter().map(contact))
    }
}
