//! Mermaid syntax: lines, labels and identifiers.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::wiring::StepWiring;

/// The identifier of a step. It contains the position, since a generic step can be called several times under the same
/// name.
pub(super) fn step_id(place: usize, step: &StepWiring) -> String {
    format!("step{}_{}", place + 1, id(step.name))
}

/// The lines of a graph.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    written: BTreeSet<String>,
}

impl Lines {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn push(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    pub(super) fn once(&mut self, line: &str) {
        if self.written.insert(line.to_owned()) {
            self.push(line);
        }
    }
}

/// The name of the step, with the first line of its doc comment below it.
pub(super) fn label(step: &StepWiring) -> String {
    match step.doc.lines().next() {
        Some(doc) => format!("<b>{}</b><br/>{}", step.name, text(doc)),
        None => format!("<b>{}</b>", step.name),
    }
}

/// Escapes text for a quoted label.
pub(super) fn text(text: &str) -> String {
    let replace = |c: char| match c {
        '"' => "#quot;".to_owned(),
        '#' => "#35;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '`' => "'".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(replace).collect()
}

/// Converts text to an identifier of a node, or to a part of one.
pub(super) fn id(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
