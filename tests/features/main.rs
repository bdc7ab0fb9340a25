//! Pages of the guide that name tests: the table of features, which is generated, and the faults of a source that evenkeel does not have.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod named_tests;
mod page;
mod table;

use std::path::Path;

use evenkeel_testkit::assert_generated;

use crate::named_tests::defect;
use crate::page::page;
use crate::table::{Has, Row, parse};

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn rows() -> Vec<Row> {
    parse(include_str!("features.yaml")).unwrap()
}

/// What is wrong with a row.
fn defects(row: &Row) -> Vec<String> {
    let mut defects = Vec::new();
    let has_tests = !row.tests.is_empty();
    if row.evenkeel == Has::Yes && !has_tests {
        defects.push("a feature that is there needs a test".to_owned());
    }
    if row.evenkeel != Has::Yes && row.note.is_empty() {
        defects.push("say in `note` what is missing".to_owned());
    }
    if let Some(guide) = &row.guide
        && !root().join(format!("runtime/src/guide/{guide}.md")).is_file()
    {
        defects.push(format!("the guide has no page {guide}"));
    }
    defects.extend(row.tests.iter().filter_map(|name| defect(root(), name)));
    defects.into_iter().map(|defect| format!("row {}: {defect}", row.row)).collect()
}

#[test]
fn each_feature_names_tests_that_run() {
    let rows = rows();
    let numbers: Vec<usize> = rows.iter().map(|row| row.row).collect();
    assert_eq!(numbers, (1..=rows.len()).collect::<Vec<_>>());
    let all: Vec<String> = rows.iter().flat_map(defects).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_page_of_the_guide_is_generated() {
    assert_generated(root().join("runtime/src/guide/features.md"), &page(&rows()));
}

#[test]
fn a_wrong_row_is_found() {
    let row = |evenkeel: &str, rest: &str| {
        let cells = "kube: '?', controller_runtime: '?', kopf: '?', josdk: '?'";
        let text = format!("- {{row: 1, group: a, feature: b, {cells}, evenkeel: '{evenkeel}'{rest}}}");
        parse(&text).map(|rows| defects(&rows[0]).join("; "))
    };
    let exists = "tests/features/main.rs::a_wrong_row_is_found";
    assert_eq!(row("yes", &format!(", tests: ['{exists}']")).unwrap(), "");
    for (evenkeel, rest, wanted) in [
        ("yes", "", "needs a test"),
        ("part", "", "say in `note`"),
        ("yes", ", tests: ['tests/features/main.rs::gone']", "no test `gone`"),
        ("yes", ", tests: ['tests/features/gone.rs::a']", "no file"),
        ("yes", ", tests: ['tests/trials/operator.rs::the_operator_process']", "is ignored"),
        ("yes", ", tests: ['tests/features/page.rs::page']", "no test `page`"),
        ("no", ", note: never, guide: gone", "no page gone"),
    ] {
        let found = row(evenkeel, rest).unwrap();
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    assert!(row("perhaps", "").is_err() && row("yes", ", colour: red").is_err());
}
