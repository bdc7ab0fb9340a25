//! Objects that leave the selection of a watcher.

use super::context::PassContext;
use super::delete;
use super::report::current_pass::CurrentPass;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::wiring::Leave;

/// Whether the watcher has a finalizer on an object that it does not select any more. One that is now in another shard is not left.
pub(super) fn is_left(context: &PassContext, object: &Object) -> bool {
    let meta = object.meta();
    context.is_in_shard(meta)
        && context.wiring.watcher.is_some()
        && meta.deletion_timestamp.is_none()
        && context.finalizers.is_held(meta)
}

/// Ends the work for an object that has left the selection.
pub(super) async fn leave(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) -> Next {
    if let Err(next) = context.daemons.stop(pass.key).await {
        return next;
    }
    let next = match context.wiring.watcher.map(|watcher| watcher.leave) {
        Some(Leave::Delete) => delete::clean_up(context, pass, object).await,
        Some(Leave::Detach) | None => {
            let note =
                "the object has left the selection of its watcher: the finalizer was removed, and nothing was undone";
            delete::detach(context, pass, object, note).await
        }
    };
    if next == Next::Await { context.forget(pass.key) } else { next }
}
