//! Prepares a write of a CRD: defaults, validation, and the parts of the status that the write sets.

use serde_json::{Value, json};

use super::field::{is_true, items, text, texts};
use super::{check, format};
use crate::schema::Cause;

/// The text of a Warning header.
pub type Warning = String;

/// Prepares a CRD to be stored, for a create (`old` is `None`) or an update of its main part.
///
/// The function sets the default names and the conversion strategy, and removes `spec.preserveUnknownFields: false`. It copies the status
/// from `old`, since a write of the main part never changes it, and adds the storage version to `storedVersions`.
///
/// # Errors
/// Returns all causes of the 422 response of an API server, in its order.
pub fn prepare(crd: &mut Value, old: Option<&Value>) -> Result<Vec<Warning>, Vec<Cause>> {
    let preserve = is_true(crd, "/spec/preserveUnknownFields");
    default(crd);
    take_status(crd, old);
    let mut causes = match old {
        None => check::create(crd),
        Some(old) => check::update(crd, old),
    };
    if preserve {
        let fix =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        causes.push(Cause::invalid("spec.preserveUnknownFields", true, fix));
    }
    if causes.is_empty() { Ok(warnings(crd, old)) } else { Err(causes) }
}

/// Validates a write of `/status`: the accepted names.
///
/// # Errors
/// Returns the causes of the 422 response of an API server.
pub fn prepare_status(crd: &Value) -> Result<(), Vec<Cause>> {
    let causes = check::status(crd);
    if causes.is_empty() { Ok(()) } else { Err(causes) }
}

fn default(crd: &mut Value) {
    if crd.is_object() && crd["spec"].is_null() {
        crd["spec"] = json!({});
    }
    let Some(spec) = crd.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    spec.remove("preserveUnknownFields");
    if spec.get("conversion").is_none_or(Value::is_null) {
        spec.insert("conversion".to_owned(), json!({"strategy": "None"}));
    }
    let service =
        spec.get_mut("conversion").and_then(|conversion| conversion.pointer_mut("/webhook/clientConfig/service"));
    if let Some(service) = service.filter(|service| service.is_object() && service["port"].is_null()) {
        service["port"] = json!(443);
    }
    let Some(names) = spec.get_mut("names").filter(|names| names.is_object()) else { return };
    let kind = text(names, "/kind").to_owned();
    for (name, value) in [("singular", kind.to_lowercase()), ("listKind", format!("{kind}List"))] {
        if !kind.is_empty() && text(names, &format!("/{name}")).is_empty() {
            names[name] = json!(value);
        }
    }
}

fn take_status(crd: &mut Value, old: Option<&Value>) {
    let empty = || json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null});
    let mut status = old.and_then(|old| old.get("status")).cloned().unwrap_or_else(empty);
    let mut stored = texts(&status, "/storedVersions");
    let storage = items(crd, "/spec/versions").iter().find(|version| is_true(version, "/storage"));
    stored.extend(storage.map(|version| text(version, "/name")).filter(|name| !stored.contains(name)));
    if !stored.is_empty() {
        status["storedVersions"] = json!(stored);
    }
    if crd.is_object() {
        crd["status"] = status;
    }
}

/// Warnings for unrecognized formats that `old` does not have.
fn warnings(crd: &Value, old: Option<&Value>) -> Vec<Warning> {
    let known = old.map(format::unrecognized).unwrap_or_default();
    let formats = format::unrecognized(crd).into_iter().filter(|format| !known.contains(format));
    formats.map(|format| format!("unrecognized format {format:?}")).collect()
}
