//! The object that a pass runs on, as its writes need it, and why one of them was not made.

use kube::api::DynamicObject;

use crate::api::{ApiError, Target};

/// The object that the pass runs on, as far as a status write depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pass) struct Identity {
    pub(in crate::pass) target: Target,
    pub(in crate::pass) uid: String,
    pub(in crate::pass) generation: Option<i64>,
    pub(in crate::pass) deleting: bool,
    /// What is written holds for the object, whatever its spec says meanwhile.
    pub(in crate::pass) urgent: bool,
}

impl Identity {
    /// The same wish: what the pass found out still holds for the object.
    pub(in crate::pass) fn holds_for(&self, live: &DynamicObject) -> bool {
        let meta = &live.metadata;
        self.urgent || (meta.generation == self.generation && meta.deletion_timestamp.is_some() == self.deleting)
    }
}

/// Why a status was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Unwritten {
    /// The object is shown to be gone: a read of it finds none, or another one under its name.
    Gone,
    /// The object changed under the pass: what it found out no longer holds.
    Outdated,
    /// The write failed; the intent stands.
    Failed(ApiError),
}
