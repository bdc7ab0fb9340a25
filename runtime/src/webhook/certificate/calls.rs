//! The requests for the Secret, the webhook configurations and the CRDs.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::client::Body;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

use super::names::Names;
use super::server_time::ServerTime;
use crate::client::chain;

/// Timeout for a request.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum size of a response in bytes; objects in the store of a cluster are smaller.
const LIMIT: usize = 3 * 1024 * 1024;

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Done,
    /// Another replica or another program wrote first.
    Conflict,
}

/// The Secret of an operator, and the time of the API server.
pub(super) async fn secret(client: &Client, names: &Names) -> Result<(Option<Secret>, ServerTime), String> {
    let path = format!("{}/{}", secrets(names), names.secret());
    let (status, headers, body) = send(client, Method::GET, &path, "", Vec::new()).await?;
    let time = ServerTime::of(&headers);
    if status == StatusCode::NOT_FOUND {
        return Ok((None, time));
    }
    Ok((Some(read(&refused(status, &path, body)?, &path)?), time))
}

/// Creates the Secret, or replaces exactly the version that it has.
pub(super) async fn write_secret(client: &Client, names: &Names, secret: &Secret) -> Result<Written, String> {
    let is_new = secret.metadata.resource_version.is_none();
    let path = secrets(names);
    let (method, path) = match is_new {
        true => (Method::POST, path),
        false => (Method::PUT, format!("{path}/{}", names.secret())),
    };
    let body = serde_json::to_vec(secret).map_err(|error| error.to_string())?;
    written(send(client, method, &path, "application/json", body).await?, &path)
}

/// The object at this path, if it exists.
pub(super) async fn object(client: &Client, path: &str) -> Result<Option<Value>, String> {
    let (status, _, body) = send(client, Method::GET, path, "", Vec::new()).await?;
    if status == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    read(&refused(status, path, body)?, path).map(Some)
}

/// Patches the object at this path. A failed test is a conflict.
pub(super) async fn patch(client: &Client, path: &str, patch: &Value) -> Result<Written, String> {
    let body = patch.to_string().into_bytes();
    let answer = send(client, Method::PATCH, path, "application/json-patch+json", body).await?;
    match answer.0 {
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::NOT_FOUND => Ok(Written::Conflict),
        _ => written(answer, path),
    }
}

fn secrets(names: &Names) -> String {
    format!("/api/v1/namespaces/{}/secrets", names.namespace)
}

type Answer = (StatusCode, http::HeaderMap, Bytes);

async fn send(client: &Client, method: Method, path: &str, media: &str, body: Vec<u8>) -> Result<Answer, String> {
    let failed = |error: &dyn std::error::Error| format!("{method} {path}: {}", chain(error));
    let mut request = Request::builder().method(method.clone()).uri(path);
    if !media.is_empty() {
        request = request.header(http::header::CONTENT_TYPE, media);
    }
    let request = request.body(Body::from(body)).map_err(|error| failed(&error))?;
    let sent = timeout(PATIENCE, client.send(request)).await;
    let sent = sent.map_err(|_| format!("{method} {path}: there is no response after {} s", PATIENCE.as_secs()))?;
    let (head, body) = sent.map_err(|error| failed(&error))?.into_parts();
    let body = axum::body::to_bytes(axum::body::Body::new(body), LIMIT).await.map_err(|error| failed(&error))?;
    Ok((head.status, head.headers, body))
}

fn written((status, _, body): Answer, path: &str) -> Result<Written, String> {
    match status {
        StatusCode::CONFLICT | StatusCode::NOT_FOUND => Ok(Written::Conflict),
        _ => refused(status, path, body).map(|_| Written::Done),
    }
}

/// The body of a successful response. The error has the message of the API server, which never contains the object.
fn refused(status: StatusCode, path: &str, body: Bytes) -> Result<Bytes, String> {
    if status.is_success() {
        return Ok(body);
    }
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    let message = answer["message"].as_str().unwrap_or_else(|| status.as_str());
    Err(format!("{path}: {message}"))
}

/// Reads an object. The error has no part of it, since it may be a Secret.
fn read<T: DeserializeOwned>(body: &[u8], path: &str) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|_| format!("{path}: the response is not the expected object"))
}
