//! From a checked scenario to a world and the plans of a run.

use std::path::Path;

use rubblepile_core::{
    Action, Advice, Domain, Event, Fields, Frame, Material, Motion, PairOverride, Rng, Surface, Touch,
    Trigger, Wall, World,
};

use glam::DVec3;
use rubblepile_gravity::Centrifugal;

use crate::frame::{Look, Looks, View};

use super::{
    build_asteroids::{add_asteroids, check_outside},
    build_deformables::add_deformables,
    build_grains::add_grains,
    check::angular_velocity,
    error::ScenarioError,
    load::Loaded,
    property,
    quantity::Interval,
    scene,
    tables::*,
    walls::{MotionTable, TouchName, WallShape, WallTable},
};
use rubblepile_core::settings::{Problem, Scene};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPlan {
    /// s of simulated time between frames; `None`: no frames.
    pub frames: Option<f64>,
    pub view: View,
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
    pub method: Method,
    pub gravity: Vec<Gravity>,
    pub probes: Vec<ProbeTable>,
    pub output: OutputPlan,
    pub looks: Looks,
    /// s
    pub end: f64,
    pub seed: u64,
    pub threads: Option<u32>,
    /// What was done to what the scenario names, for the user to know.
    pub advice: Vec<Advice>,
    /// What the tables say of each other.
    pub scene: Scene,
}

impl Built {
    /// Makes the fields: those of the scenario, then what belongs to a rotating frame.
    pub fn fields(&self) -> Fields {
        let mut list: Vec<_> = self.gravity.iter().map(|g| g.settings().field(&self.scene)).collect();
        if let Some(centrifugal) = Centrifugal::of(&self.world.frame) {
            list.push(Box::new(centrifugal));
        }
        Fields { list }
    }
}

/// Makes the world. `base` is the folder that relative paths start at: the scenario's.
pub fn build(loaded: &Loaded, base: &Path) -> Result<Built, ScenarioError> {
    let mut built = build_without_grains(loaded);
    built.advice = add_asteroids(&mut built.world, loaded, base)?;
    add_grains(&mut built.world, loaded, base)?;
    add_deformables(&mut built.world, loaded, base)?;
    check_outside(&built.world, loaded)?;
    check_period(&built.world, loaded)?;
    Ok(built)
}

/// Everything but grains: for what only asks about asteroids.
pub fn build_asteroids_only(loaded: &Loaded, base: &Path) -> Result<Built, ScenarioError> {
    let mut built = build_without_grains(loaded);
    built.advice = add_asteroids(&mut built.world, loaded, base)?;
    Ok(built)
}

/// Everything but asteroids and grains: what a run that goes on from a checkpoint needs besides it.
pub fn build_without_grains(loaded: &Loaded) -> Built {
    let s = &loaded.scenario;
    let mut world = World::new(s.method.settings().timestep().unwrap_or(0.0));
    world.rng = Rng::stream(s.run.seed, "world");
    world.materials = s.material.iter().map(material).collect();
    world.pairs = s.pair.iter().map(|p| pair(p, s)).collect();
    world.domain = domain(&s.domain);
    if let FrameTable::Rotating(r) = &s.frame {
        let angular_velocity = angular_velocity(r.angular_velocity, r.period, r.axis);
        world.frame = Frame::Rotating { angular_velocity };
    }
    let names = s.grains.iter().map(|g| &g.name).chain(s.deformable.iter().map(|d| &d.name));
    world.groups = names.map(|name| name.clone().unwrap_or_default()).collect();
    world.walls = s.wall.iter().enumerate().map(|(k, w)| wall(w, k as u32, s)).collect();
    world.events = events(s);
    Built {
        title: s.title.clone(),
        method: s.method.clone(),
        gravity: s.gravity.clone(),
        probes: s.probe.clone(),
        output: OutputPlan {
            frames: s.output.frames.as_ref().map(|f| f.every.0),
            view: match s.output.frames.as_ref().map(|f| f.frame) {
                None | Some(FrameName::Inertial) => View::Inertial,
                Some(FrameName::Body) => View::Body,
                Some(FrameName::Both) => View::Both,
            },
            checkpoint: s.output.checkpoint.every,
            contacts: s.output.contacts.as_ref().map(|f| f.every.0),
        },
        looks: looks(s),
        end: s.run.end.0,
        seed: s.run.seed,
        threads: s.run.threads,
        advice: Vec::new(),
        scene: scene::of(s),
        world,
    }
}

