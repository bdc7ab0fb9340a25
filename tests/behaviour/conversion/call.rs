//! The conversation of an API server with the service, in process.

use axum::body::{Body, to_bytes};
use evenkeel::conversion::ConversionService;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::kinds::{CRD, GROUP, operator};

/// The path of the kind.
pub(crate) const PATH: &str = "/convert/repos.convert.tests.evenkeel.dev";

/// The service of the operator.
pub(crate) fn service() -> ConversionService {
    operator().conversion_service().unwrap()
}

/// The request to convert objects to this version.
pub(crate) fn review(version: &str, objects: &[Value]) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": { "uid": "705ab4f5", "desiredAPIVersion": format!("{GROUP}/{version}"), "objects": objects },
    })
}

/// Sends any request, and returns the status code and the body.
pub(crate) async fn send(service: &ConversionService, request: Request<Body>) -> (StatusCode, Value) {
    let response = service.clone().oneshot(request).await.unwrap();
    let (status, body) = (response.status(), to_bytes(response.into_body(), usize::MAX).await.unwrap());
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// A request as an API server sends it.
pub(crate) fn post(body: Vec<u8>) -> Request<Body> {
    assert!(PATH.ends_with(CRD));
    Request::post(PATH).header(CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap()
}

/// The response to a review.
pub(crate) async fn response(service: &ConversionService, review: &Value) -> Value {
    let (code, body) = send(service, post(review.to_string().into_bytes())).await;
    assert_eq!(code, StatusCode::OK, "{body}");
    let is_answer = body["apiVersion"] == "apiextensions.k8s.io/v1" && body["kind"] == "ConversionReview";
    assert!(is_answer && body["response"]["uid"] == review["request"]["uid"], "{body}");
    body["response"].clone()
}

/// The object in this version.
pub(crate) async fn converted(object: &Value, version: &str) -> Value {
    let response = response(&service(), &review(version, std::slice::from_ref(object))).await;
    assert_eq!(response["result"], json!({ "status": "Success" }), "{response}");
    response["convertedObjects"][0].clone()
}

/// Why the object has no form in this version.
pub(crate) async fn refused(object: &Value, version: &str) -> String {
    let response = response(&service(), &review(version, std::slice::from_ref(object))).await;
    assert_eq!((&response["result"]["status"], &response["convertedObjects"]), (&json!("Failure"), &json!([])));
    response["result"]["message"].as_str().unwrap().to_owned()
}
