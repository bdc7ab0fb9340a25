//! The dependents of a shop as a tree: wave by wave, as the API server has them.

use std::fmt::Write;

use examples::server::message_of;
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, ResourceExt};

/// The kinds of the manifests, with their plurals.
const KINDS: [(&str, &str, &str, &str); 6] = [
    ("batch", "v1", "Job", "jobs"),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions"),
    ("", "v1", "ConfigMap", "configmaps"),
    ("", "v1", "Service", "services"),
    ("apps", "v1", "Deployment", "deployments"),
    ("shop.demo.evenkeel.dev", "v1", "Promotion", "promotions"),
];

/// The label of the dependents of the operator.
const OF_OPERATOR: &str = "evenkeel.dev/operator=shop-operator";

/// The annotation with the wave of an object.
const WAVE: &str = "evenkeel.dev/apply-order";

/// An object in the tree: its wave, and its kind and name.
type Node = (i16, String);

/// The dependents, by wave and name.
///
/// # Errors
/// The API server rejects a request.
pub async fn dependents(client: &Client, namespace: &str) -> Result<Vec<Node>, String> {
    let mut found = Vec::new();
    for (group, version, kind, plural) in KINDS {
        let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural);
        let api: Api<DynamicObject> = match kind {
            "CustomResourceDefinition" => Api::all_with(client.clone(), &resource),
            _ => Api::namespaced_with(client.clone(), namespace, &resource),
        };
        let listed = match api.list(&ListParams::default().labels(OF_OPERATOR)).await {
            // The set has not created the type yet.
            Err(kube::Error::Api(status)) if status.code == 404 => continue,
            listed => listed.map_err(|error| message_of(&error))?,
        };
        found.extend(listed.into_iter().map(|object| {
            let wave = object.annotations().get(WAVE).and_then(|wave| wave.parse().ok()).unwrap_or_default();
            let end = if object.metadata.deletion_timestamp.is_some() { "  (being deleted)" } else { "" };
            (wave, format!("{kind} {}{end}", object.name_any()))
        }));
    }
    found.sort();
    Ok(found)
}

/// The tree as text.
pub fn draw(nodes: &[Node]) -> String {
    let mut text = String::new();
    let mut last = None;
    for (wave, name) in nodes {
        let is_first = last.replace(wave) != Some(wave);
        let title = if is_first { format!("wave {wave}") } else { String::new() };
        // Writing to a text does not fail.
        let _ = writeln!(text, "  {title:<9}{name}");
    }
    text
}
