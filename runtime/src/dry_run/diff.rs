//! The difference that a write makes to an object, as a unified diff of YAML without the fields that the API server sets.

use serde_json::Value;
use similar::TextDiff;

/// Metadata that the API server sets.
const SET_BY_THE_SERVER: [&str; 6] =
    ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];

/// Contains the whole object once more.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The difference; empty if there is none. The values of a Secret are hidden.
pub(super) fn diff(before: &Value, after: &Value) -> String {
    let (mut before, mut after) = (before.clone(), after.clone());
    for object in [&mut before, &mut after] {
        remove_noise(object);
    }
    hide(&mut before, &mut after);
    let (before, after) = (yaml(&before), yaml(&after));
    let diff = TextDiff::from_lines(&before, &after);
    let lines = diff.unified_diff().context_radius(2).to_string();
    lines.lines().filter(|line| !line.starts_with("@@")).map(|line| format!("    {line}\n")).collect()
}

fn yaml(object: &Value) -> String {
    match object {
        Value::Null => String::new(),
        object => serde_saphyr::to_string(object).unwrap_or_else(|error| format!("cannot be printed: {error}\n")),
    }
}

fn remove_noise(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    metadata.retain(|name, _| !SET_BY_THE_SERVER.contains(&name.as_str()));
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
}

/// Hides the values of a Secret, and shows which of them change.
fn hide(before: &mut Value, after: &mut Value) {
    if before["kind"] != "Secret" && after["kind"] != "Secret" {
        return;
    }
    for field in ["data", "stringData"] {
        let was = before[field].clone();
        let changed = |name: &str, value: &Value| was.get(name).is_some_and(|was| was != value);
        replace(after, field, |name, value| if changed(name, value) { "(hidden, changed)" } else { "(hidden)" });
        replace(before, field, |_, _| "(hidden)");
    }
}

fn replace(object: &mut Value, field: &str, shown: impl Fn(&str, &Value) -> &'static str) {
    for (name, value) in object.get_mut(field).and_then(Value::as_object_mut).into_iter().flatten() {
        *value = shown(name, value).into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_changed_lines_and_their_surroundings_are_printed() {
        let before = json!({ "kind": "A", "metadata": { "name": "a", "uid": "u", "resourceVersion": "1" }, "spec": { "replicas": 2 } });
        let after = json!({ "kind": "A", "metadata": { "name": "a", "uid": "v", "resourceVersion": "2" }, "spec": { "replicas": 3 } });
        assert_eq!(diff(&before, &after), "       name: a\n     spec:\n    -  replicas: 2\n    +  replicas: 3\n");
        assert_eq!(diff(&before, &before), "");
    }

    #[test]
    fn the_values_of_a_secret_are_hidden() {
        let secret = |data: Value| json!({ "kind": "Secret", "metadata": { "name": "s" }, "data": data });
        let changed = diff(
            &secret(json!({ "a": "b25l", "b": "c2FtZQ==" })),
            &secret(json!({ "a": "dHdv", "b": "c2FtZQ==", "c": "bmV3" })),
        );
        for hidden in ["b25l", "dHdv", "c2FtZQ==", "bmV3"] {
            assert!(!changed.contains(hidden), "{changed}");
        }
        assert!(changed.contains("-  a: (hidden)\n") && changed.contains("+  a: (hidden, changed)\n"), "{changed}");
        assert!(changed.contains("+  c: (hidden)\n") && changed.contains("   b: (hidden)\n"), "{changed}");
        let made = diff(&Value::Null, &secret(json!({ "a": "b25l" })));
        assert!(made.contains("+  a: (hidden)\n") && !made.contains("b25l"), "{made}");
    }
}
