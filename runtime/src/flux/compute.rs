//! Computes the returned result and the conditions from the result of a run.

use super::{
    Error, Kind, Object, PROGRESSING_WITH_RETRY, PatchOptions, ReconcileResult, Reconciled, ResultBuilder,
    RuntimeResult,
};
use crate::condition::{Condition, RECONCILING, STALLED, Stamp, delete, find, is_stalled, is_true, mark_stalled, set};

/// The outcome of a run for the runtime.
#[derive(Debug)]
pub struct Computed {
    /// The next action, or the error that the runtime retries with back-off.
    pub returned: Result<RuntimeResult, Error>,
    /// The options of the patch, including whether the generation counts as observed.
    pub options: PatchOptions,
    /// Whether the builder considers the run a success.
    pub success: bool,
}

/// Corrects Reconciling and Stalled after a run, and computes the returned result. Does not change Ready.
pub fn compute<K: Object>(object: &mut K, reconciled: Reconciled, builder: &dyn ResultBuilder) -> Computed {
    let reconciled = without_rest(object, reconciled);
    let (stamp, success) = (object.stamp(), builder.is_success(&reconciled));
    let next = builder.build(&reconciled);
    let conditions = &mut object.flux_status_mut().conditions;
    if matches!(reconciled, Ok(ReconcileResult::Success)) {
        delete(conditions, RECONCILING);
    }
    say_retry(conditions, &stamp);
    say_stalled(conditions, &reconciled, &stamp);
    let mut options = PatchOptions::default();
    if is_final(&reconciled) {
        options.observe(conditions);
    }
    clear(conditions, &reconciled);
    let returned = match reconciled {
        Err(error) if error.is_retried() => Err(error),
        _ => Ok(next),
    };
    Computed { returned, options, success }
}

/// Requeues a run with an empty result whose object is still Reconciling; otherwise the object would stay in that state forever.
fn without_rest<K: Object>(object: &K, reconciled: Reconciled) -> Reconciled {
    match reconciled {
        Ok(ReconcileResult::Empty) if is_true(object.conditions(), RECONCILING) && !object.is_deleting() => {
            Ok(ReconcileResult::Requeue)
        }
        other => other,
    }
}

fn say_retry(conditions: &mut Vec<Condition>, stamp: &Stamp) {
    if let Some(reconciling) = find(conditions, RECONCILING).filter(|_| is_true(conditions, RECONCILING)) {
        let retry = Condition { reason: PROGRESSING_WITH_RETRY.into(), ..reconciling.clone() };
        set(conditions, retry, stamp);
    }
}

fn say_stalled(conditions: &mut Vec<Condition>, reconciled: &Reconciled, stamp: &Stamp) {
    if let Err(error) = reconciled
        && error.kind() == Kind::Stalling
    {
        mark_stalled(conditions, error.reason(), &error.to_string(), stamp);
    }
}

fn clear(conditions: &mut Vec<Condition>, reconciled: &Reconciled) {
    match reconciled {
        Err(error) if error.kind() == Kind::Stalling => {}
        Err(error) if error.is_ignored() => {
            delete(conditions, STALLED);
            delete(conditions, RECONCILING);
        }
        Ok(_) | Err(_) => delete(conditions, STALLED),
    }
}

fn is_final(reconciled: &Reconciled) -> bool {
    match reconciled {
        Ok(result) => *result != ReconcileResult::Requeue,
        Err(error) => error.kind() == Kind::Stalling || error.is_ignored(),
    }
}

impl Computed {
    /// Whether the object has to be ready after the run: a success, without an error, and not stalled.
    #[must_use]
    pub fn is_non_stalled_success(&self, conditions: &[Condition]) -> bool {
        self.success && self.returned.is_ok() && !is_stalled(conditions)
    }
}
