//! Formats values as Go does; the type errors of an API server contain values in this format.

use std::fmt::Write;

use serde_json::Value;

/// The value as `%v` prints it: `map[a:1]`, `[x y]`, `<nil>`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", list.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(_) => format!("map[{}]", members(value, " ", |name, value| format!("{name}:{}", plain(value)))),
        scalar => scalar.to_string(),
    }
}

/// The value as `%#v` prints it: `map[string]interface {}{"a":1}`.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(list) => {
            format!("[]interface {{}}{{{}}}", list.iter().map(syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(_) => {
            let members = members(value, ", ", |name, value| format!("{name:?}:{}", syntax(value)));
            format!("map[string]interface {{}}{{{members}}}")
        }
        scalar => scalar.to_string(),
    }
}

/// The type as `%T` prints it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn members(value: &Value, between: &str, print: impl Fn(&str, &Value) -> String) -> String {
    let mut members: Vec<_> = value.as_object().into_iter().flatten().collect();
    members.sort_by_key(|(name, _)| *name);
    let mut text = String::new();
    for (index, (name, value)) in members.into_iter().enumerate() {
        let before = if index == 0 { "" } else { between };
        // Writing to a string cannot fail.
        let _ = write!(text, "{before}{}", print(name, value));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        let value = json!({"a": [1, "b", null, {"c": 1.5}], "b": true});
        let expected = r#"map[string]interface {}{"a":[]interface {}{1, "b", interface {}(nil), map[string]interface {}{"c":1.5}}, "b":true}"#;
        assert_eq!(syntax(&value), expected);
        assert_eq!(plain(&value), "map[a:[1 b <nil> map[c:1.5]] b:true]");
    }
}
