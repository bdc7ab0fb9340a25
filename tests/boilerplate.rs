//! The share of plumbing in the git repository example: code that any operator needs and that does none of its work.
//!
//! Counts lines of code as `guide::plumbing` describes, without tests, blank lines, comments and the API types.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::Write as _;
use std::path::Path;

/// The files with the work of the operator in addition to `operator.rs`; the demo does not count.
const WORK: [&str; 9] = ["archive", "clone", "git", "include", "recipe", "remote", "rules", "storage", "version"];

/// The maximum share of plumbing in percent. The Go original of the example has 51.
const LIMIT: usize = 10;

/// The lines of code of a component operator that SAP's scaffolding tool writes (revision 3977e88): `main.go`, `operator.go`, `types.go` and
/// `groupversion_info.go`, without webhooks, without manifests and with an empty spec.
const GO_COMPONENT: usize = 211;

/// The maximum of lines of the example `component`, as a share of those in percent.
const COMPONENT: usize = 35;

fn read(file: &str) -> String {
    of_example("gitrepository", file)
}

fn of_example(example: &str, file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/src/bin").join(example);
    std::fs::read_to_string(folder.join(format!("{file}.rs"))).unwrap()
}

/// The lines of code before the tests.
fn code(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    assert!(!text.lines().any(|line| line.trim_start().starts_with("/*")), "a block comment would be counted as code");
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).collect()
}

/// The top-level items: attributes, head, body.
fn items<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut items: Vec<Vec<&str>> = vec![Vec::new()];
    for line in lines {
        items.last_mut().unwrap().push(line);
        let ends =
            *line == "}" || line.starts_with("use ") || (line.starts_with(char::is_alphabetic) && line.ends_with(';'));
        if ends {
            items.push(Vec::new());
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// The kind of an item of `operator.rs`, and the number of its plumbing lines.
fn plumbing(item: &[&str]) -> (&'static str, usize) {
    let has = |text: &str| item.iter().any(|line| line.contains(text));
    if has("derive(ConditionSet)") {
        ("conditions", item.len())
    } else if has("derive(Debug, thiserror::Error, ReconcileError)") {
        ("errors", item.len())
    } else if has("#[reconciler(") || has("Operator::new(") {
        ("wiring", item.len())
    } else if has("#[sub_reconciler(") || has("#[cleanup(") {
        // Attributes and signature, the conditions that the body sets, and its bare success.
        let head = item.iter().position(|line| line.ends_with('{')).unwrap() + 1;
        let set: usize = item
            .iter()
            .enumerate()
            .filter(|(_, line)| line.contains("cx.set("))
            .map(|(at, _)| statement(&item[at..]))
            .sum();
        let success = item.iter().filter(|line| line.trim() == "Ok(())").count();
        ("steps", head + set + success)
    } else {
        ("work", 0)
    }
}

/// The lines of the statement that starts here.
fn statement(lines: &[&str]) -> usize {
    lines.iter().position(|line| line.ends_with(';')).unwrap() + 1
}

/// Spec and status are the API, which the original has in another module.
fn is_api(item: &[&str]) -> bool {
    item.iter().any(|line| line.contains("CustomResource") || line.contains("#[status]"))
}

#[test]
fn less_than_a_tenth_of_the_example_is_plumbing() {
    let operator = read("operator");
    let operator = code(&operator);
    let items: Vec<_> = items(&operator).into_iter().filter(|item| !is_api(item)).collect();
    let work: usize = WORK.iter().map(|file| code(&read(file)).len()).sum();
    let all = work + items.iter().map(Vec::len).sum::<usize>();
    let mut table: Vec<(&str, usize)> = ["conditions", "errors", "steps", "wiring"].map(|kind| (kind, 0)).into();
    for (kind, lines) in items.iter().map(|item| plumbing(item)) {
        if let Some(row) = table.iter_mut().find(|row| row.0 == kind) {
            row.1 += lines;
        }
    }
    let sum: usize = table.iter().map(|row| row.1).sum();
    table.extend([("all plumbing", sum), ("all code", all)]);
    let rows = table.iter().fold(String::new(), |rows, (what, lines)| rows + &format!("| {what} | {lines} |\n"));
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/guide/plumbing.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    // `println!` would be captured by the test harness.
    writeln!(std::io::stderr(), "plumbing: {sum} of {all} lines").unwrap();
    assert!(guide.ends_with(&rows), "the table of the guide is not this one:\n{rows}");
    assert!(table.iter().all(|row| row.1 > 0), "the count misses something: {table:?}");
    assert!(sum * 100 < all * LIMIT, "{sum} of {all} lines are plumbing: {table:?}");
}

#[test]
fn a_component_takes_a_third_of_the_lines_of_the_original() {
    let lines = code(&of_example("component", "operator")).len();
    writeln!(std::io::stderr(), "component: {lines} lines, {GO_COMPONENT} in Go").unwrap();
    assert!(lines <= 60, "{lines} lines");
    assert!(lines * 100 <= GO_COMPONENT * COMPONENT, "{lines} lines");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/guide/plumbing.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for told in [format!("has {lines} lines of code"), format!("writes {GO_COMPONENT} in Go")] {
        assert!(guide.contains(&told), "the guide does not say: {told}");
    }
}
