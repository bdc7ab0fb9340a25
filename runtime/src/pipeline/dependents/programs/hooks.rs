//! Hooks of Helm as waves: the rules of SAP's component reconciler.

use serde_json::Value;

use crate::dependent_rules::policy::{DeletePolicy, PREFIX, ReconcilePolicy, UpdatePolicy};
use crate::pipeline::dependents::entry::annotate;
use crate::pipeline::dependents::source::SourceError;

const HOOK: &str = "helm.sh/hook";
const WEIGHT: &str = "helm.sh/hook-weight";
const WHEN_DELETED: &str = "helm.sh/hook-delete-policy";
const KEEP: &str = "helm.sh/resource-policy";

/// The largest weight of a hook, positive or negative.
const MOST: i16 = 10_000;
/// After all waves of a chart.
const LAST: i16 = 2 * MOST + 1;

/// The objects with annotations of evenkeel in place of their hooks, and without those for tests and rollbacks.
///
/// # Errors
/// A hook has no counterpart.
pub(super) fn without_hooks(objects: Vec<Value>) -> Result<Vec<Value>, SourceError> {
    let converted = objects.into_iter().map(|mut object| Ok(convert(&mut object)?.then_some(object)));
    converted.filter_map(Result::transpose).collect()
}

/// Adds the annotations; returns whether the object is wanted.
fn convert(object: &mut Value) -> Result<bool, SourceError> {
    if annotation(object, KEEP) == Some("keep") {
        set(object, "delete-policy", DeletePolicy::Orphan.as_str());
    }
    let Some(hook) = annotation(object, HOOK) else { return Ok(true) };
    let Some(Wave { order, purge, policy }) = wave(object, hook)? else { return Ok(false) };
    let deleted: Vec<&str> = annotation(object, WHEN_DELETED).map(words).into_iter().flatten().collect();
    if deleted.contains(&"hook-failed") {
        let cure = "has no counterpart; a hook that failed stays for you to read";
        return Err(refused(object, WHEN_DELETED, "hook-failed", cure));
    }
    let recreates = deleted.is_empty() || deleted.contains(&"before-hook-creation");
    let purges = deleted.contains(&"hook-succeeded");
    set(object, "apply-order", &order.to_string());
    set(object, "reconcile-policy", policy.as_str());
    if recreates {
        set(object, "update-policy", UpdatePolicy::Recreate.as_str());
    }
    if purges {
        set(object, "purge-order", &purge.to_string());
    }
    Ok(true)
}

/// The place of a hook among the waves.
struct Wave {
    order: i16,
    /// The wave after which it is deleted, if it is.
    purge: i16,
    policy: ReconcilePolicy,
}

/// The wave of a hook; `None`: it is for tests or a rollback.
fn wave(object: &Value, hook: &str) -> Result<Option<Wave>, SourceError> {
    let is_left_out = |one: &str| one.starts_with("test") || one.ends_with("-rollback");
    let mut types: Vec<&str> = words(hook).filter(|one| !is_left_out(one)).collect();
    types.sort_unstable();
    types.dedup();
    if types.is_empty() {
        return Ok(None);
    }
    let weight = annotation(object, WEIGHT).unwrap_or("0");
    let number = weight.parse().ok().filter(|weight| (-MOST..=MOST).contains(weight));
    let number: i16 =
        number.ok_or_else(|| refused(object, WEIGHT, weight, &format!("is not a number from -{MOST} to {MOST}")))?;
    let (before, after) = (number - MOST - 1, number + MOST + 1);
    let (order, purge, policy) = match types.as_slice() {
        ["pre-install"] => (before, -1, ReconcilePolicy::Once),
        ["post-install"] => (after, LAST, ReconcilePolicy::Once),
        ["pre-install", "pre-upgrade"] => (before, -1, ReconcilePolicy::OnObjectOrComponentChange),
        ["post-install", "post-upgrade"] => (after, LAST, ReconcilePolicy::OnObjectOrComponentChange),
        ["post-install", "post-upgrade", "pre-install", "pre-upgrade"] => {
            (before, LAST, ReconcilePolicy::OnObjectOrComponentChange)
        }
        _ => {
            let cure = "has no counterpart; use pre-install or post-install, alone or with its upgrade";
            return Err(refused(object, HOOK, hook, cure));
        }
    };
    Ok(Some(Wave { order, purge, policy }))
}

