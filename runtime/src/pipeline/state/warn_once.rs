//! Warnings that are logged once, for mistakes in the code that appear only at run time.

use crate::api::Warned;
use crate::condition::{ConditionInfo, is_declared};

/// Warns of a reason that the condition does not declare.
pub(super) fn warn_of_reason(warned: &Warned, reconciler: &str, step: &str, info: &ConditionInfo, reason: &str) {
    let condition = info.type_;
    if !is_declared(info, reason) && warned.is_new(&["reason", reconciler, step, condition, reason]) {
        tracing::warn!(
            step,
            condition,
            reason,
            "the condition does not declare this reason: add it to its `reasons(..)`"
        );
    }
}

/// Warns of a status field that joined steps changed to different values.
pub(super) fn warn_of_rival(warned: &Warned, reconciler: &str, step: &str, field: &str) {
    if warned.is_new(&["field", reconciler, step, field]) {
        tracing::warn!(
            field,
            step,
            "joined steps write the same status field: give it to one of them, `#[status(step = ..)]`"
        );
    }
}
