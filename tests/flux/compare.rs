//! Comparing: `expect` as the reference's own tests do it, `golden` whole.

use serde_json::{Map, Value};

use crate::deviation::Difference;

/// What `output` says otherwise than `expect`, and than `golden`.
pub(crate) fn differences(case: &Value, output: &Value) -> Vec<Difference> {
    let mut all = Vec::new();
    let golden = case["golden"].as_object().into_iter().flatten();
    for (key, wanted) in case["expect"].as_object().into_iter().flatten() {
        compare(&format!("expect.{key}"), wanted, output, expected(key, wanted, output), &mut all);
    }
    for (key, wanted) in golden {
        let agrees = whole(wanted) == whole(&output[key]);
        compare(&format!("golden.{key}"), wanted, output, agrees, &mut all);
    }
    assert!(!(case["expect"].is_null() && case["golden"].is_null()), "a case that says nothing");
    all
}

fn compare(key: &str, wanted: &Value, output: &Value, agrees: bool, all: &mut Vec<Difference>) {
    if !agrees {
        let name = key.split('.').next_back().unwrap();
        let found = output.get(name).cloned().unwrap_or_else(|| output.clone());
        all.push(Difference { key: key.to_owned(), wanted: wanted.clone(), found });
    }
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

/// Whether all that is wanted is there; of lists, item by item.
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

/// As sets, and the wanted message is a part of the one that is there.
fn same_set(wanted: &[Value], found: &[Value]) -> bool {
    let matches = |wanted: &Value, found: &Value| {
        let ([.., wanted_message], [.., found_message]) = (state(wanted), state(found));
        state(wanted)[..3] == state(found)[..3] && found_message.contains(wanted_message)
    };
    wanted.len() == found.len() && wanted.iter().all(|w| found.iter().any(|f| matches(w, f)))
}

/// A value without what Go leaves out: nulls, zero generations. Of fractions, what two ways of reading a number agree upon.
fn whole(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(fields) => {
            let said = |key: &str, value: &Value| !(value.is_null() || key == "observedGeneration" && *value == 0);
            let kept = fields.iter().filter(|(key, value)| said(key, value));
            Value::Object(kept.map(|(key, value)| (key.clone(), whole(value))).collect::<Map<_, _>>())
        }
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Null, |number| Value::from((number * 1e9).round() / 1e9))
        }
        other => other.clone(),
    }
}
