//! What is remembered of one object between its passes. A restart begins with nothing.

pub(super) mod heat;
pub(super) mod late_digest;
pub(super) mod unsent_status;

use std::collections::BTreeSet;

use crate::pass::api::owned_writes::Children;
use crate::pass::memory::heat::Heat;
use crate::pass::memory::late_digest::Late;
use crate::pass::memory::unsent_status::Pending;

/// What is remembered of one object between its passes.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) children: Children,
    /// A status that could not be written yet.
    pub(super) pending: Option<Pending>,
    /// The last status write failed, and its event has been sent.
    pub(super) unwritten: bool,
    /// The digest of the last body, where the status does not hold it yet.
    pub(super) late: Option<Box<Late>>,
    /// The values that were out of bounds in the last pass; `None` before the first.
    pub(super) clamped: Option<BTreeSet<&'static str>>,
    /// Conditions of ours that another manager holds, too: we cannot take them away.
    pub(super) foreign: BTreeSet<&'static str>,
    /// Fields of ours that stay in the status though we leave them out, and that could not be taken over; null: none.
    pub(super) untakeable: serde_json::Value,
    /// How it changes under its passes.
    pub(super) heat: Heat,
    /// It was suspended when it was last looked at.
    pub(super) suspended: bool,
    /// It was told that it goes.
    pub(super) going: bool,
    /// The other operator that it belonged to when it was last looked at.
    pub(super) elsewhere: Option<String>,
}

impl Memory {
    /// Whether the object was suspended, or that of another operator, when it was last looked at.
    pub(in crate::pass) fn is_set_aside(&self) -> bool {
        self.suspended || self.elsewhere.is_some()
    }
}
