//! A write of an object, as a rule sees it.

use serde_json::Value;

/// A write of an object, and what was stored before.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) new: Value,
    pub(super) old: Option<Value>,
    /// The variable `request`, without what the API server omits.
    pub(super) request: Value,
}

/// A case with different results.
pub(super) struct Difference {
    pub(super) case: Case,
    pub(super) rust: String,
    pub(super) cel: String,
}
