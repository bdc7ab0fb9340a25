//! The differences between a response and the recorded one.

use serde_json::{Map, Value};

use crate::binding::{Bindings, is_pattern};
use crate::case::Response;

/// A response; the body is parsed if it is JSON, otherwise it is a string.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Value,
}

/// Returns the first difference as an error, and binds placeholders.
pub(crate) fn answer(bindings: &mut Bindings, expected: &Response, actual: &Answer) -> Result<(), String> {
    let mut found = Vec::new();
    let received = &of_list(bindings, expected, &actual.body);
    if expected.status != actual.status {
        let message = actual.body["message"].as_str().unwrap_or_default();
        found.push(format!("status: expected {}, found {} {message}", expected.status, actual.status));
    }
    headers(bindings, expected, actual, &mut found);
    if let Some(body) = &expected.body {
        value(bindings, &wordless(body), &wordless(received), "", &mut found);
    }
    for (pointer, part) in &expected.body_at {
        // YAML was recorded as text, but its layout is irrelevant.
        let text = part.as_str().filter(|_| pointer.is_empty() && !received.is_string());
        let part = &text.map_or_else(|| part.clone(), yaml);
        at(bindings, pointer, part, received, &mut found);
    }
    found.into_iter().next().map_or(Ok(()), Err)
}

/// YAML as a value; invalid YAML stays a string.
pub(crate) fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|_| text.into())
}

/// The first difference between a watch event and the recorded one.
pub(crate) fn event(bindings: &mut Bindings, expected: &Value, actual: &Value) -> Result<(), String> {
    let mut found = Vec::new();
    let mut actual = actual.clone();
    if expected["type"] == "BOOKMARK" {
        bindings.loosen(expected);
        let version = &expected["object"]["metadata"]["resourceVersion"];
        settle(bindings, version, &mut actual["object"]);
    }
    value(bindings, &wordless(expected), &wordless(&actual), "", &mut found);
    found.into_iter().next().map_or(Ok(()), Err)
}

/// The body as if there were no other writers, if it is a list.
fn of_list(bindings: &mut Bindings, expected: &Response, actual: &Value) -> Value {
    let mut actual = actual.clone();
    let body = expected.body.as_ref().unwrap_or(&Value::Null);
    let whole = body["items"].is_array() || body["rows"].is_array();
    let part = |pointer: &String| pointer.starts_with("/items") || pointer.starts_with("/rows");
    if !whole && !expected.body_at.keys().any(part) && !actual["items"].is_array() && !actual["rows"].is_array() {
        return actual;
    }
    let metadata = expected.body_at.get("/metadata").unwrap_or(&body["metadata"]);
    let version = expected.body_at.get("/metadata/resourceVersion").unwrap_or(&metadata["resourceVersion"]);
    bindings.loosen(version);
    settle(bindings, version, &mut actual);
    actual
}

fn settle(bindings: &Bindings, expected: &Value, list: &mut Value) {
    let version = list.pointer_mut("/metadata/resourceVersion");
    if let (Some(pattern), Some(Value::String(version))) = (expected.as_str(), version) {
        *version = bindings.without_others(pattern, version);
    }
}

fn headers(bindings: &mut Bindings, expected: &Response, actual: &Answer, found: &mut Vec<String>) {
    let sent = |name: &str| -> Vec<String> {
        let all = actual.headers.get_all(name).iter();
        all.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    };
    for (name, wanted) in &expected.headers {
        let values = sent(name);
        let actual = if wanted.is_array() { Value::from(values) } else { Value::from(values.join(", ")) };
        value(bindings, wanted, &actual, &format!("header {name}"), found);
    }
    if !expected.headers.contains_key("Warning") && !sent("Warning").is_empty() {
        found.push(format!("header Warning: none expected, found {:?}", sent("Warning")));
    }
    let typed = expected.headers.contains_key("Content-Type") || actual.body == "";
    if !typed && sent("Content-Type") != ["application/json"] {
        found.push(format!("header Content-Type: expected application/json, found {:?}", sent("Content-Type")));
    }
}

