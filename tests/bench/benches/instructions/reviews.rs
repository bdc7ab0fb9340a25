//! Reviews of one object by one function.

use axum::body::{Body, to_bytes};
use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::plain;
use evenkeel_bench::sample::Sample;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::program::runtime;

#[validate]
fn path_is_set(release: &Release, _cx: &mut Review) -> Result<(), Denial> {
    if release.spec.path.is_empty() { Err(Denial::new("set `spec.path`")) } else { Ok(()) }
}

/// Reviews the object this often: when it is created, when its spec changes, or when its spec stays.
pub(crate) fn reviews(what: &str, count: usize) {
    let operator = Operator::new("bench").reconciler::<plain>(std::sync::Arc::default()).admission::<path_is_set>(());
    let (service, body) = (operator.admission_service().unwrap(), review(what).to_string());
    let runtime = runtime();
    for _ in 0..count {
        let request = Request::post("/admit/path-is-set").body(Body::from(body.clone())).unwrap();
        let answer = runtime.block_on(service.clone().oneshot(request)).unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let text = runtime.block_on(to_bytes(answer.into_body(), usize::MAX)).unwrap();
        assert!(text.windows(14).any(|text| text == b"\"allowed\":true"), "{text:?}");
    }
}

fn review(what: &str) -> Value {
    let sample = Sample::read("releases");
    let version = |changed| serde_json::from_str::<Value>(&sample.render(1, changed, 1)).unwrap();
    let (operation, old, object) = match what {
        "create" => ("CREATE", Value::Null, version(false)),
        "update" => ("UPDATE", version(false), version(true)),
        _ => ("UPDATE", version(false), version(false)),
    };
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "operation": operation,
            "kind": { "group": "bench.evenkeel.dev", "version": "v1", "kind": "Release" },
            "resource": { "group": "bench.evenkeel.dev", "version": "v1", "resource": "releases" },
            "name": object["metadata"]["name"], "namespace": object["metadata"]["namespace"],
            "userInfo": { "username": "ann", "groups": ["system:authenticated"] },
            "object": object, "oldObject": old, "dryRun": false, "options": null,
        },
    })
}
