//! Functions that fail, and the metrics of requests.

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Effect, Fault};
use evenkeel_tests::listener::{listening, samples};
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::core::ApiResource;
use serde_json::json;

use super::client::{AUDIENCE, Served, allow, cluster, path, serve, token};
use crate::admission::kinds::Repo;

#[route(get, "/end/{how}", of = Repo, timeout = "1s")]
async fn end(_: &Repo, request: Call<'_>) -> Result<Reply, ApiError> {
    match request.param("how") {
        "panic" => panic!("on purpose"),
        "slow" => std::future::pending().await,
        "error" => Err(ApiError::Failed("the database is down".into())),
        "status" => Ok(Reply::text("x").status(99)),
        "name" => Ok(Reply::text("x").header("no name", "x")),
        "value" => Ok(Reply::text("x").header("x", "a\nb")),
        "twice" => Ok(Reply::text("x").header("Content-Type", "text/x")),
        _ => Ok(Reply::error(404, "nothing here")),
    }
}

async fn served(operator: Operator, cluster: &Cluster) -> Served {
    let client = cluster.client();
    let operator = operator.client(client.clone()).routes::<(end,)>(());
    let mut served = serve(operator, "routes", &client).await;
    allow(&client, "robot", &["get"], "end").await;
    served.token = Some(token(&client, "robot", AUDIENCE).await);
    served
}

#[tokio::test]
async fn a_function_that_fails_is_answered_by_a_status() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes"), &cluster).await;
    for (how, code, reason, wanted) in [
        ("panic", 500, "InternalError", "`end` panicked: see the log of the operator"),
        ("slow", 504, "Timeout", "`end` did not answer within 1s: try again later"),
        ("error", 503, "ServiceUnavailable", "the database is down"),
        ("status", 500, "InternalError", "the reply of `end` has an invalid status 99"),
        ("name", 500, "InternalError", "the reply of `end` has an invalid header \"no name\""),
        ("value", 500, "InternalError", "the reply of `end` has an invalid header \"x\""),
        ("other", 404, "NotFound", "nothing here"),
    ] {
        let answer = served.get(&path("web", &format!("/end/{how}"))).await;
        assert_eq!((answer.status, answer.json()["reason"].as_str()), (code, Some(reason)), "{how}");
        assert!(answer.message().contains(wanted), "{}", answer.message());
    }
    let answer = served.get(&path("web", "/end/twice")).await;
    assert_eq!((answer.status, answer.headers["content-type"].to_str().unwrap()), (200, "text/x"));
    served.running.crash().await;
}

#[tokio::test]
async fn an_object_that_does_not_fit_its_type_is_named() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes"), &cluster).await;
    // The schema of the server is wider than the type.
    let crds = ApiResource::erase::<
        k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    >(&());
    let crds: Api<DynamicObject> = Api::all_with(cluster.client(), &crds);
    let open = json!([{ "op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema",
        "value": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } }]);
    let patch = Patch::Json::<()>(serde_json::from_value(open).unwrap());
    crds.patch("repos.tests.evenkeel.dev", &PatchParams::default(), &patch).await.unwrap();
    let repos: Api<DynamicObject> = Api::default_namespaced_with(cluster.client(), &ApiResource::erase::<Repo>(&()));
    let wrong = Patch::Merge(json!({ "spec": { "url": 7 } }));
    repos.patch("web", &PatchParams::default(), &wrong).await.unwrap();
    let answer = served.get(&path("web", "/end/other")).await;
    assert_eq!(answer.status, 500);
    let message = answer.message();
    assert!(message.starts_with("repos.tests.evenkeel.dev \"web\" does not fit the type of `end`: "), "{message}");
    served.running.crash().await;
}

#[tokio::test]
async fn requests_are_counted_by_function_and_result() {
    let cluster = cluster().await;
    let (operator, address) = listening(Operator::new("routes"));
    let mut served = served(operator, &cluster).await;
    let get =
        async |served: &Served, name: &str, how: &str| served.get(&path(name, &format!("/end/{how}"))).await.status;
    for (how, code) in [("other", 404), ("twice", 200), ("error", 503), ("panic", 500), ("slow", 504)] {
        assert_eq!(get(&served, "web", how).await, code);
    }
    assert_eq!(get(&served, "absent", "other").await, 404);
    cluster.faults().add(Fault::new(Effect::Internal).resource("repos"));
    assert_eq!(get(&served, "web", "other").await, 503);
    served.token = Some(token(&cluster.client(), "stranger", AUDIENCE).await);
    assert_eq!(get(&served, "web", "other").await, 403);
    served.token = None;
    assert_eq!(get(&served, "web", "other").await, 401);
    let samples = samples(address).await;
    let of = |result: &str| samples[&format!("evenkeel_route_requests_total{{function=\"end\",result=\"{result}\"}}")];
    let results = [
        "answered",
        "failed",
        "panic",
        "timeout",
        "not_found",
        "unavailable",
        "forbidden",
        "unauthorized",
        "too_large",
        "undecodable",
    ];
    assert_eq!(results.map(of), [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(samples["evenkeel_route_request_duration_seconds_count{function=\"end\"}"], 9.0);
    served.running.crash().await;
}
