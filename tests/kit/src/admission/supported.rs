//! Refuses policies and webhooks that read what this server does not provide.

use serde_json::Value;

use crate::api_error::Failure;
use crate::cel;
use crate::registry::Kind;

/// Checks that the expressions of a written policy or webhook configuration do not read `authorizer`.
///
/// # Errors
/// 501 with the field of the first expression that reads it.
pub(crate) fn supported(kind: &Kind, object: &Value) -> Result<(), Failure> {
    if kind.group != "admissionregistration.k8s.io" {
        return Ok(());
    }
    match ["spec", "webhooks"].into_iter().find_map(|field| reader(field, &object[field])) {
        None => Ok(()),
        Some(field) => {
            let (kind, name) = (&kind.kind, object["metadata"]["name"].as_str().unwrap_or_default());
            Err(Failure::not_done(&format!("the variable authorizer in {field} of {kind} {name:?}")))
        }
    }
}

/// The path of the first expression below a value that reads `authorizer`.
fn reader(at: &str, value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| reader(&format!("{at}.{name}"), value)),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| reader(&format!("{at}[{index}]"), item))
        }
        Value::String(text) => {
            let is_expression = at.ends_with("xpression");
            (is_expression && cel::reads(text, "authorizer")).then(|| at.to_owned())
        }
        _ => None,
    }
}
