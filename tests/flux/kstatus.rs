//! The suites about kstatus, on the checker of the test kit.

use evenkeel_testkit::kstatus::{Mode, Violation, check};
use serde_json::{Value, json};

use crate::value::{text, words};

fn object(input: &Value) -> Value {
    json!({
        "metadata": { "generation": input["generation"] },
        "status": { "observedGeneration": input["statusObservedGeneration"], "conditions": input["conditions"] },
    })
}

/// One rule of the checker, and the conditions that it names.
pub(crate) fn checks(input: &Value) -> Value {
    let id = text(&input["check"]);
    let mode = if id == "FAIL0011" { Mode::InProgress } else { Mode::Final };
    let found = check(&object(input), &words(&input["negativePolarity"]), mode);
    let violation = found.iter().find(|violation| violation.rule.id() == id);
    json!({ "violated": violation.is_some(), "text": violation.map(|violation| &violation.text) })
}

pub(crate) fn checker(input: &Value) -> Value {
    let checked = if input["fetch"] == true { &input["stored"] } else { &input["passed"] };
    let found = check(&object(checked), &words(&input["negativePolarity"]), Mode::Final);
    let ids = |strict: bool| -> Vec<String> {
        found.iter().map(|Violation { rule, .. }| rule).filter(|r| r.is_strict() == strict).map(|r| r.id()).collect()
    };
    let (fail, warn) = (ids(true), ids(false));
    json!({ "anyFail": !fail.is_empty(), "anyWarn": !warn.is_empty(), "fail": fail, "warn": warn })
}