pub(super) fn material(m: &MaterialTable) -> Material {
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
        cohesion_force: m.cohesion_force.0,
        cohesion_range: m.cohesion_range.0,
        stiffness: m.stiffness.map(|v| v.0),
        stiffness_ratio: m.stiffness_ratio.0,
        young: m.young.map(|v| v.0),
        poisson: m.poisson.0,
    }
}

/// Row of a material by name; the check has made sure that there is one.
pub(super) fn material_id(scenario: &Scenario, name: Option<&String>) -> u32 {
    scenario.material.iter().position(|m| Some(&m.name) == name).unwrap_or(0) as u32
}

pub(super) fn pair(p: &Pair, scenario: &Scenario) -> PairOverride {
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
        cohesion_force: p.cohesion_force.map(|v| v.0),
        cohesion_range: p.cohesion_range.map(|v| v.0),
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

/// All walls in the course of the run with their ids: first those of the scenario, then those of its events.
fn all_walls(scenario: &Scenario) -> impl Iterator<Item = (u32, &WallTable)> {
    let added = scenario.event.iter().filter_map(|e| e.add_wall.as_ref());
    (0..).zip(scenario.wall.iter().chain(added))
}

fn looks(scenario: &Scenario) -> Looks {
    let look = |w: &WallTable| Look { colour: w.colour.0, transparency: w.transparency.0 };
    all_walls(scenario).map(|(id, w)| (id, look(w))).collect()
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
        // A cylinder without length, without radius, without both.
        WallShape::Ring(r) => Surface::Cylinder {
            centre: r.centre.0,
            axis: unit(r.axis.0),
            radius: r.radius.0,
            length: Some(0.0),
        },
        WallShape::Line(l) => Surface::Cylinder {
            centre: l.centre.0,
            axis: unit(l.axis.0),
            radius: 0.0,
            length: l.length.map(|l| l.0),
        },
        WallShape::Point(p) => {
            Surface::Cylinder { centre: p.at.0, axis: DVec3::Z, radius: 0.0, length: Some(0.0) }
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
    result.touch = match w.touch {
        TouchName::Bounce => Touch::Bounce,
        TouchName::Stick => Touch::Stick,
        TouchName::Absorb => Touch::Absorb,
    };
    result
}

fn motion(m: &MotionTable, surface: &Surface) -> Motion {
    match m {
        MotionTable::None => Motion::None,
        MotionTable::Translation(t) => Motion::Translation { velocity: t.velocity.0 },
        MotionTable::Oscillation(o) => {
            Motion::Oscillation { amplitude: o.amplitude.0, frequency: o.frequency.0, phase: o.phase.0 }
        }
        MotionTable::Reciprocal(r) => Motion::Reciprocal { size: r.size.0, rate: r.rate.0 },
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
        } else if let Some(u) = &e.spin_up {
            let row = scenario.asteroid.iter().position(|a| a.name.as_ref() == Some(&u.asteroid));
            Action::SpinUp { asteroid: row.unwrap_or(0) as u32, rate: std::f64::consts::TAU / u.period.0 }
        } else if let Some(r) = &e.remove_beyond {
            Action::RemoveBeyond { distance: r.0 }
        } else if let Some(energy) = e.stop.as_ref().and_then(|s| s.kinetic_energy_below) {
            Action::StopWhenKineticBelow { energy: energy.0 }
        } else {
            Action::Stop
        };
        result.push(Event::new(trigger, action));
    }
    result
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
