//! Match conditions: CEL expressions over a write that decide whether a webhook is called.

use serde_json::Value;

use super::hook::Hook;
use crate::cel;

/// Returns whether all conditions of a webhook are true.
///
/// # Errors
/// The text of the errors, if expressions fail and none is false.
pub(super) fn are_met(hook: &Hook, variables: &[(&str, &Value)]) -> Result<bool, String> {
    let results = hook.match_conditions.iter().map(|condition| {
        let text = condition.expression.as_str();
        cel::decide(text, variables).map_err(|error| format!("expression '{text}' resulted in error: {error}"))
    });
    let mut errors = Vec::new();
    for result in results {
        match result {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => errors.push(error),
        }
    }
    match errors.as_slice() {
        [] => Ok(true),
        [error] => Err(error.clone()),
        _ => Err(format!("[{}]", errors.join(", "))),
    }
}
