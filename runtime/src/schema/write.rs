//! What is written: each value of the type has to be taken and kept.

use serde_json::Value;

use super::misfit::{Misfit, What};
use super::node::{Node, named};

/// Compares what the program writes.
pub(super) fn compare_status(
    expected: &Value,
    installed: &Value,
    is_used: &dyn Fn(&str) -> bool,
    found: &mut Vec<Misfit>,
) {
    let (expected, installed) = (Node(expected), Node(installed));
    let Some(status) = expected.field("status") else { return };
    let Some(there) = installed.field("status") else {
        if !installed.is_open() && !installed.is_blank() {
            found.push(Misfit { path: ".status".into(), what: What::Missing });
        }
        return;
    };
    compare_object(status, there, ".status", is_used, found);
}

/// A null at the top of a status is never sent; one below is.
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

/// A type that is one of several, like int-or-string, has been spelled as one of them by earlier generators.
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

/// Values of a type that is not limited are its author's affair.
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

/// The values of a map.
fn compare_each(each: Node<'_>, installed: Node<'_>, path: &str, found: &mut Vec<Misfit>) {
    match installed.each() {
        Some(there) => compare(each, there, &format!("{path}.*"), found),
        None if installed.is_open() || !installed.types().contains("object") => {}
        None => found.push(Misfit { path: path.to_owned(), what: What::Closed }),
    }
}

/// A field that the type does not have is never sent.
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
    // A list without the keys belongs to its last writer as a whole.
    let Some(keys) = expected.list_keys() else { return };
    let is_list = installed.types().contains("array");
    if is_list && installed.list_keys().as_ref() != Some(&keys) {
        let keys = keys.into_iter().map(ToOwned::to_owned).collect();
        found.push(Misfit { path: path.to_owned(), what: What::Keys(keys) });
    }
}

/// The field that an API server refuses in a server-side apply, since its schema does not have it.
pub(crate) fn undeclared(refusal: &str) -> Option<&str> {
    let (before, _) = refusal.split_once(": field not declared in schema")?;
    before.rsplit([' ', '\n', '(']).next().filter(|path| path.starts_with('.'))
}
