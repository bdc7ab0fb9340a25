//! Rules of the list of steps, of failures, and of messages.

use serde_json::{Value, json};

use super::put;
use super::status::Status;
use crate::deviation::{Case, Rule};
use crate::value::{text, words};

const CHAIN: &[&str] = &["sub_reconciler_chain"];

pub(super) const REQUEUE_BESIDE_AN_ERROR: Rule = Rule {
    name: "Q3",
    suites: CHAIN,
    holds: "the step that ends the list returns an error together with Requeue",
    answer: "The list returns the error. Flux loses it",
    reason: "A step returns a result or an error, so no error is lost",
    amend: |case, answer| beside_an_error(case, answer, "Requeue"),
};

pub(super) const SUCCESS_BESIDE_AN_ERROR: Rule = Rule {
    name: "Q18",
    suites: CHAIN,
    holds: "the step that ends the list returns an error together with Success",
    answer: "The list returns the error alone. Flux returns both",
    reason: "A step returns a result or an error",
    amend: |case, answer| beside_an_error(case, answer, "Success"),
};

fn beside_an_error(case: &Case<'_>, answer: &mut Value, result: &str) {
    let mut steps = case.input["steps"].as_array().into_iter().flatten();
    let last = steps.find(|step| !step["error"].is_null() || step["result"] == "Requeue");
    if let Some(step) = last.filter(|step| !step["error"].is_null() && step["result"] == result) {
        put(answer, "error", step["error"]["message"].clone());
        put(answer, "errorReturned", true);
        put(answer, "result", "Empty");
    }
}

pub(super) const REQUEST_TAKEN_OFF: Rule = Rule {
    name: "Q11",
    suites: CHAIN,
    holds: "a request was handled, its annotation was removed, and the generation is observed",
    answer: "Progress is not written before the first step. Flux writes it in every later run",
    reason: "Removing the annotation is not a request",
    amend: |case, answer| {
        let input = case.input;
        let generation = |key: &str| input[key].as_i64().unwrap_or_default();
        let is_observed = generation("generation") == generation("statusObservedGeneration");
        let is_gone = input["annotations"]["reconcile.fluxcd.io/requestedAt"].is_null();
        if is_gone && is_observed && !text(&input["lastHandledReconcileAt"]).is_empty() {
            put(answer, "progressPatchPersisted", false);
        }
    },
};

/// Whether one of the types is present, optionally with this status.
fn has(conditions: &Value, types: &[&str], status: Option<&str>) -> bool {
    let listed = Status::of(conditions);
    let is = |type_: &&str| status.map_or(listed.find(type_).is_some(), |status| listed.is(type_, status));
    types.iter().any(is)
}

/// Whether a failure is over, by the status of the conditions, and whether that differs from the answer by their presence.
fn recovery(input: &Value, [before, now]: [&Value; 2]) -> (bool, bool) {
    let types = words(&input["failConditions"]);
    let [by_presence, by_status] =
        [None, Some("True")].map(|status| has(before, &types, status) && !has(now, &types, status));
    (by_status, by_status != by_presence)
}

pub(super) const RECOVERED_BY_STATUS: Rule = Rule {
    name: "Q15",
    suites: &["failure_recovery"],
    holds: "a failure condition is present without being True, before or after the run",
    answer: "Only a failure that is True counts. In Flux each one that is present counts",
    reason: "A failure condition with the status False is not a failure",
    amend: |case, answer| {
        if let (recovered, true) = recovery(case.input, [&case.input["old"], &case.input["new"]]) {
            put(answer, "recovered", recovered);
        }
    },
};

pub(super) const NOTICE_BY_STATUS: Rule = Rule {
    name: "Q15",
    suites: &["notify"],
    holds: "a failure condition is present without being True, and a successful run made no new artifact",
    answer: "The event is sent when a failure that was True is not True any more. Flux sends it when the condition is removed",
    reason: "A failure condition with the status False is not a failure",
    amend: |case, answer| {
        let [old, new] = ["old", "new"].map(|side| &case.input[side]);
        let error = &case.input["error"];
        let went_well = match error.is_null() {
            true => case.input["result"] == "Success",
            false => error["kind"] == "generic" && error["config"]["ignore"] == true,
        };
        let digest = &new["artifact"]["digest"];
        let is_same = digest.is_string() && *digest == old["artifact"]["digest"];
        let (recovered, true) = recovery(case.input, [&old["conditions"], &new["conditions"]]) else { return };
        if went_well && is_same {
            let [reason, type_] = ["Succeeded", "Normal"].map(|text| if recovered { json!(text) } else { Value::Null });
            put(answer, "eventReason", reason);
            put(answer, "eventType", type_);
        }
    },
};

pub(super) const HIGHEST_BY_STATUS: Rule = Rule {
    name: "Q15",
    suites: &["kstatus_highest_negative"],
    holds: "a negative condition is present without being True, and is declared before the first that is True",
    answer: "It does not count. Flux takes it for the highest",
    reason: "A negative condition with the status False is not a failure",
    amend: |case, answer| {
        let listed = Status::of(&case.input["conditions"]);
        let declared = words(&case.input["negativePolarity"]);
        let first = declared.into_iter().find(|type_| listed.is(type_, "True"));
        if first.is_some_and(|first| answer["type"] != first) || (first.is_none() && answer["type"].is_string()) {
            put(answer, "type", first);
        }
    },
};

pub(super) const NOTHING_DECLARED: Rule = Rule {
    name: "no negatives",
    suites: &["kstatus_highest_negative"],
    holds: "no negative condition is declared",
    answer: "There is no highest one. Flux returns an error",
    reason: "A set without negative conditions is valid",
    amend: |case, answer| {
        if words(&case.input["negativePolarity"]).is_empty() {
            put(answer, "error", false);
        }
    },
};

pub(super) const END_OF_A_URL: Rule = Rule {
    name: "URL",
    suites: &["sanitize_error"],
    holds: "a URL with a query is followed by a quote or by punctuation",
    answer: "Quote and punctuation remain. Flux removes them with the query",
    reason: "They belong to the sentence",
    amend: |case, answer| {
        let message = text(&case.input["message"]);
        put(answer, "message", message.split(' ').map(without_query).collect::<Vec<_>>().join(" "));
    },
};

/// The word, possibly a URL, without its query.
fn without_query(word: &str) -> String {
    let Some((head, query)) = word.split_once('?').filter(|(head, _)| head.contains("://")) else { return word.into() };
    let end = query.find(['"', '\'', '`', '<', '>']);
    let end = end.unwrap_or(query.trim_end_matches([':', ',', ';', '.', ')', ']']).len());
    format!("{head}{}", &query[end..])
}
