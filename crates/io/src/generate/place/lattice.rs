//! Grains on the sites of a regular lattice: simple cubic, or hexagonal close packed with its layers across z.

use glam::DVec3;
use rubblepile_core::{
    Rng,
    settings::{Check, Checked, Length, Problem, Quantity, join},
    wall::shapes::no_length,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupCount, PlaceContext, PlaceSettings};
use crate::generate::{
    GenerateError, GenerateFault, GrainTable, MAX_GRAINS, Region, region, region::RegionTable,
};

/// The sites of a regular lattice in a region; grains do not stick out of it. With fewer grains than sites,
/// those nearest to the centre of a sphere, or the lowest (along z) of another region, are taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Which lattice.
    #[serde(default)]
    pub kind: LatticeName,
    /// The region that is filled.
    pub region: RegionTable,
    /// Distance of neighbours. Default: twice the largest radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Length>,
    /// Largest random displacement of a grain from its site.
    #[serde(default = "no_length")]
    pub jitter: Length,
}

/// A regular lattice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatticeName {
    /// Simple cubic: 52 % filled when grains touch.
    Cubic,
    /// Hexagonal close packed: 74 % filled when grains touch.
    #[default]
    Hexagonal,
}

impl Lattice {
    pub const ABOUT: &str = "On the sites of a regular lattice.";

    /// About how many sites are made before the nearest are chosen; or that they are too many, with this help.
    fn sites(&self, spacing: f64, count: Option<u64>, at: &str, help: &str) -> Checked<f64> {
        let sites = estimate(self.kind, self.region.settings().region().as_ref(), spacing, count);
        if sites.is_nan() || sites > 2.0 * MAX_GRAINS as f64 {
            return Err(Problem::new(at, format!("the lattice has about {sites:.1e} sites")).help(help));
        }
        Ok(sites)
    }
}

impl PlaceSettings for Lattice {
    fn fill_defaults(&mut self, largest: f64) {
        if largest > 0.0 {
            self.spacing = self.spacing.or(Some(Quantity::new(2.0 * largest)));
        }
    }

    fn check(&self, c: &mut Check, _count: GroupCount, at: &str) {
        region::check(&self.region, c, &join(at, "region"));
        c.not_negative(self.jitter, at, "jitter");
        if let Some(s) = self.spacing {
            c.positive(s, at, "spacing");
        }
    }

    fn at_most(&self, count: Option<u64>, at: &str) -> Checked<u64> {
        // The size of a shape that is given is known when it is made: then this is looked at again.
        let Some(spacing) = self.spacing else { return Ok(count.unwrap_or(0)) };
        let sites = self.sites(spacing.0, count, at, "widen `spacing`, or fill a smaller region")?;
        Ok(count.unwrap_or(sites as u64))
    }

    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError> {
        let (largest, count) = (context.largest(), context.count);
        let spacing = self.spacing.map_or(2.0 * largest, |s| s.0);
        self.sites(spacing, count, at, "widen `spacing`")?;
        let region = self.region.settings().region();
        let mut position =
            sites(self.kind, region.as_ref(), spacing, largest, count).map_err(|fault| fault.at(at))?;
        jitter(&mut position, self.jitter.0, &mut (context.stream)("jitter"));
        Ok(GrainTable { position, ..Default::default() })
    }
}

/// Steps of rows along x, y and z, in units of the spacing.
fn steps(kind: LatticeName) -> DVec3 {
    match kind {
        LatticeName::Cubic => DVec3::ONE,
        LatticeName::Hexagonal => DVec3::new(1.0, 3f64.sqrt() / 2.0, (2.0f64 / 3.0).sqrt()),
    }
}

/// Rows along each axis of the box around the region; for a box, with grains of radius `r` inside it.
fn rows(kind: LatticeName, region: &dyn Region, spacing: f64, r: f64) -> DVec3 {
    let (min, max) = region.bounds();
    let room = (max - min - 2.0 * r).max(DVec3::ZERO);
    (room / (spacing * steps(kind)) + 1e-9).floor() + 1.0
}

