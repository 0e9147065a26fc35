//! Figure 11 of asteroid-surface-2024: where a layer of regolith on Bennu fails, by eqs (16) and (17). For `landslide` and
//! `fission`; needs the shape model of Bennu, which users bring.

use std::{f64::consts::TAU, path::Path};

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Asteroid, G, World};
use rubblepile_geometry::mesh::{Axes, SurfaceTree, asteroid};
use rubblepile_io::generate::surface;
use rubblepile_probe::surface_map::{FacetValues, Regolith, RegolithGrain, part, surface_map};

use super::{ValidateRow, polyhedron::SHAPES};
use crate::{
    cases::{CaseError, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

const FILE: &str = "bennu-14744.obj";
const DENSITY: f64 = 1194.0;

pub const SLIDES: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "figure 11, C = 0 and 3.4 h",
    what: "the layer fails by landslides, which go to the equator",
    verdict: Verdict::Partly {
        tolerance: "a twentieth of the failing area by fission, 2 % of it not towards the equator (needs the shape of Bennu)",
        missing: "the contours: the text gives no numbers, and no positions of the piles",
    },
};
pub const FLIES: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "figure 11, C = 1 Pa and 2.6 h",
    what: "the layer fails by fission, about the equator; T = 3 m and 5 m",
    verdict: Verdict::Partly {
        tolerance: "0.02 of the surface, against gravity of point masses 4 m apart (needs the shape of Bennu)",
        missing: "the contours: the text gives no numbers, and no positions of the piles",
    },
};

/// The asteroid, if its shape model is there, turning with a period.
fn bennu(hours: f64, wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<Option<World>, CaseError> {
    let path = Path::new(SHAPES).join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else {
        rows.note(format!("figure 11 is left out: there is no {}", path.display()));
        return Ok(None);
    };
    let mut mesh = surface::read(&text).map_err(|fault| format!("{FILE}: {}", fault.message))?;
    mesh.vertices.iter_mut().for_each(|v| *v *= 1000.0);
    let mut world = World::new(1.0);
    let mut bennu = asteroid(mesh, DENSITY, Axes::Principal);
    bennu.spin = wrong.factor("spin") * TAU / (3600.0 * hours) * DVec3::Z;
    world.asteroids.push(bennu);
    Ok(Some(world))
}

/// The layer of the figure; one number stands for the cohesion of the layer and of its grains.
fn layer(cohesion: f64, thickness: f64, wrong: &Wrong) -> Regolith {
    let cohesion = wrong.factor("cohesion") * cohesion;
    Regolith {
        friction_angle: 40f64.to_radians(),
        cohesion,
        bulk_density: DENSITY,
        thickness,
        grain: RegolithGrain { radius: 0.1, density: 3350.0, cohesion, shape: 0.5 },
    }
}

pub fn slides(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let Some(world) = bennu(3.4, wrong, rows)? else { return Ok(()) };
    let facets = surface_map(&world, 0, &layer(0.0, 3.0, wrong), 1e-6)?;
    let sliding = part(&facets, FacetValues::slides);
    let what = "Bennu, C = 0, 3.4 h: area that flies off over area that slides";
    rows.push(SLIDES.row("landslide", what, 0.0, part(&facets, FacetValues::flies_off) / sliding, 0.05));
    // Along the ground, northwards.
    let north = |f: &FacetValues| {
        let up = f.centre.normalize();
        f.acceleration.z - f.acceleration.dot(up) * up.z
    };
    let to_equator = part(&facets, |f| f.slides() && north(f) * f.centre.z < 0.0);
    let what = "Bennu, C = 0, 3.4 h: part of what slides that slides to the equator";
    rows.push(SLIDES.row("landslide", what, 1.0, to_equator / sliding, 0.02));
    Ok(())
}

pub fn flies(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let Some(world) = bennu(2.6, wrong, rows)? else { return Ok(()) };
    // Enough facets for a part in a hundred.
    let sample: Vec<usize> = (0..world.asteroids[0].mesh.triangles.len()).step_by(8).collect();
    let points = point_masses(&world.asteroids[0], 4.0);
    let spin = TAU / (2.6 * 3600.0);
    for thickness in [3.0, 5.0] {
        let facets = surface_map(&world, 0, &layer(1.0, thickness, wrong), 1e-6)?;
        let flying = part(&facets, FacetValues::flies_off);
        if thickness == 3.0 {
            let what = "Bennu, C = 1 Pa, 2.6 h: area that slides over area that flies off";
            rows.push(FLIES.row("fission", what, 0.0, part(&facets, FacetValues::slides) / flying, 0.05));
        }
        // Eq. (17) once more, by other means.
        let known = layer(1.0, thickness, &Wrong::default());
        let flies = |f: &FacetValues| {
            let pull: DVec3 = points.1
                * points.0.iter().map(|x| (*x - f.centre) / (*x - f.centre).length().powi(3)).sum::<DVec3>();
            let swing = spin * spin * DVec3::new(f.centre.x, f.centre.y, 0.0);
            known.fission((pull + swing).dot(f.normal)) >= 0.0
        };
        let some: Vec<FacetValues> = sample.iter().map(|&k| facets[k]).collect();
        let flying_there: Vec<f64> =
            some.par_iter().map(|f| f.area * f64::from(u8::from(flies(f)))).collect();
        let area: f64 = some.iter().map(|f| f.area).sum();
        let reference = flying_there.iter().sum::<f64>() / area;
        let ours = part(&some, FacetValues::flies_off);
        let what = format!("Bennu, C = 1 Pa, 2.6 h, T = {thickness} m: part of the surface that flies off");
        rows.push(FLIES.row("fission", what, reference, ours, 0.02));
    }
    Ok(())
}

/// Point masses on a cubic lattice inside an asteroid, and G times the mass of each.
fn point_masses(asteroid: &Asteroid, spacing: f64) -> (Vec<DVec3>, f64) {
    let tree = SurfaceTree::new(&asteroid.mesh);
    let n = (asteroid.radius / spacing).ceil() as i32;
    let mut points = Vec::new();
    for i in -n..=n {
        for j in -n..=n {
            let mut from = DVec3::new(f64::from(i) + 0.37, f64::from(j) + 0.21, 0.0) * spacing;
            from.z = -2.0 * asteroid.radius;
            // Along a line in and out.
            let mut crossings = Vec::new();
            while let Some((distance, _)) = tree.ray(from, DVec3::Z) {
                from.z += distance;
                crossings.push(from.z);
                from.z += 1e-6 * spacing;
            }
            for inside in crossings.chunks_exact(2) {
                let mut k = (inside[0] / spacing).ceil();
                while k * spacing < inside[1] {
                    points.push(DVec3::new(from.x, from.y, k * spacing));
                    k += 1.0;
                }
            }
        }
    }
    let each = G * asteroid.mass / points.len() as f64;
    (points, each)
}
