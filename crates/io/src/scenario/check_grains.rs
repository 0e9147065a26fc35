//! Checks of the `[[grains]]` tables: sizes, places, velocities, and whether memory could ever hold them.

use std::collections::HashSet;

use super::{
    check::Checker,
    grains::{Grains, Place, RegionTable, Size},
    shapes,
};
use crate::generate::{MAX_GRAINS, SizeDistribution, lattice};
use rubblepile_core::settings::join;

/// Bytes a grain takes in a run, and more with a tree: rough, for the check before a run.
pub const BYTES_PER_GRAIN: f64 = 900.0;

pub(super) fn check(c: &mut Checker) {
    let scenario = c.scenario;
    let mut names = HashSet::new();
    let mut total = 0u64;
    for (k, grains) in scenario.grains.iter().enumerate() {
        let at = format!("grains[{k}]");
        c.name(grains.name.as_deref().unwrap_or_default(), &mut names, &at, "group of grains");
        c.material(grains.material.as_deref(), &at);
        density(c, grains, &at);
        shapes::check(c, grains, &at);
        sizes(c, grains, &at);
        let before = c.problems.len();
        place(c, grains, &at);
        if c.problems.len() == before {
            total = total.saturating_add(count(c, grains, &at));
        }
        velocity(c, grains, &at);
        spin(c, grains, &at);
        if total > MAX_GRAINS {
            let bytes = human_bytes(total as f64 * BYTES_PER_GRAIN);
            let message = format!("{total} grains would need about {bytes} of memory");
            c.add_help(join(&at, "count"), message, format!("at most {MAX_GRAINS} grains are possible"));
            return;
        }
    }
}

fn density(c: &mut Checker, grains: &Grains, at: &str) {
    if let Some(d) = grains.density {
        c.positive(d, at, "density");
        return;
    }
    let found = c.scenario.material.iter().position(|m| Some(&m.name) == grains.material.as_ref());
    if let Some(k) = found
        && c.scenario.material[k].density.is_none()
        && !matches!(grains.place, Place::File(_))
    {
        let message = format!("`density` is missing: grains are made of `{}`", c.scenario.material[k].name);
        c.add_help(format!("material[{k}]"), message, "add it here, such as `density = \"2500 kg/m3\"`");
    }
}

fn sizes(c: &mut Checker, grains: &Grains, at: &str) {
    match (grains.radius, &grains.size) {
        (Some(_), Some(_)) => c.add(join(at, "size"), "give `radius` or `size`, not both"),
        (None, None) if !matches!(grains.place, Place::File(_)) && !grains.shape.has_size() => {
            c.add_help(at, "`radius` or `size` is missing in this table", "for example `radius = \"10 cm\"`");
        }
        (None, None) => {}
        (Some(r), None) => {
            c.positive(r, at, "radius");
            tiny(c, r.0, at, "radius");
        }
        (None, Some(size)) => {
            let (name, min, max) = match size {
                Size::Uniform(s) => ("uniform", s.min, s.max),
                Size::UniformVolume(s) => ("uniform_volume", s.min, s.max),
                Size::Normal(s) => ("normal", s.min, s.max),
                Size::LogNormal(s) => ("log_normal", s.min, s.max),
                Size::PowerLaw(s) => ("power_law", s.min, s.max),
            };
            let at = format!("{at}.size.{name}");
            let before = c.problems.len();
            c.positive(min, &at, "min");
            c.positive(max, &at, "max");
            tiny(c, min.0, &at, "min");
            if min.0 > max.0 {
                let message = format!("`min` must not be above `max`; they are {} and {}", min.0, max.0);
                c.add(join(&at, "min"), message);
            }
            match size {
                Size::Normal(s) => {
                    c.positive(s.mean, &at, "mean");
                    c.positive(s.deviation, &at, "deviation");
                }
                Size::LogNormal(s) => {
                    c.positive(s.median, &at, "median");
                    c.positive(s.sigma, &at, "sigma");
                }
                Size::PowerLaw(s) if s.exponent.0.abs() > 30.0 => {
                    c.add(join(&at, "exponent"), format!("an exponent of {} is beyond use", s.exponent.0));
                }
                _ => {}
            }
            if c.problems.len() == before
                && let Err(fault) = distribution(grains).sampler()
            {
                c.add_help(at, fault.message, fault.help);
            }
        }
    }
}

