//! How the events reach the watchers.

use std::time::Duration;

use evenkeel::{ReconciledKind, Watcher};
use evenkeel_tests::listener::{get, listening};
use kube::CustomResourceExt;
use serde_json::{Value, json};

use super::excluded;
use super::kinds::{Foreign, Record, Texted};
use super::lab::Lab;
use super::plot::Plot;
use super::watchers::{First, Kept, Labelled, Narrowed};

pub(super) async fn adapter(given: Value) -> Value {
    if given["delete_seen"].is_string() {
        return json!({ "delete_delivered": missed_deletion().await });
    }
    if given["object"] == "text" {
        return of_another_type().await;
    }
    if given.get("object").is_some() {
        return excluded();
    }
    if given.get("cache_resync_interval").is_some() {
        let mut lab = Lab::new().await;
        lab.operate::<Kept>(Kept(lab.plot.clone()));
        lab.create::<Record>("x").await;
        lab.settle().await;
        lab.begin();
        tokio::time::sleep(Duration::from_secs(100 * 3600)).await;
        return json!({ "periodic_resync": !lab.plot.calls().is_empty() });
    }
    let texts = |key: &str| given[key].as_array().map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    let plot = Plot::default();
    let name = match (texts("labels").as_deref(), texts("fields").as_deref()) {
        (None, None) => health_name::<First>(First(plot)).await,
        (Some(["foz=baz", "a=b"]), None) => health_name::<Labelled>(Labelled(plot)).await,
        (Some(["foz=baz", "a=b"]), Some(["bar=foo", "b=a"])) => health_name::<Narrowed>(Narrowed(plot)).await,
        other => panic!("{other:?}"),
    };
    json!({ "name": name, "suffix": name.split_once(" with ").map(|(_, rest)| format!("with {rest}")) })
}

/// An object is deleted while there is no watch.
async fn missed_deletion() -> bool {
    let mut lab = Lab::new().await;
    lab.operate::<First>(First(lab.plot.clone()));
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    lab.plot.lock().is_down = true;
    lab.world.cluster().drop_watches();
    lab.settle().await;
    lab.delete::<Foreign>().await;
    lab.world.cluster().compact();
    lab.settle().await;
    assert_eq!(lab.plot.methods(), ["add"]);
    lab.plot.lock().is_down = false;
    tokio::time::sleep(Duration::from_secs(120)).await;
    lab.plot.count("delete") == 1
}

/// An object that does not fit its type is reported, and another one is handled.
async fn of_another_type() -> Value {
    let mut lab = Lab::new().await;
    let mut definition = serde_json::to_value(Record::crd()).unwrap();
    let properties = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    properties["spec"] = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    lab.world.install(&serde_json::from_value(definition).unwrap()).await;
    lab.operate::<Kept>(Kept(lab.plot.clone()));
    let mut odd = Record::object("odd", "");
    odd["spec"]["text"] = json!(1);
    let api = kube::Api::<kube::core::DynamicObject>::namespaced_with(
        lab.world.client.clone(),
        &lab.world.namespace,
        &kube::core::ApiResource::erase::<Record>(&()),
    );
    api.create(&kube::api::PostParams::default(), &serde_json::from_value(odd).unwrap()).await.unwrap();
    lab.settle().await;
    lab.create::<Record>("x").await;
    lab.settle().await;
    let error = !lab.world.notes("odd", "Undecodable").is_empty() && lab.plot.calls_of("odd").is_empty();
    let crash = lab.plot.methods() != ["add"];
    lab.stop().await;
    json!({ "error": error, "crash": crash })
}

/// The name of a watch that has not listed yet, on the page of the readiness.
async fn health_name<W: Watcher<Object: ReconciledKind>>(watcher: impl Into<W::Deps>) -> String {
    let mut lab = Lab::new().await;
    lab.plot.lock().is_down = true;
    let (operator, address) = listening(lab.prepare::<W>(watcher));
    lab.run(operator);
    lab.settle().await;
    let page = get(address, "/readyz").await.body;
    let line = page.lines().find_map(|line| line.strip_prefix("watch of ")).unwrap();
    line.split_once(" in namespace ").unwrap().0.to_owned()
}
