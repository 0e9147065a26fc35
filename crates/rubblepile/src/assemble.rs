//! From a scenario to something that runs: the one place where methods, fields and probes are made from their plans.

use rubblepile_core::{Asteroid, Fields, G, Measure, Method, Probe, Pulls, Report, World, run::Engine};
use rubblepile_gravity::{Accuracy, Asteroids, Centrifugal, Direct, Tree, Uniform};
use rubblepile_hard::HardSpheres;
use rubblepile_io::{
    scenario::{self, Built, GravityPlan, Interval, MethodPlan, ProbeKind},
    session::{CheckpointEvery, Plan},
};
use rubblepile_meshfree::DeformableGrains;
use rubblepile_nonsmooth::ContactDynamics;
use rubblepile_soft::{STEPS_PER_CONTACT, SoftSpheres, shortest_contact_time};

use crate::{Error, Scenario};

/// The columns that its series will have.
pub fn columns(source: &Scenario) -> Vec<String> {
    let probes = scenario::build_without_grains(&source.loaded).probes;
    let own = ["time_s", "step"].map(String::from);
    own.into_iter().chain(probes.iter().flat_map(|p| probe(&p.kind).columns())).collect()
}

/// Makes the world, with the time step that the scenario asks for or that the contacts need.
pub fn build(source: &Scenario) -> Result<Built, Error> {
    let mut built = scenario::build(&source.loaded, &source.base)?;
    if built.world.clock.timestep == 0.0 {
        let (_, timestep) = method(&built);
        built.world.clock.timestep = timestep.ok_or_else(|| match built.method {
            MethodPlan::Soft(_) => Error::bad_input(
                "the time step cannot be chosen: it is not known how long a contact lasts",
                "give `timestep` or `max_speed` in [method.soft], or `stiffness` to every material",
            ),
            MethodPlan::Nonsmooth(_) => Error::bad_input(
                "the time step cannot be chosen: nothing moves and nothing pulls",
                "give `timestep` in [method.nonsmooth]",
            ),
            MethodPlan::Hard(_) => Error::bad_input(
                "the time step cannot be chosen: nothing moves and nothing pulls",
                "give `timestep` in [method.hard]",
            ),
            MethodPlan::Meshfree(_) => Error::bad_input(
                "the time step cannot be chosen: there are no grains",
                "add a [[deformable]] table",
            ),
        })?;
    }
    Ok(built)
}

/// A scenario given as text, ready to run without a directory: nothing is written.
pub fn in_memory(name: &str, text: &str, sets: &[String]) -> Result<Engine, Error> {
    let scenario = Scenario::parse_with(name, text, sets)?;
    Ok(plan(&scenario, build(&scenario)?).engine)
}

/// What resolves contact, with the time step that it would choose itself, s, if it can.
fn method(built: &Built) -> (Box<dyn Method>, Option<f64>) {
    let world = &built.world;
    match &built.method {
        MethodPlan::Soft(settings) => {
            let shortest = shortest_contact_time(world, settings).map(|t| t.seconds / STEPS_PER_CONTACT);
            (Box::new(SoftSpheres::new(settings.clone())), shortest)
        }
        MethodPlan::Nonsmooth(settings) => {
            let step = rubblepile_nonsmooth::automatic_timestep(world, &pulls(&built.gravity, world));
            (Box::new(ContactDynamics::new(settings.clone())), step)
        }
        MethodPlan::Hard(settings) => {
            let step = rubblepile_hard::automatic_timestep(world, &pulls(&built.gravity, world));
            (Box::new(HardSpheres::new(settings.clone())), step)
        }
        MethodPlan::Meshfree(settings) => {
            let pulls = pulls(&built.gravity, world);
            let step = rubblepile_meshfree::automatic_timestep(world, settings, &pulls);
            (Box::new(DeformableGrains::new(settings.clone())), step)
        }
    }
}

