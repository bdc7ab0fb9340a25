//! Requests that no API server should send. The service answers each, and lives on.

use axum::body::Body;
use evenkeel::prelude::*;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::kinds::{Repo, operator, web};
use super::review::{create, post, send};

const PATH: &str = "/admit/fine";

#[validate]
fn fine(_: &Repo) -> Result<(), Denial> {
    Ok(())
}

/// The message of the error for this body, after which a valid review is still answered.
async fn refused(method: Method, path: &str, body: Vec<u8>, wanted: StatusCode) -> String {
    let service = operator::<fine>().admission_service().unwrap();
    let (code, status) = send(&service, method, path, body).await;
    assert_eq!((code, &status["kind"]), (wanted, &json!("Status")), "{status}");
    assert_eq!((&status["code"], &status["status"]), (&json!(wanted.as_u16()), &json!("Failure")));
    let (code, body) = post(&service, PATH, &create(&web())).await;
    assert_eq!((code, &body["response"]["allowed"]), (StatusCode::OK, &json!(true)));
    status["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_is_not_a_review_is_a_bad_request_with_a_fix() {
    let mut old = create(&web());
    old["apiVersion"] = json!("admission.k8s.io/v1beta1");
    let (mut other, mut empty, mut number) = (create(&web()), create(&web()), create(&web()));
    other["kind"] = json!("TokenReview");
    empty["request"] = Value::Null;
    number["request"]["uid"] = json!(7);
    let deep = "[".repeat(200_000);
    let bodies: [(Vec<u8>, &str); 9] = [
        (b"".to_vec(), "not an AdmissionReview as JSON"),
        (b"{".to_vec(), "not an AdmissionReview as JSON"),
        (b"\xff\xfe".to_vec(), "not UTF-8"),
        (b"[]".to_vec(), "not an AdmissionReview"),
        (deep.into_bytes(), "not an AdmissionReview as JSON"),
        (old.to_string().into_bytes(), "set `admissionReviewVersions: [v1]`"),
        (other.to_string().into_bytes(), "the kind of the body is \"TokenReview\""),
        (empty.to_string().into_bytes(), "has no `request`"),
        (number.to_string().into_bytes(), "invalid type"),
    ];
    for (body, wanted) in bodies {
        let message = refused(Method::POST, PATH, body, StatusCode::BAD_REQUEST).await;
        assert!(message.contains(wanted), "{message}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_named() {
    let body = || create(&web()).to_string().into_bytes();
    for path in ["/admit/other", "/admit/fine/", "/", "/admit/../admit/fine"] {
        let message = refused(Method::POST, path, body(), StatusCode::NOT_FOUND).await;
        assert!(message.contains(path) && message.contains("(/admit/fine)"), "{message}");
    }
    let message = refused(Method::GET, PATH, Vec::new(), StatusCode::METHOD_NOT_ALLOWED).await;
    assert!(message.contains("POST only"), "{message}");
}

#[tokio::test]
async fn a_body_of_more_than_8_mib_is_refused() {
    let largest = 8 * 1024 * 1024;
    let mut review = create(&web());
    review["request"]["object"]["metadata"]["annotations"] = json!({ "a": "" });
    let padding = "x".repeat(largest - review.to_string().len());
    review["request"]["object"]["metadata"]["annotations"]["a"] = json!(padding);
    let service = operator::<fine>().admission_service().unwrap();
    assert_eq!(review.to_string().len(), largest);
    assert_eq!(post(&service, PATH, &review).await.0, StatusCode::OK);
    let body = format!("{review} ").into_bytes();
    let message = refused(Method::POST, PATH, body.clone(), StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(message.contains("larger than 8388608 bytes"), "{message}");
    // In pieces, without a length.
    let chunks: Vec<Result<Vec<u8>, std::io::Error>> = body.chunks(100_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let streamed = Body::from_stream(futures::stream::iter(chunks));
    let request = Request::post(PATH).body(streamed).unwrap();
    assert_eq!(service.clone().oneshot(request).await.unwrap().status(), StatusCode::PAYLOAD_TOO_LARGE);
    let chunks: Vec<Result<Vec<u8>, std::io::Error>> =
        body[..largest].chunks(100_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let request = Request::post(PATH).body(Body::from_stream(futures::stream::iter(chunks))).unwrap();
    assert_eq!(service.clone().oneshot(request).await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error() {
    let service = operator::<fine>().admission_service().unwrap();
    let chunks = [Ok(b"{".to_vec()), Err(std::io::Error::other("reset"))];
    let request = Request::post(PATH).body(Body::from_stream(futures::stream::iter(chunks))).unwrap();
    assert_eq!(service.oneshot(request).await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn another_kind_version_or_operation_is_refused_with_the_fix() {
    let service = operator::<fine>().admission_service().unwrap();
    let changes: [(&str, Value, &str); 4] = [
        ("/request/kind/version", json!("v2"), "this is Repo of tests.evenkeel.dev/v2: set `matchPolicy: Equivalent`"),
        ("/request/kind/kind", json!("Team"), "`fine` reviews Repo of tests.evenkeel.dev/v1"),
        ("/request/operation", json!("CONNECT"), "cannot review the operation CONNECT"),
        ("/request/object", Value::Null, "has no object"),
    ];
    for (path, value, wanted) in changes {
        let mut review = create(&web());
        *review.pointer_mut(path).unwrap() = value;
        let (code, body) = post(&service, PATH, &review).await;
        let status = &body["response"]["status"];
        assert_eq!((code, &body["response"]["allowed"], &status["code"]), (StatusCode::OK, &json!(false), &json!(400)));
        assert!(status["message"].as_str().unwrap().contains(wanted), "{status}");
    }
}

#[tokio::test]
async fn deep_nesting_does_not_overflow_the_stack() {
    let service = operator::<fine>().admission_service().unwrap();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let bomb = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for field in ["object", "oldObject"] {
            for place in ["spec", "metadata", "unknown"] {
                let mut review = create(&web());
                review["request"]["operation"] = json!("UPDATE");
                review["request"]["oldObject"] = web();
                review["request"][field][place] = json!("bomb");
                let body = review.to_string().replace("\"bomb\"", &bomb);
                let (code, body) = send(&service, Method::POST, PATH, body.into_bytes()).await;
                assert_eq!(code, StatusCode::OK, "{field}.{place}: {body}");
            }
        }
        let body = create(&web()).to_string().replace("\"options\":null", &format!("\"options\":{bomb}"));
        assert_eq!(send(&service, Method::POST, PATH, body.into_bytes()).await.0, StatusCode::OK);
        let groups = create(&web()).to_string().replace("[\"system:authenticated\"]", &bomb);
        assert_eq!(send(&service, Method::POST, PATH, groups.into_bytes()).await.0, StatusCode::BAD_REQUEST);
    }
    assert_eq!(post(&service, PATH, &create(&web())).await.1["response"]["allowed"], true);
}
