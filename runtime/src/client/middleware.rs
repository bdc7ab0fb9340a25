//! The layers of the clients: user agent, call metrics and watch bodies.

use std::time::Duration;

use bytes::Bytes;
use futures::TryFutureExt;
use http::{HeaderValue, Request, Response, header};
use kube::Client;
use kube::client::Body;
use tokio::time::timeout;
use tower::layer::layer_fn;
use tower::util::{BoxCloneSyncService, MapRequestLayer};
use tower::{BoxError, Layer, Service, service_fn};

use super::agent::agent_layer;
use super::fence_rule::{FenceRule, is_read};
use super::filtered_body::Filtered;
use super::line_limit::{Bound, Ending};
use super::observed_call::observed;
use super::request_info::{Line, is_watch};
use super::strip_managed_fields::Scan;
use super::watch_lines::Lines;
use crate::client::decode::RawTextStore;
use crate::queue::meter::CallMeter;

/// Timeout for the head of a response. API servers give up on a request after 60 s themselves, and respond to watches at once. kube has no
/// such timeout: a watch whose list or start gets no response would hang until the operator restarts.
const SILENCE: Duration = Duration::from_secs(65);

/// Wraps a client and sets the user agent `<operator>/<version>`.
pub(crate) fn named(client: &Client, agent: &str) -> Client {
    over(client, &agent_layer(agent))
}

/// Wraps a client for calls outside of passes, counts them and limits each to [`SILENCE`]. Its writes need no leadership.
pub(crate) fn counted(client: &Client, meter: &CallMeter) -> Client {
    let layer = layer_fn(|mut calls: Calls| {
        let meter = meter.clone();
        service_fn(move |mut request: Request<Body>| {
            let (line, meter) = (Line::of(&request), meter.clone());
            if !is_read(request.method()) {
                request.extensions_mut().insert(FenceRule::Exempt);
            }
            let answer = calls.call(request);
            async move {
                let answer = async {
                    match timeout(SILENCE, answer).await {
                        Ok(answer) => answer.map_err(BoxError::from),
                        Err(_) => Err(format!("no response within {SILENCE:?}").into()),
                    }
                };
                observed(line, "", &meter, answer).await
            }
        })
    });
    over(client, &layer)
}

/// Wraps a client and requests the metadata of objects only. A server without that form returns whole objects.
pub(crate) fn metadata_only(client: &Client) -> Client {
    const LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    const WATCH: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let ask = |mut request: Request<Body>| {
        let form = HeaderValue::from_static(if is_watch(request.uri()) { WATCH } else { LIST });
        request.headers_mut().insert(header::ACCEPT, form);
        request
    };
    over(client, &MapRequestLayer::new(ask))
}

/// Same as [`watched`], and removes from the objects in lists and watches what no reconciler reads. With a `shelf`, moves the objects of
/// watches to that store.
pub(crate) fn lean(client: &Client, shelf: Option<&RawTextStore>) -> Client {
    let layer = layer_fn(|mut calls: Calls| {
        let shelf = shelf.cloned();
        service_fn(move |request: Request<Body>| {
            let is_watch = is_watch(request.uri());
            let shelf = shelf.clone();
            calls.call(request).map_ok(move |answer| {
                let (list, lines) = ((!is_watch).then(Scan::default), is_watch.then(|| Lines::new(shelf)));
                answer.map(|body| Filtered::new(Filtered::new(bounded(body, is_watch), list), lines))
            })
        })
    });
    over(client, &layer)
}

/// Wraps a client, whose watches fail if a line is too long or the connection breaks.
pub(crate) fn watched(client: &Client) -> Client {
    let layer = layer_fn(|mut calls: Calls| {
        service_fn(move |request: Request<Body>| {
            let is_watch = is_watch(request.uri());
            calls.call(request).map_ok(move |answer| answer.map(|body| bounded(body, is_watch)))
        })
    });
    over(client, &layer)
}

fn bounded(body: Body, is_watch: bool) -> Filtered<Ending<Body>, Option<Bound>> {
    Filtered::new(Ending(body), is_watch.then(Bound::default))
}

/// The calls of a client, as a service.
pub(crate) type Calls = BoxCloneSyncService<Request<Body>, Response<Body>, kube::Error>;

/// Wraps a client with a layer.
pub(crate) fn over<L, B>(client: &Client, layer: &L) -> Client
where
    L: Layer<Calls>,
    L::Service: Service<Request<Body>, Response = Response<B>, Error: Into<BoxError>, Future: Send> + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    over_in(client, client.default_namespace(), layer)
}

/// The same as [`over`], with another default namespace.
pub(super) fn over_in<L, B>(client: &Client, namespace: &str, layer: &L) -> Client
where
    L: Layer<Calls>,
    L::Service: Service<Request<Body>, Response = Response<B>, Error: Into<BoxError>, Future: Send> + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let beneath = client.clone();
    let calls = service_fn(move |request| {
        let client = beneath.clone();
        async move { client.send(request).await }
    });
    let service = layer.layer(BoxCloneSyncService::new(calls));
    Client::new(service, namespace).with_valid_until(*client.valid_until())
}
