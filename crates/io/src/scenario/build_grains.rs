//! The grains of a world, group by group, from their tables.

use std::path::Path;

use glam::DVec3;
use rubblepile_core::{Rng, World};

use super::{
    build::material_id,
    build_asteroids::heap_region,
    build_shapes::{Look, add_shapes},
    check::angular_velocity,
    check_grains::distribution,
    error::ScenarioError,
    grains::{About, Grains, LatticeName, Place, RegionTable, SpeedDistribution},
    load::Loaded,
};
use crate::{
    generate::{self, Fault, Grid, Region, SizeDistribution, lattice, random, table, velocity},
    input,
};
use rubblepile_core::settings::Problem;

pub(super) fn region(r: &RegionTable) -> Region {
    match r {
        RegionTable::Box(b) => Region::Box { min: b.min.0, max: b.max.0 },
        RegionTable::Sphere(s) => Region::Sphere { centre: s.centre.0, radius: s.radius.0 },
        RegionTable::Cylinder(c) => Region::Cylinder {
            centre: c.centre.0,
            axis: c.axis.0.normalize_or(DVec3::Z),
            radius: c.radius.0,
            length: c.length.0,
        },
    }
}

pub(super) fn lattice_kind(name: LatticeName) -> lattice::Kind {
    match name {
        LatticeName::Cubic => lattice::Kind::Cubic,
        LatticeName::Hexagonal => lattice::Kind::Hexagonal,
    }
}

pub(super) fn add_grains(world: &mut World, loaded: &Loaded, base: &Path) -> Result<(), ScenarioError> {
    let s = &loaded.scenario;
    // Only random placing looks for what is there already.
    let random = |g: &Grains| matches!(g.place, Place::Random(_) | Place::Heap(_));
    let any_random = s.grains.iter().any(random);
    let unit = s.grains.iter().map(|g| distribution(g).largest()).fold(0.0, f64::max);
    let mut grid = Grid::new(world.domain, if unit > 0.0 { unit } else { 1.0 });
    for (k, grains) in s.grains.iter().enumerate() {
        let at = format!("grains[{k}]");
        let name = grains.name.clone().unwrap_or_default();
        let first = world.bodies.len();
        let stream = |what: &str| Rng::stream(s.run.seed, &format!("grains/{name}/{what}"));
        let look = Look::of(grains, loaded, base, &at)?;
        let sizes = sizes(grains, &look);
        let fail = |path: String, fault: Fault| {
            let problem = Problem::new(path, fault.message).help(fault.help);
            loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no grains"))
        };
        let made = match &grains.place {
            Place::File(f) => from_file(loaded, (grains, &sizes), base, &f.path, &at, &mut stream("size"))?,
            _ => generated(world, (grains, &sizes), &mut grid, first, &stream)
                .map_err(|(key, fault)| fail(format!("{at}.{key}"), fault))?,
        };
        let material = material_id(s, grains.material.as_ref());
        let density = grains
            .density
            .map(|d| d.0)
            .or(s.material.get(material as usize).and_then(|m| m.density.map(|d| d.0)));
        let radii = made.radius.as_deref().unwrap_or_default();
        let shapes = add_shapes(world, &look, grains, radii, &stream);
        for (i, (x, r)) in made.position.iter().zip(radii).enumerate() {
            let own = made.density.as_ref().map(|d| d[i]).or(density).unwrap_or(0.0);
            let x = world.domain.wrap(*x);
            let (shape, turn) = shapes[i];
            let row = match world.shapes[shape as usize].solid() {
                None => world.bodies.push_sphere(x, *r, own, material, k as u32),
                Some(solid) => world.bodies.push_solid(x, turn, (shape, solid), own, material, k as u32),
            };
            if let Some(v) = &made.velocity {
                world.bodies.velocity[row] = v[i];
            }
            if let Some(w) = &made.spin {
                world.bodies.spin[row] = w[i];
            }
        }
        let rows = first..world.bodies.len();
        if world.bodies.len() as u64 > generate::MAX_GRAINS {
            return Err(fail(at, Fault::new("too many grains", format!("at most {}", generate::MAX_GRAINS))));
        }
        if any_random && !random(grains) {
            for row in rows.clone() {
                grid.insert(world.bodies.position[row], world.bodies.radius[row], row as u32);
            }
        }
        velocities(world, grains, rows, &stream);
    }
    let finite = |m: &f64| m.is_finite() && *m > 0.0;
    if let Some(row) = (0..world.bodies.len())
        .find(|&k| !finite(&world.bodies.mass[k]) || !finite(&world.bodies.inertia[k].min_element()))
    {
        let at = format!("grains[{}]", world.bodies.group[row]);
        let fault = Problem::new(
            at,
            format!("the mass of grain {row} is no usable number: {} kg", world.bodies.mass[row]),
        )
        .help("look at the radius and the density");
        loaded.sources.problems(vec![fault])?;
    }
    Ok(())
}

