//! GET of a collection.

use std::sync::Arc;

use super::get::reached;
use crate::api_error::Failure;
use crate::conversion;
use crate::query::parse_version;
use crate::request_context::Call;
use crate::response::{ListMeta, Reply};
use crate::selector::Selector;
use crate::state::Server;
use crate::store::{Listing, Lost, Page};

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    let causes = call.query.list_causes();
    if !causes.is_empty() {
        return Err(Failure::invalid_options("ListOptions", &causes));
    }
    let limit = call.query.limit()?;
    call.query.timeout()?;
    let selector =
        Selector::parse(call.query.label_selector.as_deref(), call.query.field_selector.as_deref(), &call.kind)?;
    let page = match call.query.continue_token.as_str() {
        "" => {
            let listing = conversion::listing(server, &call.lens, listing(server, call, limit).await?).await?;
            Page { listing: Arc::new(selected(server, listing, &selector, call)), start: 0 }
        }
        token => continued(server, call, token)?,
    };
    // The watch cache of an API server serves resourceVersion 0 and ignores the limit.
    let limit = limit.filter(|_| call.query.resource_version != "0");
    reply(server, call, &page, limit, &selector)
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
) -> Result<Reply, Failure> {
    let all = &page.listing.items;
    let start = page.start.min(all.len());
    let end = limit.map_or(all.len(), |limit| all.len().min(start + limit));
    let left = all.len() - end;
    let meta = ListMeta {
        version: page.listing.version,
        token: (left > 0).then(|| server.pages.keep(page, end)),
        remaining: (left > 0 && selector.is_empty()).then_some(left),
    };
    Reply::list(&call.lens, call.shape, &meta, &all[start..end])
}
