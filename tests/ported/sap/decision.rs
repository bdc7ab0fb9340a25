//! The call for one dependent.

use std::time::Duration;

use evenkeel::dependency::ObjectStatus;
use evenkeel::dependents::manifest::replacement;
use evenkeel::dependents::plan::{Action, Live, LiveObject, Plan, stage};
use serde_json::{Value, json};

use super::fixture::{config_map, plan};

pub(crate) async fn adapter(given: Value) -> Value {
    let text = |key: &str| given[key].as_str().map(ToOwned::to_owned);
    let settings = [
        ("reconcile-policy", text("policy")),
        ("update-policy", Some(text("update_policy").unwrap_or_else(|| "replace".into()))),
        ("reapply-interval", given["reapply_s"].as_u64().map(|seconds| format!("{seconds}s"))),
    ];
    let old = config_map(&settings);
    let mut new = old.clone();
    if given["digest"] == "different" || given["manifest_changed"] == true {
        new["data"] = json!({ "key": "other" });
    }
    let [old, new] = [old, new].map(|manifest| plan(&[(manifest, true)]).unwrap());
    let object = (!given["live"].is_null()).then(|| object(&given, &old));
    let live = |_: &_| object.as_ref().map_or(Live::Absent, Live::Object);
    let stage = stage(&new, &live, &|_| false);
    let mut output = shown(&stage.actions);
    output["ready"] = json!(stage.is_done());
    let existing = json!({ "metadata": { "finalizers": given["live"]["finalizers"] } });
    output["finalizers_kept"] = replacement(&new.items[0].object.value(), &existing)["metadata"]["finalizers"].clone();
    output
}

fn object(given: &Value, old: &Plan) -> LiveObject {
    LiveObject {
        uid: "1".into(),
        resource_version: "1".into(),
        applied: Some(old.items[0].applied),
        is_deleted: given["deletionTimestamp"] == true,
        has_drifted: false,
        age: Duration::from_secs(given["last_applied_age_s"].as_u64().unwrap_or_default()),
        status: ObjectStatus::Current,
    }
}

/// The call, in the words of the original.
fn shown(actions: &[(usize, Action)]) -> Value {
    match actions {
        [] => json!({ "action": "none" }),
        [(_, Action::Create)] => json!({ "action": "create", "phase": "Creating" }),
        [(_, Action::Update(_))] => json!({ "action": "update", "phase": "Updating", "uid_changes": false }),
        [(_, Action::Recreate)] => json!({ "action": "delete, then create", "uid_changes": true }),
        other => panic!("{other:?}"),
    }
}
