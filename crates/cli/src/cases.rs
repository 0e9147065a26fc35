//! `bench` and `validate`: runs cases, and prints their rows as they come.

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rubblepile_validate::{
    Case, CaseEvent, CaseResult, CaseRun, Options, Row, Wrong,
    bench::{self, BenchRow},
    choose, claims, run,
    validate::{self, ValidateRow},
};

use crate::{args, failure::Failure, print, text};

/// A row as it is printed for people: columns at least this wide, so that rows line up that come one by one.
trait PrintedRow: Row {
    const COLUMNS: &'static [(&'static str, usize)];
    fn cells(&self) -> Vec<String>;
}

impl PrintedRow for ValidateRow {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("case", 21),
        ("quantity", 72),
        ("reference", 10),
        ("ours", 10),
        ("tolerance", 10),
        ("", 4),
        ("source", 0),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.case.clone(),
            self.quantity.clone(),
            text::number(self.reference),
            text::number(self.ours),
            text::number(self.tolerance),
            match (self.pass, &self.not_reproduced) {
                (true, _) => "pass".into(),
                (false, None) => "FAIL".into(),
                (false, Some(_)) => "red".into(),
            },
            match &self.not_reproduced {
                Some(why) if !self.pass => format!("{}; not reproduced: {why}", self.source),
                _ => self.source.clone(),
            },
        ]
    }
}

impl PrintedRow for BenchRow {
    const COLUMNS: &'static [(&'static str, usize)] =
        &[("case", 25), ("size", 8), ("threads", 7), ("seconds", 9), ("rate", 24), ("phases", 0)];

    fn cells(&self) -> Vec<String> {
        let phases: Vec<String> =
            self.phases.iter().map(|(name, s)| format!("{name} {}", text::number(*s))).collect();
        vec![
            self.case.clone(),
            self.size.to_string(),
            self.threads.to_string(),
            text::number(self.seconds),
            format!("{} {}", text::rate(self.rate), self.unit),
            phases.join(", "),
        ]
    }
}

/// One line of a table whose later lines are not known yet.
fn line<R: PrintedRow>(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let padded: Vec<String> =
        cells.into_iter().zip(R::COLUMNS).map(|(cell, (_, w))| format!("{:<w$}", cell.as_ref())).collect();
    format!("{}\n", padded.join("  ").trim_end())
}

/// Output while cases run.
struct Show {
    json: bool,
    /// Notes of cases, and how far they are, on standard error.
    notes: bool,
    bars: Option<MultiProgress>,
    running: Mutex<BTreeMap<String, Running>>,
    /// Why a row could not be printed.
    error: Mutex<Option<String>>,
}

/// The progress of one case.
struct Running {
    bar: ProgressBar,
    rows: usize,
    failed: usize,
    red: usize,
    part: Option<f64>,
}

impl Running {
    fn message(&self, case: &str) -> String {
        let mut message = format!("{case}: {} rows", self.rows);
        if self.failed > 0 {
            message.push_str(&format!(", {} failed", self.failed));
        }
        if self.red > 0 {
            message.push_str(&format!(", {} not reproduced", self.red));
        }
        if let Some(part) = self.part {
            message.push_str(&format!(", {:.0} %", 100.0 * part.clamp(0.0, 1.0)));
        }
        message
    }
}

impl Show {
    fn new(json: bool, quiet: bool) -> Self {
        let bars = (!json && !quiet && std::io::stderr().is_terminal()).then(MultiProgress::new);
        Show { json, notes: !quiet, bars, running: Mutex::default(), error: Mutex::default() }
    }

    /// Takes the progress away while something is printed.
    fn alone(&self, print: impl FnOnce()) {
        match &self.bars {
            Some(bars) => bars.suspend(print),
            None => print(),
        }
    }

    fn header<R: PrintedRow>(&self) {
        if !self.json {
            print(&line::<R>(R::COLUMNS.iter().map(|c| c.0)));
        }
    }

