//! Rules of the newer, lighter finalizer of a run.

use serde_json::Value;

use super::put;
use super::status::Status;
use crate::deviation::Rule;
use crate::value::text;

const SUITES: &[&str] = &["result_finalizer"];

pub(super) const ERROR_IS_SAID: Rule = Rule {
    name: "Q7",
    suites: SUITES,
    holds: "a run returns an error, and a summary makes Ready True or Unknown",
    answer: "Ready is False with the message of the error, and no generation is recorded",
    reason: "A run that failed does not leave the object ready",
    amend: |case, answer| {
        let (error, mut status) = (&case.input["error"], Status::of(&answer["conditions"]));
        if !error.is_null() && !status.is("Ready", "False") {
            let reason = error["reason"].as_str().unwrap_or("Failed");
            status.set(case.input, ["Ready", "False", reason, text(&error["message"])]);
            settle(answer, status);
        }
    },
};

pub(super) const READY_IS_FALSE: Rule = Rule {
    name: "F3, F4",
    suites: SUITES,
    holds: "Stalled or Reconciling is True at the end, and Ready is missing or not False",
    answer: "Ready is False with the reason and the message of Stalled, else of Reconciling",
    reason: "An object that is stalled or in progress is not ready",
    amend: |case, answer| {
        let mut status = Status::of(&answer["conditions"]);
        let busy = ["Stalled", "Reconciling"].into_iter().find(|type_| status.is(type_, "True"));
        if let Some(type_) = busy.filter(|_| !status.is("Ready", "False")) {
            status.fail_as(case.input, type_);
            settle(answer, status);
        }
    },
};

pub(super) const READY_IS_THERE: Rule = Rule {
    name: "F2",
    suites: SUITES,
    holds: "Ready is missing at the end",
    answer: "Ready is False with the reason ProgressingWithRetry",
    reason: "Observers take an object without Ready for a finished one",
    amend: |case, answer| {
        let mut status = Status::of(&answer["conditions"]);
        if status.find("Ready").is_none() {
            let text = "the reconciliation is to run again";
            status.set(case.input, ["Ready", "False", "ProgressingWithRetry", text]);
            settle(answer, status);
        }
    },
};

/// The generation counts as observed if the object is stalled or ready.
fn settle(answer: &mut Value, status: Status) {
    let [stalled, reconciling, ready] = ["Stalled", "Reconciling", "Ready"].map(|type_| status.is(type_, "True"));
    put(answer, "observedGenerationPatched", !reconciling && (stalled || ready));
    put(answer, "conditions", status.list());
}