/// About how many sites have to be looked at: those of the box around the region, or around the part of it that
/// `count` grains need.
fn estimate(kind: LatticeName, region: &dyn Region, spacing: f64, count: Option<u64>) -> f64 {
    let middle = middle(kind, region, spacing, 0.0, count);
    let all = rows(kind, middle.as_deref().unwrap_or(region), spacing, 0.5 * spacing).element_product();
    match count {
        // A box is filled from below, and the filling stops.
        Some(count) if region.is_box() => all.min(count as f64),
        _ => all,
    }
}

/// Of a region that is filled from its centre, the part that surely holds the `count` nearest sites.
fn middle(
    kind: LatticeName,
    region: &dyn Region,
    spacing: f64,
    r: f64,
    count: Option<u64>,
) -> Option<Box<dyn Region>> {
    let cell = steps(kind).element_product() * spacing.powi(3);
    let needed = (0.75 / std::f64::consts::PI * count? as f64 * cell).cbrt() + 3.0 * spacing + r;
    region.around_centre(needed)
}

/// Sites of grains of radius up to `r` that lie inside the region; at most `count` of them: those nearest to the
/// centre of a sphere, the lowest of another region.
fn sites(
    kind: LatticeName,
    region: &dyn Region,
    spacing: f64,
    r: f64,
    count: Option<u64>,
) -> Result<Vec<DVec3>, GenerateFault> {
    let middle = middle(kind, region, spacing, r, count);
    let region = middle.as_deref().unwrap_or(region);
    let enough = match &middle {
        Some(_) => usize::MAX,
        None => count.map_or(usize::MAX, |n| n as usize),
    };
    let step = spacing * steps(kind);
    let n = rows(kind, region, spacing, r);
    let (min, max) = region.bounds();
    // In a box the lattice sits in the middle of what is free; elsewhere site 0 is at the centre, and rows go to
    // both sides of it (one more than fits, as hexagonal rows are shifted).
    let (origin, first, last) = match region.is_box() {
        true => (0.5 * (min + max) - 0.5 * (n - 1.0) * step, DVec3::ZERO, n - 1.0),
        false => (region.centre(), -(0.5 * n).ceil() - 1.0, (0.5 * n).ceil() + 1.0),
    };
    let shift = match kind {
        LatticeName::Cubic => DVec3::ZERO,
        LatticeName::Hexagonal => DVec3::new(0.5 * spacing, 0.5 * spacing / 3f64.sqrt(), 0.0),
    };
    let range = |axis: usize| first[axis] as i64..=last[axis] as i64;
    let mut sites = Vec::new();
    'layers: for k in range(2) {
        let odd_layer = k.rem_euclid(2) as f64;
        for j in range(1) {
            let odd_row = j.rem_euclid(2) as f64;
            for i in range(0) {
                let mut x = origin + step * DVec3::new(i as f64, j as f64, k as f64);
                // Layer B lies over the hollows of layer A; every other row of a layer is shifted by half a step.
                x.x += shift.x * if odd_layer == odd_row { 0.0 } else { 1.0 };
                x.y += shift.y * odd_layer;
                if region.holds(x, r) {
                    sites.push(x);
                    if sites.len() >= enough {
                        break 'layers;
                    }
                }
            }
        }
    }
    if let Some(count) = count {
        if (sites.len() as u64) < count {
            return Err(GenerateFault::new(
                format!("the lattice has only {} sites in this region, not {count}", sites.len()),
                "make the region larger, the spacing or the grains smaller, or `count` less",
            ));
        }
        if middle.is_some() {
            let centre = region.centre();
            // A stable sort: sites at the same distance stay in the order of the lattice.
            sites.sort_by(|a, b| a.distance_squared(centre).total_cmp(&b.distance_squared(centre)));
        }
        sites.truncate(count as usize);
    }
    if sites.is_empty() {
        return Err(GenerateFault::new(
            "not one grain fits into this region",
            "make the region larger or the grains smaller",
        ));
    }
    Ok(sites)
}

