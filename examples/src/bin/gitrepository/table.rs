//! The live table: redrawn in place on a terminal, otherwise one line per change.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The status of Ready: `True`, `False` or `Unknown`.
    pub ready: &'static str,
    /// The reason of Ready.
    pub reason: String,
    /// The message of Ready.
    pub message: String,
    /// The stored revision.
    pub revision: String,
    /// The time since the creation of the object.
    pub age: Duration,
}

impl Row {
    fn cells(&self) -> [String; 7] {
        [
            self.kind.clone(),
            self.name.clone(),
            self.ready.to_owned(),
            self.reason.clone(),
            self.message.clone(),
            short(&self.revision),
            age(self.age),
        ]
    }
}

const HEADERS: [&str; 7] = ["KIND", "NAME", "READY", "REASON", "MESSAGE", "REVISION", "AGE"];
/// The columns that are accessed by index.
const READY: usize = 2;
const MESSAGE: usize = 4;
/// Below this width a message is unreadable; the line is truncated instead.
const NARROWEST_MESSAGE: usize = 12;
const GAP: usize = 2;

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// With ANSI colours.
    Colour,
    /// Plain text.
    None,
}

#[derive(Debug)]
enum Style {
    /// Redrawn in place; `drawn` is the number of lines of the last drawing.
    Live { drawn: usize },
    /// One line per change; `printed` is the last printed state by name.
    Lines { printed: BTreeMap<String, [String; 6]> },
}

/// The table on standard output.
#[derive(Debug)]
pub struct Table {
    style: Style,
    paint: Paint,
}

impl Table {
    /// Creates a table, redrawn in place if standard output is a terminal without logs.
    #[must_use]
    pub fn new(paint: Paint) -> Self {
        let shared = std::env::var_os("RUST_LOG").is_some() && io::stderr().is_terminal();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let live = io::stdout().is_terminal() && !shared && !dumb;
        let style = if live { Style::Live { drawn: 0 } } else { Style::Lines { printed: BTreeMap::new() } };
        Self { style, paint: if live { paint } else { Paint::None } }
    }

    /// Shows the rows.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn show(&mut self, rows: &[Row]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match &mut self.style {
            Style::Live { drawn } => {
                let lines = render(rows, width(), self.paint);
                if *drawn > 0 {
                    write!(out, "\x1b[{drawn}A")?;
                }
                for line in &lines {
                    writeln!(out, "\x1b[2K{line}")?;
                }
                // Clears the lines of removed rows.
                write!(out, "\x1b[J")?;
                *drawn = lines.len();
            }
            Style::Lines { printed } => changes(rows, printed).iter().try_for_each(|line| writeln!(out, "{line}"))?,
        }
        out.flush()
    }
}

/// Returns a line for each row that is new, changed or gone.
fn changes(rows: &[Row], printed: &mut BTreeMap<String, [String; 6]>) -> Vec<String> {
    let mut lines = Vec::new();
    let gone: Vec<String> = printed.keys().filter(|name| rows.iter().all(|row| row.name != **name)).cloned().collect();
    for name in gone {
        printed.remove(&name);
        lines.push(format!("{name} is gone"));
    }
    for row in rows {
        let [kind, name, ready, reason, message, revision, _] = row.cells();
        let line = format!("{kind}/{name} Ready={ready} {reason} {message} {revision}").trim_end().to_owned();
        let state = [kind, name.clone(), ready, reason, message, revision];
        if printed.insert(name, state.clone()) != Some(state) {
            lines.push(line);
        }
    }
    lines
}

