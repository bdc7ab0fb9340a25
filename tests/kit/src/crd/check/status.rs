//! Validates the status of a CRD.

use serde_json::Value;

use super::super::field::{is_true, items, text, texts};
use super::label::invalid;
use super::names;
use crate::schema::Cause;

/// All errors of a status that a client wrote.
pub(in crate::crd) fn check(crd: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    names::check(&crd["status"]["acceptedNames"], "status.acceptedNames", &mut causes);
    causes
}

/// Requires every version in `storedVersions` to be in the spec, and the storage version to be in `storedVersions`.
pub(super) fn stored_versions(crd: &Value, causes: &mut Vec<Cause>) {
    let field = "status.storedVersions";
    let stored = texts(crd, "/status/storedVersions");
    if stored.is_empty() {
        causes.push(Cause::invalid(field, "null", "must have at least one stored version"));
        return;
    }
    let versions = items(crd, "/spec/versions");
    for name in versions.iter().filter(|version| is_true(version, "/storage")).map(|version| text(version, "/name")) {
        if !stored.contains(&name) {
            let value = serde_json::json!(stored);
            causes.push(Cause::invalid(field, value, format!("must have the storage version {name}")));
        }
    }
    for (at, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| text(version, "/name") == *name) {
            causes.push(invalid(&format!("{field}[{at}]"), name, &missing(name)));
        }
    }
}

fn missing(name: &str) -> String {
    format!(
        "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a \
         storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
    )
}
