//! Candidate facets of asteroids for every grain.
//!
//! A grain that was far from a surface need not be tested again before it can have come near: its distance is kept,
//! with the place in the asteroid's frame where it was measured.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Error, Result, World};
use rubblepile_geometry::mesh::{SurfaceTree, Surfaces};

/// Rows a task.
const CHUNK: usize = 256;

/// A facet that may touch a grain: row, asteroid (by its place in the world) and facet.
pub type FacetCandidate = (u32, u32, u32);

/// The surfaces of the asteroids, ready to be asked.
#[derive(Debug, Default)]
pub struct Ground {
    surfaces: Surfaces,
    /// By asteroid and row: a place in the asteroid's frame, and a distance within which there is no surface.
    clear: Vec<Vec<(DVec3, f64)>>,
}

impl Ground {
    /// Rows have moved: nothing is known of them.
    pub fn forget_rows(&mut self) {
        self.clear.clear();
    }

    /// Two asteroids that touch are an error.
    pub fn check_apart(&mut self, world: &World) -> Result<()> {
        if world.asteroids.len() > 1 {
            if self.surfaces.update(world) {
                self.clear.clear();
            }
            self.surfaces.check_apart(world)?;
        }
        Ok(())
    }

    /// All facets that are within a radius and `skin` of a grain, in the order of the rows. A grain inside is an error.
    pub fn near(&mut self, world: &World, skin: f64) -> Result<Vec<FacetCandidate>> {
        if self.surfaces.update(world) {
            self.clear.clear();
        }
        let n = world.bodies.len();
        if self.clear.first().map_or(0, Vec::len) != n {
            self.clear = vec![vec![(DVec3::ZERO, f64::NEG_INFINITY); n]; world.asteroids.len()];
        }
        let mut all = Vec::new();
        for (k, clear) in self.clear.iter_mut().enumerate() {
            let tree = self.surfaces.tree(k);
            let found: Vec<Result<Vec<FacetCandidate>>> = clear
                .par_chunks_mut(CHUNK)
                .enumerate()
                .map(|(chunk, clear)| find_candidates(world, k, tree, skin, chunk * CHUNK, clear))
                .collect();
            for part in found {
                all.extend(part?);
            }
        }
        if world.asteroids.len() > 1 {
            all.sort_unstable();
        }
        Ok(all)
    }
}

fn find_candidates(
    world: &World,
    asteroid: usize,
    tree: &SurfaceTree,
    skin: f64,
    first: usize,
    clear: &mut [(DVec3, f64)],
) -> Result<Vec<FacetCandidate>> {
    let (bodies, body) = (&world.bodies, &world.asteroids[asteroid]);
    let pose = body.pose();
    let mut near = Vec::new();
    for (k, clear) in clear.iter_mut().enumerate() {
        let row = first + k;
        let x = pose.to_local(bodies.position[row]);
        let reach = bodies.radius[row] + skin;
        // Outside the enclosing sphere, or not yet come near.
        if x.length() > body.radius + reach || clear.1 - (x - clear.0).length() > reach {
            continue;
        }
        let Some(nearest) = tree.nearest(x) else { continue };
        if nearest.distance < 0.0 {
            return Err(Error::Inside {
                id: bodies.id[row],
                asteroid: body.name.clone(),
                time: world.time(),
            });
        }
        *clear = (x, nearest.distance);
        if nearest.distance < reach {
            let start = near.len();
            tree.within(x, reach, |facet, _| near.push((row as u32, asteroid as u32, facet)));
            near[start..].sort_unstable();
        }
    }
    Ok(near)
}