/// The sizes of a group; those of a shape that is given, if nothing else says.
fn sizes(grains: &Grains, look: &Look) -> SizeDistribution {
    match (grains.radius, &grains.size, look.own_radius()) {
        (None, None, Some(radius)) => SizeDistribution::Single(radius),
        _ => distribution(grains),
    }
}

fn velocities(
    world: &mut World,
    grains: &Grains,
    rows: std::ops::Range<usize>,
    stream: &dyn Fn(&str) -> Rng,
) {
    let bodies = &mut world.bodies;
    let carrier = match &grains.place {
        Place::Heap(h) => Some(&h.on),
        _ => grains.velocity.with.as_ref(),
    };
    if let Some(asteroid) = world.asteroids.iter().find(|a| Some(&a.name) == carrier) {
        let pose = asteroid.pose();
        for row in rows.clone() {
            bodies.velocity[row] += pose.velocity_at(bodies.position[row]);
            bodies.spin[row] += pose.spin;
        }
    }
    if let Some(v) = grains.velocity.constant {
        velocity::add_constant(bodies, rows.clone(), v.0);
    }
    if let Some(r) = &grains.velocity.random {
        let maxwellian = r.distribution == SpeedDistribution::Maxwellian;
        velocity::add_random(
            bodies,
            rows.clone(),
            r.rms_speed.0,
            maxwellian,
            r.zero_momentum,
            &mut stream("velocity"),
        );
    }
    if let Some(r) = &grains.velocity.rotation {
        let w = angular_velocity(r.angular_velocity, r.period, r.axis);
        let about = match r.about {
            About::CentreOfMass => velocity::centre_of_mass(bodies, rows.clone()),
            About::Origin => DVec3::ZERO,
        };
        velocity::add_rotation(bodies, rows.clone(), w, about, r.spins);
    }
    if let Some(w) = grains.spin.constant {
        velocity::add_spin(bodies, rows.clone(), w.0);
    }
    if let Some(r) = &grains.spin.random {
        velocity::add_random_spin(bodies, rows, r.rate.0, &mut stream("spin"));
    }
}

