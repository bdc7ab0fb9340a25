//! Where two objects differ.

use serde_json::Value;

/// The first path at which two objects differ, with both values.
pub(super) fn first(before: &Value, after: &Value) -> Option<(String, Value, Value)> {
    find(before, after, String::new())
}

fn find(before: &Value, after: &Value, path: String) -> Option<(String, Value, Value)> {
    if before == after {
        return None;
    }
    if let (Value::Object(one), Value::Object(other)) = (before, after) {
        let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
        return names.into_iter().find_map(|name| {
            let dot = if path.is_empty() { "" } else { "." };
            let member = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or_default();
            find(&member(one), &member(other), format!("{path}{dot}{name}"))
        });
    }
    Some((path, before.clone(), after.clone()))
}

/// Removes the value at a path, and its parents if they are empty then: a parent may be there for this value only.
pub(super) fn remove(value: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    let Value::Object(map) = value else { return };
    match (rest.is_empty(), map.get_mut(first)) {
        (true, _) => {
            map.remove(first);
        }
        (false, Some(inner)) => {
            remove(inner, rest);
            if inner.as_object().is_some_and(serde_json::Map::is_empty) {
                map.remove(first);
            }
        }
        (false, None) => {}
    }
}