/// What sets the step of gravity.
fn pulls<'a>(gravity: &[GravityPlan], world: &'a World) -> Pulls<'a> {
    let mut pulls = Pulls::default();
    for g in gravity {
        match g {
            GravityPlan::Uniform { acceleration } => pulls.uniform += *acceleration,
            GravityPlan::Direct { .. } | GravityPlan::Tree { .. } => pulls.own = true,
            GravityPlan::Polyhedron { only, .. } => {
                let acts = |a: &&Asteroid| only.is_none_or(|id| a.id == id);
                pulls.asteroids.extend(world.asteroids.iter().filter(acts));
            }
            GravityPlan::Centrifugal { .. } => {}
        }
    }
    pulls
}

/// The plan of a new run.
pub fn plan(source: &Scenario, built: Built) -> Plan {
    let (method, _) = method(&built);
    let Built { title, world, method: _, gravity, probes, output, looks, end, seed, .. } = built;
    let fields = Fields { list: gravity.iter().map(field).collect() };
    let probes: Vec<(Box<dyn Probe>, f64)> = probes.iter().map(|p| (probe(&p.kind), p.every)).collect();
    let mut measure = Measure::default();
    probes.iter().for_each(|(probe, _)| measure |= probe.needs());
    Plan {
        title,
        engine: Engine { world, method, fields, observers: Vec::new(), end, report: Report::new(measure) },
        probes,
        frames: output.frames,
        view: output.view,
        looks,
        contact_tables: output.contacts,
        checkpoint: match output.checkpoint {
            Interval::Simulated(s) => CheckpointEvery::Simulated(s),
            Interval::Wall(s) => std::time::Duration::try_from_secs_f64(s)
                .map_or(CheckpointEvery::Never, CheckpointEvery::Wall),
        },
        seed,
        scenario: source.text().to_string(),
        base_directory: source.base.to_string_lossy().into_owned(),
    }
}

fn field(plan: &GravityPlan) -> Box<dyn rubblepile_core::Field> {
    match *plan {
        GravityPlan::Uniform { acceleration } => Box::new(Uniform { acceleration }),
        GravityPlan::Centrifugal { angular_velocity } => Box::new(Centrifugal { angular_velocity }),
        GravityPlan::Direct { every } => Box::new(Direct::new(G, every)),
        GravityPlan::Polyhedron { only, error, every } => {
            Box::new(Asteroids::new(only.into_iter().collect(), error, every))
        }
        GravityPlan::Tree { accuracy, every } => {
            let accuracy = match accuracy {
                scenario::Accuracy::Error(e) => Accuracy::Error(e),
                scenario::Accuracy::Opening(angle) => Accuracy::Opening(angle),
            };
            Box::new(Tree::new(accuracy, every, G))
        }
    }
}

fn probe(kind: &ProbeKind) -> Box<dyn Probe> {
    use rubblepile_probe::{
        Aggregates, Collisions, Coordination, Deformable, Energy, Momentum, Overlap, Packing, Porosity,
        Stress,
    };
    match kind.clone() {
        ProbeKind::Energy => Box::new(Energy),
        ProbeKind::Momentum => Box::new(Momentum),
        ProbeKind::Contacts => Box::new(Coordination),
        ProbeKind::Overlap => Box::new(Overlap),
        ProbeKind::Collisions => Box::new(Collisions::default()),
        ProbeKind::Packing => Box::new(Packing::default()),
        ProbeKind::Stress => Box::new(Stress::default()),
        ProbeKind::Aggregates { follow } => Box::new(Aggregates { follow, ..Aggregates::default() }),
        ProbeKind::Porosity { alpha } => Box::new(Porosity { alpha }),
        ProbeKind::Walls(probe) => Box::new(probe),
        ProbeKind::Heights(probe) => Box::new(probe),
        ProbeKind::HeightHistogram(probe) => Box::new(probe),
        ProbeKind::Temperature(probe) => Box::new(probe),
        ProbeKind::Repose(probe) => Box::new(probe),
        ProbeKind::Asteroids(probe) => Box::new(probe),
        ProbeKind::Deformable => Box::new(Deformable),
    }
}
