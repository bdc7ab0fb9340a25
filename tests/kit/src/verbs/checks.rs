//! The checks of an object before it is stored.

use serde_json::Value;

use super::replicas;
use crate::api_error::{About, Failure, resource};
use crate::cel;
use crate::registry::Storage;
use crate::request_context::Call;
use crate::schema::{self, Cause};
use crate::state::Server;
use crate::strategy::{self, Part};

/// Appends the errors of a custom kind's schema to `causes`: first of its values, then of its CEL rules.
pub(super) fn by_schema(
    call: &Call,
    object: &Value,
    live: Option<&Value>,
    mut causes: Vec<Cause>,
    warnings: &mut Vec<String>,
) -> Vec<Cause> {
    causes.extend(schema_causes(call, object, live));
    if let Some(schema) = &call.lens.schema {
        let outcome = cel::run(object, live, schema, &causes);
        causes.extend(outcome.causes);
        warnings.extend(outcome.warnings);
    }
    causes
}

/// The schema errors of a custom kind; a status write reports only errors in the status.
fn schema_causes(call: &Call, object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let Some(schema) = &call.lens.schema else { return Vec::new() };
    let mut causes = schema::validate(object, live, schema);
    match call.part() {
        Part::Main if call.kind.status => causes.retain(|cause| !within(cause, "status")),
        Part::Main => {}
        Part::Status => causes.retain(|cause| within(cause, "status")),
    }
    if let Some(scale) = &call.kind.scale {
        replicas::check(object, scale, call.part(), &mut causes);
    }
    causes
}

fn within(cause: &Cause, field: &str) -> bool {
    cause.field.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

pub(super) fn refuse(about: About<'_>, causes: &[Cause]) -> Result<(), Failure> {
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid(about, causes)) }
}

pub(super) fn taken(about: About<'_>, live: &Value) -> Failure {
    let mut failure = Failure::already_exists(about);
    if strategy::is_deleting(live) {
        failure.message = format!("object is being deleted: {}", failure.message);
    }
    failure
}

/// Rejects a create in a namespace that is missing or being deleted.
pub(super) fn namespace_open(server: &Server, call: &Call, name: &str) -> Result<(), Failure> {
    let Some(namespace) = call.target.namespace.as_deref() else { return Ok(()) };
    let storage = Storage::new("", "namespaces");
    let about = About { group: "", kind: "namespaces", name: namespace };
    let live =
        server.store.get(&storage, &(String::new(), namespace.to_owned())).ok_or_else(|| Failure::not_found(about))?;
    if !strategy::is_deleting(&live) {
        return Ok(());
    }
    let cause = Cause {
        reason: "NamespaceTerminating".to_owned(),
        message: format!("namespace {namespace} is being terminated"),
        field: "metadata.namespace".to_owned(),
    };
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    Err(Failure::terminating(resource(&call.kind, name), &why, &cause))
}
