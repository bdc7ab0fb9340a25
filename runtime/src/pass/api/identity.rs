//! The identity of a pass's object, and the reasons why a status was not written.

use kube::api::DynamicObject;

use crate::api::{ApiError, Target};

/// The properties of the object that a status write depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pass) struct Identity {
    pub(in crate::pass) target: Target,
    pub(in crate::pass) uid: String,
    pub(in crate::pass) generation: Option<i64>,
    pub(in crate::pass) deleting: bool,
    /// The write applies to the object even if its spec has changed meanwhile.
    pub(in crate::pass) urgent: bool,
}

impl Identity {
    /// Whether the results of the pass still apply to the object.
    pub(in crate::pass) fn holds_for(&self, live: &DynamicObject) -> bool {
        let meta = &live.metadata;
        self.urgent || (meta.generation == self.generation && meta.deletion_timestamp.is_some() == self.deleting)
    }
}

/// Why a status was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Unwritten {
    /// The object was deleted: a read found none, or a recreated one.
    Gone,
    /// The object changed during the pass, whose results no longer apply.
    Outdated,
    /// The write failed; the status still has to be written.
    Failed(ApiError),
}
