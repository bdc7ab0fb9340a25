//! Passes that run no step, by decision. They write a status only if it differs.

pub(super) mod blocked;
pub(super) mod foreign;
pub(super) mod skipped;
pub(super) mod suspended;
pub(super) mod unchanged_object;
pub(super) mod undecodable;

use crate::pass::api::PassBackend;
use crate::pass::api::identity::Unwritten;
use crate::pass::context::PassContext;
use crate::pass::decide::policy;
use crate::pass::finish::hot_object;
use crate::pass::report::current_pass::CurrentPass;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::queue::{Key, Next};

/// Writes the status of an object whose steps do not run, if it differs.
pub(in crate::pass) async fn stamp(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    backend: &PassBackend,
    found: &DesiredStatus,
    intent: &DesiredStatus,
) -> Next {
    if intent == found {
        return Next::Await;
    }
    match backend.write(&backend.calls, &backend.identity, found, intent).await {
        Ok(()) => {
            if let Some(event) = policy::change(found, intent) {
                pass.send(event, context.reference(object));
            }
            hot_object::until_quiet(backend, Next::Await)
        }
        Err(unwritten) => unstamped(context, pass.key, backend, unwritten),
    }
}

pub(in crate::pass) fn unstamped(
    context: &PassContext,
    key: &Key,
    backend: &PassBackend,
    unwritten: Unwritten,
) -> Next {
    match unwritten {
        Unwritten::Gone => context.forget(key),
        Unwritten::Outdated => hot_object::outdated(context, key, backend),
        Unwritten::Failed(error) => {
            tracing::warn!(%error, "the status of the skipped object was not written; retrying");
            Next::Retry { progressed: false, at_least: None }
        }
    }
}
