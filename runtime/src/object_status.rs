//! The status of an object.

use std::fmt;

/// The status of an object, by the rules of [kstatus](https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObjectStatus {
    /// The actual state of the object matches its spec.
    Current,
    /// The actual state does not match the spec yet. Contains the cause.
    InProgress(String),
    /// The controller of the object cannot reach the state of the spec. Contains the cause.
    Failed(String),
    /// The object is being deleted.
    Terminating,
}

impl ObjectStatus {
    /// All words of [`as_str`](Self::as_str).
    #[cfg(all(feature = "dependents", feature = "metrics"))]
    pub(crate) const WORDS: [&'static str; 4] = ["Current", "InProgress", "Failed", "Terminating"];

    /// The word for it in kstatus: `Current`, `InProgress`, `Failed` or `Terminating`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Current => "Current",
            Self::InProgress(_) => "InProgress",
            Self::Failed(_) => "Failed",
            Self::Terminating => "Terminating",
        }
    }
}

impl fmt::Display for ObjectStatus {
    /// The cause, as a part of a sentence about the object.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "it is current",
            Self::InProgress(why) | Self::Failed(why) => why,
            Self::Terminating => "it is being deleted",
        })
    }
}
