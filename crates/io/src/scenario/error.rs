//! Errors of a scenario, shown at their place in the text.

use std::fmt;

use crate::diagnostic::{Diagnostic, Excerpt, floor_boundary};

/// One or several mistakes in a scenario; as a [`Diagnostic`] it prints the lines with a mark under each.
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    excerpt: Option<Excerpt>,
    help: Option<String>,
    others: Vec<ScenarioError>,
}

impl ScenarioError {
    /// An error without a place in a text: a file that cannot be read.
    pub fn plain(message: impl Into<String>) -> Self {
        let mut message: String = message.into();
        if message.len() > LONGEST_MESSAGE {
            message.truncate(floor_boundary(&message, LONGEST_MESSAGE));
            message.push_str(" ...");
        }
        ScenarioError(Box::new(Inner { message, excerpt: None, help: None, others: Vec::new() }))
    }

    /// An error at a place, in bytes, of a named text.
    pub fn at(message: impl Into<String>, name: &str, text: &str, span: std::ops::Range<usize>) -> Self {
        let mut error = ScenarioError::plain(message);
        error.0.excerpt = Some(Excerpt::new(name, text, span, "here"));
        error
    }

    pub fn with_help(mut self, help: Option<String>) -> Self {
        self.0.help = help;
        self
    }

    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.0.excerpt = self.0.excerpt.take().map(|e| e.with_label(label));
        self
    }

    /// One error of several: the first carries the others.
    pub fn join(errors: Vec<ScenarioError>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        first.0.others.extend(errors);
        Some(first)
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The further mistakes.
    pub fn others(&self) -> &[ScenarioError] {
        &self.0.others
    }

    /// Name of the file (or `--set`) that the error is in.
    pub fn source_name(&self) -> Option<&str> {
        self.0.excerpt.as_ref().map(Excerpt::name)
    }

    /// Line and column of the mistake, from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.excerpt.as_ref().map(Excerpt::position)
    }
}

const LONGEST_MESSAGE: usize = 600;

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn help(&self) -> Option<String> {
        self.0.help.clone()
    }

    fn excerpt(&self) -> Option<&Excerpt> {
        self.0.excerpt.as_ref()
    }

    fn others(&self) -> Vec<&dyn Diagnostic> {
        self.0.others.iter().map(|e| e as &dyn Diagnostic).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_messages_are_cut() {
        assert!(ScenarioError::plain("µ".repeat(1000)).message().len() < 700);
    }
}
