//! Writes to any version of an object, by a JSON patch that tests its preconditions.
//!
//! The result of a pass applies to the generation that it names, so it is written to any version of the same object, by a patch that tests
//! the uid and the status. Server-side apply cannot do that, since it ignores a uid. Apply does not own the patched fields, however, so a
//! patched status holds a [mark](crate::status::PATCHED) and is not final. The next write in a quiet moment takes its fields over.
//!
//! The finalizer and the other metadata that a pass stores first are written to any version as well, if these fields are unchanged.

use kube::api::ObjectMeta;
use serde_json::{Value, json};

use crate::api::ApiError;
use crate::condition::{RECONCILING, STALLED, Stamp, find, mark_reconciling};
use crate::pass::api::calls::Calls;
use crate::pass::api::gone;
use crate::pass::api::identity::{Identity, Unwritten};
use crate::pass::finish::status_write::{self, RESENDS};
use crate::pass::finish::written::{self, Written};
use crate::pipeline::state::DesiredStatus;

const CONDITIONS: &str = "conditions";

/// Patches the status of any version of the object in the same state of deletion. Removes the fields of `found` that the intent lacks.
pub(in crate::pass) async fn patch(
    calls: &Calls,
    identity: &Identity,
    found: &DesiredStatus,
    intent: &DesiredStatus,
) -> Result<Written, Unwritten> {
    let intent = patched(identity, intent);
    let mut refused: Option<(ApiError, Value)> = None;
    for _ in 0..=RESENDS {
        let live = status_write::same(calls, identity).await?;
        let known = live.data.get("status").unwrap_or(&Value::Null);
        // The tested status is unchanged, so the server refuses something else.
        if let Some((error, _)) = refused.take_if(|(_, tested)| tested == known) {
            return Err(Unwritten::Failed(error));
        }
        let operations = operations(&identity.uid, known, &overlaid(known, found, &intent));
        match calls.json_patch(&identity.target, Some("status"), &operations).await {
            Ok(object) => return written::of_object(identity, object),
            Err(error @ ApiError::Invalid(_)) => refused = Some((error, known.clone())),
            Err(ApiError::Conflict(_)) => {}
            Err(error) => return Err(gone::after_status(calls, identity, error).await),
        }
    }
    Err(Unwritten::Outdated)
}

/// The status to patch: not final, and with Reconciling for observers that do not compare generations.
fn patched(identity: &Identity, intent: &DesiredStatus) -> DesiredStatus {
    let mut intent = intent.clone().patched();
    let is_open = [RECONCILING, STALLED].iter().any(|type_| find(&intent.conditions, type_).is_some());
    if intent.second.is_none() && !is_open {
        let generation = identity.generation.unwrap_or_default();
        let message = format!("generation {generation} was reconciled while the object kept changing");
        let stamp = Stamp::new(generation, crate::clock::now());
        mark_reconciling(&mut intent.conditions, "Progressing", &message, &stamp);
    }
    intent
}

/// The JSON patch of the status, which tests the uid and that the status is still the known one.
fn operations(uid: &str, known: &Value, status: &Value) -> Value {
    json!([
        { "op": "test", "path": "/metadata/uid", "value": uid },
        { "op": "test", "path": "/status", "value": known },
        { "op": "add", "path": "/status", "value": status },
    ])
}

/// Converts a merge patch to a JSON patch for any version of the object that is not being deleted and has the changed fields as found.
/// `None`: it changes more than metadata, and a claim's changes to a spec are valid for that spec only.
pub(in crate::pass) fn anywhere(found: &ObjectMeta, patch: &Value) -> Option<Value> {
    if patch.as_object()?.keys().any(|name| name != "metadata") {
        return None;
    }
    let (uid, found) = (found.uid.as_ref()?, json!(found));
    let fields = patch["metadata"].as_object()?.iter().filter(|(name, _)| *name != "resourceVersion");
    let changes = fields.flat_map(|(name, change)| {
        let (path, mut after) = (format!("/metadata/{name}"), found[name].clone());
        merge(&mut after, change);
        [
            json!({ "op": "test", "path": path, "value": found[name] }),
            json!({ "op": "add", "path": path, "value": after }),
        ]
    });
    let tests = [("uid", json!(uid)), ("deletionTimestamp", Value::Null)];
    let tests = tests.map(|(name, value)| json!({ "op": "test", "path": format!("/metadata/{name}"), "value": value }));
    Some(tests.into_iter().chain(changes).collect())
}

/// Applies a merge patch.
fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    for (name, change) in fields {
        match change {
            Value::Null => drop(value.as_object_mut().and_then(|fields| fields.remove(name))),
            change => merge(&mut value[name], change),
        }
    }
}

