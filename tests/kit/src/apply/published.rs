//! Generates the table of built-in kinds from the schemas of API servers, and reports missing kinds.
//!
//! `EVENKEEL_REAL_APISERVER=$(tests/kit/real.sh) cargo test -p evenkeel-testkit published` compares `builtin.json` with the API servers.
//! With `GENERATED=overwrite` it writes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Map, Value, json};

use super::builtin::is_known;
use crate::registry::{Registry, Verb};

fn served() -> Vec<(String, String)> {
    let registry = Registry::builtin();
    // Reviews are never stored, so they can't be applied.
    let stored = registry.iter().filter(|kind| kind.verbs.contains(&Verb::Get));
    stored.map(|kind| (kind.api_version(), kind.kind.clone())).collect()
}

#[test]
fn every_built_in_kind_has_a_published_schema() {
    let missing: Vec<_> = served().into_iter().filter(|(version, kind)| !is_known(version, kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test]
async fn the_table_matches_the_schemas_of_real_servers() {
    let Some(folder) = std::env::var_os("EVENKEEL_REAL_APISERVER") else {
        println!("skipped: EVENKEEL_REAL_APISERVER is not set, see tests/kit/real.sh");
        return;
    };
    let (modern, full) = (client(&folder, "kubeconfig-modern").await, client(&folder, "kubeconfig").await);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/apply/builtin.json");
    crate::golden_file::assert_generated(path, &table(&modern, &full).await);
}

async fn client(folder: &std::ffi::OsStr, name: &str) -> Client {
    let kubeconfig = Kubeconfig::read_from(Path::new(folder).join(name)).unwrap();
    let options = KubeConfigOptions { context: Some("admin".to_owned()), ..KubeConfigOptions::default() };
    Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap()).unwrap()
}

/// The definitions of the newer server, and those of the older server for kinds that only the older one has.
async fn table(modern: &Client, full: &Client) -> String {
    let mut all = definitions(full, "/openapi/v2", "/definitions").await;
    let versions: BTreeSet<String> = served().into_iter().map(|(version, _)| version).collect();
    let published = definitions(modern, "/openapi/v3", "/paths").await;
    for version in versions {
        let root = if version.contains('/') { "apis" } else { "api" };
        let path = format!("{root}/{version}");
        if published.contains_key(&path) {
            all.extend(definitions(modern, &format!("/openapi/v3/{path}"), "/components/schemas").await);
        }
    }
    let mut taken = Taken { all: &all, found: BTreeMap::new() };
    let mut kinds = BTreeMap::new();
    for (version, kind) in served() {
        let root = root(&all, &version, &kind);
        taken.take(root);
        kinds.insert(format!("{version}/{kind}"), json!(root));
    }
    format!("{{\"definitions\":{{\n{}\n}},\"kinds\":{{\n{}\n}}}}\n", lines(&taken.found), lines(&kinds))
}

async fn definitions(client: &Client, path: &str, pointer: &str) -> Map<String, Value> {
    let request = http::Request::get(path).header("Accept", "application/json").body(Vec::new()).unwrap();
    let document: Value = client.request(request).await.unwrap();
    document.pointer(pointer).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn root<'a>(all: &'a Map<String, Value>, version: &str, kind: &str) -> &'a str {
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let wanted = json!({"group": group, "version": version, "kind": kind});
    let is_root = |(name, definition): &(&String, &Value)| {
        let kinds = definition["x-kubernetes-group-version-kind"].as_array();
        !name.contains(".__internal.") && kinds.is_some_and(|kinds| kinds.contains(&wanted))
    };
    all.iter().find(is_root).map(|(name, _)| name.as_str()).unwrap()
}

/// The keys of each schema node that are copied to the table.
const KEPT: [&str; 9] = [
    "type",
    "format",
    "enum",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
];

struct Taken<'a> {
    all: &'a Map<String, Value>,
    found: BTreeMap<String, Value>,
}

impl<'a> Taken<'a> {
    fn take(&mut self, name: &'a str) {
        if self.found.contains_key(name) {
            return;
        }
        self.found.insert(name.to_owned(), Value::Null);
        let either = json!({"x-kubernetes-int-or-string": true});
        let node = if name.ends_with(".Quantity") { either } else { self.node(&self.all[name]) };
        self.found.insert(name.to_owned(), node);
    }

    /// Copies a schema node without its description.
    fn node(&mut self, schema: &'a Value) -> Value {
        let mut out = BTreeMap::new();
        for one in std::iter::once(schema).chain(schema["allOf"].as_array().into_iter().flatten()) {
            if let Some((_, name)) = one["$ref"].as_str().and_then(|reference| reference.rsplit_once('/')) {
                self.take(name);
                out.insert("$ref", json!(name));
            }
        }
        for name in KEPT {
            schema.get(name).map(|value| out.insert(name, value.clone()));
        }
        let is_plain = |one: &&Value| !one.is_array() && (!one.is_object() || **one == json!({}));
        schema.get("default").filter(is_plain).map(|one| out.insert("default", one.clone()));
        for name in ["items", "additionalProperties"] {
            schema.get(name).filter(|one| one.is_object()).map(|one| out.insert(name, self.node(one)));
        }
        if let Some(properties) = schema["properties"].as_object() {
            let properties: BTreeMap<_, _> = properties.iter().map(|(name, one)| (name, self.node(one))).collect();
            out.insert("properties", json!(properties));
        }
        if schema["format"] == "int-or-string" { json!({"x-kubernetes-int-or-string": true}) } else { json!(out) }
    }
}

fn lines(all: &BTreeMap<String, Value>) -> String {
    all.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect::<Vec<_>>().join(",\n")
}
