//! The finalizer that shows that a watcher has added a bare object.

use crate::api::ApiError;
use crate::pass::api::identity::Unwritten;
use crate::pass::api::{PassBackend, gone};
use crate::pass::context::PassContext;
use crate::pass::finish::status_write::{self, RESENDS};
use crate::pipeline::object::Object;

/// Replaces the finalizer of an object that was being added. After a conflict it repeats the write for the newer version: the list also
/// contains the finalizers of other controllers.
pub(super) async fn mark(context: &PassContext, object: &Object, backend: &PassBackend) -> Result<(), Unwritten> {
    let PassBackend { calls, identity, .. } = backend;
    let Some(mut patch) = context.finalizers.added_patch(object.meta()) else { return Ok(()) };
    for _ in 0..=RESENDS {
        match calls.merge(&identity.target, &patch).await {
            Ok(written) => {
                backend.note(&written);
                return Ok(());
            }
            Err(ApiError::Conflict(_)) => {
                let live = status_write::newer(calls, identity).await?;
                match context.finalizers.added_patch(&live.metadata) {
                    Some(newer) => patch = newer,
                    None => return Ok(()),
                }
            }
            Err(error) => return Err(gone::after(calls, identity, error).await),
        }
    }
    Err(Unwritten::Outdated)
}
