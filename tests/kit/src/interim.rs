//! Stands in for the validation by schemas.

use serde_json::Value;

use crate::schema::{Cause, Structural};

pub(crate) fn validate(_: &Value, _: Option<&Value>, _: &Structural) -> Vec<Cause> {
    vec![]
}
