//! DELETE of a collection.

use super::delete::{Deletion, Reviewer, delete_reviewed};
use crate::api_error::Failure;
use crate::conversion;
use crate::registry::Verb;
use crate::request_context::Call;
use crate::response::{ListMeta, Reply};
use crate::selector::Selector;
use crate::state::Server;
use crate::{crd_write, strategy};

/// Deletes the selected objects and returns the list from before the deletion.
pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if !call.kind.allows(Verb::DeleteCollection) {
        return Err(Failure::method_not_allowed());
    }
    let selector =
        Selector::parse(call.query.label_selector.as_deref(), call.query.field_selector.as_deref(), &call.kind)?
            .in_shards(call.query.shard_selector.as_deref())?;
    let shards = selector.shards();
    let deletion = Deletion::of(call)?;
    let listing = server.store.list(&call.kind.storage, call.target.namespace.as_deref());
    // As on an API server, nothing is deleted if the conversion of one object fails.
    let mut listing = conversion::listing(server, &call.lens, listing).await?;
    listing.items.retain(|item| selector.matches(item, &call.kind));
    let reviewer = Reviewer { user: &call.user, name: "" };
    let mut warnings = Vec::new();
    for item in &listing.items {
        let key = (strategy::meta(item, "namespace").to_owned(), strategy::meta(item, "name").to_owned());
        match delete_reviewed(server, &call.kind, &key, &deletion, reviewer).await {
            Ok((_, warned)) => warnings.extend(warned),
            Err(failure) if failure.code != 404 => return Err(failure),
            Err(_) => {}
        }
    }
    crd_write::settle(server, call);
    let meta = ListMeta { version: listing.version, token: None, remaining: None, shards };
    Ok(Reply::list(&call.lens, call.shape, &meta, &listing.items)?.warning(warnings))
}
