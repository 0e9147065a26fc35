//! Errors with files: which file, where in it, and what to try.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::diagnostic::Diagnostic;

pub type Result<T, E = FileError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },

    #[error("{} is damaged, in {place}: {what}", path.display())]
    Damaged { path: PathBuf, place: String, what: String, help: String },

    #[error("{} is not a {expected}: {what}", path.display())]
    Foreign { path: PathBuf, expected: &'static str, what: String, help: String },

    #[error("{} has format version {version}, and this program reads version {supported}", path.display())]
    OtherVersion { path: PathBuf, version: u32, supported: u32 },

    #[error("there is already a run in {}: {}", path.display(), found.join(", "))]
    Occupied { path: PathBuf, found: Vec<String> },

    #[error("another process is using {}", path.display())]
    Locked { path: PathBuf },

    #[error("there is no run in {}: {what}", path.display())]
    NoRun { path: PathBuf, what: String, help: String },

    #[error("{0}")]
    Invalid(String),
}

impl FileError {
    /// Closure for `map_err`: puts what was done to which file before the system's own words.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_path_buf();
        move |source| FileError::Io { doing, path, source }
    }

    /// The same for what [`crate::input`] says: a file of another kind or size is no such `expected` thing, rather than
    /// unreadable.
    pub fn input(
        doing: &'static str,
        path: &Path,
        expected: &'static str,
        help: &str,
    ) -> impl FnOnce(io::Error) -> FileError {
        move |source| match source.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory | io::ErrorKind::FileTooLarge => {
                let (path, what) = (path.to_path_buf(), source.to_string());
                FileError::Foreign { path, expected, what, help: help.into() }
            }
            _ => FileError::io(doing, path)(source),
        }
    }

    /// Whether the input was wrong (exit code 2), rather than the run having failed (exit code 1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            FileError::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ReadOnlyFilesystem
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
            ),
            _ => true,
        }
    }

    /// As an error of the run loop, which knows no files.
    pub fn into_core(self, context: impl Into<String>) -> rubblepile_core::Error {
        rubblepile_core::Error::Output { context: context.into(), source: Box::new(self) }
    }
}

impl Diagnostic for FileError {
    fn help(&self) -> Option<String> {
        match self {
            FileError::Io { source, .. } => Some(advice(source).into()),
            FileError::Damaged { help, .. }
            | FileError::Foreign { help, .. }
            | FileError::NoRun { help, .. } => Some(help.clone()),
            FileError::OtherVersion { .. } => Some("use the version of rubblepile that wrote it".into()),
            FileError::Occupied { path, .. } => Some(format!(
                "choose another directory with --out, go on with it with `rubblepile resume {}`, \
                 or give --force: the old run is then moved aside, not deleted",
                path.display()
            )),
            FileError::Locked { .. } => {
                Some("wait for it to end, or choose another directory with --out".into())
            }
            FileError::Invalid(_) => None,
        }
    }
}

/// What to try when the system refuses.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk or the quota is full: make room, then `rubblepile resume` the directory; \
             what was complete before is still there"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a place that you may write to, with --out"
        }
        io::ErrorKind::NotFound => "look at the spelling of the path",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "something else has this name: choose another one with --out"
        }
        _ => "see whether the disk is there, has room and may be written to",
    }
}
