//! The directory a run leaves behind, and its lock.
//!
//! ```text
//! scenario.toml                what was run, with every default written out
//! frames/*.vtkhdf              the bodies at times; frames.vtkhdf.series lists them for ParaView
//! contacts/*.csv               the contacts at times, on request
//! series.csv                   the probes, one row per time
//! checkpoint.rpk, .prev.rpk    the restart, and the one before it
//! failed.rpk                   the world as it was when the run failed
//! log.txt, report.json         what happened; times, counts, versions
//! ```
//!
//! Nothing that is there is ever deleted: a run is refused a directory with a run in it, or, if that is wanted, the
//! old one is moved aside. Files that are not a run's stay where they are.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    atomic, checkpoint,
    error::{FileError, Result},
    frame, report, series,
};

pub const SCENARIO: &str = "scenario.toml";
pub const LOG: &str = "log.txt";
/// The world of a run that failed: for diagnosis, not for resuming.
pub const FAILED: &str = "failed.rpk";
const LOCK: &str = ".lock";

/// Files of a run. A directory that contains one of these is in use.
const CONTENTS: [&str; 11] = [
    SCENARIO,
    checkpoint::NEWEST,
    checkpoint::PREVIOUS,
    FAILED,
    series::NAME,
    "frames",
    frame::INDEX_NAME,
    "contacts",
    LOG,
    report::NAME,
    "checkpoint.next.rpk",
];

/// A run directory that is ours until this is dropped.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    /// The system lets go of the lock when the process ends, however it ends.
    _lock: File,
}

impl RunDir {
    /// A directory for a new run. With `force`, a run that is in it is moved aside; returned is where to.
    pub fn create(path: &Path, force: bool) -> Result<(Self, Option<PathBuf>)> {
        if path.exists() && !path.is_dir() {
            let source = std::io::Error::new(std::io::ErrorKind::NotADirectory, "a file has this name");
            return Err(FileError::Io { doing: "create the directory", path: path.to_path_buf(), source });
        }
        fs::create_dir_all(path).map_err(FileError::io("create the directory", path))?;
        let lock = lock(path)?;
        let found: Vec<String> = CONTENTS
            .iter()
            .filter(|name| path.join(name).symlink_metadata().is_ok())
            .map(|&n| n.into())
            .collect();
        let moved = match (found.is_empty(), force) {
            (true, _) => None,
            (false, false) => return Err(FileError::Occupied { path: path.to_path_buf(), found }),
            (false, true) => Some(move_aside(path, &found)?),
        };
        Ok((RunDir { path: path.to_path_buf(), _lock: lock }, moved))
    }

    /// The directory of a run that is there.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(FileError::Io { doing: "open the directory", path: path.to_path_buf(), source });
        }
        // Nothing is to be left behind, not even a lock, where there is no run.
        if !is_run(path) {
            return Err(FileError::NoRun {
                path: path.to_path_buf(),
                what: format!("there is no {}", checkpoint::NEWEST),
                help: "run directories are below `runs` unless --out is given".into(),
            });
        }
        Ok(RunDir { path: path.to_path_buf(), _lock: lock(path)? })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write_scenario(&self, text: &str) -> Result<()> {
        atomic::write_text(&self.path.join(SCENARIO), text)
    }

    /// Adds a line to the log, with the time. A log that cannot be written does not stop a run.
    pub fn log(&self, line: &str) {
        let log = OpenOptions::new().create(true).append(true).open(self.path.join(LOG));
        if let Ok(mut file) = log {
            let _ = file.write_all(format!("{}  {line}\n", utc(SystemTime::now())).as_bytes());
        }
    }
}

/// Whether a directory has a run in it.
pub fn is_run(path: &Path) -> bool {
    CONTENTS.iter().filter(|&&name| name != SCENARIO).any(|name| path.join(name).exists())
}

/// Whether another process holds the directory now.
pub fn is_in_use(path: &Path) -> bool {
    File::open(path.join(LOCK)).is_ok_and(|f| matches!(f.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn lock(directory: &Path) -> Result<File> {
    let path = directory.join(LOCK);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(FileError::io("write to the directory", directory))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FileError::Locked { path: directory.to_path_buf() }),
        // Some network disks have no locks: then two runs at once are the user's to avoid.
        Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(e)) => Err(FileError::io("lock", &path)(e)),
    }
}

