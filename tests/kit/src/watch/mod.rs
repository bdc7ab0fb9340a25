//! Watches: their start and their stream of events.

mod event;
mod stream;

use std::sync::Arc;

use axum::body::Body;
use futures::StreamExt;
use http::Response;
use serde_json::Value;
use tokio::time::{Duration, Instant};

use crate::api_error::Failure;
use crate::content_negotiation::{Shape, Subject};
use crate::conversion;
use crate::request_context::Call;
use crate::response::Reply;
use crate::selector::Selector;
use crate::state::Server;
use event::{Frames, Marker};
use stream::Watching;

/// The default timeout of a watch.
const LONG: Duration = Duration::from_secs(3600);

/// Starts a watch.
pub(crate) async fn answer(server: &Arc<Server>, call: Call) -> Result<Reply, Failure> {
    let causes = call.query.watch_causes();
    if !causes.is_empty() {
        return Err(Failure::invalid_options("ListOptions", &causes));
    }
    let mut selector =
        Selector::parse(call.query.label_selector.as_deref(), call.query.field_selector.as_deref(), &call.kind)?
            .in_shards(call.query.shard_selector.as_deref())?;
    if let Some(name) = call.target.name.as_deref() {
        selector.name(name);
    }
    if let Shape::Table(_) = call.shape {
        call.shape.fits(&call.kind, Subject::List)?;
    }
    let version = call.query.version()?;
    let timeout = call.query.timeout()?.map_or(LONG, Duration::from_secs);
    let watching = start(server, call, selector, version, Instant::now() + timeout).await;
    Ok(Reply::stream(200, Body::from_stream(watching.into_stream())))
}

/// Creates a watch with its initial events.
async fn start(
    server: &Arc<Server>,
    call: Call,
    selector: Selector,
    version: Option<u64>,
    deadline: Instant,
) -> Watching {
    let scope = selector.scope(call.target.namespace.as_deref());
    let frames = Frames::new(call.shape, call.lens.clone(), selector, scope, &server.store.tally);
    let mut watching = Watching::new(server, frames, &call.query, deadline);
    let initial = call.query.send_initial_events;
    match version.unwrap_or_default() {
        newer if initial == Some(true) && newer > server.store.version() => {
            watching.fail(&Failure::too_large(newer, server.store.version()));
        }
        _ if initial == Some(true) => {
            snapshot(server, &mut watching).await;
            if call.query.bookmarks {
                watching.bookmark(Marker::InitialEnd);
            }
        }
        0 if initial.is_none() => {
            snapshot(server, &mut watching).await;
            watching.mark_first_bookmark();
        }
        0 => watching.begin(server.store.version()),
        from => match server.store.reaches(&call.kind.storage, from) {
            Ok(()) => watching.begin(from),
            Err(behind) => {
                watching.fail(&Failure::expired(format!("too old resource version: {from} ({})", behind.oldest)));
            }
        },
    }
    watching
}

/// Ends a running watch after the given time.
pub(crate) fn cut(response: Response<Body>, time: Duration) -> Response<Body> {
    let end = Box::pin(tokio::time::sleep(time));
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(end)))
}

/// Returns a watch that fails as expired at once.
pub(crate) fn expired() -> Response<Body> {
    let line = event::error(&Failure::expired("too old resource version: injected by a fault rule"));
    Reply::bytes(200, line.unwrap_or_default()).into_response()
}

/// Sends each current object as an ADDED event.
async fn snapshot(server: &Server, watching: &mut Watching) {
    let frames = watching.frames();
    let listing = server.store.list(&frames.lens.kind.storage, frames.scope.namespace.as_deref());
    let listing = match conversion::listing(server, &frames.lens, listing).await {
        Ok(listing) => listing,
        Err(failure) => return watching.fail(&failure),
    };
    let items: Vec<Arc<Value>> = listing.items.into_iter().filter(|item| frames.selects(item)).collect();
    for item in items {
        watching.added(&item);
    }
    watching.begin(listing.version);
}
