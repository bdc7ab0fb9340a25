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
    set_terminating(crd, true, "InstanceDeletionPending", message, now);
    if !super::texts(crd, "/metadata/finalizers").contains(&FINALIZER) {
        let mut finalizers = super::items(crd, "/metadata/finalizers").to_vec();
        finalizers.push(json!(FINALIZER));
        crd["metadata"]["finalizers"] = json!(finalizers);
    }
}

/// Says that its objects are being deleted; finalizers of their own may hold them up.
pub fn mark_deleting(crd: &mut Value, now: Timestamp) {
    set_terminating(crd, true, "InstanceDeletionInProgress", "CustomResource deletion is in progress", now);
}

/// Says that no object is left and takes the finalizer away: nothing of the server's own holds the definition any more.
pub fn mark_emptied(crd: &mut Value, now: Timestamp) {
    set_terminating(crd, false, "InstanceDeletionCompleted", "removed all instances", now);
    if let Some(finalizers) = crd["metadata"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != FINALIZER);
    }
}

fn set_terminating(crd: &mut Value, holds: bool, reason: &'static str, message: &str, now: Timestamp) {
    let mut conditions = super::items(crd, "/status/conditions").to_vec();
    set(&mut conditions, &Condition { type_: TERMINATING, holds, reason, message: message.to_owned() }, now);
    crd["status"]["conditions"] = json!(conditions);
}
