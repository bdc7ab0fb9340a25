//! The suites about messages.

use evenkeel::condition::{MAX_MESSAGE, sanitize};
use serde_json::{Value, json};

use crate::value::text;

pub(crate) fn sanitized(input: &Value) -> Value {
    json!({ "message": sanitize(text(&input["message"])) })
}

/// We always cut at the limit of Kubernetes, so the case is extended to it.
pub(crate) fn cut(input: &Value) -> Value {
    let message = text(&input["message"]);
    let padding = "x".repeat(MAX_MESSAGE - usize::try_from(input["max"].as_u64().unwrap()).unwrap());
    let cut = sanitize(&format!("{padding}{message}"));
    json!({ "message": cut.strip_prefix(&padding).unwrap() })
}
