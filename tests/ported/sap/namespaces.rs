//! Namespaces that objects of a set use, and that do not exist.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt;
use kube::api::{Api, ListParams, PostParams};
use serde_json::{Value, json};

use super::fixture::texts;
use super::lab::{Lab, NAMESPACE};

/// The namespaces of the cases.
const ALL: [&str; 3] = [NAMESPACE, "ns1", "ns2"];

pub(super) async fn adapter(given: Value) -> Value {
    let mut lab = Lab::new().await;
    let namespaces: Api<Namespace> = Api::all(lab.world.client.clone());
    for name in texts(&given["cluster"]) {
        let namespace = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    }
    let objects: Vec<Value> = if given["objects"].is_null() {
        texts(&given["missing"]).map(|namespace| in_it(namespace, "c")).collect()
    } else {
        texts(&given["objects"]).map(object).collect()
    };
    let own: BTreeSet<String> = objects
        .iter()
        .filter(|object| object["kind"] == "Namespace")
        .map(|object| object["name"].as_str().unwrap().to_owned())
        .collect();
    let policy = match given["policy"].as_str() {
        None | Some("create") => "create",
        Some("do-not-create") => "refuse",
        Some(other) => panic!("no adapter has the policy {other}"),
    };
    let before = names(&namespaces).await;
    lab.operate_in(&ALL);
    lab.open("x", json!({ "objects": objects, "policies": { "missingNamespaces": policy } })).await;
    assert_eq!(lab.is_ready("x").await, policy == "create", "{:#}", lab.component("x").await);
    let created: Vec<String> = names(&namespaces).await.difference(&before).cloned().collect();
    let missing: Vec<&String> = created.iter().filter(|name| !own.contains(*name)).collect();
    json!({ "created": created, "missing": missing })
}

async fn names(namespaces: &Api<Namespace>) -> BTreeSet<String> {
    namespaces.list(&ListParams::default()).await.unwrap().into_iter().map(|one| one.name_any()).collect()
}

/// `Namespace ns1` or `Other ns1/other`, as an object of a component. The kinds of the others make no difference.
fn object(text: &str) -> Value {
    match text.split_once(' ').unwrap() {
        ("Namespace", name) => json!({ "kind": "Namespace", "name": name }),
        (_, place) => {
            let (namespace, name) = place.split_once('/').unwrap();
            in_it(namespace, name)
        }
    }
}

fn in_it(namespace: &str, name: &str) -> Value {
    json!({ "kind": "ConfigMap", "name": name, "namespace": namespace })
}
