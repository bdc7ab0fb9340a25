//! The table: one column for each framework, one row for each figure.

use serde::{Deserialize, Serialize};

use crate::framework::Framework;
use crate::kills::Leftovers;
use crate::life::{Cost, Life};
use crate::memory::Memory;
use crate::requests::Counts;

/// What was measured of one framework. What was not measured is `None`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Figures {
    /// The reason why it was left out.
    pub left_out: Option<String>,
    pub lines: Option<usize>,
    /// How many checks of the scenario it passed, of how many.
    pub passed: Option<(usize, usize)>,
    pub life: Option<Life>,
    pub idle: Option<Counts>,
    pub left: Option<Leftovers>,
    pub memory: Option<Memory>,
}

type Cell = fn(&Figures) -> Option<String>;

const ROWS: [(&str, Cell); 19] = [
    ("lines of code", |of| of.lines.map(|lines| lines.to_string())),
    ("checks of the scenario passed", |of| of.passed.map(|(passed, all)| format!("{passed} of {all}"))),
    ("one life: reads", |of| of.life.map(|life| range(life, |cost| cost.requests.reads))),
    ("one life: writes of objects", |of| of.life.map(|life| range(life, |cost| cost.requests.writes))),
    ("one life: Events written", |of| of.life.map(|life| range(life, |cost| cost.requests.events))),
    ("one life: watches opened", |of| of.life.map(|life| range(life, |cost| cost.requests.watches))),
    ("one life: calls of the store", |of| of.life.map(|life| range(life, |cost| cost.calls))),
    ("an idle day: reads", |of| of.idle.map(|idle| grouped(idle.reads))),
    ("an idle day: writes of objects", |of| of.idle.map(|idle| grouped(idle.writes))),
    ("an idle day: Events written", |of| of.idle.map(|idle| grouped(idle.events))),
    ("an idle day: watches opened", |of| of.idle.map(|idle| grouped(idle.watches))),
    ("kills", |of| of.left.as_ref().map(|left| left.kills.to_string())),
    ("after them: buckets without an object", |of| of.left.as_ref().map(|left| left.orphans.to_string())),
    ("after them: doubled buckets", |of| of.left.as_ref().map(|left| left.doubled.to_string())),
    ("after them: objects that are not Ready", |of| of.left.as_ref().map(|left| left.unready.to_string())),
    ("after them: objects that cannot be deleted", |of| of.left.as_ref().map(|left| left.stuck.to_string())),
    ("objects for the memory", |of| of.memory.map(|memory| grouped(memory.objects as u64))),
    ("memory after the creation of the objects, MB", |of| of.memory.map(|memory| megabytes(memory.after_creation))),
    ("memory after a restart, MB", |of| of.memory.map(|memory| megabytes(memory.after_restart))),
];

/// One number, or two if lives differ.
fn range(life: Life, count: fn(&Cost) -> u64) -> String {
    match (count(&life.least), count(&life.most)) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// The table in Markdown. A framework that was left out has no column, and a line with the reason. A row without a figure is left out.
#[must_use]
pub fn render(all: &[(Framework, Figures)]) -> String {
    let (out, columns): (Vec<_>, Vec<_>) = all.iter().partition(|(_, figures)| figures.left_out.is_some());
    let names = columns.iter().map(|(framework, _)| format!(" {} |", framework.name()));
    let mut text = format!("| |{}\n| --- |{}\n", names.collect::<String>(), " --- |".repeat(columns.len()));
    for (name, cell) in ROWS {
        let cells: Vec<_> = columns.iter().map(|(_, figures)| cell(figures)).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| format!(" {} |", cell.unwrap_or_else(|| "-".to_owned())));
            text += &format!("| {name} |{}\n", cells.collect::<String>());
        }
    }
    for (framework, figures) in out {
        let reason = figures.left_out.as_deref().unwrap_or_default();
        text += &format!("\n{} was left out: {reason}\n", framework.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framework_without_its_runtime_has_no_column_and_a_reason() {
        let here = Figures { lines: Some(90), passed: Some((11, 11)), ..Figures::default() };
        let out = Figures { left_out: Some("cannot run go".to_owned()), ..Figures::default() };
        let text = render(&[(Framework::Evenkeel, here), (Framework::ControllerRuntime, out)]);
        let expected = "| | evenkeel |\n| --- | --- |\n| lines of code | 90 |\n| checks of the scenario passed | 11 of 11 |\n\
                        \ncontroller-runtime was left out: cannot run go\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn lives_that_differ_have_two_numbers() {
        let cost = |calls| Cost { calls, ..Cost::default() };
        let life = Figures { life: Some(Life { least: cost(7), most: cost(8) }), ..Figures::default() };
        let text = render(&[(Framework::Kube, life)]);
        assert!(text.contains("| one life: calls of the store | 7 to 8 |\n"), "{text}");
        assert!(text.contains("| one life: reads | 0 |\n"), "{text}");
    }

    #[test]
    fn a_missing_figure_is_a_dash_and_large_ones_are_grouped() {
        let idle = Counts { watches: 1_234_567, ..Counts::default() };
        let idle = Figures { idle: Some(idle), ..Figures::default() };
        let text = render(&[(Framework::Evenkeel, idle), (Framework::Kopf, Figures::default())]);
        assert!(text.contains("| an idle day: watches opened | 1,234,567 | - |"), "{text}");
        assert!(!text.contains("kills"), "{text}");
    }
}
