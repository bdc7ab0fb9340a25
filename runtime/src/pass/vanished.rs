//! The cleanup of an object that the API server deleted although it had our finalizer.

use super::api::gone;
use super::api::identity::Unwritten;
use super::context::PassContext;
use super::decide::policy;
use super::delete;
use super::report::current_pass::CurrentPass;
use super::report::{PassReport, hook};
use super::run::{self, BodyEnd, Part};
use super::watcher;
use crate::outcome::{Outcome, PassError};
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::wiring::policy::ResolvedPolicy;

/// Runs the cleanups with the last known state of the object, before any pass of a new object of its name.
///
/// # Errors
/// A cleanup did not succeed; it is retried.
pub(super) async fn clean_up(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) -> Result<(), Next> {
    context.daemons.stop(pass.key).await?;
    if context.is_in_shard(object.meta())
        && is_known(context, pass, object)
        && must_clean_up(context, pass, object).await?
    {
        run_cleanups(context, pass, object).await?;
    }
    context.env.primary.cleaned_up(pass.key);
    Ok(())
}

/// Whether the object needs a cleanup at all: a watcher that writes no finalizer knows those that its code has seen.
fn is_known(context: &PassContext, pass: &CurrentPass<'_>, object: &Object) -> bool {
    let seen = || context.memory().get(pass.key).is_some_and(|memory| memory.watched == watcher::number(object));
    !context.wiring.is_plain() || watcher::has_bare_status(object) || seen()
}

/// Whether the object is gone, and its policy allows the cleanups. An object that left the selection of the watch still exists.
async fn must_clean_up(context: &PassContext, pass: &CurrentPass<'_>, object: &Object) -> Result<bool, Next> {
    let is_plain = context.wiring.is_plain();
    // An object that has left the selection of such a watcher is deleted for it, unless it is now in another shard.
    if is_plain && context.env.selector.is_none() {
        return Ok(true);
    }
    let identity = context.identity(pass.key, object);
    match gone::live(&context.calls(&pass.answers, pass.key), &identity).await {
        Ok(live) => return Ok(is_plain && context.is_in_shard(&live.metadata)),
        Err(Unwritten::Gone) if is_plain => return Ok(true),
        Err(Unwritten::Gone) => {}
        Err(error) => {
            tracing::warn!(?error, "the object vanished with its finalizer, and it could not be read; retrying");
            return Err(Next::NotStarted { at_least: None });
        }
    }
    policy::ask_namespace(context, pass.key, object).await;
    match policy::policy(context, object) {
        ResolvedPolicy::Known(policy) => Ok(policy.may_delete()),
        ResolvedPolicy::Unknown(why) => {
            tracing::warn!(error = why, "the object vanished with its finalizer, and its policy is unknown; retrying");
            Err(Next::NotStarted { at_least: None })
        }
    }
}

async fn run_cleanups(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) -> Result<(), Next> {
    let BodyEnd { backend, result, .. } = run::body(context, pass, object, Vec::new(), Part::Cleanup).await;
    let ended = match result.outcome {
        Outcome::Done | Outcome::Ignored => {
            match context.wiring.is_plain() {
                true => tracing::info!("handled the deletion of an object"),
                false => tracing::info!("cleaned up an object that the API server deleted in spite of its finalizer"),
            }
            delete::children_gone(context, &backend).await
        }
        _ => {
            let error = result.error.as_ref().map(PassError::message);
            tracing::warn!(error, "the cleanup of an object that vanished with its finalizer failed; retrying");
            Err(Next::Retry { progressed: false, at_least: None })
        }
    };
    pass.ends(result.outcome.as_str());
    hook::observe(context, &backend, &result.outcome, &PassReport::empty(), ended.as_ref().err());
    backend.blocking.ended().await;
    ended
}
