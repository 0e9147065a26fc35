//! `sweep`: a campaign of runs, each in a directory of its own.
//!
//! What is finished is left alone, what was stopped or killed goes on from its checkpoint, what fails is noted and the
//! others go on. Nothing is remembered but the directories themselves: a sweep may be stopped, resumed, split over the
//! tasks of a job array, and inspected while it runs.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rubblepile::{
    Ending, Progress, SavedRun, Scenario, Simulation, Watcher, default_directory, on_threads, open_sweep,
};
use rubblepile_io::{
    FileError, atomic,
    campaign::{self, RunState},
    rundir,
    scenario::{Sweep, summary},
};

use crate::{args, check, failure::Failure, interrupt, print, text};

pub fn sweep(args: args::Sweep) -> Result<(), Failure> {
    let (sweep, base) = open_sweep(&args.scenario, &args.sets)?;
    let out = args.out.clone().unwrap_or_else(|| default_directory(&args.scenario));
    let count = sweep.tasks.len();
    let chosen: Vec<usize> = match args.task {
        None => (0..count).collect(),
        Some(task) if task < count => vec![task],
        Some(task) => {
            let message = format!("there is no task {task}: this sweep has {count}");
            return Err(Failure::bad_input(message, format!("give --task 0 to --task {}", count - 1)));
        }
    };
    check_all(&sweep, &base, &out, &chosen)?;
    if args.list {
        return list(&sweep, &out);
    }
    std::fs::create_dir_all(&out).map_err(FileError::io("create the directory", &out))?;
    let jobs = (args.jobs as usize).clamp(1, chosen.len().max(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let campaign = Campaign {
        sweep: &sweep,
        base: &base,
        out: &out,
        threads: args.threads.unwrap_or((cores / jobs).max(1) as u32),
        retry: args.retry,
        quiet: args.quiet,
        stop: Arc::new(AtomicBool::new(false)),
        board: Mutex::new(Board { parts: BTreeMap::new(), said: Instant::now(), written: Instant::now() }),
        ended: AtomicUsize::new(0),
        chosen: chosen.len(),
    };
    interrupt::listen(&campaign.stop, campaign.quiet, "stopping");
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(&task) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if campaign.stop.load(Ordering::Relaxed) {
                        return;
                    }
                    campaign.one(task);
                }
            });
        }
    });
    let rows = campaign::write(&sweep, &out)?;
    let failed = chosen.iter().filter(|&&k| matches!(rows[k].state, RunState::Failed { .. })).count();
    let done = chosen.iter().filter(|&&k| matches!(rows[k].state, RunState::Done { .. })).count();
    if !args.quiet {
        let rest = chosen.len() - done - failed;
        let table = out.join(campaign::TABLE);
        print(&format!("{done} runs finished, {failed} failed, {rest} unfinished: {}\n", table.display()));
    }
    if campaign.stop.load(Ordering::Relaxed) {
        Err(Failure::Interrupted)
    } else if done < chosen.len() {
        Err(Failure::Said)
    } else {
        Ok(())
    }
}

/// Every run is read before the first one starts: a mistake in the last must not show tomorrow.
fn check_all(sweep: &Sweep, base: &Path, out: &Path, chosen: &[usize]) -> Result<(), Failure> {
    let mut columns: Vec<String> = Vec::new();
    for &task in chosen {
        let prepared = Scenario::task(sweep, task, base)?;
        for column in prepared.columns() {
            if !columns.contains(&column.name) {
                columns.push(column.name);
            }
        }
        let directory = campaign::directory(sweep, out, task);
        let there = std::fs::read_to_string(directory.join(rundir::SCENARIO));
        if rundir::is_run(&directory) && there.is_ok_and(|text| text != prepared.text()) {
            return Err(Failure::bad_input(
                format!("the run in {} is of a different scenario", directory.display()),
                "choose another directory with --out, or move this one away",
            ));
        }
    }
    let unknown = campaign::plotted_columns(sweep).into_iter().find(|n| !columns.iter().any(|c| c == n));
    match unknown {
        None => Ok(()),
        Some(name) => {
            let help = rubblepile_core::settings::suggestion(
                name,
                columns.iter().chain(&sweep.keys).map(String::as_str),
            );
            Err(Failure::bad_input(
                format!("a plot of the sweep uses `{name}`, which is neither swept nor measured by a probe"),
                help,
            ))
        }
    }
}

/// Lists the runs and their states; rewrites the table if there are any runs.
fn list(sweep: &Sweep, out: &Path) -> Result<(), Failure> {
    let rows = if out.is_dir() { campaign::write(sweep, out)? } else { campaign::collect(sweep, out) };
    let mut lines = vec![vec!["task".to_string(), "state".into()]];
    lines[0].extend(sweep.keys.iter().cloned());
    for (number, (task, row)) in sweep.tasks.iter().zip(&rows).enumerate() {
        let mut line = vec![number.to_string(), row.state.word().into()];
        let cell = |k: usize| sweep.value(task, k).map_or(String::new(), |v| v.text.clone());
        line.extend((0..sweep.keys.len()).map(cell));
        lines.push(line);
    }
    print(&text::table(&lines));
    Ok(())
}

struct Campaign<'a> {
    sweep: &'a Sweep,
    base: &'a Path,
    out: &'a Path,
    /// Of each run.
    threads: u32,
    retry: bool,
    quiet: bool,
    stop: Arc<AtomicBool>,
    board: Mutex<Board>,
    ended: AtomicUsize,
    chosen: usize,
}

