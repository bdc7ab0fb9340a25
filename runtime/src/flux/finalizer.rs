//! The newer, lighter end of a run, for controllers that return native instead of abstract results.

use super::{Error, Object, PROGRESSING_WITH_RETRY, PatchOptions, RuntimeResult, Target, record_reconcile_request};
use crate::condition::{
    Condition, READY, RECONCILING, STALLED, Stamp, delete, find, is_false, is_ready, is_stalled, is_true, is_unknown,
    mark_false, mark_true,
};

/// The result of a reconciler.
type Returned = Result<RuntimeResult, Error>;

/// The message of Ready after an unfinished run, unless another condition provides one.
const AGAIN: &str = "the reconciliation is to run again";

/// Whether a success requeues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuccessType {
    /// The object is requeued after a success.
    WithRequeue,
    /// The object is not requeued after a success.
    NoRequeue,
}

/// Makes Ready, Reconciling and Stalled agree with the result of a reconciler.
///
/// ```
/// use evenkeel::flux::{ResultFinalizer, RuntimeResult, SuccessType};
/// use std::time::Duration;
/// let after = RuntimeResult::After(Duration::from_secs(60));
/// let finalizer = ResultFinalizer::new(|returned| matches!(returned, Ok(next) if *next == after), "stored the artifact");
/// assert_eq!(finalizer.success_type(), SuccessType::WithRequeue);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ResultFinalizer<'a, F> {
    is_success: F,
    message: &'a str,
    targets: &'a [Target<'a>],
    field_owner: Option<&'a str>,
}

impl<'a, F: Fn(&Returned) -> bool> ResultFinalizer<'a, F> {
    /// Creates a finalizer with the test for success and the message of Ready after one.
    pub fn new(is_success: F, message: &'a str) -> Self {
        Self { is_success, message, targets: &[], field_owner: None }
    }

    /// Sets the summaries to compute before Ready is decided.
    #[must_use]
    pub fn targets(self, targets: &'a [Target<'a>]) -> Self {
        Self { targets, ..self }
    }

    /// Sets the field manager of the patch.
    #[must_use]
    pub fn field_owner(self, owner: &'a str) -> Self {
        Self { field_owner: Some(owner), ..self }
    }

    /// The type of success: `NoRequeue` if [`RuntimeResult::Await`] counts as success.
    #[must_use]
    pub fn success_type(&self) -> SuccessType {
        if (self.is_success)(&Ok(RuntimeResult::Await)) { SuccessType::NoRequeue } else { SuccessType::WithRequeue }
    }

    /// Corrects the conditions and returns the result for the runtime.
    ///
    /// # Errors
    /// The error of the reconciler. A [`WithRequeue`](SuccessType::WithRequeue) success that leaves Ready False without Stalled is an error
    /// with Ready's message.
    pub fn finalize<K: Object>(&self, object: &mut K, returned: Returned) -> Returned {
        let (stamp, ok) = (object.stamp(), (self.is_success)(&returned));
        let conditions = &mut object.flux_status_mut().conditions;
        settle_stalled(conditions, &returned, ok);
        if ok || is_true(conditions, STALLED) {
            delete(conditions, RECONCILING);
        }
        if let Err(error) = &returned {
            say_false(conditions, error.reason(), &error.to_string(), &stamp);
        }
        self.summarize(conditions, &stamp);
        let returned = self.checked(conditions, returned, ok);
        self.say_ready(conditions, &returned, &stamp);
        record_reconcile_request(object);
        returned
    }

    /// The options of the patch. The generation counts as observed if the object is stalled or ready.
    pub fn options<K: Object>(&self, object: &K) -> PatchOptions {
        let owned = self.targets.iter().flat_map(|target| target.owned).map(|type_| (*type_).to_owned()).collect();
        let observed_generation = is_stalled(object.conditions()) || is_ready(object.conditions());
        let field_owner = self.field_owner.map(ToOwned::to_owned);
        PatchOptions { owned, field_owner, observed_generation, ..PatchOptions::default() }
    }
}

impl<F: Fn(&Returned) -> bool> ResultFinalizer<'_, F> {
    fn summarize(&self, conditions: &mut Vec<Condition>, stamp: &Stamp) {
        for target in self.targets {
            target.summarize(conditions, stamp);
        }
    }

    fn checked(&self, conditions: &[Condition], returned: Returned, ok: bool) -> Returned {
        let is_failed = is_false(conditions, READY) && !is_stalled(conditions);
        if ok && is_failed && self.success_type() == SuccessType::WithRequeue {
            return Err(Error::plain(find(conditions, READY).map(|ready| ready.message.clone()).unwrap_or_default()));
        }
        returned
    }

    /// Sets Ready to True after a success if it is unknown, and to False after an unfinished run (Flux omits it or leaves it unchanged).
    fn say_ready(&self, conditions: &mut Vec<Condition>, returned: &Returned, stamp: &Stamp) {
        if is_unknown(conditions, READY) && (self.is_success)(returned) {
            mark_true(conditions, READY, "Succeeded", self.message, stamp);
        }
        if let Err(error) = returned {
            say_false(conditions, error.reason(), &error.to_string(), stamp);
        }
        for type_ in [STALLED, RECONCILING] {
            say_as(conditions, type_, stamp);
        }
        if find(conditions, READY).is_none() {
            mark_false(conditions, READY, PROGRESSING_WITH_RETRY, AGAIN, stamp);
        }
    }
}

/// Removes Stalled after an error, or after a run that requeues without a success.
fn settle_stalled(conditions: &mut Vec<Condition>, returned: &Returned, ok: bool) {
    let is_underway = matches!(returned, Ok(next) if *next != RuntimeResult::Await && !ok);
    if returned.is_err() || is_underway {
        delete(conditions, STALLED);
    }
}

/// Sets Ready to False with the reason and message of the condition, if that is True and Ready is not already False.
fn say_as(conditions: &mut Vec<Condition>, type_: &str, stamp: &Stamp) {
    if let Some(condition) = find(conditions, type_).filter(|_| is_true(conditions, type_)).cloned() {
        say_false(conditions, &condition.reason, &condition.message, stamp);
    }
}

fn say_false(conditions: &mut Vec<Condition>, reason: &str, message: &str, stamp: &Stamp) {
    if !is_false(conditions, READY) {
        mark_false(conditions, READY, reason, message, stamp);
    }
}
