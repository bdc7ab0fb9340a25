//! The check of the checks: a wrong expectation in one place must be noticed.

use serde_json::{Value, json};

/// The places in a matching expectation that could have any value without a mismatch.
pub fn unnoticed(wanted: &Value, agrees: impl Fn(&Value) -> bool) -> Vec<String> {
    let found = leaves(wanted).into_iter().filter(|(_, wrong)| wrong.iter().all(&agrees));
    found.map(|(place, _)| format!("{place} can be anything")).collect()
}

/// Each place, with the expectation after this place was made wrong in every way.
fn leaves(value: &Value) -> Vec<(String, Vec<Value>)> {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let inner =
                items.iter().enumerate().flat_map(|(at, item)| leaves(item).into_iter().map(move |leaf| (at, leaf)));
            let put = |at: usize, wrong: Value| {
                let mut items = items.clone();
                items[at] = wrong;
                Value::Array(items)
            };
            inner
                .map(|(at, (place, all))| (format!("[{at}]{place}"), all.into_iter().map(|one| put(at, one)).collect()))
                .collect()
        }
        Value::Object(fields) if !fields.is_empty() => {
            let inner = fields.iter().flat_map(|(key, field)| leaves(field).into_iter().map(move |leaf| (key, leaf)));
            let put = |key: &String, wrong: Value| {
                let mut fields = fields.clone();
                fields.insert(key.clone(), wrong);
                Value::Object(fields)
            };
            inner
                .map(|(key, (place, all))| {
                    (format!(".{key}{place}"), all.into_iter().map(|one| put(key, one)).collect())
                })
                .collect()
        }
        leaf => vec![(String::new(), wrong(leaf))],
    }
}

/// A limit is wrong if it is too high or too low, so numbers change in both directions.
fn wrong(leaf: &Value) -> Vec<Value> {
    match leaf {
        Value::Bool(yes) => vec![json!(!yes)],
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            vec![json!(number + 7.0), json!(number / 10.0 - 1.0)]
        }
        Value::String(text) => vec![json!(format!("{text}#"))],
        Value::Null => vec![json!("#")],
        Value::Array(_) => vec![json!(["#"])],
        Value::Object(_) => vec![json!({ "#": "#" })],
    }
}

#[test]
fn an_uncompared_place_is_found() {
    let wanted = json!({ "ready": { "status": "True", "reason": "Succeeded" }, "calls": ["claim"] });
    let compares = |one: &Value| one["ready"]["status"] == "True" && one["calls"] == wanted["calls"];
    assert_eq!(unnoticed(&wanted, compares), [".ready.reason can be anything"]);
    assert!(unnoticed(&wanted, |one| *one == wanted).is_empty());
}
