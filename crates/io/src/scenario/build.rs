//! From a checked scenario to a world and the plans of a run.

use std::path::Path;

use rubblepile_core::{Advice, Domain, Fields, Frame, PairOverride, Rng, World, event::ActionContext};

use rubblepile_gravity::Centrifugal;

use crate::{
    frame::{View, WallStyle, WallStyles},
    generate::velocity::angular_velocity,
};

use super::{
    asteroids::add_asteroids,
    deformables::add_deformables,
    error::ScenarioError,
    grains::{add_grains, check_outside},
    load::Loaded,
    quantity::Interval,
    scene,
    tables::*,
};
use rubblepile_core::settings::{Problem, ScenarioContext};

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
    pub wall_styles: WallStyles,
    /// s
    pub end: f64,
    pub seed: u64,
    pub threads: Option<u32>,
    /// Repairs and other notes for the user.
    pub advice: Vec<Advice>,
    /// Names and defaults that tables share.
    pub scene: ScenarioContext,
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

/// Everything but asteroids and grains: what a resumed run needs in addition to its checkpoint.
pub fn build_without_grains(loaded: &Loaded) -> Built {
    let s = &loaded.scenario;
    let mut world = World::new(s.method.settings().timestep().unwrap_or(0.0));
    world.rng = Rng::stream(s.run.seed, "world");
    world.materials = s.material.iter().map(MaterialTable::material).collect();
    world.pairs = s.pair.iter().map(|p| pair(p, s)).collect();
    world.domain = domain(&s.domain);
    if let FrameTable::Rotating(r) = &s.frame {
        let angular_velocity = angular_velocity(r.angular_velocity, r.period, r.axis);
        world.frame = Frame::Rotating { angular_velocity };
    }
    let names = s.grains.iter().map(|g| &g.name).chain(s.deformable.iter().map(|d| &d.name));
    world.groups = names.map(|name| name.clone().unwrap_or_default()).collect();
    let materials = &world.materials;
    world.walls = (0..).zip(&s.wall).map(|(id, w)| w.wall(id, materials)).collect();
    let mut builder = ActionContext { materials, next_wall: s.wall.len() as u32 };
    world.events = s.event.iter().filter_map(|e| e.event(&mut builder)).collect();
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
        wall_styles: wall_styles(s),
        end: s.run.end.0,
        seed: s.run.seed,
        threads: s.run.threads,
        advice: Vec::new(),
        scene: scene::of(s),
        world,
    }
}

/// Row of a material by name; the check has made sure that there is one.
pub(super) fn material_id(scenario: &Scenario, name: Option<&String>) -> u32 {
    scenario.material.iter().position(|m| Some(&m.name) == name).unwrap_or(0) as u32
}

pub(super) fn pair(p: &Pair, scenario: &Scenario) -> PairOverride {
    let [a, b] = &p.between;
    p.values(material_id(scenario, Some(a)), material_id(scenario, Some(b)))
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

fn wall_styles(scenario: &Scenario) -> WallStyles {
    let look = |w: &WallTable| WallStyle { colour: w.colour.0, transparency: w.transparency.0 };
    all_walls(scenario).map(|(id, w)| (id, look(w))).collect()
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
