//! Rules of Ready at the end of a run, and of its reading by observers.

use evenkeel_testkit::kstatus::{Mode, Rule as Checked, check, compute};
use serde_json::{Value, json};

use super::put;
use super::result::{SUMMARIES, is_ended, is_ignored, is_retried};
use super::status::{Status, summarizes_ready};
use crate::deviation::{Case, Rule};
use crate::value::{text, words};

pub(super) const WAITING_IS_SAID: Rule = Rule {
    name: "waiting",
    suites: SUMMARIES,
    holds: "a run returns a waiting error, and no condition makes Ready False",
    answer: "Ready is False with the reason and the message of the error. Flux does not change it",
    reason: "An object that waits is not ready, and Ready shows why",
    amend: |case, answer| {
        if case.input["error"]["kind"] == "waiting" {
            set_cause(case.input, answer);
        }
    },
};

pub(super) const ERROR_IS_SAID: Rule = Rule {
    name: "Q7",
    suites: SUMMARIES,
    holds: "a run returns another error, and no condition but Reconciling makes Ready False",
    answer: "Ready is False with the reason and the message of the error. Flux shows the cause nowhere",
    reason: "Reconciling is not the cause of an error",
    amend: |case, answer| {
        if case.input["error"]["kind"] != "waiting" {
            set_cause(case.input, answer);
        }
    },
};

/// Puts the cause into the message of Ready, unless it is there.
fn set_cause(input: &Value, answer: &mut Value) {
    let error = &input["error"];
    if error.is_null() || !is_ended(input) || is_ignored(input) || !summarizes_ready(input) {
        return;
    }
    let mut status = Status::of(&answer["conditions"]);
    let only_progress = is_retried(input) && repeats_progress(&status);
    if !status.is("Ready", "False") || only_progress {
        let reason = error["reason"].as_str().unwrap_or("Failed");
        status.set(input, ["Ready", "False", reason, text(&error["message"])]);
        put(answer, "conditions", status.list());
    }
}

/// Whether Ready repeats that the controller is working.
fn repeats_progress(status: &Status) -> bool {
    let texts_of = |type_: &str| status.find(type_).map(|one| (one["reason"].clone(), one["message"].clone()));
    status.is("Reconciling", "True") && texts_of("Ready") == texts_of("Reconciling")
}

/// The message of a success without a condition.
const UNREPORTED: &str = "the run succeeded, but no condition reports it";

pub(super) const SUCCESS_IS_SAID: Rule = Rule {
    name: "Q9",
    suites: SUMMARIES,
    holds: "a run succeeds, Ready is not True, and Ready is missing or has no message",
    answer: "The returned error has a message, and a missing Ready becomes False with it. In Flux the message is empty",
    reason: "A success that no condition reports is an error with a cause",
    amend: |case, answer| {
        if answer["error"] != "" {
            return;
        }
        put(answer, "error", UNREPORTED);
        let mut status = Status::of(&answer["conditions"]);
        if status.find("Ready").is_none() && summarizes_ready(case.input) {
            status.set(case.input, ["Ready", "False", "Failed", UNREPORTED]);
            put(answer, "conditions", status.list());
        }
    },
};

pub(super) const OBSERVERS: Rule = Rule {
    name: "observers",
    suites: &["result_finalizer", "source_status_conditions", "summarize_and_patch", "summarize_exhaustive"],
    holds: "another rule of this table changes the status",
    answer: "kstatus and its checks are those of the changed status, which violates no strict check",
    reason: "Observers read each status as it is meant",
    amend: |case, answer| {
        let is_same = |key| case.reference[key] == answer[key];
        if is_same("conditions") && is_same("statusObservedGeneration") && is_same("observedGenerationPatched") {
            return;
        }
        let document = document(case, answer);
        let found = check(&document, &words(&case.input["kstatusNegativePolarity"]), Mode::Final);
        let advice = found.iter().map(|one| one.rule).filter(|rule| !rule.is_strict()).map(Checked::id);
        put(answer, "kstatus", format!("{:?}", compute(&document)));
        put(answer, "kstatusWarn", advice.collect::<Value>());
        put(answer, "kstatusFail", json!([]));
    },
};

/// The object with the answer as its status.
fn document(case: &Case<'_>, answer: &Value) -> Value {
    let before = case.input["statusObservedGeneration"].as_i64().unwrap_or_default();
    let observed = match &answer["observedGenerationPatched"] {
        Value::Bool(true) => case.input["generation"].clone(),
        Value::Bool(false) => before.into(),
        _ => answer["statusObservedGeneration"].clone(),
    };
    json!({
        "metadata": { "generation": case.input["generation"] },
        "status": { "observedGeneration": observed, "conditions": answer["conditions"] },
    })
}
