//! Calls of an author's functions, whose panics are caught.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

/// Why an object could not be converted. It then only gets the other `apiVersion`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// A part does not fit its type; the message names the field.
    Undecodable(String),
    /// A function panicked.
    Panicked,
}

/// Calls a function. The part is `spec` or `status`, for the message.
pub(super) fn call(
    function: fn(Value) -> Result<Value, String>,
    part: &'static str,
    value: Value,
) -> Result<Value, Failed> {
    match catch_unwind(AssertUnwindSafe(|| function(value))) {
        Ok(converted) => converted.map_err(|why| Failed::Undecodable(format!("{part}: {why}"))),
        Err(_) => Err(Failed::Panicked),
    }
}
