//! The schedule: when an object runs again without a change.

use kube::ResourceExt;

use super::{PassWorker, observed};
use crate::interval::Clamped;
use crate::outcome::Outcome;
use crate::queue::Next;
use crate::reconciler::Reconciler;

impl<R: Reconciler> PassWorker<R> {
    /// When an unchanged object runs again; a stalled one does not.
    pub(super) fn rest(&self, object: &R::Object) -> Next {
        match observed::<R>(object).stalled {
            true => Next::Await,
            false => self.schedule(object, &Outcome::Done, false, &mut Vec::new()),
        }
    }

    /// When the object runs again after this outcome. What the object asks for out of bounds goes to `clamped`.
    pub(super) fn schedule(
        &self,
        object: &R::Object,
        outcome: &Outcome,
        progressed: bool,
        clamped: &mut Vec<Clamped>,
    ) -> Next {
        match outcome {
            Outcome::Done | Outcome::Ignored => match R::requeue(object) {
                Some(interval) => {
                    let interval = Clamped::clamp("requeue interval", interval, clamped);
                    Next::After(self.clock.until_resync(interval, &object.uid().unwrap_or_default()))
                }
                None => Next::Await,
            },
            Outcome::Requeue { after: Some(after) } => Next::After(*after),
            Outcome::Waiting { poll: Some(poll) } => Next::After(*poll),
            Outcome::Requeue { after: None } => Next::Retry { progressed, at_least: None },
            Outcome::Failed { .. } => match R::retry(object) {
                Some(pause) => Next::RetryAfter { progressed, pause: Clamped::clamp("retry interval", pause, clamped) },
                None => Next::Retry { progressed, at_least: None },
            },
            Outcome::Waiting { poll: None } | Outcome::Stalled { .. } => Next::Await,
            Outcome::Gone => Next::Forget,
            Outcome::Conflict => Next::Conflict { newer_than: object.resource_version().unwrap_or_default() },
        }
    }
}