    fn event<R: PrintedRow>(&self, case: &str, event: CaseEvent<R>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            CaseEvent::Started => {
                if let Some(bars) = &self.bars {
                    let bar = bars.add(ProgressBar::new_spinner());
                    let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}");
                    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                    let new = Running { bar, rows: 0, failed: 0, red: 0, part: None };
                    new.bar.set_message(new.message(case));
                    new.bar.enable_steady_tick(Duration::from_millis(250));
                    running.insert(case.into(), new);
                }
            }
            CaseEvent::Row(row) => {
                let text = match self.json.then(|| serde_json::to_string(&row)) {
                    None => line::<R>(row.cells()),
                    Some(Ok(json)) => json + "\n",
                    Some(Err(e)) => {
                        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                        error.get_or_insert(format!("case `{case}`: {e}"));
                        return;
                    }
                };
                self.alone(|| print(&text));
                if let Some(running) = running.get_mut(case) {
                    running.rows += 1;
                    let (failed, expected) = (!row.passed(), row.expected_to_fail());
                    running.failed += usize::from(failed && !expected);
                    running.red += usize::from(failed && expected);
                    running.bar.set_message(running.message(case));
                }
            }
            CaseEvent::Note(text) if self.notes => self.alone(|| eprintln!("{text}")),
            CaseEvent::Note(_) => {}
            CaseEvent::Progress(part) => {
                if let Some(running) = running.get_mut(case) {
                    running.part = Some(part);
                    running.bar.set_message(running.message(case));
                }
            }
            CaseEvent::Finished(_) => {
                if let Some(running) = running.remove(case) {
                    running.bar.finish_and_clear();
                }
            }
        }
    }
}

fn list<R: Row>(cases: &[Box<dyn Case<Row = R>>]) {
    let rows: Vec<Vec<String>> = cases.iter().map(|c| vec![c.name().into(), c.about().into()]).collect();
    print(&text::table(&rows));
}

/// Runs the case of this name, or all.
fn run_cases<R: PrintedRow>(
    cases: &[Box<dyn Case<Row = R>>],
    wanted: Option<&str>,
    plan: &CaseRun,
    show: &Show,
) -> Result<Vec<CaseResult>, Failure> {
    let chosen = choose(cases, wanted)
        .map_err(|e| Failure::bad_input(&e, format!("cases there are: {}", e.known.join(", "))))?;
    show.header::<R>();
    let outcomes = run(&chosen, plan, &|case, event| show.event(case, event))
        .map_err(|e| Failure::bad_input(e, "give a smaller --threads"))?;
    let mut error = show.error.lock().unwrap_or_else(PoisonError::into_inner);
    match error.take() {
        Some(error) => Err(Failure::run_failed(error)),
        None => Ok(outcomes),
    }
}

/// The first case that could not be run makes the command fail; the others are named before it.
fn broken(outcomes: Vec<CaseResult>) -> Result<(), Failure> {
    let mut broken: Vec<Failure> = outcomes
        .into_iter()
        .filter_map(|outcome| {
            let error = outcome.error?;
            Some(Failure::run_failed(format!("case `{}` could not be run: {error}", outcome.case)))
        })
        .collect();
    let Some(last) = broken.pop() else { return Ok(()) };
    for failure in broken {
        failure.print();
    }
    Err(last)
}

/// Exit code 1 if a case cannot be run.
pub fn bench(args: args::Bench) -> Result<(), Failure> {
    let cases = bench::cases();
    if args.list {
        list(&cases);
        return Ok(());
    }
    let options = Options {
        n: args.n,
        facets: args.facets,
        fraction: args.fraction,
        restitution: args.restitution,
        kind: args.kind,
        error: args.error,
        state: args.state,
        ..Options::default()
    };
    // One after the other: two at a time would slow each other down. A bar that is drawn meanwhile takes time, too.
    let plan = CaseRun { options, jobs: 1, threads: args.threads.map(|n| n as usize) };
    broken(run_cases(&cases, args.case.as_deref(), &plan, &Show::new(args.json, true))?)
}

