//! Many sand-like grains in a box, none of which touch: see `meshfree/src/packing.rs`.

use std::f64::consts::PI;

use glam::DVec2;
use rubblepile_core::settings::{Check, Length, LengthKind, Number, Quantity, Vector, join};
use rubblepile_meshfree::{
    outline::Outline,
    packing::{self, Sand},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutlineContext, OutlineSettings, Outlines};
use crate::generate::{GenerateError, GenerateFault};

/// Grains of one table.
const MOST_GRAINS: u64 = 10_000;

/// Sand-like grains in a box: one outline of random harmonics in each of the cells that fill it, from the seed of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SandOutlines {
    /// Their number.
    pub count: u64,
    /// Lower left corner of the box.
    #[serde(default = "no_corner")]
    pub corner: [Length; 2],
    /// Width and height of the box.
    pub size: [Length; 2],
    /// Area of the grains over that of the box.
    pub solid: Number,
    /// Half the excess of length over width.
    #[serde(default = "some_elongation")]
    pub elongation: Number,
    /// Amplitude of the third to seventh harmonics over the radius; 0: round.
    #[serde(default = "some_angularity")]
    pub angularity: Number,
    /// Amplitude of the harmonics from the eighth on over the radius; 0: smooth.
    #[serde(default = "some_roughness")]
    pub roughness: Number,
    /// Number of relaxations of the cells: more make the grains' sizes more uniform.
    #[serde(default = "some_evenness")]
    pub evenness: u32,
}

fn no_corner() -> [Length; 2] {
    [Quantity::new(0.0); 2]
}
fn some_elongation() -> Number {
    Quantity::new(0.1)
}
fn some_angularity() -> Number {
    Quantity::new(0.05)
}
fn some_roughness() -> Number {
    Quantity::new(0.01)
}
fn some_evenness() -> u32 {
    3
}

impl SandOutlines {
    pub const ABOUT: &str = "Many sand-like grains in a box, without contacts.";
}

impl OutlineSettings for SandOutlines {
    fn check(&self, c: &mut Check, at: &str) {
        let count = self.count;
        c.check((1..=MOST_GRAINS).contains(&count), at, "count", || {
            format!("`count` must be between 1 and {MOST_GRAINS}, it is {count}")
        });
        c.modest(Vector::<LengthKind>::new(self.corner[0].0, self.corner[1].0, 0.0), at, "corner");
        for side in self.size {
            c.positive(side, at, "size");
        }
        let solid = self.solid.0;
        c.check(solid > 0.0 && solid < 1.0, at, "solid", || {
            format!("`solid` must be above 0 and below 1, it is {solid}")
        });
        for (key, value) in [
            ("elongation", self.elongation.0),
            ("angularity", self.angularity.0),
            ("roughness", self.roughness.0),
        ] {
            c.check((0.0..=0.5).contains(&value), at, key, || {
                format!("`{key}` must be between 0 and 0.5, it is {value}")
            });
        }
        let evenness = self.evenness;
        c.check(evenness <= 1000, at, "evenness", || {
            format!("`evenness` must be at most 1000, it is {evenness}")
        });
    }

    fn extent(&self) -> Option<(f64, f64)> {
        let area = self.solid.0 * self.size[0].0 * self.size[1].0 / (self.count.max(1) as f64);
        Some((area, 2.0 * (PI * area).sqrt()))
    }

    fn is_many(&self) -> bool {
        true
    }

    fn outlines(&self, context: &OutlineContext, at: &str) -> Result<Outlines, GenerateError> {
        let sand = Sand {
            count: self.count as usize,
            size: DVec2::from_array(self.size.map(|x| x.0)),
            solid: self.solid.0,
            elongation: self.elongation.0,
            angularity: self.angularity.0,
            roughness: self.roughness.0,
            evenness: self.evenness,
            seed: context.seed,
        };
        let corner = DVec2::from_array(self.corner.map(|x| x.0));
        let moved = |outline: &Outline| {
            let points: Vec<DVec2> = outline.points().iter().map(|x| *x + corner).collect();
            Outline::new(&points)
                .map_err(|e| GenerateFault::new(e.to_string(), "use a smaller `angularity`").at(at).into())
        };
        let made = packing::sand(&sand).map_err(|e| {
            GenerateFault::new(e.to_string(), "use fewer or smaller grains").at(join(at, "solid"))
        })?;
        made.iter().map(moved).collect::<Result<_, _>>().map(Outlines::Many)
    }
}
