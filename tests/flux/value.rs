//! Reads inputs and writes outputs: conditions, words, times.

use evenkeel::condition::{Condition, Merge, Ranking, Stamp, Transition};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A list of conditions; null entries are holes that the reference skips.
pub(crate) fn conditions(value: &Value) -> Vec<Condition> {
    let list = value.as_array().into_iter().flatten().filter(|item| !item.is_null());
    list.map(condition).collect()
}

pub(crate) fn condition(value: &Value) -> Condition {
    serde_json::from_value(value.clone()).unwrap()
}

pub(crate) fn words(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Panics if the value has an unknown key, which an adapter would ignore.
pub(crate) fn only(value: &Value, keys: &[&str]) {
    let given = value.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let unread: Vec<_> = given.filter(|key| !keys.contains(key)).collect();
    assert!(unread.is_empty(), "no adapter reads {unread:?} of {value}");
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The second in which all cases run.
pub(crate) fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// The timestamp rule of the reference: a changed message changes the time.
pub(crate) fn stamp(generation: &Value) -> Stamp {
    Stamp::new(generation.as_i64().unwrap_or_default(), now()).moved_by(Transition::State)
}

/// A condition in the notation of the cases, without time.
pub(crate) fn output(condition: &Condition) -> Value {
    let mut value = json!({
        "type": condition.type_, "status": condition.status, "reason": condition.reason, "message": condition.message,
    });
    if let Some(generation) = condition.observed_generation {
        value["observedGeneration"] = generation.into();
    }
    value
}

/// A list in the notation of the cases: in order, with times, where `now` is the second of the call and empty means none.
pub(crate) fn ordered(conditions: &[Condition]) -> Value {
    let timed = |condition: &Condition| {
        let mut value = output(condition);
        value["transitionTime"] = time(condition).into();
        value
    };
    conditions.iter().map(timed).collect()
}

pub(crate) fn time(condition: &Condition) -> String {
    match condition.last_transition_time {
        Some(time) if time == now() => "now".into(),
        Some(time) => time.to_string(),
        None => String::new(),
    }
}

/// All options that a merge may have.
const OPTIONS: [&str; 10] = [
    "conditionTypes",
    "counter",
    "counterIfOnly",
    "latestGeneration",
    "negativePolarity",
    "sourceRef",
    "sourceRefIf",
    "stepCounter",
    "stepCounterIf",
    "stepCounterIfOnly",
];

/// The merge of the options of a case.
pub(crate) fn merge(options: &Value) -> Merge<'_> {
    only(options, &OPTIONS);
    let mut merge = Merge::new(Ranking::Flux)
        .types(words(&options["conditionTypes"]))
        .negative(words(&options["negativePolarity"]));
    if options["stepCounter"] == true || options["stepCounterIf"] == true {
        merge = match options["stepCounterIfOnly"].is_null() {
            true => merge.steps(),
            false => merge.steps_only_if(words(&options["stepCounterIfOnly"])),
        };
    }
    if options["counter"] == true {
        merge = match options["counterIfOnly"].is_null() {
            true => merge.counter(),
            false => merge.counter_only_if(words(&options["counterIfOnly"])),
        };
    }
    if options["latestGeneration"] == true {
        merge = merge.latest_generation();
    }
    if options["sourceRef"] == true {
        merge = merge.sourced();
    }
    merge.sourced_if(words(&options["sourceRefIf"]))
}
