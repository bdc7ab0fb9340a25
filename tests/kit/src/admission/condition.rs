//! Match conditions: CEL expressions over a write that decide whether a webhook or a policy reviews it.

use serde::Deserialize;

/// An expression that must be true for a webhook or a policy to review a write.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Condition {
    pub(super) expression: String,
}

/// Returns whether all conditions are true according to `decide`.
///
/// # Errors
/// The text of the errors, if expressions fail and none is false.
pub(super) fn are_met(
    conditions: &[Condition],
    mut decide: impl FnMut(&str) -> Result<bool, String>,
) -> Result<bool, String> {
    let mut errors = Vec::new();
    for condition in conditions {
        match decide(&condition.expression) {
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
