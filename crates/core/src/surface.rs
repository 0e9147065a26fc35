//! Walls and asteroids as what they have in common: surfaces that bodies touch.

use crate::{Partner, World, wall::Pose};

/// A wall or an asteroid, by its place in the world's list. Walls come before asteroids in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SurfaceRef {
    Wall(u32),
    Asteroid(u32),
}

impl SurfaceRef {
    /// Place in the list of asteroids.
    pub fn asteroid(self) -> Option<usize> {
        match self {
            SurfaceRef::Wall(_) => None,
            SurfaceRef::Asteroid(k) => Some(k as usize),
        }
    }

    pub fn pack(self) -> PackedSurface {
        match self {
            SurfaceRef::Wall(k) => PackedSurface(k),
            SurfaceRef::Asteroid(k) => PackedSurface(PackedSurface::ASTEROID | k),
        }
    }
}

/// A [`SurfaceRef`] in 31 bits, in the same order, for tables and keys where room counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedSurface(u32);

impl PackedSurface {
    const ASTEROID: u32 = 1 << 30;
    /// The first wall, where there is nothing to point at yet.
    pub const FIRST: PackedSurface = PackedSurface(0);

    pub fn get(self) -> SurfaceRef {
        match self.0 & Self::ASTEROID {
            0 => SurfaceRef::Wall(self.0),
            _ => SurfaceRef::Asteroid(self.0 ^ Self::ASTEROID),
        }
    }

    pub fn bits(self) -> u32 {
        self.0
    }

    /// From [`PackedSurface::bits`].
    pub fn from_bits(bits: u32) -> Self {
        PackedSurface(bits)
    }
}

/// Positions of all surfaces at a time.
#[derive(Debug, Clone, Default)]
pub struct Poses {
    pub walls: Vec<Pose>,
    pub asteroids: Vec<Pose>,
}

impl std::ops::Index<SurfaceRef> for Poses {
    type Output = Pose;

    fn index(&self, surface: SurfaceRef) -> &Pose {
        match surface {
            SurfaceRef::Wall(k) => &self.walls[k as usize],
            SurfaceRef::Asteroid(k) => &self.asteroids[k as usize],
        }
    }
}

impl World {
    /// A face of a wall or a facet of an asteroid, as contacts name it.
    pub fn partner_at(&self, surface: SurfaceRef, face: u32) -> Partner {
        match surface {
            SurfaceRef::Wall(k) => Partner::Wall { wall: self.walls[k as usize].id, face },
            SurfaceRef::Asteroid(k) => {
                Partner::Asteroid { asteroid: self.asteroids[k as usize].id, facet: face }
            }
        }
    }

    /// The surface that a contact names; `None` for a body, and for a wall or an asteroid that is gone.
    pub fn surface_of(&self, partner: Partner) -> Option<SurfaceRef> {
        match partner {
            Partner::Body(_) => None,
            Partner::Wall { wall: id, .. } => {
                self.walls.iter().position(|w| w.id == id).map(|k| SurfaceRef::Wall(k as u32))
            }
            Partner::Asteroid { asteroid: id, .. } => {
                self.asteroids.iter().position(|a| a.id == id).map(|k| SurfaceRef::Asteroid(k as u32))
            }
        }
    }

    /// The material of a surface.
    pub fn material_of(&self, surface: SurfaceRef) -> u32 {
        match surface {
            SurfaceRef::Wall(k) => self.walls[k as usize].material,
            SurfaceRef::Asteroid(k) => self.asteroids[k as usize].material,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_surfaces_come_back_and_keep_their_order() {
        let all = [0, 1, 7, (1 << 30) - 1].map(SurfaceRef::Wall);
        let all: Vec<SurfaceRef> = all.into_iter().chain([0, 3, 9].map(SurfaceRef::Asteroid)).collect();
        for pair in all.windows(2) {
            assert!(pair[0] < pair[1] && pair[0].pack() < pair[1].pack());
        }
        for surface in all {
            assert_eq!(surface.pack().get(), surface);
            assert_eq!(PackedSurface::from_bits(surface.pack().bits()).get(), surface);
            assert_eq!(surface.pack().bits() >> 31, 0);
        }
    }
}
