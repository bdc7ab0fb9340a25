//! What is told of errors: classes and variants, events, log lines, hooks, observers.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use evenkeel::{Actions, ReconcileError, Reconciler, SubReconciler};
use evenkeel_tests::widget::{WidgetError, fetch, widget};

#[test]
fn what_can_go_wrong_is_known_at_compile_time() {
    let steps = <widget as Reconciler>::WIRING.steps;
    let told: Vec<_> = steps[0].errors.iter().map(|info| (info.reason, info.class, info.doc)).collect();
    assert_eq!(told[0], ("Invalid", "stalled", "Stalled."));
    assert_eq!(told[2], ("NotYet", "waiting", "Waiting for time to pass."));
    assert_eq!(told.len(), WidgetError::VARIANTS.len());
    assert_eq!(steps[0].errors[0].actions, Actions::STALLED);
    // A step alone does not carry them: its reconciler does.
    assert!(<fetch as SubReconciler>::WIRING.errors.is_empty());
}