fn tiny(c: &mut Checker, radius: f64, at: &str, key: &str) {
    // Mass goes with the third power: below this it leaves the range of numbers.
    if radius > 0.0 && radius < 1e-30 {
        c.add(join(at, key), format!("`{key}` is absurdly small: {radius:e}"));
    }
}

/// The sizes of a group; a radius of 0 where the file gives them.
pub(super) fn distribution(grains: &Grains) -> SizeDistribution {
    match &grains.size {
        None => SizeDistribution::Single(grains.radius.map_or(0.0, |r| r.0)),
        Some(Size::Uniform(s)) => SizeDistribution::Uniform { min: s.min.0, max: s.max.0 },
        Some(Size::UniformVolume(s)) => SizeDistribution::UniformVolume { min: s.min.0, max: s.max.0 },
        Some(Size::Normal(s)) => {
            SizeDistribution::Normal { mean: s.mean.0, deviation: s.deviation.0, min: s.min.0, max: s.max.0 }
        }
        Some(Size::LogNormal(s)) => {
            SizeDistribution::LogNormal { median: s.median.0, sigma: s.sigma.0, min: s.min.0, max: s.max.0 }
        }
        Some(Size::PowerLaw(s)) => {
            SizeDistribution::PowerLaw { exponent: s.exponent.0, min: s.min.0, max: s.max.0 }
        }
    }
}

fn region(c: &mut Checker, region: &RegionTable, at: &str) {
    match region {
        RegionTable::Box(b) => c.corners(b.min, b.max, &format!("{at}.box")),
        RegionTable::Sphere(s) => {
            let at = format!("{at}.sphere");
            c.modest(s.centre, &at, "centre");
            c.positive(s.radius, &at, "radius");
        }
        RegionTable::Cylinder(y) => {
            let at = format!("{at}.cylinder");
            c.modest(y.centre, &at, "centre");
            c.direction(y.axis, &at, "axis");
            c.positive(y.radius, &at, "radius");
            c.positive(y.length, &at, "length");
        }
    }
}

