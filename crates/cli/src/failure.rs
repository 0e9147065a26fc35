//! How a command ends badly, and the exit code that says so.

use miette::{Diagnostic, Report};
use rubblepile::Error;
use rubblepile_io::{FileError, scenario::ScenarioError, session::SessionError};

#[derive(Debug)]
pub enum Failure {
    /// Exit code 2.
    BadInput(Report),
    /// Exit code 1.
    RunFailed(Report),
    /// Exit code 130; all has been said.
    Interrupted,
    /// Exit code 1; all has been said.
    Said,
}

impl Failure {
    pub fn bad_input(message: impl std::fmt::Display, help: impl std::fmt::Display) -> Self {
        Failure::BadInput(miette::miette!(help = help.to_string(), "{message}"))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) => 2,
            Failure::RunFailed(_) | Failure::Said => 1,
            Failure::Interrupted => 130,
        }
    }

    /// Whether another process holds what was asked for.
    pub fn is_locked(&self) -> bool {
        self.report().and_then(|r| r.downcast_ref::<Error>()).is_some_and(Error::is_locked)
    }

    pub fn report(&self) -> Option<&Report> {
        match self {
            Failure::BadInput(report) | Failure::RunFailed(report) => Some(report),
            Failure::Interrupted | Failure::Said => None,
        }
    }
}

fn sorted(bad_input: bool, error: impl Diagnostic + Send + Sync + 'static) -> Failure {
    let report = Report::new(error);
    if bad_input { Failure::BadInput(report) } else { Failure::RunFailed(report) }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        sorted(error.is_bad_input(), error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Error::from(error).into()
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Error::from(error).into()
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Error::from(error).into()
    }
}
