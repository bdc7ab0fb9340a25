//! Calls of webhooks: in process for a registered service, over TLS for a URL.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use tokio::time::timeout;

use crate::registry::Storage;
use crate::state::Server;
use crate::webhook_address::{Client, Service};

/// Maximum size of a response in bytes.
const LIMIT: usize = 3 * 1024 * 1024;

/// Posts a review and returns the body of the response.
///
/// # Errors
/// Why there is no response, in the wording of an API server.
pub(crate) async fn post(server: &Server, client: &Client, limit: Duration, body: Vec<u8>) -> Result<Bytes, String> {
    let url = client.url(limit.as_secs());
    let sent = async {
        let request = Request::post(url.as_str())
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .map_err(|error| error.to_string())?;
        match client {
            Client { service: Some(service), .. } => in_process(server, service, request).await,
            Client { ca_bundle, .. } => over_tls(server, request, ca_bundle.as_deref()).await,
        }
    };
    let failed = |why: String| format!("Post {url:?}: {why}");
    let answer = match timeout(limit, sent).await {
        Ok(answer) => answer.map_err(failed)?,
        Err(_) => return Err(failed("context deadline exceeded".to_owned())),
    };
    match answer.status {
        StatusCode::OK => Ok(answer.body),
        status => Err(refusal(status, &answer)),
    }
}

/// A complete response.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// Calls a registered service in a task of its own, so that its panics do not reach the caller.
async fn in_process(server: &Server, service: &Service, request: Request<Body>) -> Result<Answer, String> {
    let Service { namespace, name, .. } = service;
    let Some(backend) = server.webhooks.get(namespace, name) else {
        let key = (namespace.clone(), name.clone());
        return Err(match server.store.get(&Storage::new("", "services"), &key) {
            None => format!("service {name:?} not found"),
            Some(_) => format!("no webhook is registered for {namespace}/{name}; call Cluster::webhook_service"),
        });
    };
    let response = tokio::spawn(backend.answer(request)).await.map_err(|_| "EOF".to_owned())?;
    collected(response).await
}

async fn over_tls(server: &Server, request: Request<Body>, bundle: Option<&str>) -> Result<Answer, String> {
    collected(server.connections.send(request, bundle).await?).await
}

async fn collected<B>(response: http::Response<B>) -> Result<Answer, String>
where
    B: http_body_util::BodyExt<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let (head, body) = response.into_parts();
    let body = Limited::new(body, LIMIT).collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok(Answer { status: head.status, headers: head.headers, body })
}

/// The error for an HTTP status: the message of a Status object in the body, otherwise the words of client-go.
fn refusal(status: StatusCode, answer: &Answer) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if let (Some("Status"), Some(message)) = (body["kind"].as_str(), body["message"].as_str()) {
        return message.to_owned();
    }
    match status {
        StatusCode::BAD_REQUEST => "the server rejected our request for an unknown reason".to_owned(),
        StatusCode::UNAUTHORIZED => "the server has asked for the client to provide credentials".to_owned(),
        StatusCode::NOT_FOUND => "the server could not find the requested resource".to_owned(),
        StatusCode::SERVICE_UNAVAILABLE => "the server is currently unable to handle the request".to_owned(),
        status if status.is_server_error() => {
            let is_text = answer.headers.get(CONTENT_TYPE).is_some_and(|media| media.as_bytes().starts_with(b"text/"));
            let body = if is_text { String::from_utf8_lossy(&answer.body) } else { "unknown".into() };
            format!("an error on the server ({:?}) has prevented the request from succeeding", body.trim())
        }
        status => {
            let code = status.as_u16();
            format!("the server responded with the status code {code} but did not return more information")
        }
    }
}
