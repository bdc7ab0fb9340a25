//! The cost of a review.

use allocation_counter::measure;
use axum::body::Body;
use evenkeel::prelude::*;
use http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::kinds::{Repo, operator, with};
use super::review::{create, update};

#[validate]
fn cheap(repo: &Repo, _cx: &mut Review) -> Result<(), Denial> {
    if repo.spec.url.is_empty() { Err(Denial::new("empty")) } else { Ok(()) }
}

/// An object of about 3 KB, as kubectl sends it.
fn large() -> Value {
    let path = |n: usize| json!({ "storedAs": format!("part-{n}-{}", "x".repeat(40)) });
    let mut object = with(&json!({ "paths": (0..8).map(path).collect::<Vec<_>>() }));
    object["metadata"]["labels"] = json!({ "app.kubernetes.io/name": "web", "team": "a", "tier": "front" });
    object["metadata"]["annotations"] = json!({
        "example.com/note": "y".repeat(300), "kubectl.kubernetes.io/last-applied-configuration": "z".repeat(1_600),
    });
    object["metadata"]["managedFields"] = json!([{
        "manager": "kubectl", "operation": "Update", "apiVersion": "tests.evenkeel.dev/v1", "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": { "f:url": {}, "f:ownerTeam": {}, "f:paths": {} } },
    }]);
    object
}

/// The allocations of one answer, without those that the body and its request need.
fn allocations(review: &Value) -> u64 {
    let service = operator::<cheap>().admission_service().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let body = review.to_string();
    let call = || {
        let request = Request::post("/admit/cheap").body(Body::from(body.clone())).unwrap();
        let service = service.clone();
        let mut allocated = 0;
        runtime.block_on(async {
            let mut answer = std::pin::pin!(service.oneshot(request));
            std::future::poll_fn(|cx| {
                let mut poll = std::task::Poll::Pending;
                allocated += measure(|| poll = answer.as_mut().poll(cx)).count_total;
                poll
            })
            .await
            .map(|response| assert_eq!(response.status(), 200))
            .unwrap();
        });
        allocated
    };
    call();
    call()
}

#[test]
fn a_review_of_3_kb_costs_at_most_120_allocations() {
    let object = large();
    let size = object.to_string().len();
    assert!((2_800..3_500).contains(&size), "{size}");
    let created = allocations(&create(&object));
    let mut changed = object.clone();
    changed["spec"]["url"] = json!("https://example.com/other");
    let updated = allocations(&update(&object, &changed));
    let unchanged = allocations(&update(&object, &object));
    println!(
        "{size} bytes: {created} allocations to review a creation, {updated} an update, {unchanged} to skip an update"
    );
    assert!(created <= 120 && updated <= 120 && unchanged <= 60, "{created} {updated} {unchanged}");
}
