//! Which requests the fence sends, and with which URI and body.

use std::sync::{Arc, Mutex};

use futures::future::{pending, poll_fn};
use tokio::time::{Instant, advance};

use super::*;
use crate::clock::Reading;
use crate::leadership::{Leadership, Term};

/// A connection that reads the body of each request once it is ready, and then responds.
#[derive(Clone)]
struct Connection {
    /// Called when the connection is ready, before the body is read.
    ready: Arc<dyn Fn() + Send + Sync>,
    /// The requests that arrived: method, path, query and body.
    arrived: Arc<Mutex<Vec<String>>>,
    writes: Writes,
}

impl Connection {
    fn new(ready: impl Fn() + Send + Sync + 'static) -> Self {
        Self { ready: Arc::new(ready), arrived: Arc::default(), writes: Writes::Fenced }
    }

    async fn send(&self, request: Request<Body>) -> Result<(), BoxError> {
        let connection = self.clone();
        let service = service_fn(move |request: Request<Fenced>| {
            let connection = connection.clone();
            async move { connection.carry(request).await }
        });
        fence(service, self.writes).oneshot(request).await.map(drop)
    }

    async fn carry(self, request: Request<Fenced>) -> Result<Response<()>, BoxError> {
        (self.ready)();
        let (head, mut body) = request.into_parts();
        let mut text = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            // As hyper wraps the error of a body.
            let frame = frame.map_err(std::io::Error::other)?;
            text.extend(frame.into_data().unwrap_or_default());
        }
        let line = format!("{} {} {}", head.method, head.uri, String::from_utf8(text)?);
        self.arrived.lock().unwrap().push(line);
        Ok(Response::new(()))
    }

    fn arrived(&self) -> Vec<String> {
        self.arrived.lock().unwrap().clone()
    }
}

fn request(method: &str, uri: &str, body: &str, rule: Option<FenceRule>) -> Request<Body> {
    let body = Body::from(body.as_bytes().to_vec());
    let mut request = Request::builder().method(method).uri(uri).body(body).unwrap();
    if let Some(rule) = rule {
        request.extensions_mut().insert(rule);
    }
    request
}

const MAP: &str = "/api/v1/namespaces/a/configmaps/x";

#[tokio::test]
async fn a_write_is_held_back_if_the_term_ends_before_the_connection_is_ready() {
    for ends in [false, true] {
        let gate = Leadership::open();
        let permit = FenceRule::Permit(gate.permit());
        let connection = Connection::new(move || {
            if ends {
                gate.close();
            }
        });
        let answer = connection.send(request("PUT", MAP, "{}", Some(permit))).await;
        assert_eq!((answer.is_err(), connection.arrived().len()), (ends, usize::from(!ends)));
        // The error is that of the check above the connection, without the layers in between.
        let is_ended = answer.err().map(|error| error.to_string() == Ended.to_string());
        assert_eq!(is_ended, ends.then_some(true));
    }
}

#[tokio::test]
async fn a_write_after_the_term_reaches_no_connection() {
    let gate = Leadership::open();
    let permit = FenceRule::Permit(gate.permit());
    gate.close();
    let connection = Connection::new(|| panic!("the connection was asked for"));
    // `exec` and `portforward` are reads by their method only.
    for method in ["POST", "GET"] {
        let error = connection.send(request(method, MAP, "{}", Some(permit.clone()))).await.unwrap_err();
        assert!(error.is::<Ended>(), "{error}");
    }
}

#[tokio::test]
async fn reads_and_exempt_writes_need_no_leadership() {
    let connection = Connection::new(|| {});
    connection.send(request("GET", MAP, "", None)).await.unwrap();
    connection
        .send(request("POST", "/apis/events.k8s.io/v1/namespaces/a/events", "{}", Some(FenceRule::Exempt)))
        .await
        .unwrap();
    assert_eq!(
        connection.arrived(),
        [format!("GET {MAP} "), "POST /apis/events.k8s.io/v1/namespaces/a/events {}".into()]
    );
}

