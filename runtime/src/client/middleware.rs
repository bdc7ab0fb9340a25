//! The layer that reads each answer's headers, and the client with kube's own retries off.

use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use http::{HeaderValue, Request, Response, header};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config};
use tower::layer::layer_fn;
use tower::util::{BoxCloneSyncService, MapRequestLayer};
use tower::{BoxError, Layer, Service, service_fn};
use tracing::Instrument;

use super::filtered_body::Filtered;
use super::line_limit::{Bound, Ending};
use super::request_info::{Line, is_watch};
use super::retry_after;
use super::strip_managed_fields::Scan;
use super::watch_lines::Lines;
use crate::client::decode::Shelf;
use crate::queue::meter::CallMeter;

/// How long the head of an answer may take. API servers give up on a request after 60 s themselves, and answer watches at once; kube waits
/// for ever, with which a watch whose list or start is never answered would be dead until the operator is started again.
const SILENCE: Duration = Duration::from_secs(65);

/// The service beneath, with each answer noted and the operator named as the agent.
#[derive(Clone, Debug)]
struct Noted<S> {
    service: S,
    agent: Option<HeaderValue>,
    meter: CallMeter,
}

impl<S, B> Service<Request<Body>> for Noted<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = Response<B>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<B>, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.service.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Some(agent) = &self.agent {
            request.headers_mut().entry(header::USER_AGENT).or_insert_with(|| agent.clone());
        }
        let (line, meter) = (Line::of(&request), self.meter.clone());
        let answer = self.service.call(request);
        // Noted where the answer is awaited: the client's own task, which makes the call, belongs to no pass.
        async move {
            let span = line.span();
            let answer = match tokio::time::timeout(SILENCE, answer).instrument(span.clone()).await {
                Ok(answer) => answer.map_err(Into::into),
                Err(_) => Err(format!("no answer within {SILENCE:?}").into()),
            };
            match &answer {
                Ok(response) => {
                    span.record("code", response.status().as_u16());
                    retry_after::note(response.status(), response.headers());
                }
                Err(_) => retry_after::note_silence(),
            }
            meter.tell(|counts| counts.call(&line.call(answer.as_ref().ok().map(Response::status))));
            answer
        }
        .boxed()
    }
}

/// Makes the layer. A name that no header can hold is left out.
struct Noting<'a> {
    agent: &'a str,
    meter: CallMeter,
}

impl<S> Layer<S> for Noting<'_> {
    type Service = Noted<S>;

    fn layer(&self, service: S) -> Noted<S> {
        Noted { service, agent: HeaderValue::from_str(self.agent).ok(), meter: self.meter.clone() }
    }
}

/// A client that notes answers on top of a finished one.
pub(crate) fn noted(client: &Client, agent: &str, meter: CallMeter) -> Client {
    over(client, &Noting { agent, meter })
}

/// The same client, which asks for the metadata of objects only. A server that has no such form answers with whole objects.
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

/// As [`watched`], and in lists and watches the `managedFields` of objects are empty. With a shelf, the objects that watches deliver are put
/// there.
pub(crate) fn lean(client: &Client, shelf: Option<&Shelf>) -> Client {
    let layer = layer_fn(|mut calls: Calls| {
        let shelf = shelf.cloned();
        service_fn(move |request: Request<Body>| {
            let is_watch = is_watch(request.uri());
            let lines = shelf.clone().filter(|_| is_watch).map(Lines::new);
            calls.call(request).map_ok(move |answer| {
                answer.map(|body| Filtered::new(Filtered::new(bounded(body, is_watch), Scan::default()), lines))
            })
        })
    });
    over(client, &layer)
}

/// The same client, whose watches end where a line is too long, and with an error where the connection is cut.
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
type Calls = BoxCloneSyncService<Request<Body>, Response<Body>, kube::Error>;

/// A client on top of a finished one.
fn over<L, B>(client: &Client, layer: &L) -> Client
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
    Client::new(service, client.default_namespace()).with_valid_until(*client.valid_until())
}

/// A client from a configuration: kube's retries off, since the queue backs off per object, and with `<operator>/<version>` as agent.
pub(crate) fn configured(mut config: Config, agent: &str, meter: CallMeter) -> Result<Client, kube::Error> {
    config.default_retry = false;
    Ok(ClientBuilder::try_from(config)?.with_layer(&Noting { agent, meter }).build())
}
