//! From a scenario to something that runs: the one place where methods, fields and probes are made from their plans.

use std::path::{Path, PathBuf};

use rubblepile_core::{Advice, Asteroid, Fields, G, Method, Probe, Pulls, Report, World, run::Simulation};
use rubblepile_gravity::{Accuracy, Asteroids, Centrifugal, Direct, Tree, Uniform};
use rubblepile_hard::HardSpheres;
use rubblepile_io::{
    FileError,
    checkpoint::Meta,
    scenario::{self, Built, GravityPlan, Interval, Loaded, MethodPlan, ProbeKind, Scenario, Summary, Sweep},
    session::{CheckpointEvery, Plan},
};
use rubblepile_meshfree::DeformableGrains;
use rubblepile_nonsmooth::ContactDynamics;
use rubblepile_soft::{STEPS_PER_CONTACT, SoftSpheres, shortest_contact_time};

use crate::Error;

/// A scenario that was read and checked; nothing has been made of it yet.
pub struct Prepared {
    loaded: Loaded,
    /// Where files that it names are looked for.
    base: PathBuf,
    /// With every default written out.
    pub text: String,
    pub threads: Option<u32>,
}

/// Reads a scenario file. `until` stands in for its end, s.
pub fn load(path: &Path, sets: &[String], until: Option<f64>) -> Result<Prepared, Error> {
    let (bytes, base) = read(path)?;
    prepare(&path.display().to_string(), &bytes, sets.to_vec(), until, base)
}

/// A scenario file with a `[sweep]` table, and where files that it names are looked for.
pub fn load_sweep(path: &Path, sets: &[String]) -> Result<(Sweep, PathBuf), Error> {
    let (bytes, base) = read(path)?;
    Ok((Sweep::load(&path.display().to_string(), &bytes, sets)?, base))
}

/// Whether a file is a campaign.
pub fn is_sweep(path: &Path) -> bool {
    read(path).is_ok_and(|(bytes, _)| scenario::sweep::is_sweep(&bytes))
}

/// One run of a campaign.
pub fn prepare_task(sweep: &Sweep, task: usize, base: &Path) -> Result<Prepared, Error> {
    let loaded = sweep.scenario(&sweep.tasks[task])?;
    Ok(Prepared {
        text: loaded.to_toml()?,
        threads: loaded.scenario.run.threads,
        loaded,
        base: base.to_path_buf(),
    })
}

/// The columns that its series will have.
pub fn columns(prepared: &Prepared) -> Vec<String> {
    let probes = scenario::build_without_grains(&prepared.loaded).probes;
    let own = ["time_s", "step"].map(String::from);
    own.into_iter().chain(probes.iter().flat_map(|p| probe(&p.kind).columns())).collect()
}

/// The text of a scenario file, and its folder.
fn read(path: &Path) -> Result<(Vec<u8>, PathBuf), Error> {
    let bytes = std::fs::read(path).map_err(FileError::io("read", path))?;
    let base = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    // A run may be resumed from another place.
    let base = std::fs::canonicalize(base).unwrap_or_else(|_| base.to_path_buf());
    Ok((bytes, base))
}

/// The scenario that a checkpoint was made with.
pub fn load_saved(meta: &Meta, until: Option<f64>) -> Result<Prepared, Error> {
    let base = PathBuf::from(&meta.base_directory);
    prepare("the scenario in the checkpoint", meta.scenario.as_bytes(), Vec::new(), until, base)
}

fn prepare(
    name: &str,
    text: &[u8],
    mut sets: Vec<String>,
    until: Option<f64>,
    base: PathBuf,
) -> Result<Prepared, Error> {
    // The end becomes part of the scenario, so that a run that is resumed knows it.
    sets.extend(until.map(|t| format!("run.end={t:?}")));
    let loaded = Scenario::load(name, text, &sets)?;
    Ok(Prepared { text: loaded.to_toml()?, threads: loaded.scenario.run.threads, loaded, base })
}

/// Makes the world, with the time step that the scenario asks for or that the contacts need.
pub fn build(prepared: &Prepared) -> Result<Built, Error> {
    let mut built = scenario::build(&prepared.loaded, &prepared.base)?;
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

/// The asteroids of a scenario, and its tables.
pub fn asteroids(prepared: &Prepared) -> Result<(Built, &Scenario), Error> {
    Ok((scenario::build_asteroids_only(&prepared.loaded, &prepared.base)?, &prepared.loaded.scenario))
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

/// What the scenario will be, with what is doubtful in it.
pub fn summary(built: &Built) -> Summary {
    scenario::summary(built)
}

/// The plan of a new run.
pub fn plan(prepared: &Prepared, built: Built) -> Plan {
    let (method, _) = method(&built);
    let Built { title, world, method: _, gravity, probes, output, end, seed, threads: _, advice: _ } = built;
    let fields = Fields { list: gravity.iter().map(field).collect() };
    Plan {
        title,
        world,
        method,
        fields,
        probes: probes.iter().map(|p| (probe(&p.kind), p.every)).collect(),
        frames: output.frames,
        view: output.view,
        contact_tables: output.contacts,
        checkpoint: match output.checkpoint {
            Interval::Simulated(s) => CheckpointEvery::Simulated(s),
            Interval::Wall(s) => std::time::Duration::try_from_secs_f64(s)
                .map_or(CheckpointEvery::Never, CheckpointEvery::Wall),
        },
        end,
        seed,
        scenario: prepared.text.clone(),
        base_directory: prepared.base.to_string_lossy().into_owned(),
    }
}

/// A scenario given as text, ready to run without a directory: nothing is written.
pub fn in_memory(name: &str, text: &str, sets: &[String]) -> Result<Simulation, Error> {
    let prepared = prepare(name, text.as_bytes(), sets.to_vec(), None, PathBuf::from("."))?;
    let Plan { world, method, fields, end, .. } = plan(&prepared, build(&prepared)?);
    Ok(Simulation { world, method, fields, observers: Vec::new(), end, report: Report::default() })
}

/// The plan of a run that goes on, without its world: that comes from the checkpoint.
pub fn plan_to_resume(prepared: Prepared) -> Result<impl FnOnce(World) -> Plan, Error> {
    // Grains and asteroids are not made again, and the files that they came from need not be there any more.
    let plan = plan(&prepared, scenario::build_without_grains(&prepared.loaded));
    Ok(move |world| Plan { world, ..plan })
}

/// What there is to say of a plan before it runs, the scenario's part and the method's.
pub fn advice(summary: &Summary, plan: &Plan) -> Vec<Advice> {
    let mut all = summary.advice.clone();
    for advice in plan.advice() {
        if !all.contains(&advice) {
            all.push(advice);
        }
    }
    all
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
