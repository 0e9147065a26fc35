//! Outlines of deformable grains. Each is one file with its settings, their check and the outlines that it gives.

use std::{f64::consts::TAU, path::Path};

use glam::DVec2;
use rubblepile_core::settings::Check;
use rubblepile_meshfree::outline::Outline;

use super::GenerateError;

choices! {
    /// The outline of a deformable grain, or of many.
    DeformableShape: OutlineSettings {
        disc: Disc(DiscOutline),
        ellipse: Ellipse(EllipseOutline),
        polygon: Polygon(PolygonOutline),
        file: File(FileOutline),
        sand: Sand(SandOutlines),
    }
}

/// Points of a disc or an ellipse that is made.
const POINTS: u32 = 3600;
/// Points that an outline may have: each side is held against each other.
const MOST_POINTS: usize = 20_000;

/// The settings of an outline, as they are in a scenario.
pub trait OutlineSettings {
    /// Adds what is wrong with them; `at` is the path of their table.
    fn check(&self, c: &mut Check, at: &str);

    /// Area of a grain, m^2, and length of its outline, m, for an estimate of its nodes. `None`: known when it is made.
    fn extent(&self) -> Option<(f64, f64)> {
        None
    }

    /// Whether there are many grains, each at its own place: `centre` and `angle` of the table are not for them.
    fn is_many(&self) -> bool {
        false
    }

    /// The outlines. The settings, with the path `at`, have been checked.
    fn outlines(&self, context: &OutlineContext, at: &str) -> Result<Outlines, GenerateError>;
}

/// What outlines are drawn with.
pub struct OutlineContext<'a> {
    /// Folder that relative paths start at.
    pub base: &'a Path,
    /// Seed of the group.
    pub seed: u64,
}

/// Outlines, m.
pub enum Outlines {
    /// The points of one in order, to be turned and moved as the table says.
    One(Vec<DVec2>),
    /// Many, each where it is to be.
    Many(Vec<Outline>),
}

/// The points of an ellipse; the first is the lowest.
fn round(semi_axes: DVec2) -> Outlines {
    let point = |j: u32| semi_axes * DVec2::from_angle(TAU * (f64::from(j) / f64::from(POINTS) - 0.25));
    Outlines::One((0..POINTS).map(point).collect())
}
