//! The client of a dry run: each write is sent with `dryRun=All`, and compared with the object before it.

use std::borrow::Cow;

use futures::TryFutureExt;
use http::{Method, Request, Response, Uri, header};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tower::layer::layer_fn;
use tower::{BoxError, Service, service_fn};

use super::report::DryRun;
use crate::client::{Calls, Line, over};

/// Subresources whose calls have an effect although `dryRun=All` is set, or that do not know it.
const EFFECTIVE: [&str; 5] = ["attach", "exec", "portforward", "proxy", "token"];

/// The groups of reviews, which answer a question and store nothing.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// Wraps a client so that it only simulates its writes.
pub(super) fn simulated(client: &Client, log: &'static DryRun) -> Client {
    let layer = layer_fn(|calls: Calls| service_fn(move |request| sent(calls.clone(), log, request)));
    over(client, &layer)
}

/// Sends a read as it is, and a write as a simulation.
async fn sent(mut calls: Calls, log: &DryRun, request: Request<Body>) -> Result<Response<Body>, BoxError> {
    let line = Line::of(&request);
    let parts = line.parts();
    if EFFECTIVE.contains(&parts.subresource) {
        log.left_out(&format!("the call {} {} {}", line.verb(), line.resource(), line.object()));
        return Err("a dry run does not send this call".into());
    }
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if is_read || REVIEWS.contains(&parts.group) {
        return calls.call(request).map_err(BoxError::from).await;
    }
    // Of a deletion nothing but the call is printed.
    let before = match *request.method() == Method::DELETE {
        true => Value::Null,
        false => before(&mut calls, &line, request.uri()).await,
    };
    let request = with_dry_run(request)?;
    let (head, body) = calls.call(request).await?.into_parts();
    let bytes = body.collect_bytes().await?;
    record(log, &line, &before, head.status.is_success(), &bytes);
    Ok(Response::from_parts(head, Body::from(bytes)))
}

/// The object that the request is about; null if it does not exist or cannot be read.
async fn before(calls: &mut Calls, line: &Line, uri: &Uri) -> Value {
    let parts = line.parts();
    if parts.name.is_empty() {
        return Value::Null;
    }
    let path = match parts.subresource {
        "" => uri.path(),
        subresource => uri.path().trim_end_matches(subresource).trim_end_matches('/'),
    };
    let Ok(request) = Request::get(path).header(header::ACCEPT, "application/json").body(Body::empty()) else {
        return Value::Null;
    };
    let Ok(response) = calls.call(request).await else { return Value::Null };
    if !response.status().is_success() {
        return Value::Null;
    }
    let read = response.into_body().collect_bytes().await;
    read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The request with the parameter `dryRun=All`.
fn with_dry_run(request: Request<Body>) -> Result<Request<Body>, BoxError> {
    let (mut head, body) = request.into_parts();
    let path = head.uri.path();
    let query = head.uri.query().unwrap_or_default();
    let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("dryRun="));
    let query = others.chain(["dryRun=All"]).collect::<Vec<_>>().join("&");
    let mut parts = head.uri.clone().into_parts();
    parts.path_and_query = Some(format!("{path}?{query}").parse()?);
    head.uri = Uri::from_parts(parts)?;
    Ok(Request::from_parts(head, body))
}

fn record(log: &DryRun, line: &Line, before: &Value, is_success: bool, bytes: &[u8]) {
    let verb = match line.verb() {
        "apply" | "patch" | "update" if before.is_null() => "create",
        verb => verb,
    };
    let call = format!("{verb} {} {}", line.resource(), line.object());
    let after: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let is_object = after["metadata"]["name"].is_string() && after["kind"] != "Status";
    match (is_success, line.verb()) {
        (false, _) => log.was_rejected(&call, &message(&after, bytes)),
        (true, "delete" | "deletecollection") => log.called(&call),
        (true, _) if !is_object || !is_same_kind(before, &after) => log.called(&call),
        (true, _) => log.wrote(&call, before, &after),
    }
}

/// Whether the response is the object itself, and not one of a subresource such as a scale.
fn is_same_kind(before: &Value, after: &Value) -> bool {
    before.is_null() || before["kind"] == after["kind"]
}

fn message<'a>(status: &'a Value, bytes: &'a [u8]) -> Cow<'a, str> {
    status["message"].as_str().map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_write_has_the_parameter_once() {
        for (uri, wanted) in [
            ("/api/v1/namespaces/a/pods/p", "/api/v1/namespaces/a/pods/p?dryRun=All"),
            ("/api/v1/pods?force=true&dryRun=", "/api/v1/pods?force=true&dryRun=All"),
            ("/api/v1/pods?dryRun=All&a=b", "/api/v1/pods?a=b&dryRun=All"),
        ] {
            let request = Request::patch(uri).body(Body::empty()).unwrap();
            assert_eq!(with_dry_run(request).unwrap().uri(), wanted, "{uri}");
        }
    }
}
