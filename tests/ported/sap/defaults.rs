//! The policies that hold without settings, and which setting takes precedence.

use evenkeel::dependents::manifest::{Manifest, Scope};
use evenkeel::dependents::policy::{Policies, Settings};
use serde_json::{Value, json};

use super::annotation::name_of;
use super::fixture::{SCOPE, config_map};
use super::lab::{FINALIZER, Lab, of_map};

/// The prefix of the annotations of the original.
const PREFIX: &str = "operator.example.com";

/// Policies as the spec of a component has them.
fn policies(given: &Value) -> Policies {
    if given.is_null() { Policies::default() } else { serde_json::from_value(given.clone()).unwrap() }
}

pub(super) async fn adapter(given: Value) -> Value {
    let mut manifest = config_map(&[]);
    for (name, value) in given["object"].as_object().into_iter().flatten() {
        manifest["metadata"]["annotations"][format!("{PREFIX}/{name}")] = value.clone();
    }
    let policies = policies(&given["component"]).or(policies(&given["option"]));
    let manifest = Manifest::new(&manifest, Scope { prefix: Some(PREFIX), ..SCOPE }).unwrap();
    let settings = Settings::resolve(manifest.overrides, policies);
    let (manager, finalizer) = names().await;
    json!({
        "adoption": settings.adoption,
        "update": name_of(settings.update),
        "delete": settings.delete,
        "missing_namespaces": policies.missing_namespaces.unwrap_or_default(),
        "field_owner": manager,
        "finalizer": finalizer,
    })
}

/// The field manager of a dependent and the finalizer of its component, of an operator `tester` with a reconciler `component`.
async fn names() -> (String, String) {
    let lab = Lab::running().await;
    lab.open("x", of_map("wanted", &json!({}))).await;
    let (map, component) = (lab.map("c").await, lab.component("x").await);
    let manager = map["metadata"]["managedFields"][0]["manager"].as_str().unwrap();
    let finalizer = component["metadata"]["finalizers"][0].as_str().unwrap();
    assert_eq!(finalizer, FINALIZER);
    let shown = |name: &str| {
        let name = name.replace("systems.evenkeel.dev", "<group>").replace("tester", "<operator>");
        match name.replace("component", "<reconciler>") {
            name if name == "<reconciler>" => "= reconciler name".to_owned(),
            name => format!("= {name}"),
        }
    };
    (shown(manager), shown(finalizer))
}
