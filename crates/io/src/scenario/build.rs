//! From a checked scenario to a world and the plans of a run.

use std::path::Path;

use rubblepile_core::{
    Action, Domain, Event, Frame, Material, Motion, PairOverride, Rng, Surface, Trigger, Wall, World,
};
use rubblepile_soft::{Law, Settings};

use glam::DVec3;

use super::{
    check::angular_velocity,
    check_grains::distribution,
    error::{Problem, ScenarioError},
    grains::{About, Grains, LatticeName, Place, RegionTable, SpeedDistribution},
    load::Loaded,
    property,
    quantity::Interval,
    tables::*,
    walls::{MotionTable, WallShape, WallTable},
};
use crate::generate::{self, Fault, Grid, Region, lattice, random, table, velocity};

/// A force field of the run, in words; whoever runs it makes the field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GravityPlan {
    Uniform {
        acceleration: DVec3,
    },
    Direct {
        every: u64,
    },
    Tree {
        accuracy: Accuracy,
        every: u64,
    },
    /// Of the rotating frame, rad/s.
    Centrifugal {
        angular_velocity: DVec3,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Relative error aimed at.
    Error(f64),
    /// Opening angle.
    Opening(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeKind {
    Energy,
    Momentum,
    Contacts,
    Overlap,
    Packing,
    Stress,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbePlan {
    pub kind: ProbeKind,
    /// s of simulated time
    pub every: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPlan {
    /// s of simulated time between frames; `None`: no frames.
    pub frames: Option<f64>,
    pub checkpoint: Interval,
    /// s of simulated time between contact tables; `None`: none.
    pub contacts: Option<f64>,
}

/// Everything a run needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub title: String,
    /// The clock's step is 0 when it is to be chosen (`"auto"`).
    pub world: World,
    pub soft: Settings,
    pub gravity: Vec<GravityPlan>,
    pub probes: Vec<ProbePlan>,
    pub output: OutputPlan,
    /// s
    pub end: f64,
    pub seed: u64,
    pub threads: Option<u32>,
}

/// Makes the world. `base` is the folder that relative paths start at: the scenario's.
pub fn build(loaded: &Loaded, base: &Path) -> Result<Built, ScenarioError> {
    let s = &loaded.scenario;
    let Method::Soft(soft) = &s.method;
    let mut world = World::new(soft.timestep.value().unwrap_or(0.0));
    world.rng = Rng::stream(s.run.seed, "world");
    world.materials = s.material.iter().map(material).collect();
    world.pairs = s.pair.iter().map(|p| pair(p, s)).collect();
    world.domain = domain(&s.domain);
    let mut gravity: Vec<GravityPlan> = s.gravity.iter().map(gravity_plan).collect();
    if let FrameTable::Rotating(r) = &s.frame {
        let angular_velocity = angular_velocity(r.angular_velocity, r.period, r.axis);
        world.frame = Frame::Rotating { angular_velocity };
        gravity.push(GravityPlan::Centrifugal { angular_velocity });
    }
    add_grains(&mut world, loaded, base)?;
    world.walls = s.wall.iter().enumerate().map(|(k, w)| wall(w, k as u32, s)).collect();
    world.events = events(s);
    world.keep_dissipation = s.probe.iter().any(|p| matches!(p, Probe::Energy(_)));
    check_period(&world, loaded)?;
    Ok(Built {
        title: s.title.clone(),
        soft: Settings {
            law: match soft.law {
                LawName::Linear => Law::Linear,
                LawName::HertzMindlin => Law::HertzMindlin,
            },
            max_speed: soft.max_speed.map(|v| v.0),
            skin: soft.skin.value(),
            deepest_overlap: soft.deepest_overlap.0,
        },
        gravity,
        probes: s.probe.iter().map(probe_plan).collect(),
        output: OutputPlan {
            frames: s.output.frames.as_ref().map(|f| f.every.0),
            checkpoint: s.output.checkpoint.every,
            contacts: s.output.contacts.as_ref().map(|f| f.every.0),
        },
        end: s.run.end.0,
        seed: s.run.seed,
        threads: s.run.threads,
        world,
    })
}

fn material(m: &MaterialTable) -> Material {
    Material {
        name: m.name.clone(),
        density: m.density.map_or(0.0, |d| d.0),
        restitution_normal: m.restitution.normal.0,
        restitution_tangential: m.restitution.tangential.0,
        friction_sliding: m.friction.sliding.0,
        friction_rolling: m.friction.rolling.0,
        friction_twisting: m.friction.twisting.0,
        shape: m.friction.shape.0,
        cohesion: m.cohesion.0,
        stiffness: m.stiffness.map(|v| v.0),
        stiffness_ratio: m.stiffness_ratio.0,
        young: m.young.map(|v| v.0),
        poisson: m.poisson.0,
    }
}

/// Row of a material by name; the check has made sure that there is one.
fn material_id(scenario: &Scenario, name: Option<&String>) -> u32 {
    scenario.material.iter().position(|m| Some(&m.name) == name).unwrap_or(0) as u32
}

fn pair(p: &Pair, scenario: &Scenario) -> PairOverride {
    PairOverride {
        a: material_id(scenario, Some(&p.between[0])),
        b: material_id(scenario, Some(&p.between[1])),
        restitution_normal: p.restitution.normal.map(|v| v.0),
        restitution_tangential: p.restitution.tangential.map(|v| v.0),
        friction_sliding: p.friction.sliding.map(|v| v.0),
        friction_rolling: p.friction.rolling.map(|v| v.0),
        friction_twisting: p.friction.twisting.map(|v| v.0),
        shape: p.friction.shape.map(|v| v.0),
        cohesion: p.cohesion.map(|v| v.0),
        stiffness: p.stiffness.map(|v| v.0),
        stiffness_ratio: p.stiffness_ratio.map(|v| v.0),
    }
}

fn domain(d: &DomainTable) -> Domain {
    match d {
        DomainTable::Open => Domain::Open,
        DomainTable::Periodic(p) => {
            Domain::Periodic { min: p.min.0, max: p.max.0, axes: ['x', 'y', 'z'].map(|c| p.axes.contains(c)) }
        }
    }
}

fn gravity_plan(g: &Gravity) -> GravityPlan {
    match g {
        Gravity::Uniform(u) => GravityPlan::Uniform { acceleration: u.acceleration.0 },
        Gravity::Direct(d) => GravityPlan::Direct { every: d.every },
        Gravity::Tree(t) => {
            let accuracy = match (t.opening, t.error) {
                (Some(opening), _) => Accuracy::Opening(opening.0),
                (None, error) => Accuracy::Error(error.map_or(1e-3, |e| e.0)),
            };
            GravityPlan::Tree { accuracy, every: t.every }
        }
    }
}

fn probe_plan(p: &Probe) -> ProbePlan {
    let (kind, s) = match p {
        Probe::Energy(s) => (ProbeKind::Energy, s),
        Probe::Momentum(s) => (ProbeKind::Momentum, s),
        Probe::Contacts(s) => (ProbeKind::Contacts, s),
        Probe::Overlap(s) => (ProbeKind::Overlap, s),
        Probe::Packing(s) => (ProbeKind::Packing, s),
        Probe::Stress(s) => (ProbeKind::Stress, s),
    };
    ProbePlan { kind, every: s.every.0 }
}

fn wall(w: &WallTable, id: u32, scenario: &Scenario) -> Wall {
    let unit = |v: DVec3| v.normalize_or(DVec3::Z);
    let surface = match &w.shape {
        WallShape::Plane(p) => Surface::Plane { point: p.point.0, normal: unit(p.normal.0) },
        WallShape::Disk(d) => {
            Surface::Disk { centre: d.centre.0, normal: unit(d.normal.0), radius: d.radius.0, hole: d.hole.0 }
        }
        WallShape::Rectangle(r) => {
            Surface::Rectangle { centre: r.centre.0, half_u: r.half_u.0, half_v: r.half_v.0 }
        }
        WallShape::Box(b) => Surface::Box { min: b.min.0, max: b.max.0 },
        WallShape::Cylinder(c) => Surface::Cylinder {
            centre: c.centre.0,
            axis: unit(c.axis.0),
            radius: c.radius.0,
            length: c.length.map(|l| l.0),
        },
    };
    let material = material_id(scenario, w.material.as_ref());
    let mut result = Wall::new(id, w.name.clone().unwrap_or_default(), material, surface);
    result.motion = motion(&w.motion, &surface);
    result
}

fn motion(m: &MotionTable, surface: &Surface) -> Motion {
    match m {
        MotionTable::None => Motion::None,
        MotionTable::Translation(t) => Motion::Translation { velocity: t.velocity.0 },
        MotionTable::Oscillation(o) => {
            Motion::Oscillation { amplitude: o.amplitude.0, frequency: o.frequency.0, phase: o.phase.0 }
        }
        MotionTable::Rotation(r) => Motion::Rotation {
            centre: r.centre.map_or(surface.centre(), |c| c.0),
            axis: r.axis.map_or(surface.axis(), |a| a.0.normalize_or(DVec3::Z)),
            rate: r.rate.0,
        },
    }
}

fn events(scenario: &Scenario) -> Vec<Event> {
    let mut next_wall = scenario.wall.len() as u32;
    // The wall that a motion is given to, for the axis that it turns about by default.
    let added = |e: &EventTable| e.add_wall.clone();
    let all_walls: Vec<WallTable> =
        scenario.wall.iter().cloned().chain(scenario.event.iter().filter_map(added)).collect();
    let mut result = Vec::new();
    for e in &scenario.event {
        let trigger = match (e.at, e.every) {
            (Some(t), _) => Trigger::At(t.0),
            (None, every) => {
                let interval = every.map_or(f64::INFINITY, |t| t.0);
                let end = e.end.map_or(f64::INFINITY, |t| t.0);
                Trigger::Every { start: e.start.map_or(interval, |t| t.0), interval, end }
            }
        };
        let action = if let Some(name) = &e.remove_wall {
            Action::RemoveWall { name: name.clone() }
        } else if let Some(w) = &e.add_wall {
            next_wall += 1;
            Action::AddWall(Box::new(wall(w, next_wall - 1, scenario)))
        } else if let Some(m) = &e.set_motion {
            let surface = all_walls
                .iter()
                .find(|w| w.name.as_ref() == Some(&m.wall))
                .map_or(Surface::Plane { point: DVec3::ZERO, normal: DVec3::Z }, |w| {
                    wall(w, 0, scenario).surface
                });
            Action::SetMotion { wall: m.wall.clone(), motion: motion(&m.motion, &surface) }
        } else if let Some(a) = &e.add_spin {
            let group = a.group.as_ref().map(|name| {
                scenario.grains.iter().position(|g| g.name.as_ref() == Some(name)).unwrap_or(0) as u32
            });
            Action::AddSpin { group, spin: a.spin.0 }
        } else if let Some(m) = &e.set_material {
            let Some((property, _)) = property(&m.key) else { continue };
            let material = material_id(scenario, Some(&m.material));
            Action::SetMaterial { material, property, value: m.value.value }
        } else if let Some(energy) = e.stop.as_ref().and_then(|s| s.kinetic_energy_below) {
            Action::StopWhenKineticBelow { energy: energy.0 }
        } else {
            Action::Stop
        };
        result.push(Event::new(trigger, action));
    }
    result
}

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

fn add_grains(world: &mut World, loaded: &Loaded, base: &Path) -> Result<(), ScenarioError> {
    let s = &loaded.scenario;
    // Only random placing looks for what is there already.
    let any_random = s.grains.iter().any(|g| matches!(g.place, Place::Random(_)));
    let unit = s.grains.iter().map(|g| distribution(g).largest()).fold(0.0, f64::max);
    let mut grid = Grid::new(world.domain, if unit > 0.0 { unit } else { 1.0 });
    for (k, grains) in s.grains.iter().enumerate() {
        let at = format!("grains[{k}]");
        let name = grains.name.clone().unwrap_or_default();
        world.groups.push(name.clone());
        let first = world.bodies.len();
        let stream = |what: &str| Rng::stream(s.run.seed, &format!("grains/{name}/{what}"));
        let fail = |path: String, fault: Fault| {
            let problem = Problem::new(path, fault.message).help(fault.help);
            loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no grains"))
        };
        let made = match &grains.place {
            Place::File(f) => from_file(loaded, grains, base, &f.path, &at, &mut stream("size"))?,
            _ => generated(world, grains, &mut grid, first, &stream)
                .map_err(|(key, fault)| fail(format!("{at}.{key}"), fault))?,
        };
        let material = material_id(s, grains.material.as_ref());
        let density = grains
            .density
            .map(|d| d.0)
            .or(s.material.get(material as usize).and_then(|m| m.density.map(|d| d.0)));
        for (i, (x, r)) in made.position.iter().zip(made.radius.iter().flatten()).enumerate() {
            let own = made.density.as_ref().map(|d| d[i]);
            let x = world.domain.wrap(*x);
            let row = world.bodies.push_sphere(x, *r, own.or(density).unwrap_or(0.0), material, k as u32);
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
        if any_random && !matches!(grains.place, Place::Random(_)) {
            for row in rows.clone() {
                grid.insert(world.bodies.position[row], world.bodies.radius[row], row as u32);
            }
        }
        velocities(world, grains, rows, &mut stream("velocity"));
    }
    let finite = |m: &f64| m.is_finite() && *m > 0.0;
    if let Some(row) = (0..world.bodies.len())
        .find(|&k| !finite(&world.bodies.mass[k]) || !finite(&world.bodies.inertia[k].x))
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

fn velocities(world: &mut World, grains: &Grains, rows: std::ops::Range<usize>, rng: &mut Rng) {
    let bodies = &mut world.bodies;
    if let Some(v) = grains.velocity.constant {
        velocity::add_constant(bodies, rows.clone(), v.0);
    }
    if let Some(r) = &grains.velocity.random {
        let maxwellian = r.distribution == SpeedDistribution::Maxwellian;
        velocity::add_random(bodies, rows.clone(), r.rms_speed.0, maxwellian, r.zero_momentum, rng);
    }
    if let Some(r) = &grains.velocity.rotation {
        let w = angular_velocity(r.angular_velocity, r.period, r.axis);
        let about = match r.about {
            About::CentreOfMass => velocity::centre_of_mass(bodies, rows.clone()),
            About::Origin => DVec3::ZERO,
        };
        velocity::add_rotation(bodies, rows.clone(), w, about);
    }
    velocity::add_spin(bodies, rows, grains.spin.0);
}

fn generated(
    world: &World,
    grains: &Grains,
    grid: &mut Grid,
    first: usize,
    stream: &dyn Fn(&str) -> Rng,
) -> Result<table::Table, (&'static str, Fault)> {
    let sizes = distribution(grains);
    let sampler = sizes.sampler().map_err(|f| ("size", f))?;
    let mut rng = stream("size");
    let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| sampler.draw(&mut rng)).collect() };
    let (position, radius) = match &grains.place {
        Place::Lattice(l) => {
            let largest = sizes.largest();
            let spacing = l.spacing.map_or(2.0 * largest, |s| s.0);
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
        Place::Points(p) => (p.positions.iter().map(|x| x.0).collect(), draw(p.positions.len())),
        Place::File(_) => (Vec::new(), Vec::new()),
    };
    Ok(table::Table { position, radius: Some(radius), ..Default::default() })
}

fn from_file(
    loaded: &Loaded,
    grains: &Grains,
    base: &Path,
    path: &str,
    at: &str,
    rng: &mut Rng,
) -> Result<table::Table, ScenarioError> {
    let refuse = |key: &str, message: String, help: &str| {
        let problem = Problem::new(format!("{at}.{key}"), message).help(help);
        loaded.sources.problems(vec![problem]).err().unwrap_or_else(|| ScenarioError::plain("no grains"))
    };
    let full = base.join(path);
    let bytes = std::fs::read(&full).map_err(|e| {
        refuse(
            "place.file.path",
            format!("cannot read {}: {e}", full.display()),
            "paths start at the scenario's folder",
        )
    })?;
    let name = full.display().to_string();
    let text = String::from_utf8(bytes).map_err(|_| {
        refuse("place.file.path", format!("{name} is not a text file"), "it must be CSV in UTF-8")
    })?;
    let mut table = table::read(&text)
        .map_err(|f| ScenarioError::at(f.message, &name, &text, f.span).with_help(f.help))?;
    if table.radius.is_none() {
        if grains.radius.is_none() && grains.size.is_none() {
            let message = format!("{name} has no column `radius`");
            return Err(refuse("place.file", message, "add the column, or `radius` or `size` to this table"));
        }
        let sampler = distribution(grains).sampler().map_err(|f| refuse("size", f.message, &f.help))?;
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

/// A grain must not meet two images of another at once.
fn check_period(world: &World, loaded: &Loaded) -> Result<(), ScenarioError> {
    let largest = world.bodies.radius.iter().copied().fold(0.0, f64::max);
    let shortest = world.domain.period().min_element();
    if shortest < 4.0 * largest {
        let message = format!("a period of {shortest} m is too short for grains of radius {largest} m");
        let problem = Problem::new("domain.periodic", message).help("make it at least four radii long");
        loaded.sources.problems(vec![problem])?;
    }
    Ok(())
}
