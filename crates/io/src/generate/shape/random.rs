//! Random rocks, another for each grain: rounded polyhedra and angular boulders.

use rubblepile_core::{Rng, Solid, settings::Check};
use rubblepile_geometry::solid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_CORNERS, corners::Corners};

/// Of a boulder: more take long to draw, and look like a ball.
const MOST_BOULDER_CORNERS: u32 = 100;
/// Grains that each get a shape of their own.
const MOST_OWN_SHAPES: u64 = 2_000_000;

/// Random shapes, a different one for each grain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomShape {
    /// Number of vertices: a number, or the smallest and the largest of a uniform distribution.
    pub vertices: Corners,
}

/// The kinds of random shapes: the keys of the `shape` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomRock {
    Polyhedron,
    Boulder,
}

impl RandomRock {
    fn key(self) -> &'static str {
        match self {
            RandomRock::Polyhedron => "polyhedron",
            RandomRock::Boulder => "boulder",
        }
    }

    fn most_corners(self) -> u32 {
        match self {
            RandomRock::Polyhedron => MOST_CORNERS,
            RandomRock::Boulder => MOST_BOULDER_CORNERS,
        }
    }
}

impl RandomShape {
    /// Adds what is wrong with it; `shape` is the path of the `shape` table.
    pub(super) fn check(&self, c: &mut Check, rock: RandomRock, count: Option<u64>, shape: &str) {
        let (Corners { min, max }, most) = (self.vertices, rock.most_corners());
        let name = rock.key();
        let at = format!("{shape}.{name}");
        c.check(min <= max, &at, "vertices", || {
            format!("the smallest number of vertices, {min}, is above the largest, {max}")
        });
        c.check(min >= 4 && max <= most, &at, "vertices", || {
            format!("a {name} has between 4 and {most} vertices")
        });
        let count = count.unwrap_or(0);
        if count > MOST_OWN_SHAPES {
            let help = format!("at most {MOST_OWN_SHAPES} grains can have shapes of their own");
            c.add_help(shape, format!("{count} grains would each have a different shape"), help);
        }
    }

    /// One rock, of a size of its own.
    pub(super) fn draw(&self, rock: RandomRock, rng: &mut Rng) -> Solid {
        let Corners { min, max } = self.vertices;
        let n = min + (rng.next_u64() % u64::from(max - min + 1)) as u32;
        match rock {
            RandomRock::Polyhedron => solid::random_polyhedron(n, rng),
            RandomRock::Boulder => solid::random_boulder(n, rng),
        }
    }
}
