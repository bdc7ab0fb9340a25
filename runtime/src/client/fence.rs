//! The fence: a write of a pass reaches its connection only while its permit is valid.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, Request, Response, Uri};
use http_body::{Body as HttpBody, Frame, SizeHint};
use kube::client::Body;
use tokio::time::timeout;
use tower::{BoxError, Service, ServiceExt, service_fn};

use super::fence_rule::{Ended, FenceRule, is_read};

/// How long a response may take after the end of the term. The request has a `timeout` that ends with the term, so the server responds by then.
const GRACE: Duration = Duration::from_secs(2);

/// The body of a DELETE without one. It has the same meaning on all servers, and the fence needs a body.
const DELETE_OPTIONS: &str = r#"{"apiVersion":"v1","kind":"DeleteOptions"}"#;

/// The body of a request of an operator with replicas. Its bytes are handed to the connection only while the rule permits it.
///
/// hyper polls the body when the connection is ready: after the name look-up, the handshakes and its own retries. A layer is asked before all of
/// them. A server does not carry out a request whose body is incomplete.
pub struct Fenced {
    body: Body,
    /// `None`: a read, or a request of a client without a fence.
    fence: Option<Fence>,
}

/// The rule of a write, and whether it has held the body back. HTTP/2 reports the error of a body as that of a stream, without its cause.
#[derive(Clone, Debug)]
struct Fence {
    rule: FenceRule,
    has_ended: Arc<AtomicBool>,
}

impl Fence {
    fn permits(&self) -> bool {
        let permits = self.rule.permits();
        if !permits {
            self.has_ended.store(true, Ordering::Release);
        }
        permits
    }
}

impl fmt::Debug for Fenced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fenced").field("fence", &self.fence).finish_non_exhaustive()
    }
}

impl HttpBody for Fenced {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.fence.as_ref().is_some_and(|fence| !fence.permits()) {
            return Poll::Ready(Some(Err(Ended.into())));
        }
        Pin::new(&mut self.body).poll_frame(cx).map_err(BoxError::from)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Which requests a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// Writes need a rule.
    Fenced,
    /// All requests are sent as they are.
    Free,
}

/// Fences the requests to a service, which must be the innermost one: the HTTP client itself.
pub(super) fn fence<S, B>(
    service: S,
    writes: Writes,
) -> impl Service<Request<Body>, Response = Response<B>, Error = BoxError, Future: Send> + Clone
where
    S: Service<Request<Fenced>, Response = Response<B>, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    B: Send,
{
    service_fn(move |request| {
        let service = service.clone();
        async move {
            let request = match writes {
                Writes::Fenced => fenced(request)?,
                Writes::Free => request.map(|body| Fenced { body, fence: None }),
            };
            let fence = request.body().fence.clone();
            let end = fence.as_ref().and_then(|fence| fence.rule.left()).map(|left| left + GRACE);
            let answer = service.oneshot(request);
            let answer = match end {
                None => answer.await,
                Some(end) => timeout(end, answer).await.map_err(|_| too_late())?,
            };
            let has_ended = || fence.is_some_and(|fence| fence.has_ended.load(Ordering::Acquire));
            answer.map_err(|error| if has_ended() { Ended.into() } else { error.into() })
        }
    })
}

fn too_late() -> BoxError {
    format!("no response from the API server within {GRACE:?} after the end of the term of this replica").into()
}

/// The request with a fenced body.
///
/// # Errors
/// The request must not be sent.
fn fenced(request: Request<Body>) -> Result<Request<Fenced>, BoxError> {
    let (mut head, body) = request.into_parts();
    let rule = head.extensions.remove::<FenceRule>();
    if rule.as_ref().is_some_and(|rule| !rule.permits()) {
        return Err(Ended.into());
    }
    if is_read(&head.method) {
        return Ok(Request::from_parts(head, Fenced { body, fence: None }));
    }
    let Some(rule) = rule else { return Err(Unfenced::rule(&head).into()) };
    let body = with_body(&mut head, body)?;
    if let Some(left) = rule.left() {
        head.uri = limited(&head.uri, left);
    }
    let fence = Fence { rule, has_ended: Arc::default() };
    Ok(Request::from_parts(head, Fenced { body, fence: Some(fence) }))
}

/// The body of a write. hyper does not poll an empty one.
fn with_body(head: &mut Parts, body: Body) -> Result<Body, Unfenced> {
    let is_empty = body.is_end_stream() || body.size_hint().exact() == Some(0);
    if !is_empty {
        return Ok(body);
    }
    if head.method != Method::DELETE {
        return Err(Unfenced::body(head));
    }
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(Body::from(DELETE_OPTIONS.as_bytes().to_vec()))
}

/// The URI with a `timeout`, after which the server ends the request. A proxied URI belongs to another server and stays as it is.
fn limited(uri: &Uri, left: Duration) -> Uri {
    let path = uri.path();
    if path.ends_with("/proxy") || path.contains("/proxy/") {
        return uri.clone();
    }
    let others = uri.query().unwrap_or_default().split('&');
    let others = others.filter(|pair| !pair.is_empty() && !pair.starts_with("timeout="));
    // A timeout of 0 is no timeout.
    let limit = format!("timeout={}ms", left.as_millis().max(1));
    let query = others.chain([&*limit]).collect::<Vec<_>>().join("&");
    let mut parts = uri.clone().into_parts();
    match PathAndQuery::try_from(format!("{path}?{query}")) {
        Ok(whole) => parts.path_and_query = Some(whole),
        // The parts are those of a valid URI.
        Err(_) => return uri.clone(),
    }
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// The error of a write that the fence cannot check. It was not sent.
#[derive(Debug)]
struct Unfenced {
    call: String,
    why: &'static str,
}

impl Unfenced {
    fn rule(head: &Parts) -> Self {
        Self::new(head, "it is not a call of a pass; send it with `cx.client()`")
    }

    fn body(head: &Parts) -> Self {
        Self::new(
            head,
            "it has no body, and an operator with replicas can stop a write only by its body; add one, such as `{}`",
        )
    }

    fn new(head: &Parts, why: &'static str) -> Self {
        Self { call: format!("{} {}", head.method, head.uri.path()), why }
    }
}

impl fmt::Display for Unfenced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not sent: {}", self.call, self.why)
    }
}

impl std::error::Error for Unfenced {}

#[cfg(test)]
mod tests;
