//! The event at the end of a successful run.

use super::{ReconcileResult, Reconciled};
use crate::condition::{Condition, recovered};

/// The artifact and the conditions of an object, before or after a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made<'a> {
    /// The digest of the artifact, if there is one.
    pub digest: Option<&'a str>,
    /// The conditions.
    pub conditions: &'a [Condition],
}

/// The reason for a Normal event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The artifact has changed.
    NewArtifact,
    /// The artifact is the same, and an earlier failure is over.
    Recovered,
}

impl Notice {
    /// The reason of the event.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NewArtifact => "NewArtifact",
            Self::Recovered => "Succeeded",
        }
    }
}

/// The notice of a run, if any. `None` if the run was not successful, has no artifact, or neither changed the artifact nor recovered.
#[must_use]
pub fn notice(reconciled: &Reconciled, before: Made<'_>, now: Made<'_>, failures: &[&str]) -> Option<Notice> {
    let went_well = match reconciled {
        Ok(result) => *result == ReconcileResult::Success,
        Err(error) => error.is_ignored(),
    };
    let digest = now.digest.filter(|_| went_well)?;
    if before.digest != Some(digest) {
        return Some(Notice::NewArtifact);
    }
    recovered(before.conditions, now.conditions, failures).then_some(Notice::Recovered)
}
