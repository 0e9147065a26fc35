//! The solids of a world at their current positions, ready for contact detection.

use std::sync::Arc;

use rayon::prelude::*;
use rubblepile_core::{Error, Result, World};
use rubblepile_geometry::contact::{Hull, Placed};

/// The convex parts of all bodies, row by row; spheres have none.
#[derive(Debug, Default)]
pub struct PlacedParts {
    /// Parts of row `k` are `placed[start[k]..start[k + 1]]`; empty if all bodies are spheres.
    start: Vec<u32>,
    row: Vec<u32>,
    placed: Vec<Placed>,
}

impl PlacedParts {
    pub fn new(world: &World) -> Result<Self> {
        if world.only_spheres() {
            return Ok(PlacedParts::default());
        }
        let mut hulls: Vec<Vec<Arc<Hull>>> = Vec::with_capacity(world.shapes.len());
        for (k, shape) in world.shapes.iter().enumerate() {
            let parts = shape.solid().map_or(&[][..], |s| &s.parts);
            let made: std::result::Result<Vec<_>, _> =
                parts.iter().map(|p| Hull::new(p).map(Arc::new)).collect();
            hulls.push(
                made.map_err(|e| Error::Unsupported(format!("shape {k} is not usable for contact: {e}")))?,
            );
        }
        let b = &world.bodies;
        let mut parts = PlacedParts { start: vec![0], ..PlacedParts::default() };
        for row in 0..b.len() {
            for hull in &hulls[b.shape[row] as usize] {
                parts.placed.push(Placed::new(hull.clone(), b.position[row], b.orientation[row]));
                parts.row.push(row as u32);
            }
            parts.start.push(parts.placed.len() as u32);
        }
        Ok(parts)
    }

    /// Moves all to where their bodies are.
    pub fn place(&mut self, world: &World) {
        let b = &world.bodies;
        (self.placed.par_iter_mut(), self.row.par_iter()).into_par_iter().with_min_len(256).for_each(
            |(placed, &row)| {
                placed.place(b.position[row as usize], b.orientation[row as usize]);
            },
        );
    }

    /// The parts of a row; none for a sphere.
    pub fn of(&self, row: usize) -> &[Placed] {
        match self.start.get(row..row + 2) {
            Some(&[start, end]) => &self.placed[start as usize..end as usize],
            _ => &[],
        }
    }
}
