//! The state of one object between its passes. It is in memory only and lost on restart.

pub(super) mod hot_object;
pub(super) mod late_digest;
pub(super) mod live_reads;
#[cfg(feature = "dependents")]
pub(super) mod progress_writes;
pub(super) mod tried;
pub(super) mod unsent_status;

use std::collections::BTreeSet;

use crate::pass::api::owned_writes::Children;
#[cfg(feature = "dependents")]
use crate::pass::api::rolled_out::Changes;
use crate::pass::memory::hot_object::HotObject;
use crate::pass::memory::late_digest::LateDigest;
#[cfg(feature = "dependents")]
use crate::pass::memory::progress_writes::ProgressWrites;
use crate::pass::memory::tried::Tried;
use crate::pass::memory::unsent_status::Pending;
#[cfg(feature = "dependents")]
use crate::pipeline::state::Converged;

/// The state of one object between its passes.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) children: Children,
    /// A status that could not be written yet.
    pub(super) pending: Option<Pending>,
    /// The passes since the last success, if it did not succeed.
    pub(super) tried: Option<Box<Tried>>,
    /// The last status write failed, and its event has been sent.
    pub(super) unwritten: bool,
    /// The digest of the last body, if the status does not hold it yet.
    pub(super) late: Option<Box<LateDigest>>,
    /// The writes about dependents that became ready, while the object waits for them.
    #[cfg(feature = "dependents")]
    pub(super) progress: Option<Box<ProgressWrites>>,
    /// What has changed in its sets since they were last as wanted; `None`: nothing.
    #[cfg(feature = "dependents")]
    pub(super) rolled_out: Option<Box<Changes>>,
    /// Its sets, if they had converged in the last pass.
    #[cfg(feature = "dependents")]
    pub(super) converged: Option<Box<Converged>>,
    /// The values that were out of bounds in the last pass; `None` before the first.
    pub(super) clamped: Option<BTreeSet<&'static str>>,
    /// Our conditions that another manager holds, too, so that we cannot remove them.
    pub(super) foreign: BTreeSet<&'static str>,
    /// Our fields that stay in the status although we leave them out, and could not be taken over; null: none.
    pub(super) untakeable: serde_json::Value,
    /// Whether the object is hot.
    pub(super) hot_object: HotObject,
    /// The object was suspended in its last pass.
    pub(super) suspended: bool,
    /// The object for which the code of a watcher has run, as a number; 0: none.
    pub(super) watched: u64,
    /// The object whose cleanups have succeeded, as a number, while its finalizer could not be removed; 0: none.
    pub(super) cleaned_up: u64,
    /// The event of its deletion was sent.
    pub(super) deletion_reported: bool,
    /// The other operator that owned the object in its last pass.
    pub(super) other_operator: Option<String>,
}

impl Memory {
    /// Whether the last pass found the object suspended or owned by another operator.
    pub(in crate::pass) fn is_set_aside(&self) -> bool {
        self.suspended || self.other_operator.is_some()
    }

    /// Whether a later pass needs nothing of it besides what the status shows.
    pub(in crate::pass) fn is_idle(&self) -> bool {
        #[cfg(feature = "dependents")]
        let has_sets = self.progress.is_some() || self.rolled_out.is_some() || self.converged.is_some();
        #[cfg(not(feature = "dependents"))]
        let has_sets = false;
        let is_unwritten = self.pending.is_some() || self.unwritten || self.late.is_some() || self.tried.is_some();
        let is_odd = !self.foreign.is_empty() || !self.untakeable.is_null() || self.hot_object != HotObject::default();
        let is_clamped = self.clamped.as_ref().is_some_and(|clamped| !clamped.is_empty());
        let is_deleted = self.cleaned_up != 0 || self.deletion_reported;
        !(has_sets || is_unwritten || is_odd || is_clamped || is_deleted || self.is_set_aside())
            && self.children.is_empty()
    }
}