/// Progress of the sweep.
struct Board {
    /// Completed fraction of each run.
    parts: BTreeMap<usize, f64>,
    said: Instant,
    written: Instant,
}

/// The result of a run of this session, in words.
type Words = Result<String, String>;

const LINE_EVERY: Duration = Duration::from_secs(10);

impl Campaign<'_> {
    /// Brings one run to its end, whatever its state.
    fn one(&self, task: usize) {
        let directory = campaign::directory(self.sweep, self.out, task);
        let words: Words = match campaign::state(&directory) {
            RunState::Done { .. } => Ok("done before".into()),
            RunState::Running => Err("another process is running it".into()),
            RunState::Failed { reason } if !self.retry => {
                Err(format!("failed before (--retry tries again): {reason}"))
            }
            state => {
                let attempt = || on_threads(Some(self.threads), || self.run(task, &directory, &state));
                match catch_unwind(AssertUnwindSafe(attempt)) {
                    Ok(Ok(words)) => words,
                    Ok(Err(error)) => Err(message(&error.into())),
                    Err(_) => Err("internal error; please report this".into()),
                }
            }
        };
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        let due = {
            let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
            board.parts.remove(&task);
            let due = board.written.elapsed() > LINE_EVERY;
            if due {
                board.written = Instant::now();
            }
            due
        };
        if !self.quiet {
            let name = self.sweep.directory_name(task);
            match words {
                Ok(words) => print(&format!("[{ended}/{}] {name}: {words}\n", self.chosen)),
                Err(words) => eprintln!("[{ended}/{}] {name}: {words}", self.chosen),
            }
        }
        // A campaign that runs for days can be looked at meanwhile; a table that cannot be written shows at the end.
        if due {
            let _ = campaign::write(self.sweep, self.out);
        }
    }

    fn run(&self, task: usize, directory: &Path, state: &RunState) -> Words {
        let started = Instant::now();
        let mut simulation = match self.simulation(task, directory, state) {
            Ok(simulation) => simulation,
            // Another process was faster: what it does there is its own.
            Err(failure) if failure.is_locked() => return Err(message(&failure)),
            Err(failure) => {
                let words = message(&failure);
                let _ = std::fs::create_dir_all(directory);
                let _ = atomic::write_text(&directory.join(campaign::REFUSED), &format!("{words}\n"));
                return Err(words);
            }
        };
        let from = simulation.steps();
        let mut watch = Watch { campaign: self, task };
        let ending = simulation.run_with(None, &self.stop, &mut watch).map_err(|e| format!("failed: {e}"))?;
        let verb = match &ending {
            Ending::Complete => "complete".to_string(),
            Ending::Event(why) => format!("ended by an event ({why})"),
            Ending::Interrupted => "interrupted".to_string(),
        };
        let resumed = if from > 0 { format!(", resumed from step {from}") } else { String::new() };
        let (time, spent) = (text::time(simulation.time()), text::duration(started.elapsed()));
        Ok(format!("{verb} at t = {time} after {spent}{resumed}"))
    }

    /// A new run, or one that goes on.
    fn simulation(&self, task: usize, directory: &Path, state: &RunState) -> Result<Simulation, Failure> {
        let refused = directory.join(campaign::REFUSED);
        if refused.exists() {
            std::fs::remove_file(&refused).map_err(FileError::io("remove", &refused))?;
        }
        let prepared = Scenario::task(self.sweep, task, self.base)?;
        if *state != RunState::NotStarted && rundir::is_run(directory) {
            match SavedRun::open(directory) {
                Ok(saved) => return Ok(saved.resume(None)?),
                Err(error) if error.is_locked() => return Err(error.into()),
                // A run killed before its first checkpoint cannot be resumed: it is moved aside.
                Err(_) => {}
            }
        }
        let built = prepared.build()?;
        let summary = summary(&built);
        let plan = prepared.plan(built);
        check::refuse(&check::all(&summary, &plan))?;
        let mut simulation = Simulation::from_plan(plan);
        simulation.record_over(directory)?;
        Ok(simulation)
    }
}

/// The error, on one line.
fn message(failure: &Failure) -> String {
    let words = failure.report().map_or("failed".to_string(), |r| r.to_string());
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Watch<'a> {
    campaign: &'a Campaign<'a>,
    task: usize,
}

impl Watcher for Watch<'_> {
    fn progress(&mut self, at: &mut Progress) {
        let c = self.campaign;
        let part = if at.end() > 0.0 { (at.time() / at.end()).clamp(0.0, 1.0) } else { 1.0 };
        let mut board = c.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.parts.insert(self.task, part);
        if !c.quiet && board.said.elapsed() >= LINE_EVERY {
            board.said = Instant::now();
            let at = board.parts.iter().map(|(k, p)| format!("{k}: {:.0} %", 100.0 * p));
            let running = at.collect::<Vec<_>>().join(", ");
            eprintln!("{} of {} ended; running {running}", c.ended.load(Ordering::Relaxed), c.chosen);
        }
    }
}

/// `check` of a campaign: what it is, from its first run.
pub fn first_task(path: &Path, sets: &[String]) -> Result<(Scenario, usize), Failure> {
    let (sweep, base): (Sweep, PathBuf) = open_sweep(path, sets)?;
    for task in 1..sweep.tasks.len() {
        Scenario::task(&sweep, task, &base)?;
    }
    Ok((Scenario::task(&sweep, 0, &base)?, sweep.tasks.len()))
}
