//! The contact table, made on request. Contact history belongs to the method: see [`crate::part`].

use glam::DVec3;

/// The partner of a body in a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partner {
    /// Another body, by id.
    Body(u64),
    /// A wall, by its id, and which of its faces (a box has six).
    Wall { wall: u32, face: u32 },
    /// An asteroid, by its id, and which of its facets.
    Asteroid { asteroid: u32, facet: u32 },
}

crate::archive_enum!(Partner { 0 => Body { 0: id }, 1 => Wall { wall, face }, 2 => Asteroid { asteroid, facet } });

/// One contact as it is now: a row of the contact table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Row of the body in [`crate::Bodies`] (not its id), and of its partner if that is a body.
    pub row: u32,
    pub partner_row: Option<u32>,
    pub body: u64,
    pub partner: Partner,
    /// Which of several contact points of the two.
    pub feature: u32,
    pub point: DVec3,
    /// From the body to its partner.
    pub normal: DVec3,
    /// Depth of the overlap, m; negative for a gap.
    pub overlap: f64,
    /// Force on the body, N; its partner feels the opposite.
    pub force: DVec3,
    /// Rolling and twisting torque on the body, N m, in addition to the moment of `force` at `point`.
    pub torque: DVec3,
    /// Vector from the partner's centre to the body's (for a wall: from the contact point), for stresses.
    pub branch: DVec3,
    /// Energy stored in the springs of the contact, J (cohesion counts as a potential: negative).
    pub elastic: f64,
}
