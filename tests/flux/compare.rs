//! Comparison: `expect` like the tests of the reference, `golden` as a whole.

use serde_json::{Map, Value};

use evenkeel_tests::broken;
use evenkeel_tests::deviations::Difference;

/// The differences of `output` from `expect` and from `golden`.
pub(crate) fn differences(case: &Value, output: &Value) -> Vec<Difference> {
    assert!(!(case["expect"].is_null() && case["golden"].is_null()), "a case that says nothing");
    let differing = expectations(case).filter(|(part, key, wanted)| !agrees(part, key, wanted, output));
    differing.map(|(part, key, wanted)| difference(part, key, wanted, output)).collect()
}

/// The expected places that could have any value without a failure.
pub(crate) fn unnoticed(case: &Value, output: &Value) -> Vec<String> {
    let checked = expectations(case).filter(|(_, key, _)| !is_negative(key));
    let places = checked.flat_map(|(part, key, wanted)| {
        let free = broken::unnoticed(wanted, |wanted| agrees(part, key, wanted, output));
        free.into_iter().map(move |place| format!("{part}.{key}{place}"))
    });
    places.collect()
}

/// An expectation of absence, which stays true in an empty output.
fn is_negative(key: &str) -> bool {
    ["absentConditions", "doesNotMention"].contains(&key) || key.ends_with("Not")
}

/// Part, key and value of all expectations of a case.
fn expectations(case: &Value) -> impl Iterator<Item = (&'static str, &String, &Value)> {
    ["expect", "golden"]
        .into_iter()
        .flat_map(|part| case[part].as_object().into_iter().flatten().map(move |(key, wanted)| (part, key, wanted)))
}

fn agrees(part: &str, key: &str, wanted: &Value, output: &Value) -> bool {
    if part == "expect" { expected(key, wanted, output) } else { whole(wanted) == whole(&output[key]) }
}

fn difference(part: &str, key: &str, wanted: &Value, output: &Value) -> Difference {
    let found = output.get(key).cloned().unwrap_or_else(|| output.clone());
    Difference { key: format!("{part}.{key}"), wanted: wanted.clone(), found }
}

fn expected(key: &str, wanted: &Value, output: &Value) -> bool {
    let conditions = || list(&output["conditions"]);
    match key {
        "conditions" => same_set(list(wanted), conditions()),
        "ordered" => list(wanted).iter().map(state).eq(list(&output["ordered"]).iter().map(state)),
        "absentConditions" => list(wanted).iter().all(|type_| conditions().iter().all(|c| c["type"] != *type_)),
        "has" => list(&output["ordered"]).iter().any(|c| c["type"] == *wanted),
        "mentions" => words(wanted).all(|word| text(output).contains(word)),
        "doesNotMention" => words(wanted).all(|word| !text(output).contains(word)),
        "storedConditions" => same_set(list(wanted), list(&output[key])),
        "stored" | "afterEach" => is_part(wanted, &output[key]),
        "errorReturned" => *wanted == Value::Bool(!output["error"].is_null()),
        _ => match key.strip_suffix("Not") {
            Some(key) => whole(wanted) != whole(&output[key]),
            None => whole(wanted) == whole(&output[key]),
        },
    }
}

/// Whether the output contains everything that is expected; lists are compared item by item.
fn is_part(wanted: &Value, found: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(key, wanted)| is_part(wanted, &found[key])),
        Value::Array(items) => items.iter().enumerate().all(|(i, wanted)| is_part(wanted, &found[i])),
        _ => wanted == found,
    }
}

fn words(wanted: &Value) -> impl Iterator<Item = &str> {
    list(wanted).iter().filter_map(Value::as_str)
}

fn text(output: &Value) -> &str {
    output["text"].as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Type, status, reason and message.
fn state(condition: &Value) -> [&str; 4] {
    ["type", "status", "reason", "message"].map(|key| condition[key].as_str().unwrap_or_default())
}

/// Compares as sets; the expected message is a part of the actual one.
fn same_set(wanted: &[Value], found: &[Value]) -> bool {
    let matches = |wanted: &Value, found: &Value| {
        let ([.., wanted_message], [.., found_message]) = (state(wanted), state(found));
        state(wanted)[..3] == state(found)[..3] && found_message.contains(wanted_message)
    };
    wanted.len() == found.len() && wanted.iter().all(|w| found.iter().any(|f| matches(w, f)))
}

/// A value without what Go omits: nulls and zero generations. Fractions are rounded to what two parsers agree on.
fn whole(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(fields) => {
            let is_set = |key: &str, value: &Value| !(value.is_null() || key == "observedGeneration" && *value == 0);
            let present = fields.iter().filter(|(key, value)| is_set(key, value));
            Value::Object(present.map(|(key, value)| (key.clone(), whole(value))).collect::<Map<_, _>>())
        }
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Null, |number| Value::from((number * 1e9).round() / 1e9))
        }
        other => other.clone(),
    }
}
