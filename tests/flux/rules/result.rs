//! Rules of the result of a run.

use serde_json::{Value, json};

use super::put;
use super::status::Status;
use crate::deviation::Rule;
use crate::value::text;

/// The suites that end a run.
const ENDS: &[&str] = &[
    "compute_result",
    "compute_result_exhaustive",
    "source_status_conditions",
    "summarize_and_patch",
    "summarize_exhaustive",
];

/// The suites that also create the summary.
pub(super) const SUMMARIES: &[&str] = &["source_status_conditions", "summarize_and_patch", "summarize_exhaustive"];

pub(super) const STALLING_BESIDE_A_RESULT: Rule = Rule {
    name: "Q18",
    suites: ENDS,
    holds: "a step returns a stalling error together with Success or Requeue",
    answer: "The object is stalled, as with Empty. Flux treats the error as an ordinary one",
    reason: "A step returns a result or an error, so a stalling error always stalls",
    amend: |case, answer| {
        let input = case.input;
        if !(is_ended(input) && input["error"]["kind"] == "stalling" && input["result"] != "Empty") {
            return;
        }
        let mut status = Status::of(&input["conditions"]);
        status.remove("Reconciling");
        status.set(input, ["Stalled", "True", text(&input["error"]["reason"]), text(&input["error"]["message"])]);
        status.summarize(input);
        put(answer, "conditions", status.list());
        put(answer, "error", Value::Null);
        put(answer, "runtimeResult", next(false));
        put(answer, "observedGenerationPatched", true);
        put(answer, "statusObservedGeneration", input["generation"].clone());
    },
};

pub(super) const ERROR_BESIDE_A_RESULT: Rule = Rule {
    name: "Q18",
    suites: ENDS,
    holds: "a step returns an error that is retried together with Success or Requeue",
    answer: "The runtime result is zero. Flux returns the one of the result",
    reason: "A step returns a result or an error, and the runtime uses only the error",
    amend: |case, answer| {
        if is_ended(case.input) && is_retried(case.input) && case.input["result"] != "Empty" {
            put(answer, "runtimeResult", next(false));
        }
    },
};

pub(super) const RECONCILING_AND_STALLED: Rule = Rule {
    name: "Q6",
    suites: ENDS,
    holds: "Reconciling and Stalled are both True at the end, and Reconciling remains",
    answer: "Reconciling has the reason ProgressingWithRetry. Flux keeps the old reason",
    reason: "The reason shows that the run is retried, whatever Stalled was",
    amend: |case, answer| {
        let (input, mut status) = (case.input, Status::of(&answer["conditions"]));
        let before = Status::of(&input["conditions"]);
        let both = before.is("Reconciling", "True") && before.is("Stalled", "True");
        let stays = status.find("Reconciling").map(|one| text(&one["message"]).to_owned());
        let Some(message) = stays.filter(|_| is_ended(input) && both) else { return };
        status.set(input, ["Reconciling", "True", "ProgressingWithRetry", &message]);
        status.summarize_again(input);
        put(answer, "conditions", status.list());
    },
};

pub(super) const AT_WORK_WITHOUT_OPINION: Rule = Rule {
    name: "Q4",
    suites: ENDS,
    holds: "the result is Empty without an error, and Reconciling is True",
    answer: "The run is requeued and records no generation. Flux never runs it again",
    reason: "Otherwise the object would be in progress for ever",
    amend: |case, answer| {
        let input = case.input;
        let is_at_work = Status::of(&input["conditions"]).is("Reconciling", "True");
        if is_ended(input) && is_at_work && input["error"].is_null() && input["result"] == "Empty" {
            put(answer, "runtimeResult", next(true));
            put(answer, "observedGenerationPatched", false);
            put(answer, "statusObservedGeneration", input["statusObservedGeneration"].as_i64().unwrap_or_default());
        }
    },
};

pub(super) const NO_SUCCESS_BY_DURATION: Rule = Rule {
    name: "Q8",
    suites: SUMMARIES,
    holds: "the interval of success is zero, and the run returned neither Success nor an error",
    answer: "No error is returned. Flux treats the run as a success that is not ready",
    reason: "The outcome is known and is not inferred from a duration",
    amend: |case, answer| {
        let input = case.input;
        let is_none = input["error"].is_null() && input["result"] != "Success";
        if is_ended(input) && is_none && input["successIntervalSeconds"] == 0 {
            put(answer, "error", Value::Null);
        }
    },
};

pub(super) const WAITING_IS_NO_SUCCESS: Rule = Rule {
    name: "Q2",
    suites: SUMMARIES,
    holds: "a waiting error has no duration, or the same one as the interval of success",
    answer: "No error is returned. Flux treats the run as a success that is not ready",
    reason: "Waiting is not a success, whatever its duration",
    amend: |case, answer| {
        let (input, error) = (case.input, &case.input["error"]);
        let after = error["requeueAfterSeconds"].as_u64().unwrap_or_default();
        let is_equal = after == 0 || input["successIntervalSeconds"] == after;
        if is_ended(input) && error["kind"] == "waiting" && is_equal {
            put(answer, "error", Value::Null);
        }
    },
};

pub(super) const SAME_DURATION: Rule = Rule {
    name: "Q8",
    suites: &["is_success", "non_stalled_success"],
    holds: "the interval of success is zero, or the runtime result has the requeue flag",
    answer: "The result is not a success. Flux compares durations only",
    reason: "The outcome is known and is not inferred from a duration",
    amend: |case, answer| {
        if case.input["builderSeconds"] == 0 || case.input["runtimeResult"]["requeue"] == true {
            put(answer, "success", false);
            put(answer, "nonStalledSuccess", false);
        }
    },
};

fn next(requeue: bool) -> Value {
    json!({ "requeue": requeue, "requeueAfterSeconds": 0 })
}

/// Whether this is the end of a run, and not a patch in its middle.
pub(super) fn is_ended(input: &Value) -> bool {
    input["resultBuilder"] != false
}

/// Whether the error is of the ignored class.
pub(super) fn is_ignored(input: &Value) -> bool {
    input["error"]["kind"] == "generic" && input["error"]["config"]["ignore"] == true
}

/// Whether the error is returned to the runtime, which retries with back-off.
pub(super) fn is_retried(input: &Value) -> bool {
    matches!(input["error"]["kind"].as_str(), Some("plain" | "generic")) && !is_ignored(input)
}
