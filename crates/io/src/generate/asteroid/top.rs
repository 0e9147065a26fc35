//! A spinning top.

use rubblepile_core::settings::{Check, Length, Number, Quantity};
use rubblepile_geometry::mesh::make::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AsteroidSettings, MadeSurface, SurfaceContext, check_facets, many_facets};
use crate::generate::GenerateError;

/// A spinning top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopAsteroid {
    /// Radius at the equator.
    pub radius: Length,
    /// Distance of the poles from the centre. Default: 0.9 of `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pole: Option<Length>,
    /// How sharp the ridge is, from 0, an ellipsoid, to 1, a double cone.
    #[serde(default = "ridge")]
    pub ridge: Number,
    /// Approximate number of facets.
    #[serde(default = "many_facets")]
    pub facets: u64,
}

fn ridge() -> Number {
    Quantity::new(0.4)
}

impl TopAsteroid {
    pub const ABOUT: &str = "A spinning top with an equatorial ridge.";
}

impl AsteroidSettings for TopAsteroid {
    fn check(&self, c: &mut Check, at: &str) {
        c.positive(self.radius, at, "radius");
        if let Some(pole) = self.pole {
            c.positive(pole, at, "pole");
        }
        let ridge = self.ridge.0;
        c.check((0.0..=1.0).contains(&ridge), at, "ridge", || {
            format!("`ridge` must be between 0 and 1, it is {ridge}")
        });
        check_facets(c, self.facets, at);
    }

    fn surface(&self, context: &SurfaceContext, _at: &str) -> Result<MadeSurface, GenerateError> {
        let (equator, ridge) = (self.radius.0, self.ridge.0);
        let pole = self.pole.map_or(0.9 * equator, |p| p.0);
        context.body(Form::Top { equator, pole, ridge }, self.facets)
    }
}
