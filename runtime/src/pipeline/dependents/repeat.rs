//! The difference between two renderings of one input. They have to be equal, or each restart of the operator would change the objects.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::dependent_rules::policy::{PREFIX, ReconcilePolicy};

/// The most fields in a message.
const MOST: usize = 3;

/// The fields that differ, unless their objects are applied only once.
pub(crate) fn differences(one: &[Value], other: &[Value]) -> Option<String> {
    if one.len() != other.len() {
        return Some(format!("{} objects, and then {}", one.len(), other.len()));
    }
    let mut fields = Vec::new();
    for (one, other) in one.iter().zip(other).filter(|(one, _)| !is_applied_once(one)) {
        let name = format!("{} {}", text(&one["kind"]), text(&one["metadata"]["name"]));
        let mut paths = Vec::new();
        collect(one, other, "", &mut paths);
        fields.extend(paths.into_iter().map(|path| format!("{} of {name}", path.trim_start_matches('.'))));
    }
    let more = fields.len().saturating_sub(MOST);
    fields.truncate(MOST);
    match (fields.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(fields.join(", ")),
        (false, more) => Some(format!("{} and {more} more", fields.join(", "))),
    }
}

fn is_applied_once(object: &Value) -> bool {
    let policy = object["metadata"]["annotations"][format!("{PREFIX}/reconcile-policy")].as_str();
    policy.and_then(|policy| policy.parse().ok()) == Some(ReconcilePolicy::Once)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("without a name")
}

/// Adds the paths of the values that differ.
fn collect(one: &Value, other: &Value, path: &str, fields: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            keys.into_iter().for_each(|key| collect(&one[key], &other[key], &format!("{path}.{key}"), fields));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(i, (a, b))| collect(a, b, &format!("{path}[{i}]"), fields));
        }
        _ if one == other => {}
        _ => fields.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secret(name: &str, policy: &str, password: &str) -> Value {
        let annotations = json!({ "evenkeel.dev/reconcile-policy": policy });
        json!({ "kind": "Secret", "metadata": { "name": name, "annotations": annotations }, "data": { "password": password } })
    }

    #[test]
    fn a_field_that_differs_is_named_without_its_value() {
        let [one, other] = ["a", "b"].map(|password| vec![secret("login", "on-object-change", password)]);
        assert_eq!(differences(&one, &other).as_deref(), Some("data.password of Secret login"));
        assert_eq!(differences(&one, &one), None);
        assert_eq!(differences(&one, &[&one[..], &one].concat()).as_deref(), Some("1 objects, and then 2"));
    }

    #[test]
    fn an_object_that_is_applied_once_may_differ() {
        assert_eq!(differences(&[secret("login", "once", "a")], &[secret("login", "once", "b")]), None);
    }

    #[test]
    fn three_fields_are_named() {
        let many = |value: &str| json!({ "kind": "ConfigMap", "metadata": { "name": "m" }, "data": { "a": value, "b": value, "c": [value, value] } });
        let named = "data.a of ConfigMap m, data.b of ConfigMap m, data.c[0] of ConfigMap m and 1 more";
        assert_eq!(differences(&[many("1")], &[many("2")]).as_deref(), Some(named));
    }
}
