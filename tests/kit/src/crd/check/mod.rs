//! Validates CRDs; the errors have the order and the wording of an API server.

mod column;
mod conversion;
mod label;
mod names;
mod scale;
mod selectable;
mod spec;
mod status;
mod version;

use serde_json::Value;

use super::condition::{ESTABLISHED, holds};
use super::field::text;
use super::kinds;
use crate::schema::Cause;
use label::invalid;

pub(super) use status::check as status;

/// All errors of a new CRD.
pub(super) fn create(crd: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    name(crd, &mut causes);
    spec::check(crd, &mut causes);
    status::stored_versions(crd, &mut causes);
    approval(crd, &mut causes);
    causes
}

/// All errors of an updated CRD.
pub(super) fn update(crd: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    spec::check(crd, &mut causes);
    immutable(crd, old, &mut causes);
    status::stored_versions(crd, &mut causes);
    if text(crd, APPROVAL) != text(old, APPROVAL) {
        approval(crd, &mut causes);
    }
    causes
}

fn name(crd: &Value, causes: &mut Vec<Cause>) {
    let name = text(crd, "/metadata/name");
    let wanted = format!("{}.{}", text(crd, "/spec/names/plural"), text(crd, "/spec/group"));
    if name != wanted {
        causes.push(invalid("metadata.name", name, r#"must be spec.names.plural+"."+spec.group"#));
    }
}

/// Scope and kind determine how objects are stored, so they may change only until the CRD is Established.
fn immutable(crd: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let while_stored: &[&str] = if holds(old, ESTABLISHED) { &["scope", "names.kind"] } else { &[] };
    for field in while_stored.iter().chain(&["group", "names.plural"]) {
        let pointer = format!("/spec/{}", field.replace('.', "/"));
        if text(crd, &pointer) != text(old, &pointer) {
            causes.push(invalid(&format!("spec.{field}"), text(crd, &pointer), "field is immutable"));
        }
    }
}

const APPROVAL: &str = "/metadata/annotations/api-approved.kubernetes.io";

/// A CRD in a group of the Kubernetes project must have the approval annotation.
fn approval(crd: &Value, causes: &mut Vec<Cause>) {
    let note = text(crd, APPROVAL);
    let field = "metadata.annotations[api-approved.kubernetes.io]";
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    let wanted = r#"protected groups must have approval annotation "api-approved.kubernetes.io""#;
    if !kinds::is_protected(text(crd, "/spec/group")) || note.starts_with("unapproved") || is_url(note) {
        return;
    }
    causes.push(match note {
        "" => Cause::required(field, &format!("{wanted}, {see}")),
        note => invalid(
            field,
            note,
            &format!(r#"{wanted} with either a URL or a reason starting with "unapproved", {see}"#),
        ),
    });
}

fn is_url(text: &str) -> bool {
    text.parse::<http::Uri>().is_ok_and(|uri| uri.scheme().is_some() && uri.host().is_some())
}

#[cfg(test)]
mod tests;
