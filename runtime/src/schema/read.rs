//! Comparison of the spec: the CRD must have the required fields, with types that the program can read.

use serde_json::Value;

use super::misfit::{Misfit, What};
use super::node::{Node, named};

/// Compares the fields that the program requires.
pub(super) fn compare_spec(expected: &Value, installed: &Value, found: &mut Vec<Misfit>) {
    let (expected, installed) = (Node(expected), Node(installed));
    let Some(spec) = expected.field("spec") else { return };
    match installed.field("spec") {
        Some(there) => compare(spec, there, ".spec", found),
        None if installed.is_open() || installed.is_blank() || spec.required().next().is_none() => {}
        None => found.push(Misfit { path: ".spec".into(), what: What::Missing }),
    }
}

fn compare(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    if installed.is_blank() {
        return;
    }
    let (ours, theirs) = (expected.types(), installed.types());
    let is_read = |one: &&str| theirs.contains(one) || (*one == "number" && theirs.contains("integer"));
    let wider = ours.contains("integer") && theirs.contains("number");
    if !ours.is_empty() && !theirs.is_empty() && !ours.iter().any(is_read) && !wider {
        let what = What::Type { installed: named(&theirs), expected: named(&ours) };
        found.push(Misfit { path: path.to_owned(), what });
        return;
    }
    for name in expected.required() {
        let path = format!("{path}.{name}");
        match (expected.field(name), installed.field(name)) {
            (Some(field), Some(there)) => compare(field, there, &path, found),
            (_, None) if !installed.is_open() => found.push(Misfit { path, what: What::Missing }),
            _ => {}
        }
    }
}
