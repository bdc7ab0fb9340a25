//! Stands in for the recording of field owners.
use serde_json::Value;

use crate::schema::{Cause, Structural};

/// Where list and map types come from.
pub(crate) enum Lists<'a> {
    Structural(&'a Structural),
    Deduced,
}
/// Who writes.
pub(crate) struct Actor<'a> {
    pub(crate) manager: &'a str,
    pub(crate) api_version: &'a str,
    pub(crate) subresource: Option<&'a str>,
    pub(crate) time: &'a str,
}
pub(crate) fn track_update(_: Option<&Value>, _: &mut Value, _: Lists<'_>, _: &Actor<'_>) {}
pub(crate) fn validate(_: &Value, _: Option<&Value>, _: &Structural) -> Vec<Cause> {
    vec![]
}
