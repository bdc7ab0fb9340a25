//! Deletes the owned objects in other namespaces, which no garbage collector deletes with their owner.

use futures::future::try_join_all;

use super::api::PassBackend;
use super::context::PassContext;
use crate::api::{ApiError, Selection, Target, marked};
use crate::watch::ObjectVersion;
use crate::wiring::annotations::DEPENDENT_OF;
use crate::wiring::{How, KindInfo, Relation};

/// Deletes all of them. Returns the number of those that still exist afterwards, such as those with finalizers.
///
/// # Errors
/// A list or a deletion failed.
pub(super) async fn delete_all(context: &PassContext, backend: &PassBackend) -> Result<usize, ApiError> {
    let mut kinds: Vec<KindInfo> = Vec::new();
    let owned = |relation: &&Relation| relation.how == How::Owns && relation.anywhere;
    for kind in context.wiring.relations().filter(owned).filter_map(|relation| relation.kind) {
        if !kinds.contains(&kind()) {
            kinds.push(kind());
        }
    }
    let mut left = 0;
    for kind in kinds {
        let found = list(context, backend, &kind).await?;
        let deletions = found.iter().map(|seen| backend.calls.delete(&seen.target, &seen.uid, &seen.resource_version));
        try_join_all(deletions).await?;
        if !found.is_empty() && context.env.dry_run.is_none() {
            left += list(context, backend, &kind).await?.len();
        }
    }
    Ok(left)
}

/// The objects of the kind with a mark of this owner, as the API server lists them now.
async fn list(context: &PassContext, backend: &PassBackend, kind: &KindInfo) -> Result<Vec<ObjectVersion>, ApiError> {
    let id = backend.owner().id();
    let selector = format!("{}={id}", backend.owner().key(DEPENDENT_OF));
    let mut found = Vec::new();
    for namespace in context.env.relations.namespaces(kind) {
        let all = backend.calls.list(&Selection::new(kind.clone(), namespace, &selector)).await?;
        let all = all.into_iter().map(|object| object.metadata).filter(|meta| {
            // The label alone may be a copy.
            marked(kind, meta).is_some_and(|owner| owner.id() == id)
        });
        found.extend(all.map(|meta| {
            let name = meta.name.clone().unwrap_or_default();
            ObjectVersion::of_meta(&Target { kind: kind.clone(), namespace: meta.namespace.clone(), name }, &meta)
        }));
    }
    Ok(found)
}
