//! Checks that embedded resources have an apiVersion and a kind.

use serde_json::Value;

use super::super::cause::{Cause, Causes};
use super::super::structural::{Rest, Structural, join};

/// Checks all embedded resources in `value`.
pub(super) fn check(value: &Value, s: &Structural, at: &str, causes: &mut Causes) {
    match value {
        Value::Object(map) => {
            if s.embedded {
                check_head(value, at, causes);
            }
            for (name, value) in map {
                match (s.properties.get(name), &s.rest) {
                    (Some(schema), _) => check(value, schema, &join(at, name), causes),
                    (None, Rest::Each(schema)) => check(value, schema, &join(at, name), causes),
                    (None, Rest::Nothing | Rest::Anything) => {}
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &s.items else { return };
            for (index, item) in items.iter().enumerate() {
                check(item, schema, &format!("{at}[{index}]"), causes);
            }
        }
        _ => {}
    }
}

fn check_head(resource: &Value, at: &str, causes: &mut Causes) {
    let text = |name: &str| resource.get(name).and_then(Value::as_str).unwrap_or_default();
    for name in ["apiVersion", "kind"] {
        if text(name).is_empty() {
            causes.push(Cause::required(&join(at, name), ""));
        }
    }
    let version = text("apiVersion");
    if version.matches('/').count() > 1 {
        let rule = format_args!("unexpected GroupVersion string: {version}");
        causes.push(Cause::invalid(&join(at, "apiVersion"), Value::from(version), rule));
    }
    if !text("kind").is_empty() && !is_kind(text("kind")) {
        causes.push(Cause::invalid(&join(at, "kind"), Value::from(text("kind")), KIND_RULE));
    }
}

const KIND_RULE: &str = "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case \
    alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. \
    'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

fn is_kind(text: &str) -> bool {
    text.len() <= 63
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}
