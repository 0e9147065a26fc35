//! Cases of `bench` and `validate`: how they are chosen and run.
//!
//! To add one: a type that implements [`Case`] in a file of its own in `bench/` or `validate/`, and a line in the list in
//! that folder's `mod.rs`. Names are fixed: scripts rely on them.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use crate::claims::Claim;

/// What a case may be asked for; each takes what it knows.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// At the size of the paper.
    pub full: bool,
    /// Number of bodies.
    pub n: Option<usize>,
    /// Of a polyhedron.
    pub facets: Option<usize>,
    /// Volume fraction of grains.
    pub fraction: Option<f64>,
    pub restitution: Option<f64>,
    pub kind: Option<String>,
    pub error: Option<f64>,
    pub state: Option<PathBuf>,
    /// Folder for pictures.
    pub pictures: Option<PathBuf>,
    /// Deliberate errors.
    pub wrong: Wrong,
    /// Folder for the results of pieces that take long.
    pub keep: Option<PathBuf>,
}

/// Quantities that a case gets wrong on purpose, each by a factor, to see which rows notice.
#[derive(Debug, Clone, Default)]
pub struct Wrong(pub BTreeMap<String, f64>);

impl Wrong {
    /// 1, unless this quantity is to be wrong. The case lists it in [`Case::wrongs`].
    pub fn factor(&self, quantity: &str) -> f64 {
        self.0.get(quantity).copied().unwrap_or(1.0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Options {
    /// Whether the result of a piece is kept.
    pub fn has(&self, case: &str, name: &str) -> bool {
        self.path_of(case, name).is_some_and(|path| path.exists())
    }

    /// The file that keeps the result of a piece.
    pub fn path_of(&self, case: &str, name: &str) -> Option<PathBuf> {
        let wrong: String = self.wrong.0.iter().map(|(name, factor)| format!(",{name}={factor}")).collect();
        Some(self.keep.as_ref()?.join(format!("{case},{name}{wrong}.json")))
    }

    /// The result of a piece of a case that takes long: read back if an earlier run has kept it.
    pub fn piece<T: Serialize + DeserializeOwned>(
        &self,
        case: &str,
        name: &str,
        work: impl FnOnce() -> Result<T, CaseError>,
    ) -> Result<T, CaseError> {
        let (Some(folder), Some(path)) = (&self.keep, self.path_of(case, name)) else { return work() };
        if path.exists() {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            return serde_json::from_str(&text)
                .map_err(|e| format!("{}: {e}; delete the file to compute it again", path.display()).into());
        }
        let result = work()?;
        std::fs::create_dir_all(folder)?;
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_string_pretty(&result)?)?;
        std::fs::rename(&new, &path)?;
        Ok(result)
    }
}

/// One case. `run` is called inside the thread pool that it may use, and hands over rows as soon as they are known.
pub trait Case: Sync {
    type Row: Row;

    fn name(&self) -> &'static str;

    /// One line: what it does.
    fn about(&self) -> &'static str;

    /// Of the papers, what it judges; see [`crate::claims`].
    fn claims(&self) -> &'static [Claim] {
        &[]
    }

    /// The quantities that it can get wrong on purpose: see [`Wrong`].
    fn wrongs(&self) -> &'static [&'static str] {
        &[]
    }

    fn run(&self, options: &Options, rows: &Rows<Self::Row>) -> Result<(), CaseError>;
}

pub type CaseError = Box<dyn std::error::Error + Send + Sync>;

/// One line of the results.
pub trait Row: Serialize + Send {
    /// Whether it is as it should be.
    fn passed(&self) -> bool {
        true
    }

    /// Whether it is known not to be so, with a reason: no new failure.
    fn expected_to_fail(&self) -> bool {
        false
    }
}

/// What happens while cases run.
#[derive(Debug)]
pub enum CaseEvent<'a, R> {
    Started,
    Row(R),
    /// A line for who watches: what is known of a part of a case before its rows are.
    Note(&'a str),
    /// The part of the case that is done, 0 to 1.
    Progress(f64),
    Finished(&'a CaseResult),
}

/// Is told the name of a case and what happens in it; called by several threads, but for one case by one at a time.
type Observer<'a, R> = &'a (dyn Fn(&str, CaseEvent<R>) + Sync);

/// Takes the rows of one case.
pub struct Rows<'a, R> {
    case: &'static str,
    observer: Observer<'a, R>,
    count: AtomicUsize,
    failed: AtomicUsize,
    red: AtomicUsize,
    /// One row or note after the other.
    turn: Mutex<()>,
}

