//! The end of a definition: its objects are deleted before it goes.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::condition::{Condition, TERMINATING, set};

/// Keeps a definition until its objects are gone.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Marks a definition at DELETE: adds the finalizer and says what will happen. The deletion timestamp, which alone of
/// the usual deletion marks a definition gets, is the server's to set.
pub fn mark_deleted(crd: &mut Value, now: Timestamp) {
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    put(crd, &Condition::met(TERMINATING, "InstanceDeletionPending", message), now);
    if !super::field::texts(crd, "/metadata/finalizers").contains(&FINALIZER) {
        let mut finalizers = super::field::items(crd, "/metadata/finalizers").to_vec();
        finalizers.push(json!(FINALIZER));
        crd["metadata"]["finalizers"] = json!(finalizers);
    }
}

/// Says that its objects are being deleted; finalizers of their own may hold them up.
pub fn mark_deleting(crd: &mut Value, now: Timestamp) {
    let message = "CustomResource deletion is in progress";
    put(crd, &Condition::met(TERMINATING, "InstanceDeletionInProgress", message), now);
}

/// Says that no object is left and takes the finalizer away: nothing of the server's own holds the definition any more.
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
