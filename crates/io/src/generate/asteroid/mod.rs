//! Forms of asteroids. Each is one file with its settings, their check and the surface that it gives.

use std::path::Path;

use rubblepile_core::{Mesh, settings::Check};
use rubblepile_geometry::mesh::make::{self, Form};

use super::GenerateError;

choices! {
    /// The shape of an asteroid.
    AsteroidShape: AsteroidSettings {
        sphere: Sphere(SphereAsteroid),
        ellipsoid: Ellipsoid(EllipsoidAsteroid),
        top: Top(TopAsteroid),
        file: File(FileAsteroid),
    }
}

mod relief;

pub use relief::{ReliefTable, Spots};

/// Facets that a made surface may have.
const MOST_FACETS: u64 = 20_000_000;

/// The settings of a form, as they are in a scenario.
pub trait AsteroidSettings {
    /// Adds what is wrong with them; `at` is the path of their table.
    fn check(&self, c: &mut Check, at: &str);

    /// Whether there may be a relief on it.
    fn takes_relief(&self) -> bool {
        true
    }

    /// The surface. The settings, with the path `at`, have been checked.
    fn surface(&self, context: &SurfaceContext, at: &str) -> Result<MadeSurface, GenerateError>;
}

/// What surfaces are made with.
pub struct SurfaceContext<'a> {
    pub relief: ReliefTable,
    /// Seed of the relief.
    pub seed: u64,
    /// Folder that relative paths start at.
    pub base: &'a Path,
}

impl SurfaceContext<'_> {
    fn body(&self, form: Form, facets: u64) -> Result<MadeSurface, GenerateError> {
        let mesh = make::body(form, &self.relief.relief(), facets as usize, self.seed);
        Ok(MadeSurface { mesh, repairs: Vec::new() })
    }
}

/// A closed surface, m, and what was repaired of it, in sentences.
pub struct MadeSurface {
    pub mesh: Mesh,
    pub repairs: Vec<String>,
}

fn many_facets() -> u64 {
    20_000
}

fn check_facets(c: &mut Check, facets: u64, at: &str) {
    c.check((20..=MOST_FACETS).contains(&facets), at, "facets", || {
        format!("`facets` must be between 20 and {MOST_FACETS}, it is {facets}")
    });
}