#[tokio::test]
async fn a_write_without_a_rule_or_a_body_is_refused() {
    let gate = Leadership::open();
    let connection = Connection::new(|| panic!("the connection was asked for"));
    let error = connection.send(request("PATCH", MAP, "{}", None)).await.unwrap_err().to_string();
    assert_eq!(error, format!("PATCH {MAP} was not sent: it is not a call of a pass; send it with `cx.client()`"));
    let rule = Some(FenceRule::Permit(gate.permit()));
    let error = connection.send(request("POST", MAP, "", rule)).await.unwrap_err().to_string();
    let wanted =
        "it has no body, and an operator with replicas can stop a write only by its body; add one, such as `{}`";
    assert_eq!(error, format!("POST {MAP} was not sent: {wanted}"));
}

#[tokio::test]
async fn a_delete_without_a_body_gets_one() {
    let gate = Leadership::open();
    let connection = Connection::new(|| {});
    let delete = |body| request("DELETE", MAP, body, Some(FenceRule::Permit(gate.permit())));
    connection.send(delete("")).await.unwrap();
    connection.send(delete(r#"{"gracePeriodSeconds":0}"#)).await.unwrap();
    let wanted = [DELETE_OPTIONS, r#"{"gracePeriodSeconds":0}"#].map(|body| format!("DELETE {MAP} {body}"));
    assert_eq!(connection.arrived(), wanted);
}

/// A gate that is open for ten seconds.
fn term() -> Leadership {
    let gate = Leadership::closed();
    gate.grant(Term { epoch: 1, renewed: Reading::now(), lasts: Duration::from_secs(10) });
    gate
}

#[tokio::test(start_paused = true)]
async fn a_write_in_a_term_ends_with_it_on_the_server() {
    let (gate, connection) = (term(), Connection::new(|| {}));
    advance(Duration::from_secs(4)).await;
    connection.send(request("PUT", MAP, "{}", Some(FenceRule::Permit(gate.permit())))).await.unwrap();
    let arrived = connection.arrived().concat();
    let (_, limit) = arrived.split_once("?timeout=").unwrap();
    let limit: u64 = limit.strip_suffix("ms {}").unwrap().parse().unwrap();
    assert!((5_000..=6_000).contains(&limit), "{arrived}");
}

#[tokio::test(start_paused = true)]
async fn the_response_to_a_write_is_awaited_until_two_seconds_after_the_term() {
    let (gate, began) = (term(), Instant::now());
    let silent = fence(service_fn(|_: Request<Fenced>| pending::<Result<Response<()>, BoxError>>()), Writes::Fenced);
    let write = silent.oneshot(request("PUT", MAP, "{}", Some(FenceRule::Permit(gate.permit()))));
    let error = write.await.unwrap_err().to_string();
    assert_eq!(error, "no response from the API server within 2s after the end of the term of this replica");
    assert_eq!(began.elapsed().as_secs(), 12);
}

#[test]
fn the_limit_of_a_request_replaces_that_of_its_caller() {
    for (uri, left, wanted) in [
        ("https://k/c/a?", 1500, "https://k/c/a?timeout=1500ms"),
        ("https://k/c/a", 0, "https://k/c/a?timeout=1ms"),
        ("/a?fieldManager=m&force=true", 7, "/a?fieldManager=m&force=true&timeout=7ms"),
        ("/a?timeout=60s&dryRun=All", 7, "/a?dryRun=All&timeout=7ms"),
        // The query belongs to the service behind the proxy.
        ("/api/v1/namespaces/a/services/s/proxy", 7, "/api/v1/namespaces/a/services/s/proxy"),
        ("/api/v1/namespaces/a/pods/p/proxy/path?a=b", 7, "/api/v1/namespaces/a/pods/p/proxy/path?a=b"),
    ] {
        assert_eq!(limited(&uri.parse().unwrap(), Duration::from_millis(left)).to_string(), wanted);
    }
}

#[tokio::test]
async fn a_client_without_a_fence_sends_all_requests_as_they_are() {
    let connection = Connection { writes: Writes::Free, ..Connection::new(|| ()) };
    for (method, body) in [("DELETE", ""), ("POST", ""), ("PUT", "{}"), ("GET", "")] {
        connection.send(request(method, "/api/v1/pods/a?x=y", body, None)).await.unwrap();
        assert_eq!(connection.arrived().last(), Some(&format!("{method} /api/v1/pods/a?x=y {body}")));
    }
}