impl<'a, R: Row> Rows<'a, R> {
    fn new(case: &'static str, observer: Observer<'a, R>) -> Self {
        let [count, failed, red] = std::array::from_fn(|_| AtomicUsize::new(0));
        Rows { case, observer, count, failed, red, turn: Mutex::new(()) }
    }

    fn emit(&self, event: CaseEvent<R>) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (self.observer)(self.case, event);
    }

    pub fn push(&self, row: R) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if !row.passed() {
            let of = if row.expected_to_fail() { &self.red } else { &self.failed };
            of.fetch_add(1, Ordering::Relaxed);
        }
        self.emit(CaseEvent::Row(row));
    }

    pub fn extend(&self, rows: impl IntoIterator<Item = R>) {
        rows.into_iter().for_each(|row| self.push(row));
    }

    /// Says something of a run that is not a row.
    pub fn note(&self, text: impl AsRef<str>) {
        self.emit(CaseEvent::Note(text.as_ref()));
    }

    /// Says which part of the case is done, 0 to 1.
    pub fn progress(&self, part: f64) {
        self.emit(CaseEvent::Progress(part));
    }

    /// Works on numbered items in parallel. Rows come in the order of the numbers (from 0, none left out) whichever item
    /// is done first: those of an item as soon as it and all items before it are done. The results are in the order of
    /// the iterator.
    pub fn in_order<T: Send, U: Send>(
        &self,
        items: impl ParallelIterator<Item = (usize, T)>,
        work: impl Fn(T, &mut Vec<R>) -> Result<U, CaseError> + Sync + Send,
    ) -> Result<Vec<U>, CaseError> {
        let waiting = Mutex::new((0, BTreeMap::new()));
        items
            .map(|(k, item)| {
                let mut own = Vec::new();
                let found = work(item, &mut own)?;
                let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.1.insert(k, own);
                loop {
                    let next = waiting.0;
                    let Some(rows) = waiting.1.remove(&next) else { return Ok(found) };
                    waiting.0 += 1;
                    self.extend(rows);
                }
            })
            .collect()
    }
}

/// The result of a case.
#[derive(Debug)]
pub struct CaseResult {
    pub case: &'static str,
    pub rows: usize,
    /// Rows that did not pass and should have.
    pub failed: usize,
    /// Rows that did not pass, as expected.
    pub red: usize,
    /// Wall-clock time.
    pub took: Duration,
    /// Why it ended before its last row.
    pub error: Option<CaseError>,
}

/// There is no case of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no case `{wanted}`")]
pub struct NoSuchCase {
    pub wanted: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

/// The case of this name, or all.
pub fn choose<'a, R: Row>(
    cases: &'a [Box<dyn Case<Row = R>>],
    wanted: Option<&str>,
) -> Result<Vec<&'a dyn Case<Row = R>>, NoSuchCase> {
    let chosen: Vec<_> =
        cases.iter().filter(|c| wanted.is_none_or(|w| w == c.name())).map(|c| &**c).collect();
    match wanted {
        Some(wanted) if chosen.is_empty() => {
            let known = cases.iter().map(|c| c.name()).collect();
            Err(NoSuchCase { wanted: wanted.into(), known })
        }
        _ => Ok(chosen),
    }
}

/// The case cannot get this quantity wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("case `{case}` cannot get `{quantity}` wrong")]
pub struct NoSuchWrong {
    pub case: &'static str,
    pub quantity: String,
    /// What it can.
    pub known: &'static [&'static str],
}

impl Wrong {
    pub fn check<R: Row>(&self, case: &dyn Case<Row = R>) -> Result<(), NoSuchWrong> {
        let known = case.wrongs();
        match self.0.keys().find(|quantity| !known.contains(&quantity.as_str())) {
            Some(quantity) => Err(NoSuchWrong { case: case.name(), quantity: quantity.clone(), known }),
            None => Ok(()),
        }
    }
}

/// How cases are run.
#[derive(Debug, Clone)]
pub struct CaseRun {
    pub options: Options,
    /// Cases at a time.
    pub jobs: usize,
    /// Threads of each; `None`: the cores divided by `jobs`.
    pub threads: Option<usize>,
}

