//! Validates the versions of a CRD. Errors in a part that all versions share are reported once, under its top-level name from before
//! versions.

use serde_json::Value;

use super::super::field::{is_true, items, text};
use super::label::{invalid, label};
use super::{column, scale, selectable};
use crate::schema::{Cause, Structural};

/// The versions, and for each part whether it is the same in all of them.
pub(super) struct Versions<'a> {
    all: &'a [Value],
    schema: bool,
    subresources: bool,
    columns: bool,
    selectable: bool,
}

const SCHEMA: &str = "/schema/openAPIV3Schema";
const SUBRESOURCES: &str = "/subresources";
const COLUMNS: &str = "/additionalPrinterColumns";
const SELECTABLE: &str = "/selectableFields";

impl<'a> Versions<'a> {
    pub(super) fn of(crd: &'a Value) -> Self {
        let all = items(crd, "/spec/versions");
        let alike = |pointer| all.iter().all(|version| part(version, pointer) == part(&all[0], pointer));
        Self {
            all,
            schema: alike(SCHEMA),
            subresources: alike(SUBRESOURCES),
            columns: alike(COLUMNS),
            selectable: alike(SELECTABLE),
        }
    }
}

fn part<'a>(version: &'a Value, pointer: &str) -> Option<&'a Value> {
    version.pointer(pointer).filter(|part| !part.is_null())
}

/// Requires every version to have a schema.
pub(super) fn schemas_given(versions: &Versions<'_>, causes: &mut Vec<Cause>) {
    for (at, _) in versions.all.iter().enumerate().filter(|(_, version)| part(version, SCHEMA).is_none()) {
        causes.push(Cause::required(&format!("spec.versions[{at}].schema.openAPIV3Schema"), ""));
    }
}

/// Validates the parts that differ between the versions.
pub(super) fn each(versions: &Versions<'_>, causes: &mut Vec<Cause>) {
    for (at, version) in versions.all.iter().enumerate() {
        let field = format!("spec.versions[{at}]");
        let name = text(version, "/name");
        causes.extend(label(name).map(|why| invalid(&format!("{field}.name"), name, &why)));
        deprecation(version, &format!("{field}.deprecationWarning"), causes);
        if !versions.schema {
            schema(version, &format!("{field}.schema."), causes);
        }
        if !versions.subresources {
            scale::check(&version["subresources"], &format!("{field}.subresources"), causes);
        }
        if !versions.columns {
            column::check(items(version, COLUMNS), &format!("{field}.additionalPrinterColumns"), causes);
        }
        if !versions.selectable && !items(version, SELECTABLE).is_empty() {
            let field = format!("{field}.selectableFields");
            own_selectable(versions, version, &field, causes);
        }
    }
}

/// Validates the parts that all versions share.
pub(super) fn shared(versions: &Versions<'_>, causes: &mut Vec<Cause>) {
    let Some(version) = versions.all.first() else { return };
    if versions.schema {
        schema(version, "spec.validation.", causes);
    }
    if versions.subresources {
        scale::check(&version["subresources"], "spec.subresources", causes);
    }
    if versions.columns {
        column::check(items(version, COLUMNS), "spec.additionalPrinterColumns", causes);
    }
    if versions.selectable && !items(version, SELECTABLE).is_empty() {
        let field = "spec.selectableFields";
        if versions.schema {
            selectable::check(version, field, causes);
        } else {
            causes.push(invalid(field, "", "may only be set when validations.schema is included"));
        }
    }
}

/// If all versions share one schema, a server does not accept selectable fields of a single version.
fn own_selectable(versions: &Versions<'_>, version: &Value, field: &str, causes: &mut Vec<Cause>) {
    if versions.schema {
        causes.push(invalid(field, "", "may only be set when `version.schema.openAPIV3Schema` is not included"));
    } else {
        selectable::check(version, field, causes);
    }
}

fn schema(version: &Value, prefix: &str, causes: &mut Vec<Cause>) {
    let Some(Err(found)) = part(version, SCHEMA).map(Structural::parse) else { return };
    causes.extend(found.into_iter().map(|cause| placed(cause, prefix)));
}

/// Prefixes the field of the cause, and the list that a CEL error mentions, with the path of the schema.
fn placed(cause: Cause, prefix: &str) -> Cause {
    let message = cause.message.replace(" within openAPIV3Schema", &format!(" within {prefix}openAPIV3Schema"));
    Cause { field: format!("{prefix}{}", cause.field), message, ..cause }
}

fn deprecation(version: &Value, field: &str, causes: &mut Vec<Cause>) {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else { return };
    if !is_true(version, "/deprecated") {
        causes.push(invalid(field, warning, "can only be set for deprecated versions"));
    }
    if warning.is_empty() {
        causes.push(invalid(field, warning, "must not be an empty string"));
    }
    if warning.len() > 256 {
        causes.push(invalid(field, warning, "must be <= 256 characters long"));
    }
    if let Some(at) = warning.find(char::is_control) {
        let why = format!("must only contain printable UTF-8 characters; non-printable character found at index {at}");
        causes.push(invalid(field, warning, &why));
    }
}
