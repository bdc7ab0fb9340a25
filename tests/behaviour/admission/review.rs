//! The conversation of an API server with the service, in process.

use axum::body::{Body, to_bytes};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use evenkeel::Operator;
use evenkeel::admission::AdmissionService;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

/// The request of a review.
pub(crate) fn request(operation: &str, object: &Value, old: &Value) -> Value {
    let of = if object.is_null() { old } else { object };
    let api = of["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = api.split_once('/').unwrap_or(("", api));
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5", "kind": { "group": group, "version": version, "kind": of["kind"] },
            "resource": { "group": group, "version": version, "resource": "repos" },
            "name": of["metadata"]["name"], "namespace": of["metadata"]["namespace"], "operation": operation,
            "userInfo": { "username": "ann", "groups": ["system:authenticated"] },
            "object": object, "oldObject": old, "dryRun": false, "options": null,
        },
    })
}

/// The request for a new object.
pub(crate) fn create(object: &Value) -> Value {
    request("CREATE", object, &Value::Null)
}

/// The request for a changed object.
pub(crate) fn update(old: &Value, object: &Value) -> Value {
    request("UPDATE", object, old)
}

/// Sends any request, and returns the status code and the body.
pub(crate) async fn send(service: &AdmissionService, method: Method, path: &str, body: Vec<u8>) -> (StatusCode, Value) {
    let request = Request::builder().method(method).uri(path).body(Body::from(body)).unwrap();
    let response = service.clone().oneshot(request).await.unwrap();
    let (status, body) = (response.status(), to_bytes(response.into_body(), usize::MAX).await.unwrap());
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// Posts a review, and returns the status code and the body.
pub(crate) async fn post(service: &AdmissionService, path: &str, review: &Value) -> (StatusCode, Value) {
    send(service, Method::POST, path, review.to_string().into_bytes()).await
}

/// The response to a review that is answered.
pub(crate) async fn answer(operator: &Operator, path: &str, review: &Value) -> Value {
    let service = operator.admission_service().unwrap();
    let (code, body) = post(&service, path, review).await;
    assert_eq!(code, StatusCode::OK, "{body}");
    let is_answer = body["apiVersion"] == "admission.k8s.io/v1" && body["kind"] == "AdmissionReview";
    assert!(is_answer && body["response"]["uid"] == review["request"]["uid"], "{body}");
    body["response"].clone()
}

/// The patch of a response; null if there is none.
pub(crate) fn patch(response: &Value) -> Value {
    assert_eq!(response["allowed"], true, "{response}");
    let Some(text) = response["patch"].as_str() else { return Value::Null };
    assert_eq!(response["patchType"], "JSONPatch");
    serde_json::from_slice(&BASE64_STANDARD.decode(text).unwrap()).unwrap()
}

/// The object after the patch of a response.
pub(crate) fn patched(object: &Value, response: &Value) -> Value {
    let mut object = object.clone();
    if let Value::Array(steps) = patch(response) {
        let steps: json_patch::Patch = serde_json::from_value(Value::Array(steps)).unwrap();
        json_patch::patch(&mut object, &steps).unwrap();
    }
    object
}

/// The causes of a refusal: `spec.team: there is none`.
pub(crate) fn causes(response: &Value) -> Vec<String> {
    assert_eq!(response["allowed"], false, "{response}");
    let causes = response["status"]["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    causes.iter().map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message"))).collect()
}
