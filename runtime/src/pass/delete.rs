//! The delete path: cleanups in reverse order, then the finalizer goes, and nothing is written after that.

use std::sync::Arc;

use kube::{Resource, ResourceExt};

use super::PassWorker;
use super::backend::PassBackend;
use super::body::Verdict;
use super::tell::Tale;
use crate::backend::ApiError;
use crate::draft::Draft;
use crate::outcome::Outcome;
use crate::queue::{Key, Next};
use crate::reconciler::Reconciler;

impl<R: Reconciler> PassWorker<R> {
    /// Undoes what the steps made. An object without our finalizer is none of our business.
    pub(super) async fn delete(&self, key: &Key, object: Arc<R::Object>) -> Next {
        if self.finalizers.is_released(object.meta()) {
            return Next::Await;
        }
        self.body(key, object).await
    }

    /// The cleanups have run: the finalizer goes, or what failed is shown.
    pub(super) async fn deleted(
        &self,
        key: &Key,
        object: &R::Object,
        draft: &mut Draft,
        backend: &PassBackend,
        verdict: Verdict,
    ) -> Next {
        match never_stalled(verdict.outcome) {
            Outcome::Done => self.released(key, object, backend).await,
            outcome => self.finish(key, object, draft, backend, Verdict { outcome, ..verdict }).await,
        }
    }

    /// Takes the finalizer off, and reports.
    async fn released(&self, key: &Key, object: &R::Object, backend: &PassBackend) -> Next {
        let next = self.release(key, object).await;
        let outcome = match &next {
            Next::Retry { .. } => Outcome::Failed { message: "the finalizer could not be taken off".into() },
            _ => Outcome::Done,
        };
        self.observe(backend, &outcome, &Tale::untold(), Some(&next));
        next
    }

    async fn release(&self, key: &Key, object: &R::Object) -> Next {
        let refused = object.resource_version().unwrap_or_default();
        match self.calls().merge(&self.target(key), &self.finalizers.release(object.meta())).await {
            Ok(_) => {
                tracing::info!("cleaned up; the finalizer is off");
                Next::Await
            }
            Err(ApiError::NotFound(_)) => self.forget(key),
            Err(ApiError::Conflict(_)) => Next::Conflict { newer_than: refused },
            Err(error) => {
                tracing::warn!(%error, "cleaned up, but the finalizer could not be taken off; trying again");
                Next::Retry { progressed: false, at_least: None }
            }
        }
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
