//! Requests to discovery, and the responses.

use http::Method;
use serde_json::json;
use sha2::{Digest, Sha512};

use super::negotiate::{self, Form, JSON};

/// A request for a document that is not a resource or an object.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The method; all documents except health support only GET.
    pub method: &'a Method,
    /// The path, such as "/apis/apps".
    pub path: &'a str,
    /// The query as in the URI, "" if absent.
    pub query: &'a str,
    /// The Accept header, "" if absent.
    pub accept: &'a str,
    /// The If-None-Match header.
    pub if_none_match: Option<&'a str>,
    /// Host and port that the client used; `/api` and `/apis` return them.
    pub host: &'a str,
}

/// A complete response; all bodies are small.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// HTTP status code.
    pub code: u16,
    /// Content-Type header.
    pub content_type: &'static str,
    /// ETag header; a response with an ETag also has `Vary: Accept` and `Cache-Control: public`.
    pub etag: Option<String>,
    /// The body; empty for status 304.
    pub body: String,
}

pub(super) const TEXT: &str = "text/plain; charset=utf-8";

impl Answer {
    pub(super) fn new(code: u16, content_type: &'static str, body: String) -> Self {
        Self { code, content_type, etag: None, body }
    }

    pub(super) fn not_found() -> Self {
        Self::status(404, "NotFound", "the server could not find the requested resource")
    }

    pub(super) fn not_allowed() -> Self {
        Self::status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
    }

    pub(super) fn status(code: u16, reason: &str, message: &str) -> Self {
        let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "details": {}, "code": code});
        Self::new(code, JSON, status.to_string())
    }

    /// The body in the best form that the client accepts; 304 if the client already has it.
    pub(super) fn negotiated(ask: &Ask<'_>, body: impl FnOnce(Form) -> (String, Option<String>)) -> Self {
        let form = match negotiate::form(ask.accept, ask.path) {
            Ok(form) => form,
            Err(message) => return Self::status(406, "NotAcceptable", &message),
        };
        let (body, etag) = body(form);
        let known = etag.as_deref().is_some_and(|etag| ask.if_none_match == Some(etag));
        let answer = Self { etag, ..Self::new(200, form.content_type(), body) };
        if known { Self { code: 304, body: String::new(), ..answer } } else { answer }
    }
}

/// The quoted ETag of a body.
pub(super) fn etag(body: &str) -> String {
    let digest: String = Sha512::digest(body).iter().map(|byte| format!("{byte:02X}")).collect();
    format!("\"{digest}\"")
}