/// Renders the whole table, each line at most `width` characters wide.
fn render(rows: &[Row], width: usize, paint: Paint) -> Vec<String> {
    let mut cells: Vec<[String; 7]> = vec![HEADERS.map(str::to_owned)];
    cells.extend(rows.iter().map(Row::cells));
    let mut widths: [usize; 7] =
        std::array::from_fn(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let others: usize = widths.iter().sum::<usize>() - widths[MESSAGE] + GAP * (widths.len() - 1);
    widths[MESSAGE] = widths[MESSAGE].min(width.saturating_sub(others).max(NARROWEST_MESSAGE));
    let lines = cells.iter().enumerate();
    lines
        .map(|(index, row)| line(row, &widths, width, if index == 0 { Look::Header } else { Look::Row }, paint))
        .collect()
}

#[derive(Clone, Copy)]
enum Look {
    Header,
    Row,
}

fn line(cells: &[String; 7], widths: &[usize; 7], width: usize, look: Look, paint: Paint) -> String {
    let mut line = String::new();
    let mut left = width;
    for (column, cell) in cells.iter().enumerate() {
        let text = cut(cell, widths[column].min(left));
        let padding = (widths[column] + GAP).min(left) - text.chars().count();
        let padding = if column + 1 == cells.len() { 0 } else { padding };
        left -= text.chars().count() + padding;
        line += &coloured(&text, column, look, paint);
        line += &" ".repeat(padding);
    }
    line
}

fn coloured(text: &str, column: usize, look: Look, paint: Paint) -> String {
    let code = match (look, column, text) {
        (Look::Header, ..) => "1",
        (_, READY, "True") => "32",
        (_, READY, "False") => "31",
        (_, READY, _) => "33",
        _ => "",
    };
    if paint == Paint::None || code.is_empty() { text.to_owned() } else { format!("\x1b[{code}m{text}\x1b[0m") }
}

/// Shortens the text to one line of at most `width` characters, with an ellipsis if it was cut.
fn cut(text: &str, width: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= width {
        return text;
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.extend((width > 0).then_some('…'));
    cut
}

/// `main@sha1:4b825dc6`: long enough to distinguish revisions.
fn short(revision: &str) -> String {
    match revision.rsplit_once("sha1:") {
        Some((label, id)) => format!("{label}{}", id.chars().take(8).collect::<String>()),
        None => revision.to_owned(),
    }
}

/// `42s`, `7m`, `3h`, `2d`.
fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ ..120 => format!("{seconds}s"),
        seconds @ ..7200 => format!("{}m", seconds / 60),
        seconds @ ..172_800 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// The width of the terminal in characters.
fn width() -> usize {
    #[cfg(unix)]
    let known = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    #[cfg(not(unix))]
    let known = None;
    known.filter(|width| *width > 0).unwrap_or(120)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ready: &'static str, message: &str) -> Row {
        Row {
            kind: "GitRepository".into(),
            name: name.into(),
            ready,
            reason: "Stored".into(),
            message: message.into(),
            revision: "main@sha1:d1c607fddd3de8811c7f188e8ef66ab7bd78cb9f".into(),
            age: Duration::from_secs(75),
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let rows = [row("a", "True", &"long ".repeat(40)), row("b", "False", "short")];
        for width in 0..200 {
            for line in render(&rows, width, Paint::None) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn only_the_message_is_truncated_if_possible() {
        let line = render(&[row("a", "True", &"long ".repeat(40))], 100, Paint::None).pop().unwrap();
        assert!(line.contains('…') && line.ends_with("main@d1c607fd  75s"), "{line}");
    }

    #[test]
    fn a_multiline_message_is_shown_on_one_line() {
        assert!(render(&[row("a", "True", "one\ntwo\x1b[2J")], 200, Paint::None)[1].contains("one two [2J"));
    }

    #[test]
    fn colours_are_opt_in() {
        assert!(render(&[row("a", "True", "")], 200, Paint::Colour)[1].contains("\x1b[32mTrue\x1b[0m"));
        assert!(!render(&[row("a", "True", "")], 200, Paint::None).concat().contains('\x1b'));
    }

    #[test]
    fn an_age_change_alone_prints_nothing() {
        let mut printed = BTreeMap::new();
        assert_eq!(changes(&[row("a", "True", "x")], &mut printed).len(), 1);
        let older = Row { age: Duration::from_secs(99), ..row("a", "True", "x") };
        assert!(changes(&[older], &mut printed).is_empty());
        assert_eq!(changes(&[row("a", "False", "x")], &mut printed).len(), 1);
        assert_eq!(changes(&[], &mut printed), ["a is gone"]);
    }
}
