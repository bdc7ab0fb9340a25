//! Manifests for the cases, and the plan of a set of them.

use evenkeel::dependents::manifest::{InvalidManifest, Manifest, Scope};
use evenkeel::dependents::plan::{Plan, PlanOptions};
use evenkeel::dependents::policy::Policies;
use serde_json::{Value, json};

/// Where the manifests are applied: namespaced, in `team-a`.
pub(crate) const SCOPE: Scope<'_> = Scope { namespaced: true, default_namespace: Some("team-a"), prefix: None };

/// The texts of a list; none if the case has no list.
pub(crate) fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap())
}

/// A ConfigMap with settings of evenkeel as annotations.
pub(crate) fn config_map(settings: &[(&str, Option<String>)]) -> Value {
    let set =
        settings.iter().filter_map(|(name, value)| Some((format!("evenkeel.dev/{name}"), json!(value.as_ref()?))));
    let annotations: serde_json::Map<_, _> = set.collect();
    let meta = json!({ "name": "x", "annotations": annotations });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": { "key": "value" } })
}

/// The plan of the manifests, each with whether its kind is namespaced.
pub(crate) fn plan(manifests: &[(Value, bool)]) -> Result<Plan, InvalidManifest> {
    let normal = manifests
        .iter()
        .map(|(manifest, namespaced)| Manifest::new(manifest, Scope { namespaced: *namespaced, ..SCOPE }));
    let options = PlanOptions { policies: Policies::default(), manages: &[], component: "component", limit: 100 };
    Plan::new(normal.collect::<Result<_, _>>()?, options)
}
