//! Rules of writes.

use evenkeel_testkit::patch::merge_patch;
use serde_json::{Value, json};

use super::put;
use super::result::SUMMARIES;
use super::status::Status;
use crate::deviation::{Case, Rule};
use crate::value::text;

const HELPER: &[&str] = &["patch_helper"];

pub(super) const GENERATION_WORKED_ON: Rule = Rule {
    name: "Q1",
    suites: HELPER,
    holds: "the spec changes on the server during the run, and the run sets a condition",
    answer: "The condition has the generation of the run. In Flux it has the latest one of the server",
    reason: "Otherwise the new spec would look reconciled",
    amend: |case, answer| {
        if case.input["serverChange"]["spec"].is_null() {
            return;
        }
        let foreign = Status::of(&case.input["serverChange"]["conditions"]);
        let ours = Status::of(&case.input["localChange"]["conditions"]);
        let is_ours =
            |one: &Value| ours.find(text(&one["type"])).is_some() && foreign.find(text(&one["type"])).is_none();
        let worked_on = &case.input["generation"];
        let stamp = |list: &mut Value| {
            for one in list.as_array_mut().into_iter().flatten().filter(|one| is_ours(one)) {
                one["observedGeneration"] = worked_on.clone();
            }
        };
        stamp(&mut answer["storedConditions"]);
        for write in answer["writes"].as_array_mut().into_iter().flatten() {
            if let Some(list) = write.pointer_mut("/body/status/conditions") {
                stamp(list);
            }
        }
    },
};

pub(super) const NOTHING_HALF: Rule = Rule {
    name: "Q17",
    suites: HELPER,
    holds: "the conditions conflict with those on the server",
    answer: "Nothing is written. Flux writes the spec and the rest of the status",
    reason: "Spec and status do not advance with old conditions",
    amend: |case, answer| {
        // The only other error is that of another kind, before any write.
        if answer["error"] != true || answer["writes"].as_array().is_none_or(Vec::is_empty) {
            return;
        }
        let server = on_the_server(case);
        put(answer, "writes", json!([]));
        put(answer, "storedSpec", server["spec"].clone());
        put(answer, "storedGeneration", server["metadata"]["generation"].clone());
        put(answer, "storedFinalizers", or(&server["metadata"]["finalizers"], json!([])));
        put(answer, "storedObservedGeneration", or(&server["status"]["observedGeneration"], json!(0)));
        put(answer, "storedObservedValue", or(&server["status"]["observedValue"], json!("")));
    },
};

/// The object after the writes of other clients.
fn on_the_server(case: &Case<'_>) -> Value {
    let (mut object, change) = (case.input["object"].clone(), &case.input["serverChange"]);
    let before = object["spec"].clone();
    for part in ["metadata", "spec", "status"] {
        merge_patch(&mut object, &json!({ part: or(&change[part], json!({})) }));
    }
    let bump = i64::from(before != object["spec"]);
    object["metadata"]["generation"] = json!(case.input["generation"].as_i64().unwrap_or_default() + bump);
    object
}

fn or(value: &Value, default: Value) -> Value {
    if value.is_null() { default } else { value.clone() }
}

pub(super) const STATUS_FIRST_AND_WHOLE: Rule = Rule {
    name: "Q17",
    suites: HELPER,
    holds: "conditions change together with the spec or with the rest of the status",
    answer: "The whole status is one request and the first one, and no request is empty",
    reason: "Observers never see half of a status",
    amend: |_, answer| {
        let (mut status, mut rest) = (json!({}), Vec::new());
        for write in answer["writes"].as_array().into_iter().flatten() {
            match text(&write["target"]) {
                "status" => merge_patch(&mut status, &write["body"]),
                _ => rest.push(write.clone()),
            }
        }
        let status = (status != json!({})).then(|| json!({ "target": "status", "body": status }));
        put(answer, "writes", status.into_iter().chain(rest).collect::<Value>());
    },
};

pub(super) const ONE_WRITE: Rule = Rule {
    name: "Q17",
    suites: SUMMARIES,
    holds: "the status changes, or Flux writes it twice",
    answer: "One request if the status changes, else none",
    reason: "Observers never see half of a status",
    amend: |case, answer| {
        let generation = |of: &Value| of["statusObservedGeneration"].as_i64().unwrap_or_default();
        let is_same = case.input["conditions"] == answer["conditions"]
            && generation(case.input) == generation(answer)
            && answer["lastHandledReconcileAt"].is_null();
        put(answer, "statusWrites", u8::from(!is_same));
    },
};
