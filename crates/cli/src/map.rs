//! `map`: the surface of an asteroid, facet by facet.

use std::{f64::consts::TAU, path::PathBuf};

use glam::DVec3;
use rubblepile::on_threads;
use rubblepile_core::{Advice, Asteroid, units};
use rubblepile_io::{
    map,
    scenario::{Gravity, Scenario, tables::MaterialTable},
};
use rubblepile_probe::surface_map::{FacetValues, QUANTITIES, Regolith, RegolithGrain, part, surface_map};

use crate::{args, check, failure::Failure, print, quantity, shape_info::positive, text};

pub fn map(args: args::Map) -> Result<(), Failure> {
    let chosen = rubblepile::Scenario::open_with(&args.scenario, &args.sets)?;
    let out = args.out.clone().unwrap_or_else(|| default_directory(&args));
    on_threads(args.threads.or(chosen.threads()), || {
        let (mut built, scenario) = (chosen.build_asteroids()?, chosen.tables());
        built.advice.iter().for_each(|a: &Advice| eprintln!("{}", check::line(a)));
        let row = which(&args, &built.world.asteroids)?;
        let asteroid = &mut built.world.asteroids[row];
        if let Some(period) = &args.period {
            turn_in(asteroid, period)?;
        }
        let regolith = regolith(&args, scenario, asteroid)?;
        let asteroid = asteroid.clone();
        let facets = surface_map(&built.world, row, &regolith, accuracy(&built.gravity))
            .map_err(|e| Failure::bad_input(e, "check the asteroid's shape"))?;
        let title = title(&asteroid, &regolith);
        let request = map::MapRequest { title: &title, folder: &out, overwrite: args.force };
        let written = map::write(&request, &asteroid.mesh, &facets)?;
        print(&summary(&asteroid, &regolith, &facets));
        let names: Vec<_> =
            written.iter().filter_map(|p| p.file_name()).map(|n| n.to_string_lossy()).collect();
        print(&format!("in {}: {}\n", out.display(), names.join(", ")));
        Ok(())
    })?
}

/// Of the scenario's own gravity of asteroids, if it has one.
fn accuracy(gravity: &[Gravity]) -> f64 {
    let errors = gravity.iter().filter_map(|g| match g {
        Gravity::Polyhedron(polyhedron) => Some(polyhedron.error.0),
        _ => None,
    });
    errors.reduce(f64::min).unwrap_or(1e-6)
}

fn default_directory(args: &args::Map) -> PathBuf {
    PathBuf::from("maps").join(args.scenario.file_stem().unwrap_or_else(|| "map".as_ref()))
}

fn which(args: &args::Map, all: &[Asteroid]) -> Result<usize, Failure> {
    let names: Vec<&str> = all.iter().map(|a| a.name.as_str()).collect();
    let listed = format!("its asteroids are: {}", names.join(", "));
    match (&args.asteroid, all.len()) {
        (_, 0) => Err(Failure::bad_input(
            format!("there is no asteroid in {}", args.scenario.display()),
            "add an [[asteroid]] table, whose surface is to be mapped",
        )),
        (Some(name), _) => names.iter().position(|n| n == name).ok_or_else(|| {
            Failure::bad_input(
                format!("there is no asteroid `{name}` in {}", args.scenario.display()),
                listed,
            )
        }),
        (None, 1) => Ok(0),
        (None, n) => Err(Failure::bad_input(
            format!("there are {n} asteroids in {}: choose one", args.scenario.display()),
            format!("give --asteroid NAME; {listed}"),
        )),
    }
}

/// About the axis that it turns about, or its own z axis if it is at rest.
fn turn_in(asteroid: &mut Asteroid, period: &str) -> Result<(), Failure> {
    let seconds = quantity::quantity("--period", period, units::TIME, "3.4 h")?;
    if seconds == 0.0 {
        return Err(Failure::bad_input("--period must not be 0", "omit it to use the scenario's rotation"));
    }
    asteroid.spin = TAU / seconds * asteroid.spin.normalize_or(asteroid.orientation * DVec3::Z);
    Ok(())
}

