//! The delete path: runs the cleanups in reverse order, then removes the finalizer. Nothing is written after that.

use std::sync::Arc;

use kube::api::ObjectMeta;

use super::api::identity::Unwritten;
use super::api::{PassBackend, gone};
use super::backend;
use super::context::PassContext;
use super::decide::policy;
use super::elsewhere;
use super::finish;
use super::finish::status_write::{self, RESENDS};
use super::report::current_pass::CurrentPass;
use super::report::{PassReport, hook, send_event};
use super::run::{self, BodyEnd, BodyResult, Part};
use super::watcher;
use super::without_steps::blocked;
use crate::api::ApiError;
use crate::backoff::Backoff;
use crate::outcome::Outcome;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::wiring::policy::ResolvedPolicy;

/// Cleans up after the steps. Ignores an object without our finalizer.
pub(super) async fn delete(context: &PassContext, pass: &mut CurrentPass<'_>, object: Arc<Object>) -> Next {
    if let Err(next) = context.daemons.stop(pass.key).await {
        return next;
    }
    if context.finalizers.is_released(object.meta()) {
        return Next::Await;
    }
    match policy::policy(context, &*object) {
        ResolvedPolicy::Known(policy) if !policy.may_delete() => {
            let note = format!("the resources created for the object remain, since its policy is {policy}");
            detach(context, pass, &*object, &note).await
        }
        ResolvedPolicy::Known(_) => {
            announce_deletion(context, pass, &*object);
            clean_up(context, pass, &*object).await
        }
        unknown => match unknown.pass_error() {
            Some(error) => blocked::block(context, pass, &*object, error).await,
            None => clean_up(context, pass, &*object).await,
        },
    }
}

/// Emits an event, once per object, that it is being deleted.
fn announce_deletion(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) {
    if !std::mem::replace(&mut context.memory().entry(pass.key.clone()).or_default().deletion_reported, true) {
        send_event(context, pass, object, "Deleting", "the cleanups run, then the finalizer is removed");
    }
}

/// Runs the cleanups, then removes the finalizer or reports the failure in the status.
pub(super) async fn clean_up(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) -> Next {
    if context.memory().get(pass.key).is_some_and(|memory| memory.cleaned_up == watcher::number(object)) {
        let backend = backend::backend(context, pass, object);
        return released(context, pass, object, &backend).await;
    }
    let BodyEnd { state, backend, result } = run::body(context, pass, object, Vec::new(), Part::Cleanup).await;
    let next = match never_stalled(result.outcome) {
        Outcome::Done => match children_gone(context, &backend).await {
            Ok(()) => {
                context.memory().entry(pass.key.clone()).or_default().cleaned_up = watcher::number(object);
                released(context, pass, object, &backend).await
            }
            Err(next) => next,
        },
        outcome => {
            let result = BodyResult { outcome, ..result };
            finish::finish(context, pass, object, BodyEnd { state, backend: backend.clone(), result }).await
        }
    };
    backend.blocking.ended().await;
    next
}

/// Deletes the owned objects in other namespaces, after the cleanups. The finalizer stays until they are gone.
pub(super) async fn children_gone(context: &PassContext, backend: &PassBackend) -> Result<(), Next> {
    match elsewhere::delete_all(context, backend).await {
        Ok(0) => Ok(()),
        Ok(left) => {
            tracing::info!(
                left,
                "owned objects in other namespaces are being deleted; the finalizer remains until they are gone"
            );
            Err(Next::RetryAlong { progressed: false, curve: Backoff::FAST, at_least: None })
        }
        Err(error) => {
            tracing::warn!(%error, "the owned objects in other namespaces could not be deleted; retrying");
            Err(Next::Retry { progressed: false, at_least: None })
        }
    }
}

/// Removes the finalizer without any cleanup.
pub(super) async fn detach(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object, note: &str) -> Next {
    let backend = backend::backend(context, pass, object);
    let next = released(context, pass, object, &backend).await;
    if !matches!(next, Next::Retry { .. } | Next::Conflict { .. }) {
        send_event(context, pass, object, "Detached", note);
    }
    next
}

/// Removes the finalizer and reports the outcome.
async fn released(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object, backend: &PassBackend) -> Next {
    let next = release(context, object, backend).await;
    let outcome = off(&next);
    pass.ends(outcome.as_str());
    hook::observe(context, backend, &outcome, &PassReport::empty(), Some(&next));
    next
}

async fn release(context: &PassContext, object: &Object, backend: &PassBackend) -> Next {
    match remove_finalizer(context, object.meta(), backend).await {
        Ok(()) => {
            tracing::info!("cleaned up; the finalizer was removed");
            Next::Await
        }
        Err(Unwritten::Gone) => context.forget(&backend.key),
        Err(Unwritten::Outdated) => Next::Conflict { newer_than: object.resource_version().to_owned() },
        Err(Unwritten::Failed(error)) => {
            tracing::warn!(%error, "cleaned up, but the finalizer could not be removed; retrying");
            Next::Retry { progressed: false, at_least: None }
        }
    }
}

/// Removes our finalizer. After a conflict with a newer version of the same object it repeats the write without the cleanups: other
/// controllers remove their finalizers at the same time.
async fn remove_finalizer(context: &PassContext, meta: &ObjectMeta, backend: &PassBackend) -> Result<(), Unwritten> {
    let PassBackend { calls, identity, .. } = backend;
    let mut patch = context.finalizers.remove_patch(meta);
    for _ in 0..=RESENDS {
        match calls.merge(&identity.target, &patch).await {
            Ok(_) => return Ok(()),
            Err(ApiError::Conflict(_)) => {
                patch = context.finalizers.remove_patch(&status_write::newer(calls, identity).await?.metadata);
            }
            Err(error) => return Err(gone::after(calls, identity, error).await),
        }
    }
    Err(Unwritten::Outdated)
}

/// Turns a stalled cleanup into a failed one, which is retried for ever: an object that cannot be deleted must not be forgotten.
fn never_stalled(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Stalled { message, .. } => Outcome::Failed { message },
        Outcome::Ignored => Outcome::Done,
        outcome => outcome,
    }
}

/// The outcome of a cleanup after the attempt to remove the finalizer.
fn off(next: &Next) -> Outcome {
    match next {
        Next::Retry { .. } => Outcome::Failed { message: "the finalizer could not be removed".into() },
        _ => Outcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleanup_has_failed_while_its_finalizer_remains() {
        assert!(matches!(off(&Next::Retry { progressed: false, at_least: None }), Outcome::Failed { .. }));
        assert!(matches!(off(&Next::Await), Outcome::Done) && matches!(off(&Next::Forget), Outcome::Done));
    }
}
