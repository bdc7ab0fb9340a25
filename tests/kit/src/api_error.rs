//! The errors of the server, as the `Status` bodies of a Kubernetes API server.

use serde_json::{Map, Value, json};

use crate::registry::Kind;
use crate::schema::Cause;

/// The maximum size of a body in bytes.
pub(crate) const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// An error response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// The HTTP code.
    pub(crate) code: u16,
    /// The `reason` of the Status; empty if a real server sends none.
    pub(crate) reason: Box<str>,
    /// The `message` of the Status, or the whole body of a plain-text answer.
    pub(crate) message: String,
    /// The `details` of the Status.
    pub(crate) details: Option<Value>,
    /// The seconds in the `Retry-After` header.
    pub(crate) retry_after: Option<u64>,
    /// The warnings before the error, one header each.
    pub(crate) warnings: Vec<String>,
    pub(crate) plain: Plain,
}

/// Whether the body is a Status or plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    Status,
    Text,
}

/// The object of an error message: the group-qualified resource or kind, and the name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub(crate) group: &'a str,
    /// The plural for storage errors, the kind for validation errors.
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
}

impl About<'_> {
    fn qualified(&self) -> String {
        if self.group.is_empty() { self.kind.to_owned() } else { format!("{}.{}", self.kind, self.group) }
    }

    fn details(&self) -> Map<String, Value> {
        let fields = [("name", self.name), ("group", self.group), ("kind", self.kind)];
        fields
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| (key.to_owned(), json!(value)))
            .collect()
    }
}

impl Failure {
    /// A Status with a reason and without details.
    pub(crate) fn status(code: u16, reason: impl Into<Box<str>>, message: impl Into<String>) -> Self {
        Failure {
            code,
            reason: reason.into(),
            message: message.into(),
            details: None,
            retry_after: None,
            warnings: Vec::new(),
            plain: Plain::Status,
        }
    }

    /// Adds warnings.
    pub(crate) fn warning(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// A response in plain text.
    pub(crate) fn text(code: u16, message: impl Into<String>) -> Self {
        Failure { plain: Plain::Text, ..Self::status(code, "", message) }
    }

    /// 404 in plain text, for an unknown group or a custom resource that is not served.
    pub(crate) fn unserved() -> Self {
        Self::text(404, "404 page not found\n")
    }

    /// 503 of a starting server, which does not yet serve all custom resources.
    pub(crate) fn starting() -> Self {
        let message = "the request has been made before all known HTTP paths have been installed, please retry";
        Self::status(503, "ServiceUnavailable", message).after(5)
    }

    /// Sets a Retry-After of this many seconds.
    pub(crate) fn after(self, seconds: u64) -> Self {
        let details = json!({"retryAfterSeconds": seconds});
        Self { retry_after: Some(seconds), ..self.with_details(details) }
    }

    /// 404 for an unknown resource in a known group.
    pub(crate) fn unknown_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self::status(404, "NotFound", message).with_details(json!({}))
    }

