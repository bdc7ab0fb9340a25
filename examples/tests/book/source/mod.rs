//! The sources of the reference: code, guide, rustdoc and help.

pub(crate) mod command_line;
mod runtime;

use std::collections::{BTreeMap, BTreeSet};

use evenkeel::ReconcileError;
use evenkeel::dependents::DependentsError;
use regex::Regex;

pub(crate) use self::runtime::{annotations, events, log, reasons, settings};
use crate::page::root;
use crate::reference::Row;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn regex(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The code spans of a cell.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("{from:?} is not there"));
    rest.split_once(to).unwrap_or_else(|| panic!("{to:?} is not there")).0
}

/// The rows of all tables: each with the first word of its header, and its cells.
pub(crate) fn rows(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut header, mut rows) = (String::new(), Vec::new());
    let mut lines = text.lines().filter(|line| line.starts_with("| ")).peekable();
    while let Some(line) = lines.next() {
        // A cell may have an escaped bar.
        let line = line.replace("\\|", "\0");
        let inner = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|')).unwrap_or_default();
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().replace('\0', "\\|")).collect();
        if lines.next_if(|next| next.starts_with("| ---")).is_some() {
            header.clone_from(&cells[0]);
        } else {
            rows.push((header.clone(), cells));
        }
    }
    rows
}

/// The text with links of rustdoc as links to docs.rs, or as plain text.
fn with_links(text: &str) -> String {
    let guide = concat!("[$1](https://docs.rs/evenkeel/", env!("CARGO_PKG_VERSION"), "/evenkeel/guide/$2/index.html)");
    let text = regex(r"\[([^\]]+)\]\(crate::guide::(\w+)\)").replace_all(text, guide);
    let text = regex(r"\[([^\]]+)\]\((?:crate|macro@)[^)]*\)").replace_all(&text, "$1");
    regex(r"\[(`[^`]+`)\]([^(])").replace_all(&text, "$1$2").into_owned()
}

pub(crate) fn deviations() -> String {
    with_links(&read("runtime/src/guide/deviations.md"))
}

pub(crate) fn limits() -> String {
    let text = read("tests/kit/src/lib.rs");
    let lines = between(&text, "//! # Limits\n//!\n", "#![doc").lines();
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("//! ").unwrap_or_default()).collect();
    with_links(lines.join("\n").trim_end()) + "\n"
}

/// The reasons of errors that evenkeel returns.
pub(crate) fn errors() -> Vec<Row> {
    let variants = <DependentsError as ReconcileError>::VARIANTS.iter();
    let row = |variant: &evenkeel::VariantInfo| {
        let (cause, fix) =
            variant.doc.split_once("\n\n").map_or((variant.doc, None), |(cause, fix)| (cause, Some(fix)));
        vec![Some(code(variant.reason)), Some(variant.class.to_owned()), Some(cause.to_owned()), fix.map(str::to_owned)]
    };
    let rows: BTreeMap<&str, Row> = variants.map(|variant| (variant.reason, row(variant))).collect();
    rows.into_values().collect()
}

/// The metrics in the order of the guide, where a name may be the end of one, and then those that only the contract has.
pub(crate) fn metrics() -> Vec<Row> {
    let file = read("runtime/src/telemetry/metrics/names.rs");
    let entry = regex(r#"\("(\w+)",\s*&\[([^\]]*)\]\)"#);
    let mut contract: BTreeMap<&str, String> =
        entry.captures_iter(&file).map(|found| (found.get(1).unwrap().as_str(), found[2].replace('"', "`"))).collect();
    let guide = read("runtime/src/guide/diagnostics.md");
    let mut rows_of_guide = Vec::new();
    for (_, cells) in rows(between(&guide, "**Metrics.**", "**CRDs.**")) {
        let whole = |span: &str| {
            let end = span.trim_start_matches('.');
            let is_it = |name: &&&str| **name == span || (end.starts_with('_') && name.ends_with(end));
            let name = contract.keys().find(is_it).map_or(span, |name| *name);
            assert!(!name.starts_with(['.', '_']), "{span} is not the end of a metric");
            name.to_owned()
        };
        let all: Vec<String> = spans(&cells[0]).into_iter().map(whole).collect();
        contract.retain(|name, _| !all.iter().any(|met| met == name));
        let all: Vec<String> = all.iter().map(|name| code(name)).collect();
        rows_of_guide.push(vec![Some(all.join(", ")), Some(cells[1].clone()), Some(with_links(&cells[2]))]);
    }
    let further = contract.into_iter().map(|(name, labels)| vec![Some(code(name)), Some(labels), None]);
    rows_of_guide.into_iter().chain(further).collect()
}

/// The features of the crate. Their comments are their texts.
pub(crate) fn features() -> Vec<Row> {
    let file = read("runtime/Cargo.toml");
    let list = between(&file, "[features]\n", "\n[");
    let entry = regex(r"(?m)((?:^# .*\n)*)^([a-z][a-z0-9-]*) = \[");
    let row = |comment: &str, name: &str| {
        let text = comment.replace("# ", "").trim().replace('\n', " ");
        vec![Some(code(name)), (!text.is_empty()).then_some(text)]
    };
    entry.captures_iter(list).map(|found| row(&found[1], &found[2])).collect()
}

/// The macros with the names of their arguments.
pub(crate) fn macros() -> Vec<Row> {
    let text = read("macros/src/lib.rs");
    let entry = regex(r"((?:(?:///|#\[).*\n)+)pub fn (\w+)");
    let mut all = BTreeMap::new();
    for found in entry.captures_iter(&text).filter(|found| !found[1].contains("#[doc(hidden)]")) {
        let derive = regex(r"proc_macro_derive\((\w+)").captures(&found[1]).map(|derive| derive[1].to_owned());
        let form =
            if found[1].contains("#[proc_macro]") { "macro" } else { derive.as_ref().map_or("attr", |_| "derive") };
        let name = derive.unwrap_or_else(|| found[2].to_owned());
        let mut docs = found[1].replace("/// ", "");
        let summary = docs.lines().next().unwrap_or_default().to_owned();
        for file in regex(r#"include_str!\("(.*?)"\)"#).captures_iter(&found[1]) {
            docs.push_str(&read(&format!("macros/src/{}", &file[1])));
        }
        let link = format!("https://docs.rs/evenkeel/{}/evenkeel/{form}.{name}.html", env!("CARGO_PKG_VERSION"));
        let row = vec![Some(code(&name)), Some(format!("[{summary}]({link})")), arguments(&docs)];
        all.insert(name, row);
    }
    all.into_values().collect()
}

/// The first words of the arguments in the tables of a macro.
fn arguments(docs: &str) -> Option<String> {
    let tables = rows(docs).into_iter().filter(|(header, _)| ["argument", "class"].contains(&&**header));
    let mut names: Vec<String> = Vec::new();
    for (_, cells) in tables {
        let words = spans(&cells[0]).into_iter().filter_map(|span| span.split(['(', ',', ' ']).next());
        names.extend(words.map(code));
    }
    let mut met = BTreeSet::new();
    names.retain(|name| met.insert(name.clone()));
    (!names.is_empty()).then(|| names.join(", "))
}