/// Moves every site by a random vector, uniform in a ball.
fn jitter(sites: &mut [DVec3], largest: f64, rng: &mut Rng) {
    if largest > 0.0 {
        for x in sites {
            let direction = rng.direction();
            *x += largest * rng.uniform().cbrt() * direction;
        }
    }
}

#[cfg(test)]
mod tests {
    use rubblepile_core::{settings::Vector, wall::BoxShape};

    use super::*;
    use crate::generate::region::{BoxRegion, SphereRegion};

    fn sphere([x, y, z]: [f64; 3], radius: f64) -> SphereRegion {
        SphereRegion { centre: Vector::new(x, y, z), radius: radius.into() }
    }

    /// With its lower corner at the origin.
    fn cuboid([x, y, z]: [f64; 3]) -> BoxRegion {
        BoxRegion(BoxShape { min: Vector::new(0.0, 0.0, 0.0), max: Vector::new(x, y, z) })
    }

    fn nearest(sites: &[DVec3]) -> (f64, usize) {
        let distances = |k: usize| sites.iter().enumerate().filter(move |(j, _)| *j != k);
        let mut least = f64::INFINITY;
        let mut most = 0;
        for (k, x) in sites.iter().enumerate() {
            least = distances(k).map(|(_, y)| x.distance(*y)).fold(least, f64::min);
            most = most.max(distances(k).filter(|(_, y)| x.distance(**y) < 1.01).count());
        }
        (least, most)
    }

    #[test]
    fn neighbours_are_as_many_and_as_far_as_they_should() {
        let region = sphere([1.0, 2.0, 3.0], 4.0);
        let hexagonal = sites(LatticeName::Hexagonal, &region, 1.0, 0.5, None).expect("sites");
        let (least, most) = nearest(&hexagonal);
        assert!((least - 1.0).abs() < 1e-12 && most == 12, "{least} {most}");
        // 74 % of the sphere within its rim.
        let fraction = hexagonal.len() as f64 * 0.125 / 3.5f64.powi(3);
        assert!((0.68..0.85).contains(&fraction), "{fraction}");
        let cubic = sites(LatticeName::Cubic, &region, 1.0, 0.5, None).expect("sites");
        let (least, most) = nearest(&cubic);
        assert!((least - 1.0).abs() < 1e-12 && most == 6, "{least} {most}");
    }

    #[test]
    fn a_box_is_filled_to_its_sides() {
        let region = cuboid([4.0, 3.0, 2.0]);
        let sites = sites(LatticeName::Cubic, &region, 1.0, 0.5, None).expect("sites");
        assert_eq!(sites.len(), 24);
        assert!(sites.iter().all(|x| region.holds(*x, 0.5)));
    }

    #[test]
    fn count_takes_the_nearest_or_says_how_many_there_are() {
        let region = sphere([0.0; 3], 4.0);
        let some = sites(LatticeName::Hexagonal, &region, 1.0, 0.5, Some(13)).expect("sites");
        assert!(some.len() == 13 && some.iter().all(|x| x.length() < 1.01));
        // The nearest of many are the nearest of all.
        let mut all = sites(LatticeName::Hexagonal, &region, 1.0, 0.5, None).expect("sites");
        all.sort_by(|a, b| a.length().total_cmp(&b.length()));
        let far = sphere([0.0; 3], 1e9);
        for count in [1, 2, 40, 100, 200] {
            let some = sites(LatticeName::Hexagonal, &far, 1.0, 0.5, Some(count)).expect("sites");
            let (a, b) = (some[count as usize - 1].length(), all[count as usize - 1].length());
            assert!((a - b).abs() < 1e-6, "{count}: {a} {b}");
        }
        let high = cuboid([1e6; 3]);
        assert_eq!(sites(LatticeName::Cubic, &high, 1.0, 0.5, Some(50)).expect("sites").len(), 50);
        let error = sites(LatticeName::Hexagonal, &region, 1.0, 0.5, Some(100_000)).expect_err("too many");
        assert!(error.message.contains("only"));
        assert!(sites(LatticeName::Cubic, &region, 1.0, 9.0, None).is_err());
    }
}
