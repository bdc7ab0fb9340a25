//! What an API server, or a proxy before it, can answer instead of what was asked for.

use http::{Response, StatusCode};
use serde_json::json;

/// A fault of the connection to the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `404 page not found`, as a server answers that does not serve the group yet.
    PageNotFound,
    /// 404 with `reason: NotFound` and no name, as for a kind that is not served.
    KindNotFound,
    /// 401 `Unauthorized`.
    Unauthorized,
    /// 403 `Forbidden` with a message.
    Forbidden,
    /// 403 without a reason, as a proxy sends it.
    BareForbidden,
    /// 503 while a server starts.
    Starting,
    /// 200 with something that is no JSON.
    Garbage,
    /// 200 with JSON of another kind.
    OtherJson,
    /// No answer.
    Silence,
    /// The first half of what the server answers; then the connection breaks.
    HalfBody,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::PageNotFound,
        Self::KindNotFound,
        Self::Unauthorized,
        Self::Forbidden,
        Self::BareForbidden,
        Self::Starting,
        Self::Garbage,
        Self::OtherJson,
        Self::Silence,
        Self::HalfBody,
    ];

    /// What is answered without asking the server; `None`: nothing, or part of its answer.
    #[must_use]
    pub(super) fn answer(self) -> Option<Response<String>> {
        let (code, body) = match self {
            Self::PageNotFound => (404, "404 page not found\n".to_owned()),
            Self::KindNotFound => {
                (404, status(404, "NotFound", "the server could not find the requested resource", &json!({})))
            }
            Self::Unauthorized => (401, status(401, "Unauthorized", "Unauthorized", &json!(null))),
            Self::Forbidden => (403, status(403, "Forbidden", "planted: this is forbidden", &json!({}))),
            Self::BareForbidden => (403, "forbidden\n".to_owned()),
            Self::Starting => (503, status(503, "ServiceUnavailable", "apiserver not ready", &json!(null))),
            Self::Garbage => (200, "<html>It works!</html>".to_owned()),
            Self::OtherJson => (200, json!({ "kind": "Greeting", "apiVersion": "v1", "text": "hello" }).to_string()),
            Self::Silence | Self::HalfBody => return None,
        };
        let json = body.starts_with('{');
        let mut answer = Response::new(body);
        *answer.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
        let kind = if json { "application/json" } else { "text/plain; charset=utf-8" };
        answer.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
        Some(answer)
    }
}

fn status(code: u16, reason: &str, message: &str, details: &serde_json::Value) -> String {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": reason, "details": details, "code": code });
    status.to_string()
}
