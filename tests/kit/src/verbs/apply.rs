//! PATCH by server-side apply.

use serde_json::{Value, json};

use super::decode::{mismatch, typed_value};
use super::precondition::{same_name, same_namespace, unchanged_version};
use super::record::{Track, actor, lists};
use super::stored::{is_storable, keep};
use super::write::{Sent, Written, insert, replace};
use crate::api_error::{Failure, resource};
use crate::apply::{ApplyError, Force, Lists, apply};
use crate::crd_write;
use crate::rbac;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::{self, Cause};
use crate::state::Server;
use crate::strategy::{self, Part};
use crate::strict;
use crate::yaml;

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if call.query.field_manager.is_empty() {
        let cause = Cause::required("fieldManager", "is required for apply patch");
        return Err(Failure::invalid_options("PatchOptions", &[cause]));
    }
    let config = configuration(call)?;
    let live = server.store.get(&call.kind.storage, &call.key(call.name()));
    let written = match live {
        None if call.part() == Part::Status => return Err(Failure::not_found(resource(&call.kind, call.name()))),
        None => {
            rbac::check_create(server, call)?;
            create(server, call, &config).await?
        }
        Some(_) => change(server, call, &config).await?,
    };
    crd_write::settle(server, call);
    let code = if written.created { 201 } else { 200 };
    let warnings = strategy::finalizer_warnings(&config);
    Ok(Reply::object(code, &call.lens, &written.object, call.shape)?.warning(warnings).warning(written.warnings))
}

/// The applied configuration as sent, after its type and name were checked.
fn configuration(call: &Call) -> Result<Value, Failure> {
    if strict::deepest(&call.body).1.is_some() {
        let why = "error converting YAML to JSON: yaml: exceeded max depth of 10000";
        return Err(Failure::bad_request(format!("error decoding YAML: {why}")));
    }
    let (mut config, duplicates) = parsed(&call.body)?;
    if call.query.field_validation == "Strict" {
        once(&duplicates)?;
    }
    typed_as_served(call, &config)?;
    if !strategy::meta(&config, "name").is_empty() {
        same_name(call, &config)?;
    }
    same_namespace(call, &config)?;
    if call.part() == Part::Main
        && call.kind.status
        && let Some(fields) = config.as_object_mut()
    {
        fields.remove("status");
    }
    Ok(config)
}

/// Parses a JSON or YAML body, and reports duplicate keys.
fn parsed(body: &[u8]) -> Result<(Value, Vec<String>), Failure> {
    let name = |path: &String| path.rsplit('.').next().unwrap_or_default().to_owned();
    match strict::read(body) {
        Ok(read) => {
            let twice = read.duplicates.iter().map(|path| format!("line 1: key {:?} already set in map", name(path)));
            Ok((read.value, twice.collect()))
        }
        Err(_) => yaml::read(body).map_err(|error| Failure::bad_request(format!("error decoding YAML: {error}"))),
    }
}

/// Returns an error if there are duplicate keys.
fn once(complaints: &[String]) -> Result<(), Failure> {
    if complaints.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = complaints.iter().map(|complaint| format!("\n  {complaint}")).collect();
    let head = "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:";
    Err(Failure::bad_request(format!("{head}{}", lines.concat())))
}

fn typed_as_served(call: &Call, config: &Value) -> Result<(), Failure> {
    let text = |field: &str| config[field].as_str().unwrap_or_default();
    let (version, kind, expected) = (text("apiVersion"), text("kind"), call.kind.api_version());
    if version.is_empty() || kind.is_empty() {
        return Err(Failure::bad_request(format!("invalid object type: {version}, Kind={kind}")));
    }
    if version != expected {
        return Err(mismatch(version, &expected));
    }
    if kind != call.kind.kind {
        return Err(Failure::bad_request(format!("invalid object type: {version}, Kind={kind}")));
    }
    Ok(())
}

async fn create(server: &Server, call: &Call, config: &Value) -> Result<Written, Failure> {
    let mut config = config.clone();
    let metadata = strategy::metadata(&mut config);
    if !server.options.release.refuses_versions(&call.kind) {
        metadata.remove("resourceVersion");
    }
    if let Some(uid) = metadata.get("uid").and_then(Value::as_str) {
        let why = format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
        return Err(Failure::conflict(resource(&call.kind, call.name()), &why));
    }
    metadata.insert("name".to_owned(), json!(call.name()));
    let object = merged(server, call, None, &config, lists(call))?;
    insert(server, call, object, Track::Done).await
}

async fn change(server: &Server, call: &Call, config: &Value) -> Result<Written, Failure> {
    let compute = |live: &Value, lists: Lists<'_>| {
        unchanged_version(call, live, config)?;
        merged(server, call, Some(live), config, lists).map(Sent::from)
    };
    replace(server, call, Track::Done, compute, |live, object| unchanged_version(call, live, object)).await
}

/// Merges the configuration into the live object and sets defaults for released fields.
fn merged(
    server: &Server,
    call: &Call,
    live: Option<&Value>,
    config: &Value,
    lists: Lists<'_>,
) -> Result<Value, Failure> {
    let (time, api_version) = (server.clock.stamp(), call.kind.api_version());
    let force = if call.query.force { Force::Yes } else { Force::No };
    let object = apply(live, config, lists, &actor(server, call, &api_version, &time), force).map_err(refused)?;
    let mut object = typed_value(call, &object)?;
    if let Some(schema) = &call.lens.schema {
        let is_storable = is_storable(&call.kind, &object);
        schema::fill(&mut object, schema);
        if is_storable {
            // An apply does not set defaults that the storage version does not declare.
            keep(&call.kind, &mut object);
        }
    } else {
        strategy::defaults(&call.kind, &mut object);
    }
    Ok(object)
}

fn refused(error: ApplyError) -> Failure {
    let message = error.to_string();
    match error {
        ApplyError::Conflicts(conflicts) => {
            let causes: Vec<Value> =
                conflicts.iter().map(|conflict| crate::api_error::cause(&conflict.cause())).collect();
            Failure::status(409, "Conflict", message).with_details(json!({"causes": causes}))
        }
        ApplyError::Typed(_) => Failure::internal(message),
        ApplyError::Invalid(_) => Failure::bad_request(message),
    }
}