fn refused(object: &Value, name: &str, value: &str, cure: &str) -> SourceError {
    let kind = object["kind"].as_str().unwrap_or("an object");
    let of = object["metadata"]["name"].as_str().unwrap_or("without a name");
    SourceError::Invalid(format!("{kind} {of}: annotation {name}: `{value}` {cure}"))
}

fn annotation<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object["metadata"]["annotations"][name].as_str()
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// Sets an annotation of evenkeel, unless the chart has set it.
fn set(object: &mut Value, name: &str, value: &str) {
    annotate(object, &format!("{PREFIX}/{name}"), value);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(annotations: &Value) -> Value {
        json!({ "kind": "Job", "metadata": { "name": "j", "annotations": annotations } })
    }

    /// The annotations of evenkeel; `None`: the object is left out.
    fn converted(annotations: &Value) -> Result<Option<Value>, String> {
        let objects = without_hooks(vec![job(annotations)]).map_err(|error| error.to_string())?;
        Ok(objects.into_iter().next().map(|object| {
            let all = object["metadata"]["annotations"].as_object().unwrap();
            all.iter()
                .filter_map(|(key, value)| Some((key.strip_prefix("evenkeel.dev/")?.to_owned(), value.clone())))
                .collect()
        }))
    }

    #[test]
    fn hooks_become_waves() {
        for (hook, weight, deleted, expected) in [
            (
                "pre-install",
                "0",
                "hook-succeeded",
                json!({ "apply-order": "-10001", "reconcile-policy": "once", "purge-order": "-1" }),
            ),
            (
                "post-install",
                "5",
                "hook-succeeded",
                json!({ "apply-order": "10006", "reconcile-policy": "once", "purge-order": "20001" }),
            ),
            (
                "pre-upgrade, pre-install",
                "-3",
                "",
                json!({ "apply-order": "-10004", "reconcile-policy": "on-object-or-component-change", "update-policy": "recreate" }),
            ),
            (
                "post-install,post-upgrade",
                "0",
                "before-hook-creation",
                json!({ "apply-order": "10001", "reconcile-policy": "on-object-or-component-change", "update-policy": "recreate" }),
            ),
            (
                "post-install,post-rollback,test",
                "0",
                "hook-succeeded,before-hook-creation",
                json!({ "apply-order": "10001", "reconcile-policy": "once", "update-policy": "recreate", "purge-order": "20001" }),
            ),
        ] {
            let annotations = json!({ HOOK: hook, WEIGHT: weight, WHEN_DELETED: deleted });
            assert_eq!(converted(&annotations), Ok(Some(expected)), "{hook}");
        }
        for left_out in ["test", "test-success", "pre-rollback,post-rollback"] {
            assert_eq!(converted(&json!({ HOOK: left_out })), Ok(None), "{left_out}");
        }
    }

    #[test]
    fn hooks_without_a_counterpart_are_refused() {
        for annotations in [
            json!({ HOOK: "pre-delete" }),
            json!({ HOOK: "pre-install,post-delete" }),
            json!({ HOOK: "pre-upgrade" }),
            json!({ HOOK: "pre-install", WEIGHT: "10001" }),
            json!({ HOOK: "pre-install", WEIGHT: "heavy" }),
            json!({ HOOK: "pre-install", WHEN_DELETED: "hook-succeeded,hook-failed" }),
        ] {
            let error = converted(&annotations).unwrap_err();
            assert!(error.starts_with("Job j: annotation helm.sh/hook"), "{error}");
        }
    }

    #[test]
    fn an_object_that_helm_keeps_stays() {
        assert_eq!(converted(&json!({ KEEP: "keep" })), Ok(Some(json!({ "delete-policy": "orphan" }))));
        let own = json!({ KEEP: "keep", "evenkeel.dev/delete-policy": "delete" });
        assert_eq!(converted(&own), Ok(Some(json!({ "delete-policy": "delete" }))));
        assert_eq!(converted(&json!({})), Ok(Some(json!({}))));
    }
}
