//! Deletion of a CRD: its objects are deleted first.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::condition::{Condition, TERMINATING, set};

/// The finalizer that delays the deletion of a CRD until its objects are deleted.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Marks a CRD on DELETE: adds the finalizer and sets the condition Terminating.
///
/// The server sets the deletion timestamp, the only one of the usual deletion fields that a CRD gets.
pub fn mark_deleted(crd: &mut Value, now: Timestamp) {
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    put(crd, &Condition::met(TERMINATING, "InstanceDeletionPending", message), now);
    if !super::field::texts(crd, "/metadata/finalizers").contains(&FINALIZER) {
        let mut finalizers = super::field::items(crd, "/metadata/finalizers").to_vec();
        finalizers.push(json!(FINALIZER));
        crd["metadata"]["finalizers"] = json!(finalizers);
    }
}

/// Sets the condition that the objects are being deleted. Finalizers of the objects may delay this.
pub fn mark_deleting(crd: &mut Value, now: Timestamp) {
    let message = "CustomResource deletion is in progress";
    put(crd, &Condition::met(TERMINATING, "InstanceDeletionInProgress", message), now);
}

/// Sets the condition that no objects are left, and removes the finalizer.
pub fn mark_emptied(crd: &mut Value, now: Timestamp) {
    put(crd, &Condition::unmet(TERMINATING, "InstanceDeletionCompleted", "removed all instances"), now);
    if let Some(finalizers) = crd["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != FINALIZER);
    }
}

fn put(crd: &mut Value, condition: &Condition, now: Timestamp) {
    let mut conditions = super::field::items(crd, "/status/conditions").to_vec();
    set(&mut conditions, condition, now);
    crd["status"]["conditions"] = json!(conditions);
}