fn generated(
    world: &World,
    (grains, sizes): (&Grains, &SizeDistribution),
    grid: &mut Grid,
    first: usize,
    stream: &dyn Fn(&str) -> Rng,
) -> Result<table::Table, (&'static str, Fault)> {
    let sampler = sizes.sampler().map_err(|f| ("size", f))?;
    let mut rng = stream("size");
    let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| sampler.draw(&mut rng)).collect() };
    let (position, radius) = match &grains.place {
        Place::Lattice(l) => {
            let largest = sizes.largest();
            let spacing = l.spacing.map_or(2.0 * largest, |s| s.0);
            let many = lattice::estimate(lattice_kind(l.kind), &region(&l.region), spacing, grains.count);
            if many.is_nan() || many > 2.0 * generate::MAX_GRAINS as f64 {
                let fault = Fault::new(format!("the lattice has about {many:.1e} sites"), "widen `spacing`");
                return Err(("place.lattice", fault));
            }
            let mut sites =
                lattice::sites(lattice_kind(l.kind), &region(&l.region), spacing, largest, grains.count)
                    .map_err(|f| ("place.lattice", f))?;
            lattice::jitter(&mut sites, l.jitter.0, &mut stream("jitter"));
            let radii = draw(sites.len());
            (sites, radii)
        }
        Place::Random(r) => {
            let radii = draw(grains.count.unwrap_or(0) as usize);
            let mut rng = stream("place");
            let x = random::positions(
                &region(&r.region),
                &radii,
                r.gap.0,
                &world.domain,
                grid,
                first as u32,
                &mut rng,
            )
            .map_err(|f| ("place.random", f))?;
            (x, radii)
        }
        Place::Heap(h) => {
            let radii = draw(grains.count.unwrap_or(0) as usize);
            let mut rng = stream("place");
            let Some((region, _)) = heap_region(world, h) else {
                return Err(("place.heap", Fault::new("there is no surface there", "choose another place")));
            };
            let x = random::positions(&region, &radii, 0.0, &world.domain, grid, first as u32, &mut rng)
                .map_err(|f| ("place.heap", f))?;
            (x, radii)
        }
        Place::Points(p) => (p.positions.iter().map(|x| x.0).collect(), draw(p.positions.len())),
        Place::File(_) => (Vec::new(), Vec::new()),
    };
    Ok(table::Table { position, radius: Some(radius), ..Default::default() })
}

fn from_file(
    loaded: &Loaded,
    (grains, sizes): (&Grains, &SizeDistribution),
    base: &Path,
    path: &str,
    at: &str,
    rng: &mut Rng,
) -> Result<table::Table, ScenarioError> {
    let refuse = |key: &str, message: String, help: &str| {
        let problem = Problem::new(format!("{at}.{key}"), message).help(help);
        loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no grains"))
    };
    let name = match loaded.given.contains_key(path) {
        true => path.to_string(),
        false => base.join(path).display().to_string(),
    };
    let mut table = match loaded.given.get(path) {
        Some(given) => given.clone(),
        None => {
            let bytes = input::read(&base.join(path), input::DATA_LIMIT).map_err(|e| {
                let help = "paths start at the scenario's folder";
                refuse("place.file.path", format!("cannot read {name}: {e}"), help)
            })?;
            let text = String::from_utf8(bytes).map_err(|_| {
                refuse("place.file.path", format!("{name} is not a text file"), "it must be CSV in UTF-8")
            })?;
            table::read(&text)
                .map_err(|f| ScenarioError::at(f.message, &name, &text, f.span).with_help(f.help))?
        }
    };
    if table.radius.is_none() {
        if sizes.largest() <= 0.0 {
            let message = format!("{name} has no column `radius`");
            return Err(refuse("place.file", message, "add the column, or `radius` or `size` to this table"));
        }
        let sampler = sizes.sampler().map_err(|f| refuse("size", f.message, &f.help))?;
        table.radius = Some(table.position.iter().map(|_| sampler.draw(rng)).collect());
    } else if grains.radius.is_some() || grains.size.is_some() {
        let key = if grains.radius.is_some() { "radius" } else { "size" };
        let message = format!("{name} has radii of its own");
        return Err(refuse(key, message, "remove this key, or the column `radius` of the file"));
    }
    let no_density = loaded
        .scenario
        .material
        .iter()
        .any(|m| Some(&m.name) == grains.material.as_ref() && m.density.is_none());
    if table.density.is_none() && grains.density.is_none() && no_density {
        let message = "neither the file, nor this table, nor the material gives a density".to_string();
        return Err(refuse("place.file", message, "add `density` to the material"));
    }
    Ok(table)
}
