//! Conditions: declared condition sets, and functions on lists of conditions.
//!
//! All functions take a list of conditions, which is a map by type, and the time as a value. They neither read a clock
//! nor call the API server:
//!
//! - A [`Merge`] computes one condition from several: the [summary](Merge::summary) of an object, or the
//!   [aggregate](Merge::aggregate) over several objects. [`mirror`] copies the condition of another object.
//! - [`set`] and the marks maintain generation, transition time and order.
//! - [`patch`] merges the changes of two writers to one list.
//!
//! Pipelines use the same functions, so a hand-written controller that is ported reads like a generated one.
//!
//! ```
//! use evenkeel::condition::{Merge, READY, Ranking, Stamp, is_ready, mark_false, mark_true, set};
//! let stamp = Stamp::new(3, "2024-05-01T10:00:00Z".parse().unwrap());
//! let mut conditions = Vec::new();
//! mark_true(&mut conditions, "Fetched", "Succeeded", "fetched revision a", &stamp);
//! mark_false(&mut conditions, "Stored", "DiskFull", "no space left", &stamp);
//! let ready = Merge::new(Ranking::Worst).summary(&conditions, READY).unwrap();
//! set(&mut conditions, ready, &stamp);
//! assert!(!is_ready(&conditions));
//! assert_eq!(conditions[0].reason, "DiskFull");
//! ```

mod aggregate;
mod counter;
mod declared;
mod failure;
mod getter;
mod group;
mod k8s;
mod mark;
mod merge;
mod mirror;
pub mod patch;
mod ranking;
pub(crate) mod reason;
mod setter;
mod source;
mod summary;
mod well_known;

#[cfg(feature = "cli")]
pub(crate) use crate::outcome::message::escape;
pub use crate::outcome::message::{MAX_MESSAGE, sanitize};
pub use counter::{completed, counted};
pub use declared::{ConditionInfo, ConditionMarker, ConditionSet, ReasonInfo, SummaryInfo};
#[cfg(feature = "operator")]
pub(crate) use failure::has_recovered;
pub use failure::{highest_negative, recovered};
pub use getter::{has, has_any, has_any_reason, is_false, is_ready, is_reconciling, is_stalled, is_true, is_unknown};
pub use group::{Group, Member};
pub use mark::{Drift, mark_false, mark_progress, mark_reconciling, mark_stalled, mark_true, mark_unknown};
pub use merge::Merge;
pub use mirror::{Fallback, mirror};
pub use ranking::{Ranking, Verdict};
pub use reason::UnusedReason;
pub(crate) use reason::is_declared;
pub use setter::{Stamp, Transition, compare, delete, set};
pub use source::{Source, localize};
pub use well_known::{READY, RECONCILING, STALLED};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which status of a condition is the good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// `True` is good: `Available`, `ArtifactStored`.
    Positive,
    /// `True` is bad: `FetchFailed`, `ArtifactOutdated`. The condition is usually absent unless it is True.
    Negative,
    /// `True` is good and `False` is bad; the condition may also be absent: `SourceVerified`.
    Bipolar,
}

impl Polarity {
    /// The good status under this polarity.
    #[must_use]
    pub const fn good(self) -> ConditionStatus {
        match self {
            Self::Positive | Self::Bipolar => ConditionStatus::True,
            Self::Negative => ConditionStatus::False,
        }
    }

    /// The bad status under this polarity.
    #[must_use]
    pub const fn bad(self) -> ConditionStatus {
        match self {
            Self::Positive | Self::Bipolar => ConditionStatus::False,
            Self::Negative => ConditionStatus::True,
        }
    }
}

/// The status of a condition, as the Kubernetes API conventions define it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Hash)]
#[schemars(inline)]
pub enum ConditionStatus {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// Nothing is known.
    Unknown,
    /// A word that is none of the three, which only another writer can have set. It means as little as `Unknown` does, is written as
    /// `Unknown`, and [`Ranking::Flux`] ranks it last.
    #[serde(other, rename(serialize = "Unknown"))]
    #[schemars(skip)]
    Other,
}

impl ConditionStatus {
    /// The status as a string.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown | Self::Other => "Unknown",
        }
    }

    /// Whether the status is neither True nor False.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::Other)
    }
}

impl std::fmt::Display for ConditionStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One condition of `status.conditions`, in the standard form of the Kubernetes API conventions.
///
/// Reading is lenient, since other writers keep theirs in the same list; what evenkeel writes is always complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_defaults)]
pub struct Condition {
    /// The type of the condition, in CamelCase.
    #[serde(rename = "type")]
    pub type_: String,
    /// `True`, `False` or `Unknown`.
    pub status: ConditionStatus,
    /// The generation that the condition was set for.
    // Not nullable in the schema, as in that of `metav1.Condition`: without a value the field is not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub observed_generation: Option<i64>,
    /// When the status last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub last_transition_time: Option<Timestamp>,
    /// The reason of the last transition, a word in CamelCase.
    #[serde(default)]
    pub reason: String,
    /// The text for people. An empty one is not sent: server-side apply of Kubernetes 1.20 takes it for null.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Removes the defaults from the schema: missing fields are accepted, so the API server need not set them. Kubernetes 1.20
/// interprets an empty text in a default as null.
fn without_defaults(schema: &mut schemars::Schema) {
    let properties = schema.get_mut("properties").and_then(|properties| properties.as_object_mut());
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        if let Some(property) = property.as_object_mut() {
            property.remove("default");
        }
    }
}

impl Condition {
    /// Creates a condition without generation and transition time, which a [`Stamp`] adds.
    #[must_use]
    pub fn new(
        type_: impl Into<String>,
        status: ConditionStatus,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            type_: type_.into(),
            status,
            observed_generation: None,
            last_transition_time: None,
            reason: reason.into(),
            message: message.into(),
        }
    }

    /// Whether type, status, reason and message are equal. Generation and transition time are ignored.
    #[must_use]
    pub fn same_state(&self, other: &Self) -> bool {
        self.type_ == other.type_
            && self.status == other.status
            && self.reason == other.reason
            && self.message == other.message
    }
}

/// Returns the condition of the given type. Lists of conditions are maps by type.
#[must_use]
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == type_)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_schema_has_no_defaults() {
        let schema = serde_json::to_value(schemars::schema_for!(Condition)).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        assert!(properties.contains_key("reason"), "{schema}");
        assert!(properties.values().all(|property| property.get("default").is_none()), "{schema}");
    }
}
