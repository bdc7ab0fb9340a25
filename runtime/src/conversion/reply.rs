//! The answers: a `ConversionReview` with a response.

use axum::body::Body;
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::envelope::{API_VERSION, KIND};
use crate::listen::answer;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    api_version: &'a str,
    kind: &'a str,
    response: Reply<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply<'a> {
    uid: &'a str,
    result: Value,
    converted_objects: &'a [Box<RawValue>],
}

/// The response to the request with this uid: the objects, or why the request fails.
pub(super) fn reply(uid: &str, converted: &Result<Vec<Box<RawValue>>, String>) -> Response<Body> {
    let (result, converted_objects) = match converted {
        Ok(objects) => (json!({ "status": "Success" }), objects.as_slice()),
        Err(message) => (json!({ "status": "Failure", "message": message, "reason": "Invalid", "code": 422 }), &[][..]),
    };
    let response = Reply { uid, result, converted_objects };
    answer(StatusCode::OK, &Envelope { api_version: API_VERSION, kind: KIND, response })
}