/// Moves a run's files into a new directory beside their own.
fn move_aside(directory: &Path, found: &[String]) -> Result<PathBuf> {
    let whole = fs::canonicalize(directory).map_err(FileError::io("find", directory))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1;
    let aside = loop {
        let candidate = whole.with_file_name(format!("{name}.old-{number}"));
        match fs::create_dir(&candidate) {
            Ok(()) => break candidate,
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(FileError::io("create", &candidate)(e)),
        }
    };
    for name in found {
        let from = whole.join(name);
        fs::rename(&from, aside.join(name)).map_err(FileError::io("move aside", &from))?;
    }
    Ok(aside)
}

/// A moment as `2026-03-01 12:34:56Z`.
pub fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (day, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days since 1 March 2000, in cycles of 400 years, of centuries, of 4 years and of years.
    let days = day - 11_017;
    let (cycle, rest) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let century = (rest / 36_524).min(3);
    let rest = rest - century * 36_524;
    let four = rest / 1_461;
    let rest = rest - four * 1_461;
    let year = (rest / 365).min(3);
    let mut rest = rest - year * 365;
    let mut month = 0;
    // A year that begins in March has its odd day at its end.
    for length in [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    let year = 2000 + 400 * cycle + 100 * century + 4 * four + year + i64::from(month >= 10);
    let month = (month + 2) % 12 + 1;
    let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02} {h:02}:{m:02}:{s:02}Z", rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;
    use std::time::Duration;

    #[test]
    fn dates_are_right() {
        let known = [
            (0, "1970-01-01 00:00:00Z"),
            (951_782_399, "2000-02-28 23:59:59Z"),
            (951_782_400, "2000-02-29 00:00:00Z"),
            (951_868_800, "2000-03-01 00:00:00Z"),
            (1_709_251_199, "2024-02-29 23:59:59Z"),
            (1_735_689_599, "2024-12-31 23:59:59Z"),
            (4_107_542_400, "2100-03-01 00:00:00Z"),
        ];
        for (seconds, text) in known {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_run_is_not_overwritten_and_force_moves_it_aside() {
        let scratch = Scratch::new("rundir-force");
        let path = scratch.path().join("run");
        let (first, _) = RunDir::create(&path, false).unwrap();
        first.write_scenario("title = \"first\"").unwrap();
        fs::write(path.join("notes.md"), "mine").unwrap();
        drop(first);
        assert!(matches!(RunDir::create(&path, false), Err(FileError::Occupied { .. })));
        let (second, moved) = RunDir::create(&path, true).unwrap();
        let moved = moved.unwrap();
        assert_eq!(fs::read_to_string(moved.join(SCENARIO)).unwrap(), "title = \"first\"");
        assert!(!path.join(SCENARIO).exists() && path.join("notes.md").exists());
        second.write_scenario("title = \"second\"").unwrap();
        drop(second);
        let (_third, moved_again) = RunDir::create(&path, true).unwrap();
        assert_ne!(moved_again.unwrap(), moved);
    }

    #[test]
    fn a_directory_in_use_is_refused() {
        let scratch = Scratch::new("rundir-lock");
        assert!(matches!(RunDir::open(scratch.path()), Err(FileError::NoRun { .. })));
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        let (held, _) = RunDir::create(scratch.path(), false).unwrap();
        held.log("held");
        assert!(is_in_use(scratch.path()));
        assert!(matches!(RunDir::create(scratch.path(), true), Err(FileError::Locked { .. })));
        assert!(matches!(RunDir::open(scratch.path()), Err(FileError::Locked { .. })));
        drop(held);
        assert!(!is_in_use(scratch.path()));
        assert!(RunDir::open(scratch.path()).is_ok());
    }

    #[test]
    fn a_file_in_the_way_and_a_place_that_cannot_be_written_are_bad_input() {
        let scratch = Scratch::new("rundir-file");
        let file = scratch.path().join("run");
        fs::write(&file, "").unwrap();
        assert!(RunDir::create(&file, true).unwrap_err().is_bad_input());
        assert!(RunDir::create(&file.join("below"), true).unwrap_err().is_bad_input());
        #[cfg(target_os = "linux")]
        assert!(RunDir::create(Path::new("/proc/rubblepile-run"), true).unwrap_err().is_bad_input());
        assert!(file.is_file());
    }
}
