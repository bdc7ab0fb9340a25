//! Creates the prerequisites of a case: a namespace, or a CRD that is served.

use std::collections::BTreeSet;
use std::time::Duration;

use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use crate::case::{Case, Ensure, Existence, Fixtures, Step};
use crate::stream::parse;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Objects that cases create outside their namespaces.
const STRAY: [&str; 4] = [
    "/api/v1/namespaces/default/events/ev-two-node",
    "/apis/events.k8s.io/v1/namespaces/default/events/ev-two-node",
    "/api/v1/namespaces/default/configmaps/watch-other",
    "/api/v1/namespaces/status-genb2",
];

/// Creates the prerequisite if it is absent, and waits until it is served.
pub(crate) async fn exists(client: &Client, ensure: &Ensure, fixtures: &Fixtures) -> Result<(), String> {
    match ensure.ensure {
        Existence::Namespace => namespace(client, &ensure.name).await,
        Existence::Crd => crd(client, fixtures.get(&ensure.name).ok_or("no such fixture")?).await,
        Existence::Established => until(client, &format!("{CRDS}/{}", ensure.name), is_established).await,
    }
}

/// Removes objects of earlier runs from a server that outlives the run.
pub(crate) async fn clean(client: &Client, cases: &[&Case]) -> Result<(), String> {
    let paths: Vec<String> = leftovers(client, cases).await?;
    for path in &paths {
        call(client, "DELETE", path, None).await?;
    }
    for collection in collections(cases) {
        release(client, &collection).await?;
    }
    for path in &paths {
        gone(client, path).await?;
    }
    Ok(())
}

async fn leftovers(client: &Client, cases: &[&Case]) -> Result<Vec<String>, String> {
    let steps = cases.iter().flat_map(|case| &case.steps);
    let namespaces = steps.filter_map(|step| match step {
        Step::Ensure(Ensure { ensure: Existence::Namespace, name }) => Some(format!("/api/v1/namespaces/{name}")),
        _ => None,
    });
    let (_, crds) = call(client, "GET", CRDS, None).await?;
    let names = crds["items"].as_array().into_iter().flatten().filter_map(|crd| crd["metadata"]["name"].as_str());
    let ours = names.filter(|name| name.ends_with(".crd.dev") || name.ends_with(".ex.dev"));
    let crds = ours.map(|name| format!("{CRDS}/{name}"));
    let stray = STRAY.map(str::to_owned);
    Ok(namespaces.chain(crds).chain(stray).collect())
}

/// The namespaced collections to which the cases write.
fn collections(cases: &[&Case]) -> BTreeSet<String> {
    let steps = cases.iter().flat_map(|case| &case.steps);
    let paths = steps.filter_map(|step| match step {
        Step::Request(request) if request.method != "GET" => Some(request.exchange.path.as_str()),
        _ => None,
    });
    let collection = |path: &str| {
        let (prefix, rest) = path.split_once("/namespaces/")?;
        let mut parts = rest.split('/');
        Some(format!("{prefix}/namespaces/{}/{}", parts.next()?, parts.next()?))
    };
    paths.filter_map(collection).collect()
}

/// Removes finalizers, so that the objects can be deleted.
async fn release(client: &Client, collection: &str) -> Result<(), String> {
    // There is no kubelet that ends a pod, so it is deleted without a grace period.
    if collection.ends_with("/pods") {
        call(client, "DELETE", &format!("{collection}?gracePeriodSeconds=0"), None).await?;
    }
    let (_, list) = call(client, "GET", collection, None).await?;
    let held = list["items"].as_array().into_iter().flatten().filter(|item| item["metadata"]["finalizers"].is_array());
    for name in held.filter_map(|item| item["metadata"]["name"].as_str()) {
        let patch = json!({"metadata": {"finalizers": null}});
        call(client, "PATCH", &format!("{collection}/{name}"), Some(&patch)).await?;
    }
    Ok(())
}

/// Prerequisites of the recorder that the case does not list.
pub(crate) async fn arrange(client: &Client, case: &Case, fixtures: &Fixtures) -> Result<(), String> {
    if case.id.starts_with("discovery/") && case.server == "modern" {
        let path = format!("{CRDS}/frees.ex.dev");
        call(client, "DELETE", &path, None).await?;
        gone(client, &path).await?;
        crd(client, fixtures.get("plains").ok_or("no such fixture")?).await?;
    }
    Ok(())
}

async fn gone(client: &Client, path: &str) -> Result<(), String> {
    for _ in 0..600 {
        if call(client, "GET", path, None).await?.0 == 404 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(format!("{path} does not go away"))
}

async fn namespace(client: &Client, name: &str) -> Result<(), String> {
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let (status, answer) = call(client, "POST", "/api/v1/namespaces", Some(&body)).await?;
    if status != 201 && answer["reason"] != "AlreadyExists" {
        return Err(format!("namespace {name}: {answer}"));
    }
    Ok(())
}

async fn crd(client: &Client, crd: &Value) -> Result<(), String> {
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    let (status, answer) = call(client, "POST", CRDS, Some(crd)).await?;
    if status != 201 && answer["reason"] != "AlreadyExists" {
        return Err(format!("crd {name}: {answer}"));
    }
    until(client, &format!("{CRDS}/{name}"), is_established).await?;
    let (group, plural) = (&crd["spec"]["group"], &crd["spec"]["names"]["plural"]);
    let route = format!("/apis/{}/v1/{}", group.as_str().unwrap_or_default(), plural.as_str().unwrap_or_default());
    until(client, &route, |list| list["items"].is_array()).await
}

fn is_established(crd: &Value) -> bool {
    let conditions = crd["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|c| c["type"] == "Established" && c["status"] == "True")
}

async fn until(client: &Client, path: &str, holds: impl Fn(&Value) -> bool) -> Result<(), String> {
    let mut last = Value::Null;
    for _ in 0..200 {
        (_, last) = call(client, "GET", path, None).await?;
        if holds(&last) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("{path} does not become ready: {last}"))
}

async fn call(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value), String> {
    let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
    let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = http::Request::builder().method(method).uri(path).header("Content-Type", media);
    let request = request.header("User-Agent", "conf/1");
    let response = client.send(request.body(Body::from(bytes)).unwrap()).await.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    Ok((status, parse(&bytes)))
}
