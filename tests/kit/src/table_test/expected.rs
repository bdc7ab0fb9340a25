//! The expectation of a row: parsed from YAML, and used to project the result onto the expected fields.

use serde_json::{Map, Value, json};

const SECTIONS: [&str; 8] = ["outcome", "writes", "events", "conditions", "status", "denied", "warnings", "object"];

/// Parses an expectation. Missing sections have empty values.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let read = match text {
        text if text.trim().is_empty() => json!({}),
        text => serde_saphyr::from_str::<Value>(text).map_err(|error| format!("cannot be read: {error}"))?,
    };
    let Value::Object(read) = read else { return Err("is no map of outcome, writes, events, conditions".to_owned()) };
    if let Some(unknown) = read.keys().find(|key| !SECTIONS.contains(&&***key)) {
        return Err(format!("has no section `{unknown}`: use {}", SECTIONS.join(", ")));
    }
    let section =
        |name: &str, default: Value| read.get(name).cloned().filter(|value| !value.is_null()).unwrap_or(default);
    let conditions = section("conditions", json!({}));
    let events = section("events", json!([]));
    Ok(json!({
        "outcome": section("outcome", Value::Null),
        "status": section("status", json!({})),
        "denied": section("denied", json!({})),
        "warnings": section("warnings", json!([])),
        "object": section("object", Value::Null),
        "writes": items(&section("writes", json!([]))).take(length(&read, "writes")).map(normal).collect::<Vec<_>>(),
        "events": items(&events).take(length(&read, "events")).map(text_of).collect::<Vec<_>>(),
        "conditions": conditions.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), json!(text_of(v)))).collect::<Map<_, _>>(),
    }))
}

fn length(read: &Map<String, Value>, section: &str) -> usize {
    read.get(section).and_then(Value::as_array).map_or(0, Vec::len)
}

/// Returns the items of a list, followed by an endless sequence of nulls.
pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten().chain(std::iter::repeat(&Value::Null))
}

/// Returns the text of a value. YAML parses an unquoted `Warning Missing: text` as a map.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields.iter().map(|(key, value)| format!("{key}: {}", text_of(value))).collect(),
        other => other.to_string(),
    }
}

/// Returns a write as a line, or as a map from line to body.
fn normal(write: &Value) -> Value {
    match write {
        Value::Object(_) => write.clone(),
        other => json!(text_of(other)),
    }
}

/// Returns the text, without its message if the expectation has no message.
pub(super) fn headline(wanted: &Value, text: &str) -> String {
    let bare = text.split_once(": ").map_or(text, |(head, _)| head);
    if wanted.as_str().is_some_and(|wanted| wanted == bare) { bare.to_owned() } else { text.to_owned() }
}

/// Returns the writes, each with the expected fields of its body. An unexpected write consists of its line only.
pub(super) fn writes(wanted: &Value, found: &[(String, Value)]) -> Vec<Value> {
    let mut wanted: Vec<&Value> = wanted.as_array().into_iter().flatten().collect();
    let shown = found.iter().map(|(line, body)| {
        let at = wanted.iter().position(|wanted| wanted.as_str() == Some(line) || wanted.get(line).is_some());
        match at.map(|at| wanted.remove(at)).and_then(|wanted| wanted.get(line)) {
            Some(part) => json!({line: project(part, body)}),
            None => json!(line),
        }
    });
    shown.collect()
}

/// Projects a value onto the fields of the expectation.
pub(super) fn project(wanted: &Value, found: &Value) -> Value {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            let fields = wanted.iter().filter_map(|(key, wanted)| match found.get(key) {
                Some(found) => Some((key.clone(), project(wanted, found))),
                // A missing field is equal to null.
                None => wanted.is_null().then(|| (key.clone(), Value::Null)),
            });
            Value::Object(fields.collect())
        }
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            Value::Array(wanted.iter().zip(found).map(|(wanted, found)| project(wanted, found)).collect())
        }
        (_, found) => found.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_section_is_rejected() {
        assert_eq!(
            read("event: []").unwrap_err(),
            "has no section `event`: use outcome, writes, events, conditions, status, denied, warnings, object"
        );
        assert!(read("- a").unwrap_err().starts_with("is no map"));
    }

    #[test]
    fn only_the_expected_fields_of_a_body_are_compared() {
        let wanted = json!({"a": {"b": 1}, "gone": null, "list": [{"x": 1}]});
        let found = json!({"a": {"b": 2, "c": 3}, "d": 4, "list": [{"x": 1, "y": 2}]});
        assert_eq!(project(&wanted, &found), json!({"a": {"b": 2}, "gone": null, "list": [{"x": 1}]}));
        assert_eq!(project(&json!([1]), &json!([1, 2])), json!([1, 2]), "a list of another length is not projected");
    }

    #[test]
    fn a_text_with_a_colon_needs_no_quotes() {
        let read = read("events:\n- Warning Missing: not there\nconditions:\n  Ready: 'True'\n").unwrap();
        assert_eq!(read["events"], json!(["Warning Missing: not there"]));
        assert_eq!(headline(&json!("Warning Missing"), "Warning Missing: not there"), "Warning Missing");
        assert_eq!(headline(&json!("Warning Other"), "Warning Missing: not there"), "Warning Missing: not there");
    }
}
