//! The answer of a route.

use serde::Serialize;
use serde_json::json;

use crate::api::ApiError;

/// The answer of a `#[route]` function.
///
/// ```
/// use evenkeel::routes::Reply;
///
/// let found = Reply::json(&["v1", "v2"]).header("cache-control", "no-store");
/// let missing = Reply::error(404, "the artifact is not stored yet: wait for the condition ArtifactStored");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a reply does nothing unless the function returns it"]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// 200 with JSON; 500 if the value cannot be written as JSON.
    pub fn json(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::bytes("application/json", body),
            Err(error) => Self::error(500, format!("the reply cannot be written as JSON: {error}")),
        }
    }

    /// 200 with plain text in UTF-8.
    pub fn text(text: impl Into<String>) -> Self {
        Self::bytes("text/plain; charset=utf-8", text.into())
    }

    /// 200 with bytes of this content type.
    pub fn bytes(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.into() }.header("content-type", content_type)
    }

    /// 204 without a body.
    pub const fn empty() -> Self {
        Self { status: 204, headers: Vec::new(), body: Vec::new() }
    }

    /// An error as a Kubernetes `Status`, whose message `kubectl` and other clients show.
    ///
    /// Name what is wrong and how to fix it. The reason is that of the code, such as `NotFound` for 404.
    pub fn error(code: u16, message: impl Into<String>) -> Self {
        let status = json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "message": message.into(), "reason": reason(code), "code": code,
        });
        Self::bytes("application/json", status.to_string()).status(code)
    }

    /// Sets the status code, from 200 to 599. With any other, the user gets 500.
    pub const fn status(mut self, code: u16) -> Self {
        self.status = code;
        self
    }

    /// Sets a header, and replaces an earlier one of this name. If the name or the value is not valid, the user gets 500.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(one, _)| !one.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// The reason of a `Status` with this code, as API servers have it.
fn reason(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        409 => "Conflict",
        410 => "Gone",
        413 => "RequestEntityTooLarge",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}

/// 503, since a failed call to the API server is not the fault of the user.
impl From<ApiError> for Reply {
    fn from(error: ApiError) -> Self {
        Self::error(503, error.to_string())
    }
}
