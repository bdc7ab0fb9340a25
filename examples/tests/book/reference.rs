//! The generated parts of the reference. Their tables come from the code, the guide and the help; cells for which these have no text are
//! written in the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use evenkeel_testkit::assert_generated;

use crate::page::{pages, root};
use crate::source::{
    annotations, command_line, deviations, errors, events, features, limits, log, macros, metrics, reasons, settings,
};
use crate::{complain, source};

/// A row. A cell without a text is written in the page, in the row with the same first cell.
pub(crate) type Row = Vec<Option<String>>;

/// The cell of an entry that the page does not have yet.
const MISSING: &str = "?";

/// The part between `<!-- generated: name -->` and `<!-- end -->`, made from its former text.
fn generated(name: &str, old: &str) -> String {
    match name {
        "reasons" => table(&["reason", "cause", "fix"], reasons(), old),
        "errors" => table(&["reason", "class", "cause", "fix"], errors(), old),
        "warnings" => table(&["message", "level", "cause", "fix"], log(&["error", "warn", "$level"], 2), old),
        "progress" => table(&["message", "level", "meaning"], log(&["info"], 1), old),
        "events" => table(&["reason", "type", "when", "fix"], events(), old),
        "metrics" => table(&["metric", "labels", "meaning"], metrics(), old),
        "annotations" => table(&["key", "meaning"], annotations(), old),
        "settings" => table(&["annotation", "values, the default first"], settings(), old),
        "commands" => table(&["command", "effect"], command_line::commands(), old),
        "flags" => table(&["flag", "effect", "variable"], command_line::flags(), old),
        "flags of commands" => table(&["command and flag", "effect"], command_line::flags_of_commands(), old),
        "features" => table(&["feature", "what it adds"], features(), old),
        "macros" => table(&["macro", "effect", "arguments"], macros(), old),
        "deviations" => deviations(),
        "limits" => limits(),
        _ => panic!("no generated part has the name `{name}`"),
    }
}

fn table(header: &[&str], rows: Vec<Row>, old: &str) -> String {
    assert!(!rows.is_empty(), "the table of {header:?} has no source any more");
    let old: BTreeMap<String, Vec<String>> =
        source::rows(old).into_iter().map(|(_, cells)| (cells[0].clone(), cells)).collect();
    let mut text = format!("| {} |\n|{}\n", header.join(" | "), " --- |".repeat(header.len()));
    for row in rows {
        let written = row[0].as_ref().and_then(|key| old.get(key));
        let cell = |(at, cell): (usize, &Option<String>)| {
            cell.as_ref().or_else(|| written?.get(at)).map_or(MISSING, String::as_str).to_owned()
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        writeln!(text, "| {} |", cells.join(" | ")).unwrap();
    }
    text
}

/// The page with its generated parts made anew.
fn renewed(page: &str) -> String {
    let mut parts = page.split("<!-- generated: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, part) = part.split_once(" -->").unwrap();
        let (old, rest) = part.split_once("<!-- end -->").unwrap_or_else(|| panic!("`{name}` has no `<!-- end -->`"));
        write!(text, "<!-- generated: {name} -->\n\n{}\n<!-- end -->{rest}", generated(name, old)).unwrap();
    }
    text
}

#[test]
fn generated_parts_of_the_reference_are_up_to_date() {
    let pages: Vec<_> = pages().into_iter().filter(|page| page.text().contains("<!-- generated: ")).collect();
    assert_eq!(pages.len(), 9, "the pages with generated parts");
    let mut missing = Vec::new();
    for page in &pages {
        let text = renewed(page.text());
        let rows = text.lines().filter(|row| row.contains("| ? |"));
        missing.extend(rows.map(|row| format!("docs/src/{}: {row}", page.name)));
        // A new entry is written with `?`, or reported below with its name.
        if missing.is_empty() || std::env::var_os("GENERATED").is_some() {
            assert_generated(root().join("docs/src").join(&page.name), &text);
        }
    }
    complain("these entries have no text; run with GENERATED=overwrite, and replace each `?`", &missing);
}

#[test]
fn a_new_entry_is_named_and_a_former_one_is_removed() {
    let row = |key: &str| vec![Some(key.to_owned()), Some("warn".to_owned()), None];
    let old = "| message | level | fix |\n| --- | --- | --- |\n| gone | warn | a |\n| stays | info | b \\| c |\n";
    let new = table(&["message", "level", "fix"], vec![row("new"), row("stays")], old);
    let expected = "| message | level | fix |\n| --- | --- | --- |\n| new | warn | ? |\n| stays | warn | b \\| c |\n";
    assert_eq!(new, expected);
}
