//! Each public type that a new variant or field would break is marked `#[non_exhaustive]`, or has a reason in `closed.txt`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// Checks the types of one crate, given as its documentation in JSON and the lines of its API file.
pub(crate) fn check(root: &Path, krate: &str, documentation: &Path, items: &BTreeSet<String>) {
    let text = std::fs::read_to_string(documentation).expect("the documentation");
    let documentation: Value = serde_json::from_str(&text).expect("documentation is JSON");
    let index = documentation["index"].as_object().expect("an index");
    let names = index.values().filter(|item| item["crate_id"] == 0 && is_closed(item));
    let names: BTreeSet<&str> = names.filter_map(|item| item["name"].as_str()).collect();
    let text = std::fs::read_to_string(root.join("tests/api/closed.txt")).expect("the reasons");
    let reasons: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(" | ")).collect();
    let reason = |path: &str| {
        reasons.iter().find(|(of, _)| match of.strip_suffix("::*") {
            Some(module) => path.rsplit_once("::").is_some_and(|(parent, _)| parent == module),
            None => *of == path,
        })
    };
    let closed: BTreeSet<&str> =
        items.iter().filter_map(|line| path(line)).filter(|path| names.contains(last(path))).collect();
    let bare: Vec<_> = closed.iter().filter(|path| reason(path).is_none()).collect();
    assert!(bare.is_empty(), "add `#[non_exhaustive]`, or a reason to tests/api/closed.txt: {bare:#?}");
    let used: BTreeSet<_> = closed.iter().filter_map(|path| reason(path)).collect();
    let stale: Vec<_> =
        reasons.iter().filter(|line| line.0.starts_with(&format!("{krate}::")) && !used.contains(line)).collect();
    assert!(stale.is_empty(), "remove the lines of types that are gone or open now: {stale:#?}");
}

/// Whether a new variant or field would break a program that matches or builds the type.
fn is_closed(item: &Value) -> bool {
    let inner = &item["inner"];
    let fields = &inner["struct"]["kind"]["plain"];
    let is_built_by_users =
        fields["has_stripped_fields"] == false && fields["fields"].as_array().is_some_and(|all| !all.is_empty());
    let is_matched = inner["enum"]["variants"].as_array().is_some_and(|all| !all.is_empty());
    let is_open = item["attrs"]
        .as_array()
        .is_some_and(|all| all.iter().any(|attribute| attribute.to_string().contains("non_exhaustive")));
    (is_built_by_users || is_matched) && !is_open
}

/// The path of the type that the line declares.
fn path(line: &str) -> Option<&str> {
    let path = line.trim().strip_prefix("pub struct ").or_else(|| line.trim().strip_prefix("pub enum "))?;
    Some(path.split(['<', '(', ' ']).next().unwrap_or(path))
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
