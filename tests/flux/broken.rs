//! The check of the check: an expectation that is made wrong is noticed.

use serde_json::Value;

use crate::compare::differences;

/// What says that something is not there: it stays true, whatever else is not there.
fn is_negative(key: &str) -> bool {
    ["absentConditions", "doesNotMention"].contains(&key) || key.ends_with("Not")
}

/// The expectations of an agreeing case that could be made wrong without anybody noticing.
pub(crate) fn unnoticed(case: &Value, output: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["expect", "golden"] {
        for (key, wanted) in case[part].as_object().into_iter().flatten().filter(|(key, _)| !is_negative(key)) {
            let is_noticed = broken(wanted).into_iter().any(|wrong| {
                let mut case = case.clone();
                case[part][key] = wrong;
                !differences(&case, output).is_empty()
            });
            if !is_noticed {
                found.push(format!("{part}.{key} of {} can be anything", case["name"]));
            }
        }
    }
    found
}

/// The value with one thing in it changed, for each thing in it.
fn broken(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) if !items.is_empty() => (0..items.len())
            .flat_map(|at| broken(&items[at]).into_iter().map(move |wrong| (at, wrong)))
            .map(|(at, wrong)| {
                let mut list = items.clone();
                list[at] = wrong;
                Value::Array(list)
            })
            .collect(),
        Value::Object(fields) if !fields.is_empty() => fields
            .iter()
            .flat_map(|(name, field)| broken(field).into_iter().map(move |wrong| (name, wrong)))
            .map(|(name, wrong)| {
                let mut map = fields.clone();
                map.insert(name.clone(), wrong);
                Value::Object(map)
            })
            .collect(),
        Value::Array(_) => vec![Value::from(vec!["#"])],
        Value::Object(_) => vec![serde_json::json!({ "type": "#" })],
        Value::Bool(yes) => vec![Value::from(!yes)],
        Value::Number(number) => vec![Value::from(number.as_f64().unwrap_or_default() + 7.0)],
        Value::String(text) => vec![Value::from(format!("{text}#"))],
        Value::Null => vec![Value::from("#")],
    }
}
