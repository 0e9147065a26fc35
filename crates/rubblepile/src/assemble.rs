//! From a scenario to something that runs: the one place where methods, fields and probes are made.

use rubblepile_core::{Column, Measure, Probe, Report, run::Engine};
use rubblepile_io::{
    scenario::{self, Built, Interval, tables::ProbeTable},
    series,
    session::{CheckpointEvery, Plan},
};

use crate::{Error, Scenario};

/// The columns that its series will have.
pub fn columns(source: &Scenario) -> Vec<Column> {
    let Built { probes, scene, .. } = scenario::build_without_grains(&source.loaded);
    let of = |p: &ProbeTable| p.settings().probe(&scene).columns();
    series::own_columns().into_iter().chain(probes.iter().flat_map(of)).collect()
}

/// Makes the world, with the time step that the scenario asks for or that the contacts need.
pub fn build(source: &Scenario) -> Result<Built, Error> {
    let mut built = scenario::build(&source.loaded, &source.base)?;
    if built.world.clock.timestep == 0.0 {
        let (method, fields) = (built.method.settings().method(), built.fields());
        let timestep = method.automatic_timestep(&built.world, &fields.pulls(&built.world));
        built.world.clock.timestep =
            timestep.map_err(|p| Error::bad_input(&p, p.help.as_deref().unwrap_or_default()))?;
    }
    Ok(built)
}

/// A scenario given as text, ready to run without a directory: nothing is written.
pub fn in_memory(name: &str, text: &str, sets: &[String]) -> Result<Engine, Error> {
    let scenario = Scenario::parse_with(name, text, sets)?;
    Ok(plan(&scenario, build(&scenario)?).engine)
}

/// The plan of a new run.
pub fn plan(source: &Scenario, built: Built) -> Plan {
    let (method, fields) = (built.method.settings().method(), built.fields());
    let Built { title, world, probes, scene, output, wall_styles, end, seed, .. } = built;
    let probes: Vec<(Box<dyn Probe>, f64)> =
        probes.iter().map(|p| (p.settings().probe(&scene), p.settings().every().0)).collect();
    let mut measure = Measure::default();
    probes.iter().for_each(|(probe, _)| measure |= probe.needs());
    Plan {
        title,
        engine: Engine { world, method, fields, observers: Vec::new(), end, report: Report::new(measure) },
        probes,
        frames: output.frames,
        view: output.view,
        wall_styles,
        contact_tables: output.contacts,
        checkpoint: match output.checkpoint {
            Interval::Simulated(s) => CheckpointEvery::Simulated(s),
            Interval::Wall(s) => std::time::Duration::try_from_secs_f64(s)
                .map_or(CheckpointEvery::Never, CheckpointEvery::Wall),
        },
        seed,
        scenario: source.text().to_string(),
        given: source.loaded.given.clone(),
        base_directory: source.base.to_string_lossy().into_owned(),
    }
}
