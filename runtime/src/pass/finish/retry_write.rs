//! The status write and, if it fails, its retry without the body.

use std::sync::Arc;

use kube::runtime::events::EventType;

use crate::api::ApiError;
use crate::api::grant::plural_and_group;
use crate::pass::api::PassBackend;
use crate::pass::api::identity::Unwritten;
use crate::pass::backend;
use crate::pass::context::PassContext;
use crate::pass::finish::{bare, foreign_conditions, hot_object, schedule, take_over};
use crate::pass::memory::unsent_status::Pending;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::pipeline::object::{Object, StatusStore};
use crate::queue::{Key, Next};
use crate::schema::{install, undeclared};

/// Writes the status, then sends the events.
pub(in crate::pass) async fn write(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    backend: &PassBackend,
    pending: Pending,
) -> Result<(), Next> {
    let key = pass.key;
    let written = match backend.store {
        StatusStore::Object => send(context, key, object, backend, &pending).await,
        StatusStore::Memory => bare::store(context, object, backend, &pending).await,
    };
    match written {
        Ok(()) => settle(context, key),
        Err(Unwritten::Gone) => return Err(context.forget(key)),
        Err(Unwritten::Outdated) => return Err(hot_object::outdated(context, key, backend)),
        Err(Unwritten::Failed(error)) => return Err(unwritten(context, pass, object, pending, &error)),
    }
    for event in pending.events {
        pass.send(event, context.reference(object));
    }
    Ok(())
}

/// Sends the status to the API server, and updates the cache.
async fn send(
    context: &PassContext,
    key: &Key,
    object: &Object,
    backend: &PassBackend,
    Pending { found, intent, .. }: &Pending,
) -> Result<(), Unwritten> {
    take_over::take_over(context, object, backend).await?;
    let written = hot_object::write_status(context, key, object, backend, (found, intent)).await?;
    backend.note_written(&written);
    foreign_conditions::remember(context, key, backend, intent, &written);
    Ok(())
}

/// Stores the outcome and retries the write with back-off, without the body unless something changed.
fn unwritten(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    pending: Pending,
    error: &ApiError,
) -> Next {
    let key = pass.key;
    let refused = error.to_string();
    let help = undeclared(&refused).map(|field| {
        let crd = plural_and_group(&context.kind.resource.plural, &context.kind.resource.group);
        format!(
            "; the CRD {crd} lacks {field} in {}: apply the CRD of this program: {}",
            context.kind.resource.version,
            install()
        )
    });
    // Errors that a person has to fix.
    let is_lasting =
        help.is_some() || matches!(error, ApiError::Forbidden(_) | ApiError::Invalid(_) | ApiError::NotFound(_));
    let help = help.unwrap_or_default();
    tracing::warn!(%error, outcome = pending.outcome.as_str(), "the status was not written; retrying{help}");
    let first = !std::mem::replace(&mut context.memory().entry(key.clone()).or_default().unwritten, true);
    if first && is_lasting {
        let note = format!("the status was not written: {refused}{help}");
        let event = event::event(EventType::Warning, "StatusNotWritten", &note);
        pass.send(event, context.reference(object));
    }
    context.memory().entry(key.clone()).or_default().pending = Some(pending);
    let at_least = if let ApiError::Busy(after, _) = error { *after } else { None };
    Next::Retry { progressed: false, at_least }
}

/// Clears the record of a failed write.
fn settle(context: &PassContext, key: &Key) {
    let mut memory = context.memory();
    let memory = memory.entry(key.clone()).or_default();
    (memory.pending, memory.unwritten) = (None, false);
}

/// Takes the status that still has to be written.
pub(in crate::pass) fn pending(context: &PassContext, key: &Key) -> Option<Pending> {
    context.memory().get_mut(key)?.pending.take()
}

pub(in crate::pass) async fn resend(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: Arc<Object>,
    pending: Pending,
) -> Next {
    let backend = backend::backend(context, pass, &*object);
    let (outcome, retry) = (pending.outcome.clone(), pending.retry);
    pass.ends(outcome.as_str());
    match write(context, pass, &*object, &backend, pending).await {
        Ok(()) => hot_object::until_quiet(
            &backend,
            schedule::schedule(context, &*object, (&outcome, retry), false, &mut Vec::new()),
        ),
        Err(next) => next,
    }
}
