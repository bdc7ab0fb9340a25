//! The wire between an operator and its API server: it records and counts every call, and can fail any of them.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use evenkeel_testkit::Effect;
use futures::StreamExt;
use futures::stream::{pending, repeat};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::watch;
use tower::BoxError;

use crate::activity::Activity;
use crate::observers::Observers;

type Answer = Response<http_body_util::combinators::UnsyncBoxBody<bytes::Bytes, BoxError>>;

/// One request as the server receives it.
#[derive(Clone, Debug)]
pub struct Call {
    /// GET, PATCH, ...
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query.
    pub query: String,
    /// The body.
    pub body: String,
}

impl Call {
    /// Whether it starts a watch.
    #[must_use]
    pub fn is_watch(&self) -> bool {
        self.query.contains("watch=true")
    }

    /// Whether it lists a collection: in pages, or as the beginning of a watch.
    #[must_use]
    pub fn is_list(&self) -> bool {
        let pages = self.query.contains("limit=") || self.query.contains("resourceVersionMatch");
        self.method == "GET" && (self.is_stream() || (!self.is_watch() && pages))
    }

    /// Whether it requests the existing objects as the beginning of a watch.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.query.contains("sendInitialEvents=true")
    }

    /// Whether it is a write.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.method != "GET"
    }

    /// Whether it is about Kubernetes events.
    #[must_use]
    pub fn is_event(&self) -> bool {
        self.path.contains("/events")
    }

    /// Whether it writes a status.
    #[must_use]
    pub fn is_status_write(&self) -> bool {
        self.is_write() && self.path.ends_with("/status")
    }
}

/// The handling of a call instead of forwarding it.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers with this code and, if given, `Retry-After` in seconds.
    Answer(u16, Option<u32>),
    /// Answers 404 in plain text, like a server that does not serve the path.
    PageNotFound,
    /// Answers 404 for the kind: a Status that names no object.
    KindNotFound,
    /// Answers 404 with the name of the object, as for a missing subresource.
    SubresourceNotFound,
    /// Answers 503 with `Retry-After`, like a server that is starting.
    Starting,
    /// Never answers.
    Silence,
    /// Ends the connection without an answer, and forwards the call after this time.
    Late(Duration),
    /// Removes these parameters from the query, as if the server did not know them.
    Unaware(&'static [&'static str]),
    /// Forwards it once this is true, so that other calls are sent first.
    Hold(watch::Receiver<bool>),
    /// Starts a watch that neither delivers nor ends.
    Mute,
    /// Answers with an endless line, and counts how many MiB of it are read.
    Flood(Arc<AtomicUsize>),
}

type Rule = Box<dyn FnMut(&Call) -> Option<Fault> + Send>;

struct State {
    calls: Mutex<Vec<Call>>,
    rules: Mutex<Vec<Rule>>,
    /// The part of the paths whose watches are held.
    frozen: watch::Sender<Option<&'static str>>,
    observers: Observers,
    activity: Activity,
}

/// A wire over any client. All clones share one state.
#[derive(Clone)]
pub struct Wire(Arc<State>);

impl Default for Wire {
    fn default() -> Self {
        let frozen = watch::Sender::new(None);
        Self(Arc::new(State {
            calls: Mutex::default(),
            rules: Mutex::default(),
            frozen,
            observers: Observers::default(),
            activity: Activity::default(),
        }))
    }
}

impl Wire {
    /// Returns a client that connects to the server of `client` over this wire.
    #[must_use]
    pub fn client(&self, client: &Client) -> Client {
        let (wire, client) = (self.clone(), client.clone());
        let namespace = client.default_namespace().to_owned();
        let service = tower::service_fn(move |request| {
            let (wire, client) = (wire.clone(), client.clone());
            async move { wire.send(&client, request).await }
        });
        Client::new(service, namespace)
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of matching calls so far.
    pub fn count(&self, like: impl Fn(&Call) -> bool) -> usize {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|call| like(call)).count()
    }

    /// Clears the recorded calls.
    pub fn clear(&self) {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Waits until each request has its answer and no request was sent for `time`, at most for `limit`.
    pub(crate) async fn quiet(&self, time: Duration, limit: Duration) {
        self.0.activity.quiet(time, limit).await;
    }

    /// Applies `rule` to each call before it is sent.
    pub fn fault(&self, rule: impl FnMut(&Call) -> Option<Fault> + Send + 'static) {
        self.0.rules.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(rule));
    }

