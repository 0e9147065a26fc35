//! Errors between a scenario and the end of its run.

use std::fmt::Display;

use rubblepile_io::{
    Diagnostic, FileError, diagnostic::Excerpt, scenario::ScenarioError, session::SessionError,
};

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in words for a person, with what to try.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scenario has mistakes; each comes with its line, column and what to try.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),

    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),

    /// A recorded run could not be started, continued or written.
    #[error(transparent)]
    Session(#[from] SessionError),

    /// A step failed.
    #[error(transparent)]
    Run(#[from] rubblepile_core::Error),

    /// An argument is invalid.
    #[error("{message}")]
    BadInput {
        /// What is wrong.
        message: String,
        /// What to try.
        help: String,
    },
}

impl Error {
    fn inner(&self) -> Option<&dyn Diagnostic> {
        match self {
            Error::Scenario(e) => Some(e),
            Error::File(e) => Some(e),
            Error::Session(e) => Some(e),
            Error::Run(_) | Error::BadInput { .. } => None,
        }
    }

    /// An [`Error::BadInput`].
    pub fn bad_input(message: impl Display, help: impl Display) -> Self {
        Error::BadInput { message: message.to_string(), help: help.to_string() }
    }

    /// Whether the input is at fault, and not the run or the machine.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Error::Scenario(_) | Error::BadInput { .. } => true,
            Error::File(e) => e.is_bad_input(),
            Error::Session(e) => e.is_bad_input(),
            Error::Run(_) => false,
        }
    }

    /// Whether another process holds what was asked for.
    pub fn is_locked(&self) -> bool {
        matches!(
            self,
            Error::File(FileError::Locked { .. })
                | Error::Session(SessionError::File(FileError::Locked { .. }))
        )
    }
}

impl Diagnostic for Error {
    fn help(&self) -> Option<String> {
        match self {
            Error::BadInput { help, .. } => Some(help.clone()),
            _ => self.inner().and_then(Diagnostic::help),
        }
    }

    fn excerpt(&self) -> Option<&Excerpt> {
        self.inner().and_then(Diagnostic::excerpt)
    }

    fn others(&self) -> Vec<&dyn Diagnostic> {
        self.inner().map(Diagnostic::others).unwrap_or_default()
    }
}