    /// 405.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::status(405, "MethodNotAllowed", message).with_details(json!({}))
    }

    /// 501 in plain text, for a feature that this server does not support.
    pub(crate) fn not_done(what: &str) -> Self {
        Self::text(501, format!("evenkeel-testkit does not serve {what}; run this test on a cluster\n"))
    }

    /// 400 BadRequest.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::status(400, "BadRequest", message)
    }

    /// 500 without a reason, as real servers return plain Go errors.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::status(500, "", message)
    }

    /// 404 NotFound for an object.
    pub(crate) fn not_found(about: About<'_>) -> Self {
        let message = format!("{} \"{}\" not found", about.qualified(), about.name);
        Self::status(404, "NotFound", message).with_details(about.details().into())
    }

    /// 409 AlreadyExists.
    pub(crate) fn already_exists(about: About<'_>) -> Self {
        let message = format!("{} \"{}\" already exists", about.qualified(), about.name);
        Self::status(409, "AlreadyExists", message).with_details(about.details().into())
    }

    /// 409 Conflict.
    pub(crate) fn conflict(about: About<'_>, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{}\": {why}", about.qualified(), about.name);
        Self::status(409, "Conflict", message).with_details(about.details().into())
    }

    /// 409 Conflict for a write based on an old version.
    pub(crate) fn stale(about: About<'_>) -> Self {
        Self::conflict(
            about,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 403 Forbidden.
    pub(crate) fn forbidden(about: About<'_>, why: &str) -> Self {
        let name = if about.name.is_empty() { String::new() } else { format!(" \"{}\"", about.name) };
        let message = format!("{}{name} is forbidden: {why}", about.qualified());
        Self::status(403, "Forbidden", message).with_details(about.details().into())
    }

    /// 403 for a write into a terminating namespace or CRD.
    pub(crate) fn terminating(about: About<'_>, why: &str, found: &Cause) -> Self {
        let mut failure = Self::forbidden(about, why);
        if let Some(details) = &mut failure.details {
            details["causes"] = json!([cause(found)]);
        }
        failure
    }

    /// 422 Invalid with its causes.
    pub(crate) fn invalid(about: About<'_>, causes: &[Cause]) -> Self {
        let message = format!("{} \"{}\" is invalid: {}", about.qualified(), about.name, joined(causes));
        let mut details = about.details();
        details.insert("causes".to_owned(), causes.iter().map(cause).collect());
        Self::status(422, "Invalid", message).with_details(details.into())
    }

    /// 422 Invalid for the query options of a list or watch.
    pub(crate) fn invalid_options(kind: &str, causes: &[Cause]) -> Self {
        Self::invalid(About { group: "meta.k8s.io", kind, name: "" }, causes)
    }

    /// 410 Expired.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::status(410, "Expired", message)
    }

    /// 504 for a request that took longer than its `timeout`.
    pub(crate) fn deadline() -> Self {
        let message = "Timeout: request did not complete within requested timeout - context deadline exceeded";
        Self::status(504, "Timeout", message)
    }

    /// 504 for a version that does not exist yet.
    pub(crate) fn too_large(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let causes = json!([{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]);
        let failure = Self::status(504, "Timeout", message);
        Failure { retry_after: Some(1), ..failure.with_details(json!({"causes": causes, "retryAfterSeconds": 1})) }
    }

    /// 415 with the accepted media types.
    pub(crate) fn unsupported_media(accepted: &str) -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        Self::status(415, "UnsupportedMediaType", message)
    }

    /// 413 for a body that is too large.
    pub(crate) fn large_body() -> Self {
        Self::status(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {BODY_LIMIT}"))
    }

    /// 406 if no accepted media type is supported.
    pub(crate) fn not_acceptable() -> Self {
        Self::status(
            406,
            "NotAcceptable",
            "only the following media types are accepted: application/json, application/yaml",
        )
    }

    pub(crate) fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Returns whether the body is plain text and not a Status.
    pub(crate) fn is_text(&self) -> bool {
        self.plain == Plain::Text
    }

    /// Returns the Status object.
    pub(crate) fn to_status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            status["details"] = details.clone();
        }
        status
    }
}

/// Returns an entry of `details.causes`.
pub(crate) fn cause(cause: &Cause) -> Value {
    json!({"reason": cause.reason, "message": cause.message, "field": cause.field})
}

/// Returns `field: message` of each distinct cause, in brackets if there are several.
fn joined(causes: &[Cause]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in causes.iter().map(|c| format!("{}: {}", c.field, c.message)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", lines.join(", ")),
    }
}

/// Quotes a text as Go does in messages.
pub(crate) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// Identifies an object by its resource, as in storage errors.
pub(crate) fn resource<'a>(kind: &'a Kind, name: &'a str) -> About<'a> {
    About { group: &kind.group, kind: &kind.plural, name }
}

/// Identifies an object by its kind, as in validation errors.
pub(crate) fn typed<'a>(kind: &'a Kind, name: &'a str) -> About<'a> {
    About { group: &kind.group, kind: &kind.kind, name }
}
