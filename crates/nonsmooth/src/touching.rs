//! Which bodies touch, by geometry alone: the same in every method.

use glam::DVec3;
use rubblepile_core::{Contact, Result, World};
use rubblepile_geometry::mesh::Surfaces;

use crate::{
    candidates::Candidates,
    detection::{self, ContactParameters, ContactPoint, DetectionInput, DetectionRange},
    parts::PlacedParts,
    step::poses,
    table::row_of,
};

/// A search for bodies that touch. It keeps the trees of the asteroids' surfaces from one search to the next.
#[derive(Debug, Default)]
pub struct TouchSearch {
    surfaces: Surfaces,
}

impl TouchSearch {
    /// Every contact point whose gap is at most `gap` times the smaller radius of the two (of the body's own at a wall and on
    /// an asteroid), in the order of the rows, without forces.
    pub fn find(&mut self, world: &World, gap: f64) -> Result<Vec<Contact>> {
        if world.bodies.is_empty() {
            return Ok(Vec::new());
        }
        world.bodies.check_finite(world.time())?;
        self.surfaces.update(world);
        let laws = vec![ContactParameters::default(); world.materials.len().max(1).pow(2)];
        let reach = DetectionRange::Touching(gap);
        let poses = poses(world, world.time());
        let parts = PlacedParts::new(world)?;
        let mut candidates = Candidates::default();
        candidates.update(world, &reach, &laws);
        let input = DetectionInput {
            world,
            laws: &laws,
            reach,
            parts: &parts,
            poses: &poses,
            surfaces: &self.surfaces,
        };
        let radius = &world.bodies.radius;
        let near = |c: &ContactPoint| {
            let own = radius[c.row as usize];
            c.gap <= gap * c.partner_row().map_or(own, |row| own.min(radius[row as usize]))
        };
        let found = detection::find(&input, &mut candidates);
        let row = |c: &ContactPoint| row_of(world, &self.surfaces, c, DVec3::ZERO, DVec3::ZERO);
        Ok(found.iter().filter(|c| near(c)).map(row).collect())
    }
}
