//! GET of a collection.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::get::reached;
use crate::api_error::Failure;
use crate::conversion;
use crate::query::parse_version;
use crate::request_context::Call;
use crate::response::{ListMeta, Reply};
use crate::selector::{Selector, Shards};
use crate::state::Server;
use crate::store::{Listing, Lost, Page};

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    let causes = call.query.list_causes();
    if !causes.is_empty() {
        return Err(Failure::invalid_options("ListOptions", &causes));
    }
    let limit = call.query.limit()?;
    call.query.timeout()?;
    let mut selector =
        Selector::parse(call.query.label_selector.as_deref(), call.query.field_selector.as_deref(), &call.kind)?
            .in_shards(call.query.shard_selector.as_deref())?;
    let shards = selector.take_shards();
    let page = match call.query.continue_token.as_str() {
        "" => {
            let listing = conversion::listing(server, &call.lens, listing(server, call, limit).await?).await?;
            Page { listing: Arc::new(selected(server, listing, &selector, call)), start: 0 }
        }
        token => continued(server, call, token)?,
    };
    // The watch cache of an API server serves resourceVersion 0 and ignores the limit.
    let limit = limit.filter(|_| call.query.resource_version != "0");
    reply(server, call, &page, limit, &selector, &shards)
}

/// The objects of the requested namespace or cluster, at the requested resourceVersion.
async fn listing(server: &Server, call: &Call, limit: Option<usize>) -> Result<Listing, Failure> {
    let (store, storage, namespace) = (&server.store, &call.kind.storage, call.target.namespace.as_deref());
    let Some(version) = asked(call)? else { return Ok(store.list(storage, namespace)) };
    reached(server, version).await?;
    let exact = call.query.resource_version_match == "Exact"
        || (limit.is_some() && call.query.resource_version_match.is_empty() && version > 0);
    if !exact {
        return Ok(store.list(storage, namespace));
    }
    let message = "The provided resource version is too old, the list must be started anew";
    store.list_at(storage, namespace, version).map_err(|_| Failure::expired(message))
}

fn asked(call: &Call) -> Result<Option<u64>, Failure> {
    match call.query.resource_version.as_str() {
        "" => Ok(None),
        text => parse_version(text)
            .map(Some)
            .map_err(|error| Failure::bad_request(format!("invalid resource version: {error}"))),
    }
}

fn selected(server: &Server, listing: Listing, selector: &Selector, call: &Call) -> Listing {
    if selector.is_empty() {
        return listing;
    }
    let Listing { version, mut items } = listing;
    server.store.tally.evaluated.add(items.len());
    items.retain(|item| selector.matches(item, &call.kind));
    Listing { version, items }
}

fn continued(server: &Server, call: &Call, token: &str) -> Result<Page, Failure> {
    if !matches!(call.query.resource_version.as_str(), "" | "0") {
        return Err(Failure::bad_request("specifying resource version is not allowed when using continue"));
    }
    server.pages.find(token).map_err(|lost| match lost {
        Lost::Malformed => Failure::bad_request("invalid continue token: continue key is not valid"),
        Lost::Expired => Failure::expired(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list \
             without the continue parameter.",
        ),
    })
}

fn reply(
    server: &Server,
    call: &Call,
    page: &Page,
    limit: Option<usize>,
    selector: &Selector,
    shards: &Shards,
) -> Result<Reply, Failure> {
    let all = &page.listing.items;
    let rest = &all[page.start.min(all.len())..];
    let (read, items) = in_shards(rest, limit.unwrap_or(usize::MAX), shards);
    let has_more = read < rest.len();
    let meta = ListMeta {
        version: page.listing.version,
        token: has_more.then(|| server.pages.keep(page, page.start + read)),
        // A real server counts the objects of the other shards.
        remaining: (has_more && selector.is_empty()).then(|| rest.len() - items.len()),
        shards: (!shards.is_empty()).then(|| shards.to_string()),
    };
    Reply::list(&call.lens, call.shape, &meta, &items)
}

/// The first objects in these shards, at most `limit`, and the number of objects up to the last of them; the number of all if there are no
/// more. As on a real server, each page selects the shards of its own request, and the last page may be empty.
fn in_shards<'a>(rest: &'a [Arc<Value>], limit: usize, shards: &Shards) -> (usize, Cow<'a, [Arc<Value>]>) {
    if shards.is_empty() {
        let read = rest.len().min(limit);
        return (read, Cow::Borrowed(&rest[..read]));
    }
    let mine = || rest.iter().enumerate().filter(|(_, item)| shards.matches(item)).take(limit);
    let items: Vec<_> = mine().map(|(_, item)| Arc::clone(item)).collect();
    let read = if items.len() == limit { mine().last().map_or(0, |(index, _)| index + 1) } else { rest.len() };
    (read, Cow::Owned(items))
}
