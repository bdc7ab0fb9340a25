//! The event at the end of a run that went well.

use super::{ReconcileResult, Reconciled};
use crate::condition::{Condition, recovered};

/// What a run made, and how the object stood, before it or after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made<'a> {
    /// The digest of the artifact, where there is one.
    pub digest: Option<&'a str>,
    /// The conditions.
    pub conditions: &'a [Condition],
}

/// What is worth a Normal event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The artifact is another one.
    NewArtifact,
    /// The same artifact, and the failure before it is over.
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

/// The notice of a run, if any: there is none for an error that was not ignored, without an artifact, or at rest.
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
