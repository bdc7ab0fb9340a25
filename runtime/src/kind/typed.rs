//! Decodes a cached object as its type, without a copy of its tree.

use kube::core::DynamicObject;
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};

use super::Kind;

/// Decodes the object as its type. Strings are copied once, from the cached object to the typed one.
///
/// # Errors
/// The content does not fit the type.
pub(crate) fn typed<K: Kind>(object: &DynamicObject) -> serde_json::Result<K> {
    let head = head(object);
    let mut typed = K::deserialize(MapDeserializer::new(fields(&head, object).into_iter()))?;
    *typed.meta_mut() = object.metadata.clone();
    Ok(typed)
}

/// The same. The error names the field that does not fit, and not its value.
///
/// # Errors
/// The content does not fit the type.
#[cfg(feature = "operator")]
pub(crate) fn typed_or_why<K: Kind>(object: &DynamicObject) -> Result<K, String> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::misfit::{caught, described, path};

    caught(AssertUnwindSafe(|| typed(object))).map_err(|error| {
        // Once more, since only errors need the path.
        let (head, mut track) = (head(object), serde_path_to_error::Track::new());
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let fields = MapDeserializer::<_, serde_json::Error>::new(fields(&head, object).into_iter());
            K::deserialize(serde_path_to_error::Deserializer::new(fields, &mut track)).map(drop)
        }));
        described(&path(track), &error)
    })
}

/// The same. Without an operator no object is read.
///
/// # Errors
/// The content does not fit the type.
#[cfg(not(feature = "operator"))]
pub(crate) fn typed_or_why<K: Kind>(object: &DynamicObject) -> Result<K, String> {
    typed(object).map_err(|error: serde_json::Error| error.to_string())
}

/// The fields that a [`DynamicObject`] holds outside of its content.
fn head(object: &DynamicObject) -> [(&'static str, Option<Value>); 3] {
    let types = object.types.as_ref();
    let text = |text: &String| Value::String(text.clone());
    [
        ("apiVersion", types.map(|types| text(&types.api_version))),
        ("kind", types.map(|types| text(&types.kind))),
        // The metadata has its type already. An empty one satisfies a type that requires the field.
        ("metadata", Some(Value::Object(Map::new()))),
    ]
}

/// All fields. Not generic, so that it is compiled once for all kinds.
fn fields<'o>(head: &'o [(&'static str, Option<Value>)], object: &'o DynamicObject) -> Vec<(&'o str, &'o Value)> {
    let head = head.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?)));
    head.chain(object.data.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))).collect()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{ConfigMap, Event, Secret};
    use serde_json::json;

    use super::*;

    fn cached(object: &Value) -> DynamicObject {
        serde_json::from_value(object.clone()).unwrap()
    }

    fn is_decoded_as_from_its_text<K: Kind + PartialEq + std::fmt::Debug>(object: &Value) {
        let from_text: K = serde_json::from_value(object.clone()).unwrap();
        assert_eq!(typed::<K>(&cached(object)).unwrap(), from_text);
    }

    #[test]
    fn an_object_is_decoded_as_from_its_text() {
        let meta = json!({ "name": "a", "namespace": "b", "labels": { "c": "d" }, "ownerReferences": [
            { "apiVersion": "v1", "kind": "Pod", "name": "e", "uid": "f" }], "creationTimestamp": "2024-01-02T03:04:05Z" });
        is_decoded_as_from_its_text::<ConfigMap>(
            &json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": { "x": "y" } }),
        );
        is_decoded_as_from_its_text::<Secret>(
            &json!({ "apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": { "x": "eQ==" }, "type": "Opaque" }),
        );
        is_decoded_as_from_its_text::<Event>(
            &json!({ "apiVersion": "v1", "kind": "Event", "metadata": meta, "involvedObject": { "name": "z" }, "count": 3 }),
        );
        let port = json!({ "containerPort": 80 });
        let pod =
            json!({ "containers": [{ "name": "c", "resources": { "limits": { "cpu": "1" } }, "ports": [port] }] });
        let spec = json!({ "replicas": 2, "selector": { "matchLabels": { "a": "b" } }, "strategy": {
            "rollingUpdate": { "maxSurge": "10%", "maxUnavailable": 1 } }, "template": { "metadata": {}, "spec": pod } });
        is_decoded_as_from_its_text::<Deployment>(
            &json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec }),
        );
    }

    #[test]
    fn a_value_of_another_type_is_an_error_that_names_it() {
        let wrong = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "x": 1 } });
        let error = typed::<ConfigMap>(&cached(&wrong)).expect_err("a number is not a text");
        assert_eq!(error.to_string(), serde_json::from_value::<ConfigMap>(wrong).unwrap_err().to_string());
        let another = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "a" } });
        assert!(typed::<ConfigMap>(&cached(&another)).is_err());
    }
}
