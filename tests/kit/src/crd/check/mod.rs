//! The refusals of a definition, in the order and the words of a real server.

mod column;
mod conversion;
mod names;
mod scale;
mod selectable;
mod spec;
mod status;
mod version;

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::condition::{ESTABLISHED, holds};
use super::{kinds, text};
use crate::schema::Cause;

pub(super) use status::check as status;

/// Everything wrong with a new definition.
pub(super) fn create(crd: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    name(crd, &mut causes);
    spec::check(crd, &mut causes);
    status::stored_versions(crd, &mut causes);
    approval(crd, &mut causes);
    causes
}

/// Everything wrong with a definition in place of an old one.
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

/// Scope and kind shape what is stored, so they may change until the definition is Established.
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

/// Groups of the Kubernetes project say who approved the kind.
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

/// A wrong text, quoted.
fn invalid(field: &str, value: &str, why: &str) -> Cause {
    Cause::invalid(field, format!("{value:?}"), why)
}

/// Why the text is no label that begins with a letter.
fn label(text: &str) -> Option<String> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").ok());
    let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    if text.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    let fits = LABEL.as_ref().is_some_and(|label| label.is_match(text));
    (!fits).then(|| rule.to_owned())
}

#[cfg(test)]
mod tests;
