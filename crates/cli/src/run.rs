//! `run` and `resume`.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use rubblepile::{
    Advice, Ending, SavedRun, Scenario, Severity, Simulation, default_directory,
    nonsmooth::{UNSOLVED_STEPS, WORST_RESIDUAL},
    on_threads,
};
use rubblepile_io::{export, frame::INDEX_NAME, report::RunReport, scenario::summary, series};

use crate::{args, check, failure::Failure, interrupt, print, progress::ProgressDisplay, quantity, text};

pub fn run(args: args::Run) -> Result<(), Failure> {
    let mut sets = args.sets.clone();
    // The end becomes part of the scenario, so that a run that is resumed knows it.
    sets.extend(end_of(&args.how)?.map(|t| format!("run.end={t:?}")));
    let scenario = Scenario::open_with(&args.scenario, &sets)?;
    let out = args.out.clone().unwrap_or_else(|| default_directory(&args.scenario));
    on_threads(args.how.threads.or(scenario.threads()), || {
        let built = scenario.build()?;
        let (summary, done) = (summary(&built), built.advice.clone());
        let plan = scenario.plan(built);
        check::refuse(&check::all(&summary, &plan))?;
        let mut simulation = Simulation::from_plan(plan);
        let moved = match args.force {
            true => simulation.record_over(&out)?,
            false => simulation.record(&out).map(|()| None)?,
        };
        if !args.how.quiet {
            if let Some(moved) = moved {
                eprintln!("the run that was in {} is now in {}", out.display(), moved.display());
            }
            let told = |a: &&Advice| a.severity == Severity::Warning || done.contains(a);
            summary.advice.iter().filter(told).for_each(|a| eprintln!("{}", check::line(a)));
        }
        finish(simulation, args.how.quiet)
    })?
}

pub fn resume(args: args::Resume) -> Result<(), Failure> {
    let path = &args.directory;
    let until = end_of(&args.how)?;
    let saved = SavedRun::open(path)?;
    if let (Some((used, why)), false) = (saved.fallback(), args.how.quiet) {
        eprintln!("going on from {}, because {why}", used.display());
    }
    if saved.is_complete(until) {
        if !args.how.quiet {
            print(&format!(
                "nothing to do: the run in {place} has come to t = {}\n  \
                 to go further: rubblepile resume {place} --until TIME\n",
                text::time(saved.world().time()),
                place = path.display()
            ));
        }
        return Ok(());
    }
    on_threads(args.how.threads.or(saved.threads()?), || finish(saved.resume(until)?, args.how.quiet))?
}

/// `--until`, s.
fn end_of(how: &args::How) -> Result<Option<f64>, Failure> {
    how.until.as_deref().map(quantity::time).transpose()
}

fn finish(mut simulation: Simulation, quiet: bool) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::listen(&stop, quiet, "stopping after this step");
    if !quiet {
        simulation.warnings().iter().for_each(|w| eprintln!("warning: {w}"));
    }
    let mut progress = ProgressDisplay::new(quiet);
    let outcome = simulation.run_with(None, &stop, &mut progress);
    progress.finish();
    let ending = outcome?;
    if let (Some(told), Some(directory), false) = (simulation.run_report(), simulation.directory(), quiet) {
        print(&report(&ending, told, directory));
    }
    match ending {
        Ending::Interrupted => Err(Failure::Interrupted),
        Ending::Complete | Ending::Event(_) => Ok(()),
    }
}

/// Name of the count of iterations, as deformable grains report it.
const NEWTON: &str = "newton iterations";

fn report(ending: &Ending, report: &RunReport, directory: &Path) -> String {
    let place = directory.display();
    let verb = match ending {
        Ending::Complete => "done".to_string(),
        Ending::Event(why) => format!("ended by an event ({why})"),
        Ending::Interrupted => "interrupted".to_string(),
    };
    let mut out = format!("{verb}: t = {}, step {}", text::time(report.time_s), report.step);
    if let Some(s) = report.sessions.last() {
        let steps = (s.to_step - s.from_step) as f64;
        let wall = s.wall_s.max(1e-9);
        out.push_str(&format!(
            "; {} in {} on {} threads: {} steps/s, {} grain-steps/s\n",
            if steps == 1.0 { "1 step".into() } else { format!("{steps} steps") },
            text::duration(std::time::Duration::from_secs_f64(s.wall_s)),
            s.threads,
            text::rate(steps / wall),
            text::rate(steps * report.bodies as f64 / wall)
        ));
        // The solver of deformable grains: each of its phases is a part of every iteration.
        let iterations = s.counts.get(NEWTON).copied().filter(|n| *n > 0);
        for phase in &s.phases {
            let part = 100.0 * phase.seconds / wall;
            out.push_str(&format!("  {:<22} {:>9} s  {part:5.1} %", phase.name, text::number(phase.seconds)));
            if let Some(n) = iterations {
                out.push_str(&format!("  {:9.3} ms an iteration", 1e3 * phase.seconds / n as f64));
            }
            out.push('\n');
        }
        if let Some(n) = iterations {
            out.push_str(&format!("  {NEWTON:<22} {n:>9}, {:.1} a step\n", n as f64 / steps.max(1.0)));
        }
        let count = |name: &str| s.counts.get(name).copied().unwrap_or(0);
        let worst = s.largest.get(WORST_RESIDUAL).copied().unwrap_or(0.0);
        if let Some(words) = text::unsolved(count(UNSOLVED_STEPS), count("steps"), worst) {
            out.push_str(&format!("  {words}\n"));
        }
        for (name, most) in s.largest.iter().filter(|(name, _)| *name != WORST_RESIDUAL) {
            out.push_str(&format!("  {name:<22} {most:9.1e} at most\n"));
        }
        for warning in &s.warnings {
            out.push_str(&format!("  warning: {warning}\n"));
        }
    }
    let frames = export::frames_of(directory).map_or(0, |f| f.len());
    out.push_str(&format!("  output  {place}"));
    if frames > 0 {
        out.push_str(&format!(", {frames} frames"));
    }
    if directory.join(series::NAME).exists() {
        out.push_str(&format!(", {}", series::NAME));
    }
    out.push_str(match (ending, frames) {
        (Ending::Interrupted, _) => "\n  next    rubblepile resume ",
        (_, 0) => "\n  next    rubblepile info ",
        _ => "\n  next    paraview ",
    });
    match (ending, frames) {
        (Ending::Interrupted, _) | (_, 0) => out.push_str(&format!("{place}\n")),
        _ => out.push_str(&format!("{}\n", directory.join(INDEX_NAME).display())),
    }
    out
}
