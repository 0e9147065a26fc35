//! Rendering of errors: the message, the place in the text with a mark under it, and what to try.
//!
//! ```text
//!   × unknown key `radus`
//!     ╭─[beads.toml:21:1]
//!  20 │ count = 500
//!  21 │ radus = "3 mm"
//!     · ──┬──
//!     ·   ╰── here
//!     ╰────
//!   help: did you mean `radius`?
//! ```
//!
//! An error says what it has through [`Diagnostic`]; [`render`] lays it out. Own code rather than a library: the
//! libraries that do this bring Unicode tables and macros that take longer to compile than the rest of this crate.

use std::{
    error::Error,
    fmt::{self, Write},
    io::IsTerminal,
    ops::Range,
};

/// An error with more to say than its message.
pub trait Diagnostic: Error {
    /// What to try.
    fn help(&self) -> Option<String> {
        None
    }
    /// The place in a text that is wrong.
    fn excerpt(&self) -> Option<&Excerpt> {
        None
    }
    /// Further errors of the same text.
    fn others(&self) -> Vec<&dyn Diagnostic> {
        Vec::new()
    }
}

/// A message with advice, where no type of error has the words.
#[derive(Debug, Clone)]
pub struct Message {
    pub message: String,
    pub help: Option<String>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Message {}

impl Diagnostic for Message {
    fn help(&self) -> Option<String> {
        self.help.clone()
    }
}

/// Longer lines are cut around the mark.
const LONGEST_LINE: usize = 160;
const TAB: usize = 4;

/// A line of a text, the lines next to it, and what is marked in it. Small, however long the text is.
#[derive(Debug, Clone, PartialEq)]
pub struct Excerpt {
    name: String,
    line: usize,
    column: usize,
    before: Option<String>,
    text: String,
    after: Option<String>,
    /// Columns of `text` as a terminal counts them.
    mark: Range<usize>,
    label: String,
}

impl Excerpt {
    /// The place is in bytes; one that is not in the text, or inside of a character, is moved to where it can be.
    /// Of a place with several lines the first is marked.
    pub fn new(name: impl Into<String>, text: &str, place: Range<usize>, label: impl Into<String>) -> Self {
        let start = floor_boundary(text, place.start);
        let end = floor_boundary(text, place.end).max(start);
        let first = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let last = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let skipped = text[first..start].chars().count();
        let marked = text[start..end.min(last)].chars().count();
        let from = if text[first..last].chars().nth(LONGEST_LINE).is_some() {
            skipped.saturating_sub(LONGEST_LINE / 2)
        } else {
            0
        };
        let shown = |line: &str| {
            let (mut shown, mut columns) = (String::new(), vec![0]);
            if from > 0 {
                push(&mut shown, &mut columns, '…');
            }
            let mut rest = line.strip_suffix('\r').unwrap_or(line).chars().skip(from);
            for c in rest.by_ref().take(LONGEST_LINE) {
                push(&mut shown, &mut columns, c);
            }
            if rest.next().is_some() {
                push(&mut shown, &mut columns, '…');
            }
            (shown, columns)
        };
        let (line, columns) = shown(&text[first..last]);
        let column = |k: usize| columns.get(k).or(columns.last()).copied().unwrap_or(0);
        let begin = skipped - from + usize::from(from > 0);
        let mark = column(begin)..column(begin + marked);
        let before = first.checked_sub(1).map(|end| {
            let start = text[..end].rfind('\n').map_or(0, |k| k + 1);
            shown(&text[start..end]).0
        });
        // What follows the last newline is a line only if there is something in it.
        let after = text.get(last + 1..).filter(|rest| !rest.is_empty());
        Excerpt {
            name: name.into(),
            line: text[..start].matches('\n').count() + 1,
            column: skipped + 1,
            before,
            text: line,
            after: after.map(|rest| shown(rest.split('\n').next().unwrap_or_default()).0),
            mark,
            label: label.into(),
        }
    }

    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Name of the file (or `--set`).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Line and column, from 1; the column counts characters.
    pub fn position(&self) -> (usize, usize) {
        (self.line, self.column)
    }
}

/// The last character boundary at or before `k`.
pub(crate) fn floor_boundary(text: &str, k: usize) -> usize {
    let mut k = k.min(text.len());
    while !text.is_char_boundary(k) {
        k -= 1;
    }
    k
}

/// Adds a character as it can be shown, and the column after it.
fn push(shown: &mut String, columns: &mut Vec<usize>, c: char) {
    let at = columns.last().copied().unwrap_or(0);
    let width = match c {
        '\t' => TAB - at % TAB,
        _ => width(c),
    };
    match c {
        '\t' => shown.extend(std::iter::repeat_n(' ', width)),
        _ => shown.push(printable(c)),
    }
    columns.push(at + width);
}

/// Control characters of a file must not reach the terminal.
fn printable(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

/// Columns of a character on a terminal: 0 for those that join the one before, 2 for those of East Asia and emoji.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f => 2,
        0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Width and colour of the output.
#[derive(Debug, Clone, Copy)]
pub struct Rendering {
    pub width: usize,
    pub colour: bool,
}

impl Rendering {
    pub const PLAIN: Rendering = Rendering { width: 80, colour: false };

    /// For standard error: colours on a terminal unless `NO_COLOR` is set; as wide as `COLUMNS` says, else 80.
    pub fn of_stderr() -> Rendering {
        let wanted = std::env::var("COLUMNS").ok().and_then(|c| c.trim().parse().ok());
        let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Rendering {
            width: wanted.unwrap_or(Rendering::PLAIN.width),
            colour: std::io::stderr().is_terminal() && !refused,
        }
    }

    fn paint(self, code: &'static str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.into() }
    }
}

const RED: &str = "31";
const CYAN: &str = "36";
const FAINT: &str = "2";
const MARK: &str = "1;35";

/// An error, its place and its help, and then the further ones, each ending with a newline.
pub fn render(error: &dyn Diagnostic, look: Rendering) -> String {
    let mut out = String::new();
    write_one(&mut out, error, look);
    for other in error.others() {
        out.push('\n');
        out.push_str(&render(other, look));
    }
    out
}

fn write_one(out: &mut String, error: &dyn Diagnostic, look: Rendering) {
    let (cross, bar) = (look.paint(RED, "×"), look.paint(RED, "│"));
    wrap(out, &error.to_string(), look.width, [&format!("  {cross} "), &format!("  {bar} ")], 4);
    if let Some(excerpt) = error.excerpt() {
        write_excerpt(out, excerpt, look);
    }
    if let Some(help) = error.help() {
        wrap(out, &help, look.width, [&format!("  {} ", look.paint(CYAN, "help:")), "        "], 8);
    }
}

fn write_excerpt(out: &mut String, excerpt: &Excerpt, look: Rendering) {
    let Excerpt { name, line, column, before, text, after, mark, label } = excerpt;
    let digits = (line + usize::from(after.is_some())).to_string().len();
    let blank = " ".repeat(digits + 2);
    let name: String = name.chars().map(printable).collect();
    let faint = |text: &str| look.paint(FAINT, text);
    let mut put = |text: String| {
        out.push_str(text.trim_end());
        out.push('\n');
    };
    let numbered = |n: usize, text: &str| format!(" {} {text}", faint(&format!("{n:>digits$} │")));
    put(format!("{blank}╭─[{name}:{line}:{column}]"));
    if let Some(before) = before {
        put(numbered(line - 1, before));
    }
    put(numbered(*line, text));
    let (start, length) = (" ".repeat(mark.start), mark.len().max(1));
    let middle = length / 2;
    let under = match label.is_empty() {
        true => "─".repeat(length),
        false => format!("{}┬{}", "─".repeat(middle), "─".repeat(length - middle - 1)),
    };
    put(format!("{blank}{} {start}{}", faint("·"), look.paint(MARK, &under)));
    if !label.is_empty() {
        let pointer = look.paint(MARK, &format!("╰── {label}"));
        put(format!("{blank}{} {start}{}{pointer}", faint("·"), " ".repeat(middle)));
    }
    if let Some(after) = after {
        put(numbered(line + 1, after));
    }
    put(format!("{blank}╰────"));
}

/// Breaks a text between words. `lead` is put before the first line and before the others, and takes `indent` columns.
fn wrap(out: &mut String, text: &str, width: usize, lead: [&str; 2], indent: usize) {
    let room = width.saturating_sub(indent).max(20);
    let mut lead = lead.into_iter().chain(std::iter::repeat(lead[1]));
    for line in text.split('\n') {
        let mut used = 0;
        let mut row = String::new();
        for word in line.split_whitespace() {
            let length: usize = word.chars().map(self::width).sum();
            if used > 0 && used + 1 + length > room {
                let _ = writeln!(out, "{}{row}", lead.next().unwrap_or_default());
                (row, used) = (String::new(), 0);
            }
            if used > 0 {
                row.push(' ');
                used += 1;
            }
            row.extend(word.chars().map(printable));
            used += length;
        }
        let _ = writeln!(out, "{}{row}", lead.next().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Specimen(&'static str, Option<Excerpt>, Option<&'static str>, Vec<Specimen>);

    impl fmt::Display for Specimen {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }
    impl Error for Specimen {}
    impl Diagnostic for Specimen {
        fn help(&self) -> Option<String> {
            self.2.map(str::to_string)
        }
        fn excerpt(&self) -> Option<&Excerpt> {
            self.1.as_ref()
        }
        fn others(&self) -> Vec<&dyn Diagnostic> {
            self.3.iter().map(|e| e as &dyn Diagnostic).collect()
        }
    }

    fn shown(text: &str, place: Range<usize>) -> String {
        let excerpt = Excerpt::new("f.toml", text, place, "here");
        render(&Specimen("wrong", Some(excerpt), None, Vec::new()), Rendering::PLAIN)
    }

    #[test]
    fn an_error_is_shown_with_its_place_its_help_and_its_others() {
        let text = "a = 1\n[grains]\ncount = 500\nradus = 3\nb = 2\n";
        let excerpt = Excerpt::new("beads.toml", text, 27..32, "here");
        let other = Specimen("a second one", None, None, Vec::new());
        let error = Specimen("unknown key", Some(excerpt), Some("did you mean\n`radius`?"), vec![other]);
        let wanted = "  × unknown key
   ╭─[beads.toml:4:1]
 3 │ count = 500
 4 │ radus = 3
   · ──┬──
   ·   ╰── here
 5 │ b = 2
   ╰────
  help: did you mean
        `radius`?

  × a second one
";
        assert_eq!(render(&error, Rendering::PLAIN), wanted);
        let coloured = render(&error, Rendering { width: 80, colour: true });
        assert!(coloured.contains("\u{1b}[31m×\u{1b}[0m"), "{coloured}");
        let mut plain = coloured;
        for code in [RED, CYAN, FAINT, MARK, "0"] {
            plain = plain.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(plain, wanted);
    }

    #[test]
    fn marks_stand_under_what_they_mark_behind_tabs_and_wide_characters() {
        assert!(
            shown("\tx = 1", 1..2).contains("\n 1 │     x = 1\n   ·     ┬\n"),
            "{}",
            shown("\tx = 1", 1..2)
        );
        let wide = shown("漢字 = µ", 9..11);
        assert!(wide.contains("f.toml:1:6]") && wide.contains("\n   ·        ┬\n"), "{wide}");
        let escape = shown("a\u{1b}[31mb\r\nc", 0..1);
        assert!(!escape.contains('\u{1b}') && !escape.contains('\r'), "{escape}");
    }

    #[test]
    fn places_that_are_odd_are_moved_into_the_text() {
        assert_eq!(Excerpt::new("f", "aµb\nc", 2..99, "").position(), (1, 2));
        assert_eq!(Excerpt::new("f", "ab\ncd", 4..5, "").position(), (2, 2));
        for text in ["", "\n", "µ", "a\n\n", "\t\t", "a\r\n\r\n漢"] {
            for start in 0..8 {
                for end in [0, start, start + 1, 7, usize::MAX] {
                    let shown = shown(text, start..end);
                    assert!(shown.contains('┬') && shown.ends_with("╰────\n"), "{text:?}: {shown}");
                }
            }
        }
    }

    #[test]
    fn overlong_lines_are_cut_around_the_place() {
        let text = format!("short\n{}HERE{}\nend", "µ".repeat(5000), "b".repeat(70_000));
        let start = 6 + 10_000;
        let excerpt = Excerpt::new("f", &text, start..start + 4, "here");
        assert_eq!(excerpt.position(), (2, 5001));
        let marked: String = excerpt.text.chars().skip(excerpt.mark.start).take(excerpt.mark.len()).collect();
        assert_eq!(marked, "HERE");
        assert!(excerpt.text.chars().count() <= LONGEST_LINE + 2, "{}", excerpt.text);
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'), "{}", excerpt.text);
        let at_the_end = Excerpt::new("f", &text, text.len()..text.len(), "");
        assert_eq!((at_the_end.text.as_str(), at_the_end.mark), ("end", 3..3));
    }

    #[test]
    fn long_messages_are_broken_between_words() {
        let words = "word ".repeat(40) + "longer-than-a-line-".repeat(8).as_str();
        let mut out = String::new();
        wrap(&mut out, &words, 30, ["  × ", "  │ "], 4);
        assert!(out.lines().all(|l| l.chars().count() <= 30 || l.contains("longer")), "{out}");
        assert!(out.starts_with("  × word") && out.lines().skip(1).all(|l| l.starts_with("  │ ")), "{out}");
        assert_eq!(out.matches("word").count(), 40);
    }
}
