//! Validates the requested and the accepted names of a CRD.

use serde_json::Value;

use super::super::field::{text, texts};
use super::label::{invalid, label};
use crate::schema::Cause;

/// Validates the names under `field` ("spec.names") that are set.
pub(super) fn check(names: &Value, field: &str, causes: &mut Vec<Cause>) {
    for name in ["plural", "singular"] {
        word(text(names, &format!("/{name}")), &format!("{field}.{name}"), causes);
    }
    for name in ["kind", "listKind"] {
        mixed(text(names, &format!("/{name}")), &format!("{field}.{name}"), causes);
    }
    let (kind, list) = (text(names, "/kind"), text(names, "/listKind"));
    if !kind.is_empty() && kind == list {
        causes.push(invalid(&format!("{field}.listKind"), list, "kind and listKind may not be the same"));
    }
    for name in ["shortNames", "categories"] {
        for (at, text) in texts(names, &format!("/{name}")).into_iter().enumerate() {
            let field = format!("{field}.{name}[{at}]");
            causes.extend(label(text).map(|why| invalid(&field, text, &why)));
        }
    }
}

/// Requires the mandatory names of a CRD.
pub(super) fn required(crd: &Value, causes: &mut Vec<Cause>) {
    for name in ["plural", "singular", "kind", "listKind"] {
        if text(crd, &format!("/spec/names/{name}")).is_empty() {
            causes.push(Cause::required(&format!("spec.names.{name}"), ""));
        }
    }
}

fn word(name: &str, field: &str, causes: &mut Vec<Cause>) {
    if !name.is_empty() {
        causes.extend(label(name).map(|why| invalid(field, name, &why)));
    }
}

fn mixed(name: &str, field: &str, causes: &mut Vec<Cause>) {
    if let Some(why) = label(&name.to_lowercase()).filter(|_| !name.is_empty()) {
        causes.push(invalid(field, name, &format!("may have mixed case, but should otherwise match: {why}")));
    }
}
