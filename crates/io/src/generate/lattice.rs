//! Regular lattices: simple cubic, and hexagonal close packed with its layers across z.

use glam::DVec3;
use rubblepile_core::Rng;

use super::{Fault, Region};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Cubic,
    Hexagonal,
}

/// Steps of rows along x, y and z, in units of the spacing.
fn steps(kind: Kind) -> DVec3 {
    match kind {
        Kind::Cubic => DVec3::ONE,
        Kind::Hexagonal => DVec3::new(1.0, 3f64.sqrt() / 2.0, (2.0f64 / 3.0).sqrt()),
    }
}

/// Rows along each axis of the box around the region; for a box, with grains of radius `r` inside it.
fn rows(kind: Kind, region: &Region, spacing: f64, r: f64) -> DVec3 {
    let (min, max) = region.bounds();
    let room = (max - min - 2.0 * r).max(DVec3::ZERO);
    (room / (spacing * steps(kind)) + 1e-9).floor() + 1.0
}

/// About how many sites have to be looked at: those of the box around the region, or around the part of it that
/// `count` grains need.
pub fn estimate(kind: Kind, region: &Region, spacing: f64, count: Option<u64>) -> f64 {
    let all =
        rows(kind, &middle(kind, region, spacing, 0.0, count), spacing, 0.5 * spacing).element_product();
    match (region, count) {
        // A box is filled from below, and the filling stops.
        (Region::Box { .. }, Some(count)) => all.min(count as f64),
        _ => all,
    }
}

/// Of a sphere, the part around its centre that surely holds the `count` nearest sites; other regions whole.
fn middle(kind: Kind, region: &Region, spacing: f64, r: f64, count: Option<u64>) -> Region {
    match (*region, count) {
        (Region::Sphere { centre, radius }, Some(count)) => {
            let cell = steps(kind).element_product() * spacing.powi(3);
            let needed = (0.75 / std::f64::consts::PI * count as f64 * cell).cbrt() + 3.0 * spacing + r;
            Region::Sphere { centre, radius: radius.min(needed) }
        }
        (region, _) => region,
    }
}

/// Sites of grains of radius up to `r` that lie inside the region; at most `count` of them: those nearest to the
/// centre of a sphere, the lowest of another region.
pub fn sites(
    kind: Kind,
    region: &Region,
    spacing: f64,
    r: f64,
    count: Option<u64>,
) -> Result<Vec<DVec3>, Fault> {
    let region = &middle(kind, region, spacing, r, count);
    let enough = match region {
        Region::Sphere { .. } => usize::MAX,
        _ => count.map_or(usize::MAX, |n| n as usize),
    };
    let step = spacing * steps(kind);
    let n = rows(kind, region, spacing, r);
    let (min, max) = region.bounds();
    // In a box the lattice sits in the middle of what is free; elsewhere site 0 is at the centre, and rows go to
    // both sides of it (one more than fits, as hexagonal rows are shifted).
    let (origin, first, last) = match region {
        Region::Box { .. } => (0.5 * (min + max) - 0.5 * (n - 1.0) * step, DVec3::ZERO, n - 1.0),
        _ => (region.centre(), -(0.5 * n).ceil() - 1.0, (0.5 * n).ceil() + 1.0),
    };
    let shift = match kind {
        Kind::Cubic => DVec3::ZERO,
        Kind::Hexagonal => DVec3::new(0.5 * spacing, 0.5 * spacing / 3f64.sqrt(), 0.0),
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
            return Err(Fault::new(
                format!("the lattice has only {} sites in this region, not {count}", sites.len()),
                "make the region larger, the spacing or the grains smaller, or `count` less",
            ));
        }
        if let Region::Sphere { centre, .. } = region {
            // A stable sort: sites at the same distance stay in the order of the lattice.
            sites.sort_by(|a, b| a.distance_squared(*centre).total_cmp(&b.distance_squared(*centre)));
        }
        sites.truncate(count as usize);
    }
    if sites.is_empty() {
        return Err(Fault::new(
            "not one grain fits into this region",
            "make the region larger or the grains smaller",
        ));
    }
    Ok(sites)
}

/// Moves every site by a random vector, uniform in a ball.
pub fn jitter(sites: &mut [DVec3], largest: f64, rng: &mut Rng) {
    if largest > 0.0 {
        for x in sites {
            let direction = rng.direction();
            *x += largest * rng.uniform().cbrt() * direction;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let region = Region::Sphere { centre: DVec3::new(1.0, 2.0, 3.0), radius: 4.0 };
        let hexagonal = sites(Kind::Hexagonal, &region, 1.0, 0.5, None).expect("sites");
        let (least, most) = nearest(&hexagonal);
        assert!((least - 1.0).abs() < 1e-12 && most == 12, "{least} {most}");
        // 74 % of the sphere within its rim.
        let fraction = hexagonal.len() as f64 * 0.125 / 3.5f64.powi(3);
        assert!((0.68..0.85).contains(&fraction), "{fraction}");
        let cubic = sites(Kind::Cubic, &region, 1.0, 0.5, None).expect("sites");
        let (least, most) = nearest(&cubic);
        assert!((least - 1.0).abs() < 1e-12 && most == 6, "{least} {most}");
    }

    #[test]
    fn a_box_is_filled_to_its_sides() {
        let region = Region::Box { min: DVec3::ZERO, max: DVec3::new(4.0, 3.0, 2.0) };
        let sites = sites(Kind::Cubic, &region, 1.0, 0.5, None).expect("sites");
        assert_eq!(sites.len(), 24);
        assert!(sites.iter().all(|x| region.holds(*x, 0.5)));
    }

    #[test]
    fn count_takes_the_nearest_or_says_how_many_there_are() {
        let region = Region::Sphere { centre: DVec3::ZERO, radius: 4.0 };
        let some = sites(Kind::Hexagonal, &region, 1.0, 0.5, Some(13)).expect("sites");
        assert!(some.len() == 13 && some.iter().all(|x| x.length() < 1.01));
        // The nearest of many are the nearest of all.
        let mut all = sites(Kind::Hexagonal, &region, 1.0, 0.5, None).expect("sites");
        all.sort_by(|a, b| a.length().total_cmp(&b.length()));
        let far = Region::Sphere { centre: DVec3::ZERO, radius: 1e9 };
        for count in [1, 2, 40, 100, 200] {
            let some = sites(Kind::Hexagonal, &far, 1.0, 0.5, Some(count)).expect("sites");
            let (a, b) = (some[count as usize - 1].length(), all[count as usize - 1].length());
            assert!((a - b).abs() < 1e-6, "{count}: {a} {b}");
        }
        let high = Region::Box { min: DVec3::ZERO, max: DVec3::splat(1e6) };
        assert_eq!(sites(Kind::Cubic, &high, 1.0, 0.5, Some(50)).expect("sites").len(), 50);
        let error = sites(Kind::Hexagonal, &region, 1.0, 0.5, Some(100_000)).expect_err("too many");
        assert!(error.message.contains("only"));
        assert!(sites(Kind::Cubic, &region, 1.0, 9.0, None).is_err());
    }
}
