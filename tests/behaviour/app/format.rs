//! The format of Grafana's manifests, as types that accept no other field.
//!
//! Source: `app/manifest_v1alpha1.cue` of grafana/grafana-app-sdk.
#![allow(dead_code, reason = "the fields are only decoded")]

use std::collections::BTreeMap;

use kube::core::DynamicObject;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    spec: Spec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Spec {
    app_name: String,
    app_display_name: String,
    group: String,
    versions: Vec<Version>,
    preferred_version: Option<String>,
    extra_permissions: Option<Permissions>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    name: String,
    served: Option<bool>,
    kinds: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Kind {
    kind: String,
    plural: Option<String>,
    scope: Scope,
    admission: Option<Admission>,
    schema: BTreeMap<String, Value>,
    selectable_fields: Option<Vec<String>>,
    additional_printer_columns: Option<Vec<Column>>,
    conversion: Option<bool>,
    routes: Option<BTreeMap<String, BTreeMap<Method, Value>>>,
}

#[derive(Deserialize)]
enum Scope {
    Namespaced,
    Cluster,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Admission {
    validation: Option<Capability>,
    mutation: Option<Capability>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Capability {
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Operation {
    Create,
    Update,
    Delete,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Column {
    name: String,
    #[serde(rename = "type")]
    sort: String,
    format: Option<String>,
    description: Option<String>,
    priority: Option<i32>,
    json_path: String,
}

/// The methods of a path in OpenAPI.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Permissions {
    access_kinds: Vec<Access>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Access {
    group: String,
    resource: String,
    actions: Vec<String>,
}

/// Checks a manifest against the format.
pub(super) fn check(manifest: &DynamicObject) {
    let types = manifest.types.as_ref().unwrap();
    assert_eq!((&*types.api_version, &*types.kind), ("apps.grafana.app/v1alpha1", "AppManifest"));
    let Data { spec } = serde_json::from_value(manifest.data.clone()).unwrap();
    assert_eq!(manifest.metadata.name.as_ref(), Some(&spec.app_name));
    let preferred = spec.preferred_version.unwrap();
    assert!(spec.versions.iter().any(|version| version.name == preferred), "{preferred}");
    for kind in spec.versions.iter().flat_map(|version| &version.kinds) {
        assert!(kind.schema.contains_key("spec") && !kind.schema.contains_key("metadata"), "{}", kind.kind);
    }
}
