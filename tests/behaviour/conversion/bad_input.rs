//! Requests that no API server should send. The service answers each, and lives on.

use axum::body::Body;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use serde_json::{Value, json};

use super::call::{PATH, converted, post, refused, response, review, send, service};
use super::kinds::object;

fn valid() -> Value {
    review("v1", &[object("v1beta1", &json!({ "url": "u" }))])
}

/// The message of the error for this request, after which a valid review is still answered.
async fn error(request: Request<Body>, wanted: StatusCode) -> String {
    let service = service();
    let (code, status) = send(&service, request).await;
    assert_eq!((code, &status["kind"]), (wanted, &json!("Status")), "{status}");
    assert_eq!((&status["code"], &status["status"]), (&json!(wanted.as_u16()), &json!("Failure")));
    assert_eq!(response(&service, &valid()).await["result"]["status"], "Success");
    status["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_is_not_a_review_is_a_bad_request_with_a_fix() {
    let (mut old, mut other, mut empty, mut number, mut texts) = (valid(), valid(), valid(), valid(), valid());
    old["apiVersion"] = json!("apiextensions.k8s.io/v1beta1");
    other["kind"] = json!("AdmissionReview");
    empty["request"] = Value::Null;
    number["request"]["uid"] = json!(7);
    texts["request"]["objects"] = json!("none");
    let bodies: [(Vec<u8>, &str); 10] = [
        (b"".to_vec(), "not a ConversionReview as JSON"),
        (b"{".to_vec(), "not a ConversionReview as JSON"),
        (b"\xff\xfe".to_vec(), "not UTF-8"),
        (b"[]".to_vec(), "not a ConversionReview"),
        ("[".repeat(200_000).into_bytes(), "not a ConversionReview as JSON"),
        (old.to_string().into_bytes(), "set `conversionReviewVersions: [v1]` in the CRD"),
        (other.to_string().into_bytes(), "the kind of the body is \"AdmissionReview\""),
        (empty.to_string().into_bytes(), "has no `request`"),
        (number.to_string().into_bytes(), "invalid type"),
        (texts.to_string().into_bytes(), "invalid type"),
    ];
    for (body, wanted) in bodies {
        let message = error(post(body), StatusCode::BAD_REQUEST).await;
        assert!(message.contains(wanted), "{message}");
    }
}

#[tokio::test]
async fn unknown_paths_methods_and_content_types_are_named() {
    let body = || Body::from(valid().to_string());
    for path in ["/convert/others.example.com", "/convert/", "/", "/convert/../x"] {
        let message = error(Request::post(path).body(body()).unwrap(), StatusCode::NOT_FOUND).await;
        assert!(message.contains(path) && message.contains(&format!("({PATH})")), "{message}");
    }
    let message = error(Request::get(PATH).body(body()).unwrap(), StatusCode::METHOD_NOT_ALLOWED).await;
    assert!(message.contains("POST only"), "{message}");
    for media in ["application/yaml", "text/plain; charset=utf-8", "application/vnd.kubernetes.protobuf"] {
        let request = Request::post(PATH).header(CONTENT_TYPE, media).body(body()).unwrap();
        let message = error(request, StatusCode::UNSUPPORTED_MEDIA_TYPE).await;
        assert!(message.contains(media), "{message}");
    }
    for media in ["application/json; charset=utf-8", "Application/JSON"] {
        let request = Request::post(PATH).header(CONTENT_TYPE, media).body(body()).unwrap();
        assert_eq!(send(&service(), request).await.0, StatusCode::OK);
    }
    assert_eq!(send(&service(), Request::post(PATH).body(body()).unwrap()).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_body_of_more_than_8_mib_is_refused() {
    let largest = 8 * 1024 * 1024;
    let mut body = valid().to_string();
    body.push_str(&" ".repeat(largest - body.len()));
    assert_eq!(send(&service(), post(body.clone().into_bytes())).await.0, StatusCode::OK);
    body.push(' ');
    let message = error(post(body.clone().into_bytes()), StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(message.contains("larger than 8388608 bytes"), "{message}");
    // In pieces, without a length.
    let chunks: Vec<Result<Vec<u8>, std::io::Error>> =
        body.into_bytes().chunks(100_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let request = Request::post(PATH).body(Body::from_stream(futures::stream::iter(chunks))).unwrap();
    assert_eq!(send(&service(), request).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let chunks = [Ok(b"{".to_vec()), Err(std::io::Error::other("reset"))];
    let request = Request::post(PATH).body(Body::from_stream(futures::stream::iter(chunks))).unwrap();
    error(request, StatusCode::BAD_REQUEST).await;
}

#[tokio::test]
async fn an_unknown_version_or_kind_fails_the_request_with_the_fix() {
    let beta = object("v1beta1", &json!({ "url": "u" }));
    let message = refused(&beta, "v2").await;
    assert!(
        message.contains("convert.tests.evenkeel.dev/v2") && message.contains("in v1, v1beta1, v1alpha1"),
        "{message}"
    );
    assert!(message.contains("install the CRD that its command `crds` prints"), "{message}");
    for (member, value, wanted) in [
        ("apiVersion", json!("other.example.com/v1beta1"), "other.example.com/v1beta1"),
        ("apiVersion", json!(null), "does not convert Repo in \"\""),
        ("apiVersion", json!(7), "does not convert Repo in \"\""),
        ("kind", json!("Team"), "the object is a \"Team\""),
        ("kind", json!({}), "the object is a \"\""),
    ] {
        let mut odd = beta.clone();
        odd[member] = value;
        let message = refused(&odd, "v1").await;
        assert!(message.contains(wanted), "{message}");
    }
    for odd in [json!(null), json!(7), json!([]), json!("x")] {
        assert_eq!(refused(&odd, "v1").await, "one of the objects is no JSON object");
    }
}

#[tokio::test]
async fn an_empty_list_is_converted() {
    let response = response(&service(), &review("v1", &[])).await;
    assert_eq!((&response["result"]["status"], &response["convertedObjects"]), (&json!("Success"), &json!([])));
}

#[tokio::test]
async fn metadata_of_any_form_is_survived() {
    for metadata in
        [json!(null), json!(7), json!([]), json!({ "annotations": 7 }), json!({ "annotations": { "a": 1 } })]
    {
        let mut odd = object("v1", &json!({ "url": "u", "tags": ["x"] }));
        odd["metadata"] = metadata;
        assert_eq!(converted(&odd, "v1beta1").await["spec"]["period"], 60);
    }
}

#[tokio::test]
async fn deep_nesting_does_not_overflow_the_stack() {
    let service = service();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let bomb = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for (from, to) in [("v1", "v1beta1"), ("v1", "v1alpha1"), ("v1beta1", "v1")] {
            for place in ["spec", "status", "metadata", "unknown"] {
                let mut odd = object(from, &json!({ "url": "u", "tags": ["x"] }));
                odd[place] = json!("bomb");
                let body = review(to, &[odd]).to_string().replace("\"bomb\"", &bomb);
                let (code, _) = send(&service, post(body.into_bytes())).await;
                assert_eq!(code, StatusCode::OK, "{place}");
            }
        }
        let body = valid().to_string().replace("\"705ab4f5\"", &bomb);
        assert_eq!(send(&service, post(body.into_bytes())).await.0, StatusCode::BAD_REQUEST);
    }
    assert_eq!(response(&service, &valid()).await["result"]["status"], "Success");
}