fn place(c: &mut Checker, grains: &Grains, at: &str) {
    if grains.count == Some(0) {
        c.add(join(at, "count"), "`count` must be at least 1");
    }
    match &grains.place {
        Place::Lattice(l) => {
            let at = format!("{at}.place.lattice");
            region(c, &l.region, &format!("{at}.region"));
            c.not_negative(l.jitter, &at, "jitter");
            if let Some(s) = l.spacing {
                c.positive(s, &at, "spacing");
            }
        }
        Place::Random(r) => {
            let inner = format!("{at}.place.random");
            region(c, &r.region, &format!("{inner}.region"));
            c.not_negative(r.gap, &inner, "gap");
            if grains.count.is_none() {
                c.add_help(at, "`count` is missing: how many grains?", "add `count = ...`");
            }
        }
        Place::File(f) => {
            if f.path.trim().is_empty() {
                c.add(format!("{at}.place.file.path"), "the path is empty");
            }
            if grains.count.is_some() {
                c.add(join(at, "count"), "`count` is for generated grains; a file has as many as it has");
            }
        }
        Place::Heap(h) => {
            let inner = format!("{at}.place.heap");
            let names = c.scenario.asteroid.iter().filter_map(|a| a.name.as_deref());
            c.known(&h.on, names, "asteroid", join(&inner, "on"));
            let latitude = h.latitude.0;
            c.check(latitude.abs() <= 90.0, &inner, "latitude", || {
                format!("a latitude is between -90 and 90 degrees, this is {latitude}")
            });
            c.check(h.longitude.0.abs() <= 360.0, &inner, "longitude", || {
                format!("a longitude is between -360 and 360 degrees, this is {}", h.longitude.0)
            });
            c.positive(h.radius, &inner, "radius");
            let [low, high] = h.height;
            c.check(low.0 >= 0.0 && low.0 < high.0, &inner, "height", || {
                format!("`height` is the lowest and the highest; they are {} and {}", low.0, high.0)
            });
            c.check(high.0 <= 1e30, &inner, "height", || "`height` is absurdly large".into());
            if grains.count.is_none() {
                c.add_help(at, "`count` is missing: how many grains?", "add `count = ...`");
            }
        }
        Place::Points(p) => {
            if p.positions.is_empty() {
                c.add(format!("{at}.place.points.positions"), "there are no positions");
            }
            if let Some(n) = grains.count.filter(|n| *n != p.positions.len() as u64) {
                let message = format!("`count` is {n}, but there are {} positions", p.positions.len());
                c.add(join(at, "count"), message);
            }
            for (k, x) in p.positions.iter().enumerate() {
                c.modest(*x, &format!("{at}.place.points"), &format!("positions[{k}]"));
                if c.problems.len() > 20 {
                    return;
                }
            }
        }
    }
}

/// How many grains this gives at most.
fn count(c: &mut Checker, grains: &Grains, at: &str) -> u64 {
    match &grains.place {
        Place::Lattice(l) => {
            // The size of a shape that is given is known when it is made: then this is looked at again.
            let Some(spacing) = l.spacing.map(|s| s.0) else { return grains.count.unwrap_or(0) };
            let sites = lattice::estimate(
                super::build_grains::lattice_kind(l.kind),
                &super::build_grains::region(&l.region),
                spacing,
                grains.count,
            );
            // The sites are made before the nearest are chosen, so they count too.
            if sites.is_nan() || sites > 2.0 * MAX_GRAINS as f64 {
                let message = format!("the lattice has about {sites:.1e} sites");
                c.add_help(
                    format!("{at}.place.lattice"),
                    message,
                    "widen `spacing`, or fill a smaller region",
                );
                return 0;
            }
            grains.count.unwrap_or(sites as u64)
        }
        Place::Points(p) => p.positions.len() as u64,
        Place::Random(_) | Place::Heap(_) => grains.count.unwrap_or(0),
        Place::File(_) => 0,
    }
}

fn velocity(c: &mut Checker, grains: &Grains, at: &str) {
    let at = format!("{at}.velocity");
    if let Some(v) = grains.velocity.constant {
        c.modest(v, &at, "constant");
    }
    if let Some(name) = &grains.velocity.with {
        let names = c.scenario.asteroid.iter().filter_map(|a| a.name.as_deref());
        c.known(name, names, "asteroid", join(&at, "with"));
    }
    if let Some(r) = &grains.velocity.random {
        c.not_negative(r.rms_speed, &format!("{at}.random"), "rms_speed");
    }
    if let Some(r) = &grains.velocity.rotation {
        c.rotation(r.angular_velocity, r.period, r.axis, &format!("{at}.rotation"));
    }
}

fn spin(c: &mut Checker, grains: &Grains, at: &str) {
    let at = format!("{at}.spin");
    if let Some(w) = grains.spin.constant {
        c.modest(w, &at, "constant");
    }
    if let Some(r) = &grains.spin.random {
        c.not_negative(r.rate, &format!("{at}.random"), "rate");
    }
}

/// `1.5 GB`.
pub(super) fn human_bytes(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes;
    let mut k = 0;
    while value >= 1000.0 && k + 1 < units.len() {
        value /= 1000.0;
        k += 1;
    }
    let digits = if k == 0 || value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[k])
}
