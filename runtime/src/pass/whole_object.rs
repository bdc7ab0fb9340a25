//! The object that a watcher with `cache = none` reads before each call.

use futures::FutureExt;

use super::context::PassContext;
use super::decide::selection;
use super::report::current_pass::CurrentPass;
use super::without_steps::undecodable;
use crate::api::ApiError;
use crate::pipeline::object::Object;
use crate::queue::Next;

/// Reads the object, if the watcher needs that. The cache and the watch follow on their own.
///
/// # Errors
/// The watcher is not called: the object could not be read, does not fit its type, or its watch is about to deliver another state of it.
pub(super) async fn read(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) -> Result<(), Next> {
    let Some(decode) = context.wiring.watcher.and_then(|watcher| watcher.whole) else { return Ok(()) };
    let calls = context.calls(&pass.answers, pass.key);
    let live = match calls.get(&context.target(pass.key)).boxed().await {
        Ok(live) => live,
        Err(error) => {
            tracing::warn!(%error, "the object could not be read before its call; retrying");
            let at_least = if let ApiError::Busy(after, _) = error { after } else { None };
            return Err(Next::NotStarted { at_least });
        }
    };
    let is_current = |meta: &kube::api::ObjectMeta| {
        meta.uid == object.meta().uid
            && meta.deletion_timestamp.is_some() == object.meta().deletion_timestamp.is_some()
            && selection::has_labels(context.wiring, meta)
    };
    let Some(live) = live.filter(|live| is_current(&live.metadata)) else {
        tracing::debug!("the object was deleted, recreated or relabelled; waiting for the watch");
        return Err(Next::Await);
    };
    match decode(&live) {
        Ok(whole) => {
            pass.whole = Some(whole);
            Ok(())
        }
        Err(error) => Err(undecodable::misfit(context, pass, &live.metadata, error)),
    }
}
