//! The server as it stands, without versions, times and uids.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Resource;
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::{ApiResource, NamespaceResourceScope};
use serde_json::{Value, json};

use crate::test_env::World;
use crate::widget::Widget;

pub(super) async fn snapshot(world: &World) -> Value {
    let mut all = Vec::new();
    all.extend(list::<Widget>(world).await);
    all.extend(list::<ConfigMap>(world).await);
    all.extend(list::<Secret>(world).await);
    Value::Array(all)
}

async fn list<K: Resource<DynamicType = (), Scope = NamespaceResourceScope>>(world: &World) -> Vec<Value> {
    let resource = ApiResource::erase::<K>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let items = api.list(&ListParams::default()).await.expect("a list").items;
    items
        .iter()
        .map(|object| timeless(&world.namespace, &serde_json::to_value(object).expect("an object is JSON")))
        .collect()
}

fn timeless(namespace: &str, object: &Value) -> Value {
    let text = object.to_string().replace(namespace, "here");
    let mut object: Value = serde_json::from_str(&text).expect("it was JSON");
    let meta = object["metadata"].as_object_mut().expect("metadata");
    let is_deleting = meta.remove("deletionTimestamp").is_some();
    for varying in
        ["resourceVersion", "uid", "creationTimestamp", "managedFields", "deletionGracePeriodSeconds", "namespace"]
    {
        meta.remove(varying);
    }
    for owner in meta.get_mut("ownerReferences").and_then(Value::as_array_mut).into_iter().flatten() {
        owner["uid"] = json!("owner");
    }
    meta.insert("deleting".into(), json!(is_deleting));
    if let Some(conditions) = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        conditions.iter_mut().for_each(|condition| condition["lastTransitionTime"] = Value::Null);
        conditions.sort_by_key(|condition| condition["type"].to_string());
    }
    // The digest holds the uid; whether there is one tells whether the outcome was final. Both follow late, at a time of the object's own.
    for late in ["digest", "wiring"] {
        if let Some(hash) = object.pointer_mut(&format!("/status/observedInputs/{late}")) {
            *hash = json!(hash != "not-final");
        }
    }
    object
}
