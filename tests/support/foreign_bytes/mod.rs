//! What reads the bytes of other programs: each function takes any bytes and checks that they are answered or refused.
//!
//! A suite calls them with changed documents, and the targets for cargo-fuzz in `tests/fuzz` with whatever the fuzzer finds.

mod kinds;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body as AxumBody, to_bytes};
use evenkeel::Operator;
use evenkeel::operator::Reason;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tower::{Service, ServiceExt, service_fn};

use self::kinds::operator;

/// A review of a write: the answer is a review or a Status. Returns whether all functions have reviewed it.
///
/// # Panics
/// The answer is neither.
pub async fn admission_review(bytes: &[u8]) -> bool {
    let mut reviewed = true;
    for path in ["/admit/has-url", "/admit/mutate-pages.v1.bytes.tests.evenkeel.dev"] {
        reviewed &= answered(operator().admission_service().expect("a service"), path, "AdmissionReview", bytes).await;
    }
    reviewed
}

/// A review of a conversion: the answer is a review or a Status. Returns whether it is a review.
///
/// # Panics
/// The answer is neither.
pub async fn conversion_review(bytes: &[u8]) -> bool {
    let path = "/convert/pages.bytes.tests.evenkeel.dev";
    answered(operator().conversion_service().expect("a service"), path, "ConversionReview", bytes).await
}

async fn answered<S>(service: S, path: &str, kind: &str, bytes: &[u8]) -> bool
where
    S: Service<Request<AxumBody>, Response = Response<AxumBody>, Error = Infallible>,
{
    let request = Request::post(path).header(CONTENT_TYPE, "application/json").body(AxumBody::from(bytes.to_vec()));
    let Ok(response) = service.oneshot(request.expect("a request")).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a whole body");
    let answer: Value = serde_json::from_slice(&body).expect("an answer is JSON");
    let wanted = if status == StatusCode::OK { kind } else { "Status" };
    assert_eq!(answer["kind"], wanted, "{status} {answer}");
    status == StatusCode::OK
}

/// The response to each list and watch of the kind. The operator runs on or ends with an error that is no bug. Returns whether it has found an
/// object to write to, in a streaming list or in a list in pages.
///
/// # Panics
/// A part of the operator has ended that must never end.
pub async fn response(bytes: &[u8]) -> bool {
    found_in(bytes, operator()).await | found_in(bytes, operator().paged_lists()).await
}

async fn found_in(bytes: &[u8], operator: Operator) -> bool {
    let (bytes, writes) = (bytes.to_vec(), Arc::new(AtomicUsize::new(0)));
    let counted = writes.clone();
    let service = service_fn(move |request: Request<Body>| {
        let is_read = request.method() == Method::GET;
        counted.fetch_add(usize::from(!is_read), Ordering::Relaxed);
        let is_own = request.uri().path().contains("bytes.tests.evenkeel.dev/v1/");
        let (code, body) = match (is_read, is_own) {
            (true, true) => (StatusCode::OK, bytes.clone()),
            (true, false) => (StatusCode::NOT_FOUND, Vec::new()),
            (false, _) => (StatusCode::OK, b"{}".to_vec()),
        };
        let response = Response::builder().status(code).header(CONTENT_TYPE, "application/json");
        async move { response.body(Body::from(body)) }
    });
    let operator = operator.client(Client::new(service, "default"));
    let ended = tokio::time::timeout(Duration::from_secs(5), operator.run_until(std::future::pending())).await;
    if let Ok(Err(error)) = &ended {
        assert_ne!(error.reason(), Reason::Ended, "{error}");
    }
    writes.load(Ordering::Relaxed) > 0
}
