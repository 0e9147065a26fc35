//! An ellipsoid.

use rubblepile_core::settings::{Check, LengthKind, Vector};
use rubblepile_geometry::mesh::make::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AsteroidSettings, MadeSurface, SurfaceContext, check_facets, many_facets};
use crate::generate::GenerateError;

/// An ellipsoid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipsoidAsteroid {
    /// Its semi-axes along x, y and z.
    pub semi_axes: Vector<LengthKind>,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

impl EllipsoidAsteroid {
    pub const ABOUT: &str = "An ellipsoid.";
}

impl AsteroidSettings for EllipsoidAsteroid {
    fn check(&self, c: &mut Check, at: &str) {
        let least = self.semi_axes.0.min_element();
        c.check(least > 0.0, at, "semi_axes", || format!("semi-axes must be larger than 0; one is {least}"));
        c.modest(self.semi_axes, at, "semi_axes");
        check_facets(c, self.facets, at);
    }

    fn surface(&self, context: &SurfaceContext, _at: &str) -> Result<MadeSurface, GenerateError> {
        context.body(Form::Ellipsoid { axes: self.semi_axes.0 }, self.facets)
    }
}
