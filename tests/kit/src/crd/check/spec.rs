//! Validates the spec of a CRD.

use serde_json::{Value, json};

use super::super::field::{is_true, items, text};
use super::label::{invalid, label};
use super::version::{self, Versions};
use super::{conversion, names};
use crate::schema::Cause;

pub(super) fn check(crd: &Value, causes: &mut Vec<Cause>) {
    let versions = &Versions::of(crd);
    group(text(crd, "/spec/group"), causes);
    scope(text(crd, "/spec/scope"), causes);
    version::schemas_given(versions, causes);
    version::each(versions, causes);
    unique(crd, causes);
    first_name(crd, causes);
    names::required(crd, causes);
    names::check(&crd["spec"]["names"], "spec.names", causes);
    version::shared(versions, causes);
    conversion::check(&crd["spec"]["conversion"], causes);
}

fn group(group: &str, causes: &mut Vec<Cause>) {
    let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !is_subdomain(group) {
        causes.push(invalid("spec.group", group, rule));
    } else if !group.contains('.') {
        causes.push(invalid("spec.group", group, "should be a domain with at least one dot"));
    }
}

fn is_subdomain(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits =
        |part: &str| !part.is_empty() && part.chars().all(inner) && !part.starts_with('-') && !part.ends_with('-');
    text.len() <= 253 && text.split('.').all(fits)
}

fn scope(scope: &str, causes: &mut Vec<Cause>) {
    match scope {
        "Cluster" | "Namespaced" => (),
        "" => causes.push(Cause::required("spec.scope", "")),
        other => {
            let choice = ["Cluster", "Namespaced"].map(str::to_owned);
            causes.push(Cause::unsupported("spec.scope", format!("{other:?}"), &choice));
        }
    }
}

/// Version names must be unique, and exactly one version must be the storage version.
fn unique(crd: &Value, causes: &mut Vec<Cause>) {
    let versions = items(crd, "/spec/versions");
    let mut names: Vec<&str> = versions.iter().map(|version| text(version, "/name")).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < versions.len() {
        causes.push(Cause::invalid("spec.versions", printed(crd), "must contain unique version names"));
    }
    if versions.iter().filter(|version| is_true(version, "/storage")).count() != 1 {
        let rule = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid("spec.versions", printed(crd), rule));
    }
}

/// The name of the first version is also checked as `spec.version`, its name before CRDs had several versions.
fn first_name(crd: &Value, causes: &mut Vec<Cause>) {
    let name = text(crd, "/spec/versions/0/name");
    if !name.is_empty() {
        causes.extend(label(name).map(|why| invalid("spec.version", name, &why)));
    }
}

/// The versions as the Go types of an API server print them.
fn printed(crd: &Value) -> String {
    match crd.pointer("/spec/versions") {
        Some(Value::Array(versions)) => {
            format!("[{}]", versions.iter().map(printed_version).collect::<Vec<_>>().join(","))
        }
        _ => "null".to_owned(),
    }
}

fn printed_version(version: &Value) -> String {
    let of = |field: &str| version.get(field).filter(|value| !value.is_null());
    let or_false = |field| of(field).cloned().unwrap_or(json!(false));
    let fields = [
        ("Name", of("name").cloned().unwrap_or(json!(""))),
        ("Served", or_false("served")),
        ("Storage", or_false("storage")),
        ("Deprecated", or_false("deprecated")),
        ("DeprecationWarning", of("deprecationWarning").cloned().unwrap_or(Value::Null)),
        ("Schema", Value::Null),
        ("Subresources", Value::Null),
        ("AdditionalPrinterColumns", Value::Null),
        ("SelectableFields", Value::Null),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}", fields.join(","))
}
