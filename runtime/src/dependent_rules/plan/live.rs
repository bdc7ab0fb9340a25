//! What is known of an object in the cluster.

use std::time::Duration;

use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::Applied;

/// An object in the cluster that is marked as a dependent of the set.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveObject {
    /// Its uid.
    pub uid: String,
    /// The version that was seen last.
    pub resource_version: String,
    /// What was applied; `None`: the annotation is missing, or not readable.
    pub applied: Option<Applied>,
    /// Whether it has a deletion timestamp.
    pub is_deleted: bool,
    /// Whether another writer changed a field of the manifest.
    pub has_drifted: bool,
    /// The time since it was applied, or since the process started, if that is not known.
    pub age: Duration,
    /// Its status.
    pub status: ObjectStatus,
}

/// The object in the cluster that has the kind, namespace and name of a manifest.
#[derive(Clone, Copy, Debug)]
pub enum Live<'a> {
    /// There is no dependent of this name. Another object may have it: the call that creates it finds out.
    Absent,
    /// An object of this name exists and may not be taken over.
    Foreign,
    /// The API server refused the last call for it in this pass.
    Refused,
    /// It is a dependent of the set.
    Object(&'a LiveObject),
}