    /// Removes all rules.
    pub fn mend(&self) {
        self.0.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Holds the events of watches, so that the caches become stale.
    pub fn freeze(&self) {
        self.freeze_only("");
    }

    /// Holds the events of watches of these paths.
    pub fn freeze_only(&self, part: &'static str) {
        self.0.frozen.send_replace(Some(part));
    }

    /// Delivers the held events and all later ones.
    pub fn thaw(&self) {
        self.0.frozen.send_replace(None);
    }

    async fn send(&self, client: &Client, request: Request<Body>) -> Result<Answer, BoxError> {
        let (mut parts, body) = request.into_parts();
        let body = body.collect_bytes().await?;
        let call = Call {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        let fault = self.0.rules.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().find_map(|rule| rule(&call));
        // A second reconciler of a kind writes at any time, and does not affect what observers read.
        let is_second = call.body.contains("\"observedBy\"");
        let is_status_write = call.is_status_write() && !is_second;
        let watched = call.is_watch().then(|| call.path.clone());
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        let fault = match fault {
            Some(Fault::Hold(mut passes)) => {
                // An error means that the test has ended.
                let _ = passes.wait_for(|passes| *passes).await;
                None
            }
            fault => fault,
        };
        match fault {
            Some(Fault::Silence) => std::future::pending().await,
            Some(Fault::Late(time)) => {
                let (client, request) = (client.clone(), Request::from_parts(parts, Body::from(body)));
                tokio::spawn(async move {
                    tokio::time::sleep(time).await;
                    client.send(request).await
                });
                Err("the connection has ended".into())
            }
            Some(fault) if !matches!(fault, Fault::Unaware(_)) => Ok(refused(&fault, parts.uri.path())),
            passes => {
                if let Some(Fault::Unaware(parameters)) = passes {
                    parts.uri = without(&parts.uri, parameters)?;
                }
                let unanswered = watched.is_none().then(|| self.0.activity.request());
                let answer = client.send(Request::from_parts(parts, Body::from(body))).await?;
                drop(unanswered);
                if is_status_write && answer.status().is_success() {
                    return self.observed(answer).await;
                }
                Ok(match watched {
                    Some(path) => self.gated(answer, path),
                    None => answer.map(|body| body.map_err(BoxError::from).boxed_unsync()),
                })
            }
        }
    }

    /// Passes the result of a status write to the observers.
    async fn observed(&self, answer: Response<Body>) -> Result<Answer, BoxError> {
        let (parts, body) = answer.into_parts();
        let body = body.collect_bytes().await?;
        // The answer of a fault contains no status.
        let written = serde_json::from_slice::<Value>(&body).ok();
        if let Some(object) = written.filter(|object| object["metadata"]["uid"].is_string()) {
            self.0.observers.look(&object);
        }
        Ok(Response::from_parts(parts, Full::new(body).map_err(|never: Infallible| match never {}).boxed_unsync()))
    }

    /// The observers, which check every written status.
    #[must_use]
    pub fn observers(&self) -> &Observers {
        &self.0.observers
    }

    fn gated(&self, answer: Response<Body>, path: String) -> Answer {
        let (frozen, path): (_, Arc<str>) = (self.0.frozen.subscribe(), path.into());
        answer.map(|body| {
            let frames = http_body_util::BodyStream::new(body).then(move |frame| {
                let (mut frozen, path) = (frozen.clone(), path.clone());
                async move {
                    // The sender lives as long as the wire; an error means that the receiver is gone.
                    let _ = frozen.wait_for(|part| part.is_none_or(|part| !path.contains(part))).await;
                    frame.map_err(BoxError::from)
                }
            });
            StreamBody::new(frames).boxed_unsync()
        })
    }
}

/// The URI without these parameters of its query.
fn without(uri: &Uri, parameters: &[&str]) -> Result<Uri, BoxError> {
    let known = |pair: &&str| pair.split('=').next().is_none_or(|name| !parameters.contains(&name));
    let query: Vec<&str> = uri.query().unwrap_or_default().split('&').filter(known).collect();
    Ok(format!("{}?{}", uri.path(), query.join("&")).parse()?)
}

/// The answer of a fault to a call of this path.
fn refused(fault: &Fault, path: &str) -> Answer {
    match fault {
        Fault::PageNotFound => effect(&Effect::PageNotFound, path),
        Fault::KindNotFound => effect(&Effect::KindNotFound, path),
        Fault::SubresourceNotFound => effect(&Effect::SubresourceNotFound, path),
        Fault::Starting => effect(&Effect::Starting, path),
        Fault::Answer(code, after) => {
            let details = json!({ "retryAfterSeconds": after.unwrap_or(0) });
            status(*code, reason(*code), &format!("planted {code}"), &details)
        }
        Fault::Mute => Response::new(StreamBody::new(pending()).boxed_unsync()),
        Fault::Flood(read) => flood(read.clone()),
        Fault::Silence | Fault::Late(_) | Fault::Unaware(_) | Fault::Hold(_) => {
            status(500, "InternalError", "a fault without an answer", &json!({}))
        }
    }
}

/// The answer of the test kit.
fn effect(effect: &Effect, path: &str) -> Answer {
    let answer = effect.answer(path).unwrap_or_default();
    answer.map(|body| Full::new(body).map_err(|never: Infallible| match never {}).boxed_unsync())
}

/// A line that is longer than any memory.
fn flood(read: Arc<AtomicUsize>) -> Answer {
    const MIB: usize = 1 << 20;
    let part = bytes::Bytes::from(vec![b' '; MIB]);
    let frames = repeat(part).take(1024).map(move |part| {
        read.fetch_add(1, Ordering::SeqCst);
        Ok(Frame::data(part))
    });
    Response::new(StreamBody::new(frames).boxed_unsync())
}

fn reason(code: u16) -> &'static str {
    match code {
        401 => "Unauthorized",
        409 => "Conflict",
        403 => "Forbidden",
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        _ => "InternalError",
    }
}

fn status(code: u16, reason: &str, message: &str, details: &Value) -> Answer {
    let after = details["retryAfterSeconds"].as_u64().filter(|seconds| *seconds > 0);
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code,
        "message": message, "details": details
    });
    answer(code, "application/json", status.to_string(), after)
}

fn answer(code: u16, form: &str, text: String, retry_after: Option<u64>) -> Answer {
    let body = Full::new(bytes::Bytes::from(text)).map_err(|never: Infallible| match never {});
    let mut answer = Response::builder().status(code).header("content-type", form);
    if let Some(seconds) = retry_after {
        answer = answer.header("retry-after", seconds);
    }
    answer
        .body(body.boxed_unsync())
        .unwrap_or_else(|_| Response::new(Full::default().map_err(|never: Infallible| match never {}).boxed_unsync()))
}
