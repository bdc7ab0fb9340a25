//! Converts label selectors to strings.

use serde_json::Value;

/// A label selector as a string: labels sorted by name, then the expressions in their order.
pub(crate) fn printed(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let mut terms: Vec<String> =
        labels.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect();
    terms.sort();
    terms.extend(selector["matchExpressions"].as_array().into_iter().flatten().map(expression));
    terms.join(",")
}

fn expression(term: &Value) -> String {
    let key = term["key"].as_str().unwrap_or_default();
    let values: Vec<&str> = term["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let values = values.join(",");
    match term["operator"].as_str().unwrap_or_default() {
        "Exists" => key.to_owned(),
        "DoesNotExist" => format!("!{key}"),
        "NotIn" => format!("{key} notin ({values})"),
        _ => format!("{key} in ({values})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_selector_is_printed_as_clients_write_it() {
        let selector = json!({"matchLabels": {"b": "2", "a": "1"}, "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["x", "y"]},
            {"key": "n", "operator": "DoesNotExist"},
        ]});
        assert_eq!(printed(&selector), "a=1,b=2,k in (x,y),!n");
    }
}
