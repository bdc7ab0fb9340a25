//! Checks of what a step renders.

use evenkeel::dependents::manifest::{InvalidManifest, Manifest, Scope, TypeMeta};
use evenkeel::wiring::KindInfo;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::fixture::{SCOPE, config_map, plan};

/// A manifest of a case.
struct Object {
    manifest: Value,
    namespaced: bool,
    /// Whether the code added it as a Rust value of the type ConfigMap.
    typed: bool,
}

impl Object {
    fn of(given: &Value) -> Self {
        let mut manifest = config_map(&[]);
        let (mut namespaced, mut typed) = (true, false);
        match given {
            Value::Object(fields) => apply(fields, &mut manifest),
            text => match text.as_str().unwrap() {
                "anything" | "namespaced kind without namespace" => {}
                "cluster kind with namespace" => {
                    manifest = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "x", "namespace": "y" } });
                    namespaced = false;
                }
                text => match text.strip_prefix("typed ConfigMap labelled ") {
                    Some(type_) => (manifest, typed) = (of_type(type_, "team-a/x"), true),
                    None => {
                        let (type_, name) = text.split_once(' ').unwrap();
                        manifest = of_type(type_, name);
                    }
                },
            },
        }
        Self { manifest, namespaced, typed }
    }

    fn normal(&self, default_namespace: Option<&str>) -> Result<Manifest, InvalidManifest> {
        if self.typed {
            TypeMeta::read(&self.manifest)?.check_typed(&KindInfo::of::<ConfigMap>().resource)?;
        }
        Manifest::new(&self.manifest, Scope { namespaced: self.namespaced, default_namespace, ..SCOPE })
    }
}

/// `v1/ConfigMap`, `ns/a`.
fn of_type(type_: &str, name: &str) -> Value {
    let (api_version, kind) = type_.rsplit_once('/').unwrap();
    let (namespace, name) = name.split_once('/').unwrap();
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "namespace": namespace, "name": name } })
}

fn apply(fields: &serde_json::Map<String, Value>, manifest: &mut Value) {
    for (field, value) in fields {
        match field.as_str() {
            "generateName" => manifest["metadata"] = json!({ "generateName": value }),
            "labels" | "annotations" => manifest["metadata"][field] = value.clone(),
            "apiVersion" | "kind" => manifest[field] = value.clone(),
            // The original has objects of a Go type without type information; ours are what they serialize to.
            "untyped" => {}
            other => panic!("no adapter reads `{other}`"),
        }
    }
}

pub(crate) async fn adapter(given: Value) -> Value {
    let objects: Vec<_> = given["objects"].as_array().unwrap().iter().map(Object::of).collect();
    let before: Vec<_> = objects.iter().map(|object| object.manifest.clone()).collect();
    let deploy = given["deploy_namespace"].as_str().or(Some("team-a"));
    let normal: Result<Vec<_>, _> = objects.iter().map(|object| object.normal(deploy)).collect();
    let set: Vec<_> = objects.iter().map(|object| (object.manifest.clone(), object.namespaced)).collect();
    let error = normal.as_ref().err().cloned().or_else(|| plan(&set).err());
    let namespace = normal.ok().map(|all| all[0].object.value()["metadata"]["namespace"].clone());
    let mutated = objects.iter().zip(&before).any(|(object, before)| object.manifest != *before);
    json!({ "error": error.is_some(), "namespace": namespace, "input_mutated": mutated })
}
