//! The interface to the metrics of reviews. Without the feature `metrics` each call only checks an `Option`.

use std::sync::Arc;
use std::time::Duration;

/// Records the metrics of reviews.
pub(crate) trait CountsReviews: Send + Sync {
    /// A function has reviewed a write, or did not have to.
    fn review(&self, function: &'static str, result: ReviewResult, took: Duration);
    /// A patch of the kind's mutating functions replaces this many lists as a whole.
    fn replaced_lists(&self, function: &'static str, lists: u64);
}

/// How the review of a function ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewResult {
    Allowed,
    Denied,
    /// The update changes metadata and status only.
    Unchanged,
    /// The object does not fit its type.
    Undecodable,
    /// A call to the API server failed.
    Unavailable,
    Panic,
    Timeout,
}

#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who counts is in a feature"))]
impl ReviewResult {
    pub(crate) const ALL: [Self; 7] = [
        Self::Allowed,
        Self::Denied,
        Self::Unchanged,
        Self::Undecodable,
        Self::Unavailable,
        Self::Panic,
        Self::Timeout,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Unchanged => "unchanged",
            Self::Undecodable => "undecodable",
            Self::Unavailable => "unavailable",
            Self::Panic => "panic",
            Self::Timeout => "timeout",
        }
    }
}

/// The metrics of reviews, if enabled.
#[derive(Clone, Default)]
pub(crate) struct ReviewMeter(Option<Arc<dyn CountsReviews>>);

impl ReviewMeter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn CountsReviews>) -> Self {
        Self(Some(counts))
    }

    /// Records a metric, if enabled.
    pub(crate) fn record(&self, what: impl FnOnce(&dyn CountsReviews)) {
        if let Some(counts) = &self.0 {
            what(&**counts);
        }
    }
}