fn regolith(args: &args::Map, scenario: &Scenario, asteroid: &Asteroid) -> Result<Regolith, Failure> {
    let given =
        |option: &str, text: &Option<String>, kind: units::Dimension, example: &str, or: f64| match text {
            Some(text) => positive(option, text, kind, example),
            None => Ok(or),
        };
    let grains = scenario.grains.first();
    let named = grains.and_then(|g| g.material.as_ref());
    let of_asteroid = scenario.material.get(asteroid.material as usize);
    let material: Option<&MaterialTable> =
        scenario.material.iter().find(|m| Some(&m.name) == named).or(of_asteroid);
    let own_cohesion = material.map_or(0.0, |m| m.cohesion.0);
    let cohesion = match &args.cohesion {
        Some(text) => not_negative("--cohesion", text)?,
        None => own_cohesion,
    };
    let grain_density = grains.and_then(|g| g.density).or(material.and_then(|m| m.density));
    Ok(Regolith {
        friction_angle: friction_angle(&args.friction_angle)?,
        cohesion,
        bulk_density: given(
            "--regolith-density",
            &args.regolith_density,
            units::DENSITY,
            "1200 kg/m3",
            asteroid.density,
        )?,
        thickness: positive("--thickness", &args.thickness, units::LENGTH, "3 m")?,
        grain: RegolithGrain {
            radius: given(
                "--grain-radius",
                &args.grain_radius,
                units::LENGTH,
                "10 cm",
                grains.and_then(|g| g.radius).map_or(0.1, |r| r.0),
            )?,
            density: given(
                "--grain-density",
                &args.grain_density,
                units::DENSITY,
                "3350 kg/m3",
                grain_density.map_or(asteroid.density, |d| d.0),
            )?,
            cohesion: match &args.grain_cohesion {
                Some(text) => not_negative("--grain-cohesion", text)?,
                None => cohesion,
            },
            shape: material.map_or(0.0, |m| m.friction.shape.0),
        },
    })
}

fn not_negative(option: &str, text: &str) -> Result<f64, Failure> {
    let value = quantity::quantity(option, text, units::PRESSURE, "1 Pa")?;
    let sound = (value >= 0.0).then_some(value);
    sound.ok_or_else(|| {
        Failure::bad_input(
            format!("{option}: `{text}` must not be negative"),
            format!("give a pressure: {option} \"1 Pa\""),
        )
    })
}

/// A plain number is in degrees, as people say it.
fn friction_angle(text: &str) -> Result<f64, Failure> {
    let angle = match text.trim().parse::<f64>() {
        Ok(degrees) => degrees.to_radians(),
        Err(_) => quantity::quantity("--friction-angle", text, units::ANGLE, "40 deg")?,
    };
    let sound = (angle > 0.0 && angle < 0.25 * TAU).then_some(angle);
    let help = "give degrees between 0 and 90: --friction-angle 40";
    sound.ok_or_else(|| {
        Failure::bad_input(format!("--friction-angle: `{text}` is not a friction angle"), help)
    })
}

fn turns(asteroid: &Asteroid) -> String {
    match asteroid.spin.length() {
        0.0 => "not rotating".into(),
        spin => format!("period {}", text::time(TAU / spin)),
    }
}

fn title(asteroid: &Asteroid, r: &Regolith) -> String {
    let n = text::number;
    format!(
        "{}, {}; friction {} deg, C = {} Pa, T = {} m, R = {} m",
        asteroid.name,
        turns(asteroid),
        n(r.friction_angle.to_degrees()),
        n(r.cohesion),
        n(r.thickness),
        n(r.grain.radius)
    )
}

fn summary(asteroid: &Asteroid, r: &Regolith, facets: &[FacetValues]) -> String {
    let n = text::number;
    let area: f64 = facets.iter().map(|f| f.area).sum();
    let mut lines = vec![
        format!(
            "asteroid `{}`: {} facets, {} m2, {} kg, {}",
            asteroid.name,
            facets.len(),
            n(area),
            n(asteroid.mass),
            turns(asteroid)
        ),
        format!(
            "layer: friction angle {} deg, cohesion {} Pa, {} m thick, {} kg/m3",
            n(r.friction_angle.to_degrees()),
            n(r.cohesion),
            n(r.thickness),
            n(r.bulk_density)
        ),
        format!(
            "its grains: radius {} m, {} kg/m3, cohesion {} Pa, shape {}",
            n(r.grain.radius),
            n(r.grain.density),
            n(r.grain.cohesion),
            n(r.grain.shape)
        ),
    ];
    let mut rows = vec![["", "least", "mean", "most", "unit"].map(String::from).to_vec()];
    for q in &QUANTITIES {
        let mut row = vec![q.title.to_string()];
        match q.range(facets) {
            Some(range) => row.extend([range.least, range.mean, range.most].map(n)),
            None => row.extend(["-"; 3].map(String::from)),
        }
        row.push(q.unit.into());
        rows.push(row);
    }
    lines.push(text::table(&rows).trim_end().into());
    let percent = |is: fn(&FacetValues) -> bool| format!("{:.2} %", 100.0 * part(facets, is));
    lines.push(format!("slides (factor of safety below 1): {} of the surface", percent(FacetValues::slides)));
    lines.push(format!("flies off (eq. 17): {} of the surface\n", percent(FacetValues::flies_off)));
    lines.join("\n")
}
