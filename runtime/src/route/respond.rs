//! The response of a reply.

use axum::body::Body;
use http::{HeaderName, HeaderValue, Response, StatusCode};

use crate::pipeline::route::Reply;

/// The response of a function. A reply with an invalid status or header becomes 500, which names it.
pub(super) fn respond(function: &str, reply: Reply) -> Response<Body> {
    build(reply).unwrap_or_else(|invalid| {
        tracing::error!(function, invalid, "the reply of a route is not valid");
        error(500, format!("the reply of `{function}` has an invalid {invalid}"))
    })
}

/// An error of ours as a `Status`.
pub(super) fn error(code: u16, message: String) -> Response<Body> {
    build(Reply::error(code, message)).unwrap_or_default()
}

/// # Errors
/// The part of the reply that is not valid.
fn build(reply: Reply) -> Result<Response<Body>, String> {
    let status = StatusCode::from_u16(reply.status).ok().filter(|status| (200..600).contains(&status.as_u16()));
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = status.ok_or_else(|| format!("status {}", reply.status))?;
    for (name, value) in &reply.headers {
        let invalid = || format!("header {name:?}");
        let parsed = HeaderName::try_from(name).map_err(|_| invalid())?;
        response.headers_mut().insert(parsed, HeaderValue::try_from(value).map_err(|_| invalid())?);
    }
    Ok(response)
}