/// The threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the threads: {0}")]
pub struct StartError(#[from] rayon::ThreadPoolBuildError);

/// Runs cases, each in a thread pool that no other case uses. A case that fails does not keep the others from running.
/// The outcomes are in the order of the cases.
pub fn run<R: Row>(
    cases: &[&dyn Case<Row = R>],
    plan: &CaseRun,
    observer: Observer<R>,
) -> Result<Vec<CaseResult>, StartError> {
    let jobs = plan.jobs.clamp(1, cases.len().max(1));
    let threads = match (plan.threads, jobs) {
        (Some(threads), _) => threads,
        // As many as rayon finds.
        (None, 1) => 0,
        (None, _) => (std::thread::available_parallelism().map_or(1, usize::from) / jobs).max(1),
    };
    let pools = (0..jobs)
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<Vec<_>, _>>()?;
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(k) else { break };
                    let outcome = pool.install(|| one(*case, &plan.options, observer));
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(k, outcome);
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(done.into_values().collect())
}

fn one<R: Row>(case: &dyn Case<Row = R>, options: &Options, observer: Observer<R>) -> CaseResult {
    let rows = Rows::new(case.name(), observer);
    rows.emit(CaseEvent::Started);
    let start = Instant::now();
    let error = case.run(options, &rows).err();
    let outcome = CaseResult {
        case: case.name(),
        rows: rows.count.load(Ordering::Relaxed),
        failed: rows.failed.load(Ordering::Relaxed),
        red: rows.red.load(Ordering::Relaxed),
        took: start.elapsed(),
        error,
    };
    rows.emit(CaseEvent::Finished(&outcome));
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Serialize)]
    struct Number(u32);

    impl Row for Number {
        fn passed(&self) -> bool {
            self.0 != 3
        }
    }

    /// Its last items are done first.
    struct Backwards;
    struct Broken;

    impl Case for Backwards {
        type Row = Number;

        fn name(&self) -> &'static str {
            "backwards"
        }

        fn about(&self) -> &'static str {
            "numbers"
        }

        fn run(&self, _: &Options, rows: &Rows<Number>) -> Result<(), CaseError> {
            let found = rows.in_order((0..8u32).into_par_iter().enumerate().rev(), |k, rows| {
                std::thread::sleep(Duration::from_millis(u64::from(8 - k)));
                rows.push(Number(k));
                Ok(k)
            })?;
            assert_eq!(found, [7, 6, 5, 4, 3, 2, 1, 0]);
            Ok(())
        }
    }

    impl Case for Broken {
        type Row = Number;

        fn name(&self) -> &'static str {
            "broken"
        }

        fn about(&self) -> &'static str {
            "fails after a row"
        }

        fn run(&self, _: &Options, rows: &Rows<Number>) -> Result<(), CaseError> {
            rows.push(Number(1));
            Err("no luck".into())
        }
    }

    fn cases() -> Vec<Box<dyn Case<Row = Number>>> {
        vec![Box::new(Broken), Box::new(Backwards)]
    }

    #[test]
    fn rows_come_in_order_and_a_broken_case_does_not_stop_the_others() {
        for jobs in [1, 2] {
            let seen = Mutex::new(Vec::new());
            let cases = cases();
            let chosen = choose(&cases, None).expect("all");
            let plan = CaseRun { options: Options::default(), jobs, threads: Some(3) };
            let observer = |case: &str, event: CaseEvent<Number>| {
                if let CaseEvent::Row(row) = event {
                    seen.lock().expect("seen").push((case.to_string(), row.0));
                }
            };
            let outcomes = run(&chosen, &plan, &observer).expect("threads");
            let seen = seen.into_inner().expect("seen");
            let numbers: Vec<u32> = seen.iter().filter(|s| s.0 == "backwards").map(|s| s.1).collect();
            assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
            let [broken, backwards] = &outcomes[..] else { panic!("{outcomes:?}") };
            assert_eq!((broken.rows, broken.failed), (1, 0));
            assert!(broken.error.as_ref().is_some_and(|e| e.to_string() == "no luck"));
            assert_eq!((backwards.rows, backwards.failed), (8, 1));
            assert!(backwards.error.is_none());
        }
    }

    #[test]
    fn a_case_that_there_is_not_is_named() {
        let cases = cases();
        let Err(error) = choose(&cases, Some("x")) else { panic!("found") };
        assert_eq!((error.wanted.as_str(), &error.known[..]), ("x", &["broken", "backwards"][..]));
        assert_eq!(choose(&cases, Some("broken")).expect("there").len(), 1);
    }
}