/// The known status with our part of it replaced by the intent.
fn overlaid(known: &Value, found: &DesiredStatus, intent: &DesiredStatus) -> Value {
    let mut status = known.clone();
    overlay(&mut status, &found.to_value(), &intent.to_value());
    status[CONDITIONS] = conditions(&known[CONDITIONS], found, intent);
    status
}

/// The conditions of the intent, plus the unchanged conditions of other writers.
fn conditions(known: &Value, found: &DesiredStatus, intent: &DesiredStatus) -> Value {
    let is_ours = |type_: &str| [found, intent].iter().any(|status| find(&status.conditions, type_).is_some());
    let others = known.as_array().into_iter().flatten();
    let others = others.filter(|condition| !condition["type"].as_str().is_some_and(is_ours)).cloned();
    intent.conditions.iter().map(|condition| json!(condition)).chain(others).collect()
}

/// Replaces our fields, object by object. Lists are atomic.
fn overlay(status: &mut Value, found: &Value, intent: &Value) {
    let Value::Object(fields) = intent else {
        *status = intent.clone();
        return;
    };
    if !status.is_object() {
        *status = json!({});
    }
    let dropped = found.as_object().into_iter().flatten().filter(|(name, _)| !fields.contains_key(*name));
    for (name, _) in dropped {
        status.as_object_mut().and_then(|status| status.remove(name));
    }
    for (name, field) in fields {
        overlay(&mut status[name], found.get(name).unwrap_or(&Value::Null), field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{Condition, ConditionStatus};
    use crate::pass::api::scripted::{Answer, Script, absent, conflict, error, identity, object};

    /// Patches the status against these responses. Returns the result and the script with the requests.
    async fn sent(answers: impl IntoIterator<Item = Answer>) -> (Result<Written, Unwritten>, Script) {
        let script = Script::new(answers);
        let none = DesiredStatus::empty();
        (patch(&script.calls, &identity(), &none, &none).await, script)
    }

    fn with_status(status: &Value) -> Answer {
        let (code, mut found) = object("7", &json!({}));
        found["status"] = status.clone();
        (code, found)
    }

    #[tokio::test]
    async fn a_patch_with_a_failed_test_is_sent_again() {
        let invalid = || error(422, "Invalid", "the test failed");
        let (first, second) = (with_status(&json!({ "a": 1 })), with_status(&json!({ "a": 2 })));
        let (done, script) = sent([first.clone(), invalid(), second.clone(), object("8", &json!({}))]).await;
        assert!(done.is_ok());
        assert_eq!(script.asked(), ["GET x", "PATCH status", "GET x", "PATCH status"]);
        let tests = json!([
            { "op": "test", "path": "/metadata/uid", "value": "u" },
            { "op": "test", "path": "/status", "value": { "a": 2 } },
        ]);
        assert_eq!(script.sent()[3].as_array().unwrap()[..2], tests.as_array().unwrap()[..]);
        assert_eq!(script.sent()[3][2]["op"], "add");
        // The status equals the tested one, so the server rejects something else, and a retry would not help.
        let (refused, script) = sent([first.clone(), invalid(), first.clone()]).await;
        assert!(matches!(refused, Err(Unwritten::Failed(ApiError::Invalid(_)))));
        assert_eq!(script.asked().len(), 3);
        let (done, _) = sent([first.clone(), conflict(), first.clone(), object("8", &json!({}))]).await;
        assert!(done.is_ok(), "a conflict says nothing of the status");
    }

    #[tokio::test]
    async fn a_status_patch_stops_after_its_attempts() {
        let rounds = (0..20).flat_map(|at| [with_status(&json!({ "a": at })), conflict()]);
        let (outdated, script) = sent(rounds).await;
        assert_eq!(outdated.unwrap_err(), Unwritten::Outdated);
        assert_eq!(script.times("PATCH status"), 1 + RESENDS);
        let (gone, _) = sent([absent()]).await;
        assert_eq!(gone.unwrap_err(), Unwritten::Gone);
        let (other, _) = sent([with_status(&json!({})), object("8", &json!({ "uid": "v" }))]).await;
        assert!(matches!(other, Err(Unwritten::Failed(_))));
        let (failed, script) = sent([with_status(&json!({})), error(500, "InternalError", "etcd")]).await;
        assert!(matches!(failed, Err(Unwritten::Failed(_))) && script.asked().len() == 2);
    }

    fn status(conditions: &[(&str, ConditionStatus)]) -> DesiredStatus {
        let conditions =
            conditions.iter().map(|(type_, status)| Condition::new(*type_, *status, "Because", "")).collect();
        DesiredStatus {
            observed_generation: Some(7),
            conditions,
            fields: std::collections::BTreeMap::default(),
            observed_inputs: None,
            receipts: crate::status::request::Receipts::default(),
            sets: crate::status::SetStatuses::new(),
            summary: "Ready",
            second: None,
        }
    }

    #[test]
    fn only_our_status_fields_are_replaced() {
        let ours = DesiredStatus { observed_generation: Some(6), ..status(&[("Reconciling", ConditionStatus::True)]) };
        let known = json!({ "theirs": 1, "observedGeneration": 6, "conditions": [
            { "type": "Reconciling", "status": "True" }, { "type": "Theirs", "status": "True" },
        ] });
        let found = overlaid(&known, &ours, &status(&[("Ready", ConditionStatus::True)]));
        let types: Vec<_> =
            found["conditions"].as_array().unwrap().iter().map(|condition| &condition["type"]).collect();
        assert_eq!(types, ["Ready", "Theirs"]);
        assert_eq!((&found["theirs"], &found["observedGeneration"]), (&json!(1), &json!(7)));
    }

    #[test]
    fn a_patched_status_is_reconciling_unless_stalled() {
        let kind = crate::wiring::KindInfo::of::<k8s_openapi::api::core::v1::ConfigMap>();
        let target = crate::api::Target { kind, namespace: None, name: "w".into() };
        let identity = Identity { target, uid: "u".into(), generation: Some(7), deleting: false, urgent: false };
        let types = |status: &DesiredStatus| -> Vec<String> {
            patched(&identity, status).conditions.into_iter().map(|condition| condition.type_).collect()
        };
        assert_eq!(types(&status(&[("Ready", ConditionStatus::True)])), ["Reconciling", "Ready"]);
        let stalled = status(&[("Stalled", ConditionStatus::True), ("Ready", ConditionStatus::False)]);
        assert_eq!(types(&stalled), ["Stalled", "Ready"]);
        assert_eq!(patched(&identity, &stalled).observed_inputs.unwrap().wiring, crate::status::PATCHED);
    }

    #[test]
    fn a_metadata_patch_tests_only_the_fields_it_changes() {
        let found = ObjectMeta {
            uid: Some("u".into()),
            resource_version: Some("7".into()),
            labels: Some([("a", "1"), ("b", "2")].map(|(name, value)| (name.into(), value.into())).into()),
            ..ObjectMeta::default()
        };
        let patch = json!({ "metadata": {
            "resourceVersion": "7", "finalizers": ["f"], "labels": { "a": null, "c": "3" },
        } });
        let test = |path: &str, value: Value| json!({ "op": "test", "path": path, "value": value });
        let add = |path: &str, value: Value| json!({ "op": "add", "path": path, "value": value });
        let operations = json!([
            test("/metadata/uid", json!("u")),
            test("/metadata/deletionTimestamp", Value::Null),
            test("/metadata/finalizers", Value::Null),
            add("/metadata/finalizers", json!(["f"])),
            test("/metadata/labels", json!({ "a": "1", "b": "2" })),
            add("/metadata/labels", json!({ "b": "2", "c": "3" })),
        ]);
        assert_eq!(anywhere(&found, &patch), Some(operations));
        assert_eq!(anywhere(&found, &json!({ "metadata": {}, "spec": { "a": 1 } })), None);
        assert_eq!(anywhere(&ObjectMeta::default(), &patch), None);
    }

    #[test]
    fn a_status_that_was_never_written_is_created() {
        let found = overlaid(&Value::Null, &status(&[]), &status(&[("Ready", ConditionStatus::True)]));
        assert_eq!((&found["conditions"][0]["type"], &found["observedGeneration"]), (&json!("Ready"), &json!(7)));
    }

    #[test]
    fn a_second_reconciler_replaces_its_own_entry() {
        let ours = DesiredStatus { second: Some(("a/b", false)), ..status(&[]) };
        let found = overlaid(&json!({ "observedBy": { "other": { "stalled": true } } }), &ours, &ours);
        assert_eq!(found["observedBy"]["other"], json!({ "stalled": true }));
        assert_eq!(found["observedBy"]["a/b"]["generation"], 7);
    }

    #[test]
    fn nested_fields_dropped_by_the_intent_are_removed() {
        let mut status = json!({ "a": { "ours": 1, "dropped": 2, "theirs": 3 }, "list": [1, 2] });
        let ours = json!({ "a": { "ours": 0, "dropped": 2 }, "list": [1, 2], "gone": 1 });
        overlay(&mut status, &ours, &json!({ "a": { "ours": 4 }, "list": [3] }));
        assert_eq!(status, json!({ "a": { "ours": 4, "theirs": 3 }, "list": [3] }));
    }
}
