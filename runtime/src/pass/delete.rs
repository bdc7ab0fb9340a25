//! The delete path: cleanups in reverse order, then the finalizer goes, and nothing is written after that.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::PassWorker;
use super::api::PassBackend;
use super::api::gone;
use super::finish::status_write::{self, Identity, RESENDS, Unwritten};
use super::report::Tale;
use super::report::current_pass::CurrentPass;
use super::run::{Part, Verdict};
use crate::api::ApiError;
use crate::outcome::Outcome;
use crate::pipeline::object::Object;
use crate::pipeline::state::Draft;
use crate::queue::{Key, Next};
use crate::wiring::policy::Effective;

impl PassWorker {
    /// Undoes what the steps made. An object without our finalizer is none of our business.
    pub(super) async fn delete(&self, pass: &mut CurrentPass<'_>, object: Arc<Object>) -> Next {
        if self.finalizers.is_released(object.meta()) {
            return Next::Await;
        }
        match self.policy(&*object) {
            Effective::Known(policy) if !policy.may_delete() => self.detach(pass, object, policy).await,
            Effective::Known(_) => {
                self.say_going(pass, &*object);
                self.body(pass, object.into(), Part::Cleanup).await
            }
            unknown => match unknown.halt() {
                Some(halt) => self.hold(pass, &object, halt).await,
                None => self.body(pass, object.into(), Part::Cleanup).await,
            },
        }
    }

    /// Tells once that the object goes.
    fn say_going(&self, pass: &mut CurrentPass<'_>, object: &Object) {
        if !std::mem::replace(&mut self.memory().entry(pass.key.clone()).or_default().going, true) {
            self.tell(pass, object, "Deleting", "what was made for it is removed, then it goes");
        }
    }

    /// The cleanups have run: the finalizer goes, or what failed is shown.
    pub(super) async fn deleted(
        &self,
        pass: &mut CurrentPass<'_>,
        object: &Object,
        draft: &mut Draft,
        backend: &PassBackend,
        verdict: Verdict,
    ) -> Next {
        match never_stalled(verdict.outcome) {
            Outcome::Done => self.released(pass, object, backend).await,
            outcome => self.finish(pass, object, draft, backend, Verdict { outcome, ..verdict }).await,
        }
    }

    /// Takes the finalizer off, and reports.
    pub(super) async fn released(&self, pass: &mut CurrentPass<'_>, object: &Object, backend: &PassBackend) -> Next {
        let next = self.release(pass.key, object, &backend.identity).await;
        let outcome = off(&next);
        pass.ends(outcome.as_str());
        self.observe(backend, &outcome, &Tale::untold(), Some(&next));
        next
    }

    async fn release(&self, key: &Key, object: &Object, identity: &Identity) -> Next {
        match self.take_off(object.meta(), identity).await {
            Ok(()) => {
                tracing::info!("cleaned up; the finalizer is off");
                Next::Await
            }
            Err(Unwritten::Gone) => self.forget(key),
            Err(Unwritten::Outdated) => Next::Conflict { newer_than: object.resource_version().to_owned() },
            Err(Unwritten::Failed(error)) => {
                tracing::warn!(%error, "cleaned up, but the finalizer could not be taken off; trying again");
                Next::Retry { progressed: false, at_least: None }
            }
        }
    }

    /// Takes our finalizer off. A newer version of the same object gets the write again, without another run of the cleanups:
    /// others take theirs off at the same time.
    async fn take_off(&self, meta: &ObjectMeta, identity: &Identity) -> Result<(), Unwritten> {
        let calls = self.calls();
        let mut patch = self.finalizers.release(meta);
        for _ in 0..=RESENDS {
            match calls.merge(&identity.target, &patch).await {
                Ok(_) => return Ok(()),
                Err(ApiError::Conflict(_)) => {
                    patch = self.finalizers.release(&status_write::newer(&calls, identity).await?.metadata);
                }
                Err(error) => return Err(gone::after(&calls, identity, error).await),
            }
        }
        Err(Unwritten::Outdated)
    }
}

/// A cleanup is retried for ever: an object that cannot be deleted must not be forgotten.
fn never_stalled(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Stalled { message, .. } => Outcome::Failed { message },
        Outcome::Ignored => Outcome::Done,
        outcome => outcome,
    }
}

/// How a cleanup ends whose finalizer was to be taken off.
fn off(next: &Next) -> Outcome {
    match next {
        Next::Retry { .. } => Outcome::Failed { message: "the finalizer could not be taken off".into() },
        _ => Outcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleanup_has_failed_as_long_as_its_finalizer_stays() {
        assert!(matches!(off(&Next::Retry { progressed: false, at_least: None }), Outcome::Failed { .. }));
        assert!(matches!(off(&Next::Await), Outcome::Done) && matches!(off(&Next::Forget), Outcome::Done));
    }
}