fn at(bindings: &mut Bindings, pointer: &str, expected: &Value, body: &Value, found: &mut Vec<String>) {
    let whole = wordless(body);
    let actual = whole.pointer(pointer);
    match (expected.as_str(), actual) {
        (Some("<absent>"), None) => {}
        (Some("<absent>"), Some(actual)) => found.push(format!("{pointer}: expected none, found {actual}")),
        // Error messages are not compared, see `wordless`.
        (_, None) if pointer == "/message" && body.get("message").is_some() => {}
        (_, None) => found.push(format!("{pointer}: expected {expected}, found none")),
        (_, Some(actual)) => {
            let expected = if pointer == "/details" { uncaused(expected) } else { wordless(expected) };
            value(bindings, &expected, actual, pointer, found);
        }
    }
}

fn value(bindings: &mut Bindings, expected: &Value, actual: &Value, pointer: &str, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => object(bindings, expected, actual, pointer, found),
        (Value::Array(wanted), Value::Array(items)) if wanted.len() == items.len() => {
            let (wanted, items) = (ordered(pointer, wanted), ordered(pointer, items));
            for (index, (wanted, item)) in wanted.iter().zip(items).enumerate() {
                value(bindings, wanted, item, &format!("{pointer}/{index}"), found);
            }
        }
        (Value::String(then), Value::String(now)) if pointer.contains("/cells/") && is_age(then) && is_age(now) => {}
        (Value::String(pattern), Value::String(text)) => {
            let verdict = bindings.fits(pattern, text);
            found.extend(verdict.err().map(|difference| format!("{pointer}: {difference}")));
        }
        (Value::String(pattern), Value::Number(_)) if is_pattern(pattern) => {}
        _ if expected == actual => {}
        _ => found.push(format!("{pointer}: expected {}, found {}", brief(expected), brief(actual))),
    }
}

fn object(
    bindings: &mut Bindings,
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
    pointer: &str,
    found: &mut Vec<String>,
) {
    let mut matched = Vec::new();
    for (key, wanted) in expected {
        match counterpart(bindings, key, actual) {
            Some(name) => {
                value(bindings, wanted, &actual[name], &format!("{pointer}/{name}"), found);
                matched.push(name);
            }
            None => found.push(format!("{pointer}/{key}: expected {}, found none", brief(wanted))),
        }
    }
    for (key, extra) in actual.iter().filter(|(key, _)| !matched.contains(key)) {
        found.push(format!("{pointer}/{key}: expected none, found {}", brief(extra)));
    }
}

/// Lists with an irrelevant order (random, or by the second of the write) are sorted by key.
fn ordered<'a>(pointer: &str, items: &'a [Value]) -> Vec<&'a Value> {
    let keys: &[&str] = match pointer.rsplit('/').next() {
        Some("causes") => &["reason", "field"],
        Some("managedFields") => &["operation", "manager", "subresource", "apiVersion"],
        Some("resources") => &["name", "resource"],
        _ => &[],
    };
    let mut items: Vec<&Value> = items.iter().collect();
    items.sort_by_key(|item| keys.iter().map(|key| item[*key].to_string()).collect::<Vec<_>>());
    items
}

/// Whether the text is an age as in tables: `28m`, `6m57s`.
fn is_age(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || "dhmsy".contains(c))
        && text.ends_with(|last: char| last.is_ascii_alphabetic())
}

fn counterpart<'a>(bindings: &mut Bindings, key: &str, actual: &'a Map<String, Value>) -> Option<&'a String> {
    if let Some((name, _)) = actual.get_key_value(key) {
        return Some(name);
    }
    let name = actual.keys().find(|name| bindings.clone().fits(key, name).is_ok())?;
    bindings.fits(key, name).ok().map(|()| name)
}

/// An error without its messages: those of decoding errors come from Go; reasons and fields are the contract.
fn wordless(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let refusal = value["kind"] == "Status" && value["status"] == "Failure";
            let kept = fields.iter().filter(|(key, _)| !(refusal && *key == "message"));
            let inner = |(key, inner): (&String, &Value)| {
                let inner = if refusal && key == "details" { uncaused(inner) } else { wordless(inner) };
                (key.clone(), inner)
            };
            Value::Object(kept.map(inner).collect())
        }
        other => other.clone(),
    }
}

fn uncaused(details: &Value) -> Value {
    let mut details = details.clone();
    for cause in details["causes"].as_array_mut().into_iter().flatten() {
        if let Some(cause) = cause.as_object_mut() {
            cause.remove("message");
        }
    }
    if details["causes"].is_null() {
        details.as_object_mut().map(|details| details.remove("causes"));
    }
    details
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
