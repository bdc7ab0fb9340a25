//! Warnings that are logged once per process, for mistakes in the code that appear only at run time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::condition::{ConditionInfo, is_declared};

/// The warnings that were logged. Their words come from the code, so the set stays small.
static TOLD: Mutex<BTreeSet<Vec<String>>> = Mutex::new(BTreeSet::new());

/// Whether this warning was not logged before.
fn is_news(words: &[&str]) -> bool {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(words)
}

/// Warns of a reason that the condition does not declare.
pub(super) fn warn_of_reason(reconciler: &str, step: &str, info: &ConditionInfo, reason: &str) {
    let condition = info.type_;
    if !is_declared(info, reason) && is_news(&["reason", reconciler, step, condition, reason]) {
        tracing::warn!(
            step,
            condition,
            reason,
            "the condition does not declare this reason: add it to its `reasons(..)`"
        );
    }
}

/// Warns of a status field that joined steps changed to different values.
pub(super) fn warn_of_rival(reconciler: &str, step: &str, field: &str) {
    if is_news(&["field", reconciler, step, field]) {
        tracing::warn!(
            field,
            step,
            "joined steps write the same status field: give it to one of them, `#[status(step = ..)]`"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_told_once() {
        assert!(is_news(&["draft", "once", "a"]));
        assert!(!is_news(&["draft", "once", "a"]));
        assert!(is_news(&["draft", "once", "b"]));
    }
}
