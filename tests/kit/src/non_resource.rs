//! Non-resource paths: discovery, health and version.

use axum::body::Body;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, HOST, HeaderName, IF_NONE_MATCH, VARY};
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};

use crate::discovery::{self, Answer, Ask};
use crate::state::Server;

/// Handles a request for a non-resource path.
pub(crate) fn answer(server: &Server, parts: &Parts) -> Response<Body> {
    let header = |name: HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let ask = Ask {
        method: &parts.method,
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        accept: header(ACCEPT).unwrap_or_default(),
        if_none_match: header(IF_NONE_MATCH),
        host: header(HOST).unwrap_or("localhost"),
    };
    response(discovery::answer(&server.catalog().registry, &server.options.release, &ask))
}

fn response(answer: Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    if let Some(etag) = answer.etag.and_then(|etag| HeaderValue::from_str(&etag).ok()) {
        headers.insert(ETAG, etag);
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    }
    response
}
