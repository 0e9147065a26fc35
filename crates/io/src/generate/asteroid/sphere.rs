//! A sphere.

use glam::DVec3;
use rubblepile_core::settings::{Check, Length};
use rubblepile_geometry::mesh::make::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AsteroidSettings, MadeSurface, SurfaceContext, check_facets, many_facets};
use crate::generate::GenerateError;

/// A sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereAsteroid {
    /// Its radius.
    pub radius: Length,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

impl SphereAsteroid {
    pub const ABOUT: &str = "A sphere.";
}

impl AsteroidSettings for SphereAsteroid {
    fn check(&self, c: &mut Check, at: &str) {
        c.positive(self.radius, at, "radius");
        check_facets(c, self.facets, at);
    }

    fn surface(&self, context: &SurfaceContext, _at: &str) -> Result<MadeSurface, GenerateError> {
        context.body(Form::Ellipsoid { axes: DVec3::splat(self.radius.0) }, self.facets)
    }
}
