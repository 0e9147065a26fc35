//! What is wrong with a scenario, shown at its place in the text.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};

/// One or several mistakes in a scenario; as a [`Diagnostic`] it prints the lines with a mark under each.
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    /// File name (or `--set`), its text, and the place in it.
    source: Option<(NamedSource<String>, SourceSpan)>,
    /// Line and column in the whole text.
    position: Option<(usize, usize)>,
    label: String,
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
        ScenarioError(Box::new(Inner {
            message,
            source: None,
            position: None,
            label: String::new(),
            help: None,
            others: Vec::new(),
        }))
    }

    /// An error at a place, in bytes, of a named text.
    pub fn at(message: impl Into<String>, name: &str, text: &str, span: std::ops::Range<usize>) -> Self {
        let mut error = ScenarioError::plain(message);
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        // Of a place that runs over several lines the first is enough, and short enough to be read.
        let end = text[start..end].find('\n').map_or(end, |n| start + n);
        let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
        error.0.position =
            Some((text[..start].matches('\n').count() + 1, text[line_start..start].chars().count() + 1));
        let (text, span) = shorten(text, start..end);
        let source = NamedSource::new(name, text).with_language("TOML");
        error.0.source = Some((source, (span.start, span.len()).into()));
        error.0.label = "here".into();
        error
    }

    pub fn with_help(mut self, help: Option<String>) -> Self {
        self.0.help = help;
        self
    }

    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
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
        self.0.source.as_ref().map(|(s, _)| s.name())
    }

    /// Line and column of the mistake, from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.position
    }
}

/// Longer lines are cut before they are shown.
const LONGEST_LINE: usize = 1000;
const LONGEST_MESSAGE: usize = 600;

/// The text with overlong lines cut, so that nobody has to read (and no printer to lay out) a megabyte; lines
/// stay where they are.
fn shorten(text: &str, span: std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    if text.split('\n').all(|line| line.len() <= LONGEST_LINE) {
        return (text.into(), span);
    }
    let mut out = String::new();
    let mut place = 0..0;
    let mut offset = 0;
    for line in text.split('\n') {
        let here = offset..=offset + line.len();
        let from = match here.contains(&span.start) {
            true => floor_boundary(line, (span.start - offset).saturating_sub(LONGEST_LINE / 2)),
            false => 0,
        };
        let to = floor_boundary(line, from + LONGEST_LINE);
        if here.contains(&span.start) {
            let start = out.len() + span.start - offset - from;
            let end = (start + span.len()).min(out.len() + to - from).max(start);
            place = start..end;
        }
        out.push_str(&line[from..to]);
        out.push('\n');
        offset += line.len() + 1;
    }
    out.pop();
    (out, place)
}

/// The last character boundary at or before `k`.
fn floor_boundary(text: &str, k: usize) -> usize {
    let mut k = k.min(text.len());
    while !text.is_char_boundary(k) {
        k -= 1;
    }
    k
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source.as_ref().map(|(s, _)| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.0.source.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(self.0.label.clone()), *span))))
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.0.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.0.others.is_empty() {
            return None;
        }
        Some(Box::new(self.0.others.iter().map(|e| e as &dyn Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_a_character_is_moved_to_its_start() {
        let error = ScenarioError::at("x", "file", "aµb\nc", 2..99);
        assert_eq!(error.position(), Some((1, 2)));
        assert_eq!(ScenarioError::at("x", "file", "ab\ncd", 4..5).position(), Some((2, 2)));
    }

    #[test]
    fn overlong_lines_are_cut_around_the_place() {
        let text = format!("short\n{}HERE{}\nend", "µ".repeat(5000), "b".repeat(70_000));
        let start = 6 + 10_000;
        let (cut, span) = shorten(&text, start..start + 4);
        assert_eq!(&cut[span], "HERE");
        assert!(cut.len() < 2000 && cut.lines().count() == 3 && cut.ends_with("\nend"));
        let error = ScenarioError::at("x", "file", &text, start..start + 4);
        assert_eq!(error.position(), Some((2, 5001)));
        assert!(ScenarioError::plain("µ".repeat(1000)).message().len() < 700);
    }
}
