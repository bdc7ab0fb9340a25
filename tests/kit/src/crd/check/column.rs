//! Validates `additionalPrinterColumns`.

use serde_json::Value;

use super::super::field::text;
use super::label::invalid;
use crate::schema::Cause;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn check(columns: &[Value], field: &str, causes: &mut Vec<Cause>) {
    for (at, column) in columns.iter().enumerate() {
        one(column, &format!("{field}[{at}]"), causes);
    }
}

fn one(column: &Value, field: &str, causes: &mut Vec<Cause>) {
    let (type_, format, path) = (text(column, "/type"), text(column, "/format"), text(column, "/jsonPath"));
    if text(column, "/name").is_empty() {
        causes.push(Cause::required(&format!("{field}.name"), ""));
    }
    let types = format!("must be one of {}", TYPES.join(","));
    if type_.is_empty() {
        causes.push(Cause::required(&format!("{field}.type"), &types));
    } else if !TYPES.contains(&type_) {
        causes.push(invalid(&format!("{field}.type"), type_, &types));
    }
    if !format.is_empty() && !FORMATS.contains(&format) {
        let formats = format!("must be one of {}", FORMATS.join(","));
        causes.push(invalid(&format!("{field}.format"), format, &formats));
    }
    if path.is_empty() {
        causes.push(Cause::required(&format!("{field}.JSONPath"), ""));
    } else if !path.starts_with('.') {
        causes.push(invalid(&format!("{field}.JSONPath"), path, "must be a simple json path starting with ."));
    }
}
