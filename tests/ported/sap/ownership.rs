//! Who owns a dependent: adoption, its marks, and the fields of other clients.

use evenkeel::dependents::plan::Plan;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Map, Value, json};

use super::fixture::plan;
use super::lab::{Lab, NAMESPACE, of_map};

/// The mark of a component of another operator.
const FOREIGN: &str = "other-operator.example.com/owner-id";

/// The metadata of an object that another owner has taken.
pub(super) fn taken() -> Value {
    let ours = ["operator", "dependent-of"].map(|name| (format!("evenkeel.dev/{name}"), Value::Null));
    let mut labels: Map<_, _> = ours.into_iter().collect();
    labels.insert(FOREIGN.into(), json!("other"));
    json!({ "labels": labels, "annotations": { "evenkeel.dev/owner": null, "evenkeel.dev/applied": null } })
}

/// The object `c` exists before its component, or the component has applied it before it changed its owner.
pub(super) async fn adoption(given: Value) -> Value {
    let lab = Lab::running().await;
    let mut spec = of_map("wanted", &json!({}));
    let (in_inventory, owner) = (given["in_inventory"] == true, given["live_owner"].as_str().unwrap());
    if in_inventory || owner == "self" {
        lab.open("x", spec.clone()).await;
        assert!(lab.is_ready("x").await);
    } else {
        lab.world
            .create::<ConfigMap>(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" } }))
            .await;
    }
    if !in_inventory && owner == "self" {
        // The component is lost and created again, as from a backup.
        lab.abandon("x").await;
    }
    if owner == "other" {
        lab.edit("c", "other", json!({ "metadata": taken() })).await;
    }
    spec["policies"] = json!({ "adoption": given["policy"] });
    spec["objects"][0]["content"] = json!("changed");
    match in_inventory {
        true => lab.change("x", json!({ "spec": spec })).await,
        false => lab.open("x", spec).await,
    }
    let has_it = lab.map("c").await["data"]["content"] == "changed";
    json!({ "ok": lab.is_ready("x").await && has_it, "error": !has_it })
}

/// Another client adds a field to an object, which is applied again after some time.
pub(super) async fn fields(given: Value) -> Value {
    let lab = Lab::running().await;
    let policy = given["update_policy"].as_str().unwrap_or("ssa-override");
    let spec = of_map("wanted", &json!({ "update-policy": policy, "reapply-interval": "1h" }));
    lab.open("x", spec).await;
    lab.edit("c", given["extra_field_manager"].as_str().unwrap(), json!({ "data": { "extra": "x" } })).await;
    lab.settle().await;
    let before = lab.touched();
    tokio::time::sleep(std::time::Duration::from_secs(2 * 3600)).await;
    assert!(lab.touched() > before, "it was not applied again");
    let map = lab.map("c").await;
    json!({ "extra_fields": if map["data"]["extra"].is_null() { "removed" } else { "kept" } })
}

/// The marks of an object in the words of the original, which has `<name>` for the prefix of its annotations.
pub(super) async fn marks(given: Value) -> Value {
    let lab = Lab::running().await;
    let component = given["component"].as_str().unwrap_or("ns/name");
    let (namespace, name) = component.split_once('/').unwrap();
    assert_eq!(namespace, NAMESPACE);
    lab.open(name, of_map("wanted", &json!({}))).await;
    let map = lab.map("c").await;
    let [labels, annotations] = ["labels", "annotations"].map(|field| map["metadata"][field].clone());
    let applied = annotations["evenkeel.dev/applied"].as_str().unwrap();
    let is_digest = applied.contains(&digest_of(&map));
    let references = match map["metadata"]["ownerReferences"].is_null() {
        true => json!("not used: dependents may live in another namespace or cluster"),
        false => map["metadata"]["ownerReferences"].clone(),
    };
    json!({
        "annotation <name>/owner-id": annotations["evenkeel.dev/owner"],
        "label <name>/owner-id": labels["evenkeel.dev/dependent-of"],
        "annotation <name>/digest": if is_digest { "the digest" } else { applied },
        "ownerReferences": references,
    })
}

/// The digest of what is wanted, in the namespace of the component.
fn digest_of(map: &Value) -> String {
    let manifest = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c", "namespace": NAMESPACE }, "data": map["data"] });
    let Plan { items, .. } = plan(&[(manifest, true)]).unwrap();
    items[0].applied.content.unwrap().to_string()
}
