//! Conditions: what a set declares, and the algebra of values that a pass works on.
//!
//! The functions take a list of conditions, which is a map by type, and the time as a value: they read no clock and reach no server.
//! A [`Merge`] makes one condition of several: the [summary](Merge::summary) of an object, the [aggregate](Merge::aggregate) over
//! others, the [`mirror`] of one. [`set`] and the marks keep generation, transition time and order; [`patch`] merges what two writers
//! made of one list. Pipelines use the same functions, so that a controller ported by hand reads like one that is generated.
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
    /// `True` is bad: `FetchFailed`, `ArtifactOutdated`. Present only while there is something to say.
    Negative,
    /// `True` is good and `False` is bad, and absent means that there is nothing to say: `SourceVerified`.
    Bipolar,
}

impl Polarity {
    /// The status that says "good" under this polarity.
    #[must_use]
    pub const fn good(self) -> ConditionStatus {
        match self {
            Self::Positive | Self::Bipolar => ConditionStatus::True,
            Self::Negative => ConditionStatus::False,
        }
    }

    /// The status that says "bad" under this polarity.
    #[must_use]
    pub const fn bad(self) -> ConditionStatus {
        match self {
            Self::Positive | Self::Bipolar => ConditionStatus::False,
            Self::Negative => ConditionStatus::True,
        }
    }
}

/// The status of a condition, as the Kubernetes API conventions define it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown | Self::Other => "Unknown",
        }
    }

    /// Whether the status says neither yes nor no.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When the status last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub last_transition_time: Option<Timestamp>,
    /// The reason of the last transition, a word in CamelCase.
    #[serde(default)]
    pub reason: String,
    /// The text for people. An empty one is not sent: server-side apply of Kubernetes 1.20 takes it for null.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Reading tolerates what is missing; the server need not fill it in (and 1.20 takes an empty text there for null).
fn without_defaults(schema: &mut schemars::Schema) {
    let properties = schema.get_mut("properties").and_then(|properties| properties.as_object_mut());
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        if let Some(property) = property.as_object_mut() {
            property.remove("default");
        }
    }
}

impl Condition {
    /// A condition without generation and time, which a [`Stamp`] gives it.
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

    /// Whether type, status, reason and message are equal; generation and time do not count.
    #[must_use]
    pub fn same_state(&self, other: &Self) -> bool {
        self.type_ == other.type_
            && self.status == other.status
            && self.reason == other.reason
            && self.message == other.message
    }
}

/// The condition of the given type, if it is in the list. Lists of conditions are maps keyed by type.
#[must_use]
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|c| c.type_ == type_)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_a_condition_lets_the_server_fill_in_nothing() {
        let schema = serde_json::to_value(schemars::schema_for!(Condition)).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        assert!(properties.contains_key("reason"), "{schema}");
        assert!(properties.values().all(|property| property.get("default").is_none()), "{schema}");
    }
}
