//! Status writes for hot objects, which change faster than a pass takes.
//!
//! A write with a resourceVersion would end with a conflict each time, so their status is [patched](super::json_patch).

use crate::pass::api::PassBackend;
use crate::pass::api::identity::Unwritten;
use crate::pass::context::PassContext;
use crate::pass::finish::written::Written;
use crate::pass::finish::{json_patch, leftover_fields};
use crate::pass::memory::hot_object::QUIET;
use crate::pass::memory::late_digest::sooner;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::queue::{Key, Next};

/// Records an outdated status write and returns the conflict.
pub(in crate::pass) fn outdated(context: &PassContext, key: &Key, backend: &PassBackend) -> Next {
    context.memory().entry(key.clone()).or_default().hot_object.outdated();
    Next::Conflict { newer_than: backend.version() }
}

pub(in crate::pass) fn is_hot(context: &PassContext, key: &Key) -> bool {
    context.memory().get(key).is_some_and(|memory| memory.hot_object.is_hot())
}

/// Applies the status, or patches it if the object is hot.
pub(in crate::pass) async fn write_status(
    context: &PassContext,
    key: &Key,
    object: &Object,
    backend: &PassBackend,
    (found, intent): (&DesiredStatus, &DesiredStatus),
) -> Result<Written, Unwritten> {
    let written = match backend.hot {
        true => json_patch::patch(&backend.calls, &backend.identity, found, intent).await?,
        false => leftover_fields::apply_status(context, key, object, backend, intent).await?,
    };
    let is_still_hot = backend.hot && written.meta().generation != backend.identity.generation;
    context.memory().entry(key.clone()).or_default().hot_object.written(is_still_hot);
    Ok(written)
}

/// Limits the schedule to the time at which a patched status can be applied.
pub(in crate::pass) fn until_quiet(backend: &PassBackend, next: Next) -> Next {
    if backend.hot { sooner(next, QUIET) } else { next }
}