/// Exit code 1 if a number that should pass does not, or a case cannot be run; with a deliberate error, if all numbers pass.
pub fn validate(args: args::Validate) -> Result<(), Failure> {
    let cases = validate::cases();
    if args.list {
        list(&cases);
        return Ok(());
    }
    if args.claims {
        print(&claims::table());
        return Ok(());
    }
    let wrong = Wrong(args.wrong.into_iter().collect());
    if let Some(case) = cases.iter().find(|c| Some(c.name()) == args.case.as_deref()) {
        wrong.check(&**case).map_err(|e| {
            let known = if e.known.is_empty() { "nothing".into() } else { e.known.join(", ") };
            Failure::bad_input(&e, format!("it can get wrong: {known}"))
        })?;
    }
    let expect_failure = !wrong.is_empty();
    let options =
        Options { full: args.full, pictures: args.pictures, wrong, keep: args.keep, ..Options::default() };
    let plan = CaseRun { options, jobs: args.jobs as usize, threads: args.threads.map(|n| n as usize) };
    let start = Instant::now();
    let outcomes = run_cases(&cases, args.case.as_deref(), &plan, &Show::new(args.json, args.quiet))?;
    if args.all && !args.json {
        print(&format!("\n{}", table(&outcomes, start.elapsed())));
    }
    let [rows, failed, red] = totals(&outcomes);
    broken(outcomes)?;
    if red > 0 && !args.json && !args.quiet {
        eprintln!("{red} of {rows} numbers are known not to agree: validation/README.md says why");
    }
    if expect_failure {
        if failed == 0 {
            eprintln!("none of {rows} numbers notices the error");
            return Err(Failure::Said);
        }
        eprintln!("{failed} of {rows} numbers notice the error");
        return Ok(());
    }
    if failed > 0 {
        eprintln!("{failed} of {rows} numbers do not agree");
        return Err(Failure::Said);
    }
    Ok(())
}

/// Rows, how many of them failed, and how many did as expected.
fn totals(outcomes: &[CaseResult]) -> [usize; 3] {
    let sum = |of: fn(&CaseResult) -> usize| outcomes.iter().map(of).sum();
    [sum(|o| o.rows), sum(|o| o.failed), sum(|o| o.red)]
}

fn table(outcomes: &[CaseResult], took: Duration) -> String {
    let header = ["case", "rows", "passed", "not reproduced", "failed", "wall-clock time", ""];
    let line = |name: &str, [rows, failed, red]: [usize; 3], took: Duration, remark: &str| {
        let mut line = vec![name.to_string()];
        line.extend([rows, rows - failed - red, red, failed].map(|n| n.to_string()));
        line.extend([text::duration(took), remark.to_string()]);
        line
    };
    let mut all = vec![header.map(String::from).to_vec()];
    all.extend(outcomes.iter().map(|o| {
        let remark = if o.error.is_some() { "could not be run" } else { "" };
        line(o.case, [o.rows, o.failed, o.red], o.took, remark)
    }));
    let broken = outcomes.iter().filter(|o| o.error.is_some()).count();
    let remark = if broken > 0 { format!("{broken} could not be run") } else { String::new() };
    all.push(line("total", totals(outcomes), took, &remark));
    text::table(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_the_total_and_names_what_could_not_be_run() {
        let outcome = |case, rows, failed, red, error: Option<&str>| CaseResult {
            case,
            rows,
            failed,
            red,
            took: Duration::from_secs(2),
            error: error.map(Into::into),
        };
        let outcomes = [outcome("kepler", 19, 1, 2, None), outcome("hopper", 0, 0, 0, Some("no luck"))];
        let table = table(&outcomes, Duration::from_secs(3));
        let lines: Vec<Vec<&str>> = table.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["kepler", "19", "16", "2", "1", "2.0", "s"]);
        assert_eq!(lines[2], ["hopper", "0", "0", "0", "0", "2.0", "s", "could", "not", "be", "run"]);
        assert_eq!(lines[3][..7], ["total", "19", "16", "2", "1", "3.0", "s"]);
        assert_eq!(lines[3][7], "1");
    }
}
