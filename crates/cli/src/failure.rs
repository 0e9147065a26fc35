//! Failures of a command, and their exit codes.

use rubblepile::Error;
use rubblepile_io::{
    Diagnostic, FileError,
    diagnostic::{Message, Rendering, render},
    scenario::ScenarioError,
    session::SessionError,
};

type Report = Box<dyn Diagnostic + Send + Sync>;

#[derive(Debug)]
pub enum Failure {
    /// Exit code 2.
    BadInput(Report),
    /// Exit code 2: another process holds what was asked for.
    Locked(Report),
    /// Exit code 1.
    RunFailed(Report),
    /// Exit code 130; all has been said.
    Interrupted,
    /// Exit code 1; all has been said.
    Said,
}

impl Failure {
    pub fn bad_input(message: impl std::fmt::Display, help: impl std::fmt::Display) -> Self {
        let message = Message { message: message.to_string(), help: Some(help.to_string()) };
        Failure::BadInput(Box::new(message))
    }

    pub fn run_failed(message: impl std::fmt::Display) -> Self {
        Failure::RunFailed(Box::new(Message { message: message.to_string(), help: None }))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) | Failure::Locked(_) => 2,
            Failure::RunFailed(_) | Failure::Said => 1,
            Failure::Interrupted => 130,
        }
    }

    /// Whether another process holds what was asked for.
    pub fn is_locked(&self) -> bool {
        matches!(self, Failure::Locked(_))
    }

    pub fn report(&self) -> Option<&dyn Diagnostic> {
        match self {
            Failure::BadInput(report) | Failure::Locked(report) | Failure::RunFailed(report) => {
                Some(report.as_ref())
            }
            Failure::Interrupted | Failure::Said => None,
        }
    }

    /// Writes what there is to say to standard error.
    pub fn print(&self) {
        if let Some(report) = self.report() {
            eprint!("{}", render(report, Rendering::of_stderr()));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match (error.is_locked(), error.is_bad_input()) {
            (true, _) => Failure::Locked(Box::new(error)),
            (false, true) => Failure::BadInput(Box::new(error)),
            (false, false) => Failure::RunFailed(Box::new(error)),
        }
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
