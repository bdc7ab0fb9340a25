//! The annotations of a dependent: the settings that hold for it.

use evenkeel::dependents::manifest::Manifest;
use evenkeel::dependents::policy::{Policies, Settings, UpdatePolicy};
use serde_json::{Value, json};

use super::fixture::{SCOPE, config_map};

/// Reads the annotation, and shows what holds then.
fn with(name: &str, given: &Value, shown: impl FnOnce(Settings) -> Value) -> Value {
    let manifest = config_map(&[(name, given["annotation"].as_str().map(ToOwned::to_owned))]);
    match Manifest::new(&manifest, SCOPE) {
        Ok(manifest) => {
            let mut output = shown(Settings::resolve(manifest.overrides, Policies::default()));
            output["error"] = json!(false);
            output
        }
        Err(error) => {
            assert!(error.to_string().contains(name), "{error}");
            json!({ "error": true })
        }
    }
}

pub(crate) async fn adoption(given: Value) -> Value {
    with("adoption-policy", &given, |settings| json!({ "value": settings.adoption }))
}

pub(crate) async fn reconcile(given: Value) -> Value {
    with("reconcile-policy", &given, |settings| json!({ "value": settings.reconcile }))
}

pub(crate) async fn update(given: Value) -> Value {
    with("update-policy", &given, |settings| json!({ "value": name_of(settings.update) }))
}

/// The update policy in the words of the original.
pub(crate) fn name_of(policy: UpdatePolicy) -> &'static str {
    match policy {
        UpdatePolicy::Apply => "ssa-merge",
        UpdatePolicy::Override => "ssa-override",
        other => other.as_str(),
    }
}

pub(crate) async fn delete(given: Value) -> Value {
    with("delete-policy", &given, |settings| json!({ "value": settings.delete }))
}

pub(crate) async fn apply_order(given: Value) -> Value {
    with("apply-order", &given, |settings| json!({ "value": settings.apply_order }))
}

pub(crate) async fn delete_order(given: Value) -> Value {
    with("delete-order", &given, |settings| json!({ "value": settings.delete_order }))
}

/// Never purged is, in the original, one beyond the largest order.
pub(crate) async fn purge_order(given: Value) -> Value {
    let never = i32::from(i16::MAX) + 1;
    with("purge-order", &given, |settings| json!({ "value": settings.purge_order.map_or(never, i32::from) }))
}

pub(crate) async fn reapply_interval(given: Value) -> Value {
    with(
        "reapply-interval",
        &given,
        |settings| json!({ "seconds": settings.reapply.map(|interval| interval.as_secs()) }),
    )
}
