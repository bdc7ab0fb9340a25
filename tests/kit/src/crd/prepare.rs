//! What a write of a definition goes through: defaults, the checks, and the parts of the status the write itself sets.

use serde_json::{Value, json};

use super::field::{is_true, items, text, texts};
use super::{check, format};
use crate::schema::Cause;

/// A text for a Warning header.
pub type Warning = String;

/// Makes a definition ready to be stored, at create (`old` is `None`) or at update of its main part.
///
/// Fills in the default names and the conversion strategy; takes the status over from `old` (a write of the main part
/// never changes it) and adds the storage version to `storedVersions`. `spec.preserveUnknownFields: false` goes away.
///
/// # Errors
/// All causes of the 422 a real server answers, in its order; webhook conversion is one, since it is not offered here.
pub fn prepare(crd: &mut Value, old: Option<&Value>) -> Result<Vec<Warning>, Vec<Cause>> {
    let preserve = is_true(crd, "/spec/preserveUnknownFields");
    default(crd);
    take_status(crd, old);
    let mut causes = match old {
        None => check::create(crd),
        Some(old) => check::update(crd, old),
    };
    if preserve {
        let cure =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        causes.push(Cause::invalid("spec.preserveUnknownFields", true, cure));
    }
    if causes.is_empty() { Ok(warnings(crd, old)) } else { Err(causes) }
}

/// Checks a write of `/status`: a version that may still be stored can't be dropped from the definition.
///
/// # Errors
/// The causes of the 422 a real server answers.
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

/// New unknown formats.
fn warnings(crd: &Value, old: Option<&Value>) -> Vec<Warning> {
    let known = old.map(format::unrecognized).unwrap_or_default();
    let formats = format::unrecognized(crd).into_iter().filter(|format| !known.contains(format));
    formats.map(|format| format!("unrecognized format {format:?}")).collect()
}
