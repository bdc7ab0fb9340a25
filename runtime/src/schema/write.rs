//! Comparison of what the program writes: the CRD must accept and store all values of it.

use serde_json::Value;

use super::misfit::{Misfit, What};
use super::node::{Node, named};

/// Compares the fields of a part of the object that the program writes.
pub(super) fn compare_written(
    part: &str,
    expected: &Value,
    installed: &Value,
    is_used: &dyn Fn(&str) -> bool,
    found: &mut Vec<Misfit>,
) {
    let (expected, installed) = (Node(expected), Node(installed));
    let Some(ours) = expected.field(part) else { return };
    let path = format!(".{part}");
    let Some(there) = installed.field(part) else {
        if !installed.is_open() && !installed.is_blank() {
            found.push(Misfit { path, what: What::Missing });
        }
        return;
    };
    compare_object(ours, there, &path, is_used, found);
}

/// Compares a field. The caller compares nulls, since a null at the top of a status is never sent.
fn compare(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    if installed.is_blank() && installed.items().is_none() && installed.each().is_none() {
        return;
    }
    if !has_type(expected, installed, path, found) {
        return;
    }
    compare_values(expected, installed, path, found);
    compare_object(expected, installed, path, &|_| true, found);
    compare_list(expected, installed, path, found);
}

fn compare_null(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    if expected.is_nullable() && !installed.is_nullable() && !installed.types().is_empty() {
        found.push(Misfit { path: path.to_owned(), what: What::Null });
    }
}

/// Whether one expected type is accepted. One is enough: earlier generators wrote unions like int-or-string as one type.
fn has_type(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) -> bool {
    let (ours, theirs) = (expected.types(), installed.types());
    if theirs.is_empty() || ours.is_empty() {
        return true;
    }
    let is_taken = |one: &&str| theirs.contains(one) || (*one == "integer" && theirs.contains("number"));
    let fits = ours.iter().any(is_taken);
    if !fits {
        let what = What::Type { installed: named(&theirs), expected: named(&ours) };
        found.push(Misfit { path: path.to_owned(), what });
    }
    fits
}

/// Compares enum values. The values of an unrestricted type are the responsibility of its author.
fn compare_values(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    let (Some(ours), Some(theirs)) = (expected.values(), installed.values()) else { return };
    let lacking: Vec<String> = ours.iter().filter(|value| !theirs.contains(*value)).map(ToString::to_string).collect();
    if !lacking.is_empty() {
        found.push(Misfit { path: path.to_owned(), what: What::Values(lacking) });
    }
}

fn compare_object(
    expected: Node<'_>,
    installed: Node<'_>,
    path: &str,
    is_used: &dyn Fn(&str) -> bool,
    found: &mut Vec<Misfit>,
) {
    if installed.is_blank() && installed.each().is_none() {
        return;
    }
    let is_top = path == ".status";
    for (name, field) in expected.properties().filter(|(name, _)| is_used(name)) {
        let path = format!("{path}.{name}");
        match installed.field(name) {
            Some(there) => {
                if !is_top {
                    compare_null(field, there, &path, found);
                }
                compare(field, there, &path, found);
            }
            None if installed.is_open() => {}
            None => found.push(Misfit { path, what: What::Missing }),
        }
    }
    if expected.is_open() && !installed.is_open() && installed.each().is_none() {
        found.push(Misfit { path: path.to_owned(), what: What::Closed });
    }
    if let Some(each) = expected.each() {
        compare_each(each, installed, path, found);
    }
    compare_required(expected, installed, path, found);
}

/// Compares the values of a map.
fn compare_each(each: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    match installed.each() {
        Some(there) => compare(each, there, &format!("{path}.*"), found),
        None if installed.is_open() || !installed.types().contains("object") => {}
        None => found.push(Misfit { path: path.to_owned(), what: What::Closed }),
    }
}

/// Records required fields that the type does not have, since they are never sent.
fn compare_required(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    if expected.is_open() || expected.each().is_some() || !expected.types().contains("object") {
        return;
    }
    for name in installed.required().filter(|name| expected.field(name).is_none()) {
        found.push(Misfit { path: path.to_owned(), what: What::Requires(name.to_owned()) });
    }
}

fn compare_list(expected: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    if let (Some(ours), Some(theirs)) = (expected.items(), installed.items()) {
        compare(ours, theirs, &format!("{path}[*]"), found);
    }
    // A list without keys belongs as a whole to its last writer.
    let Some(keys) = expected.list_keys() else { return };
    let is_list = installed.types().contains("array");
    if is_list && installed.list_keys().as_ref() != Some(&keys) {
        let keys = keys.into_iter().map(ToOwned::to_owned).collect();
        found.push(Misfit { path: path.to_owned(), what: What::Keys(keys) });
    }
}

/// The path in the error of a server-side apply for a field that the schema does not declare.
pub(crate) fn undeclared(refusal: &str) -> Option<&str> {
    let (before, _) = refusal.split_once(": field not declared in schema")?;
    before.rsplit([' ', '\n', '(']).next().filter(|path| path.starts_with('.'))
}
