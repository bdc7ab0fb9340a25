//! PATCH by JSON patch, merge patch and strategic merge patch.

use serde_json::Value;

use super::apply;
use super::decode::{decoded, settle, twice, undeclared};
use super::update::{same_name, same_namespace, unchanged_version};
use super::write::{Track, replace};
use crate::api_error::{About, Failure, quoted};
use crate::patch::{PatchError, json_patch, merge_patch};
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::Server;
use crate::strategic_merge::strategic_patch;
use crate::{crd_write, strategy, strict};

const CUSTOM_MEDIA: &str = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

pub(super) fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    match call.content_type.as_str() {
        "application/json-patch+json" => {
            let patch = parsed(call)?;
            patched(server, call, &[], |object| json_patch(object, &patch).map_err(failed))
        }
        "application/merge-patch+json" => {
            let read = strict::read(&call.body).map_err(|error| unparsed(call, &error))?;
            let patch = read.value;
            if !patch.is_object() {
                let why = "json: cannot unmarshal array into Go value of type map[string]interface {}";
                return Err(Failure::bad_request(format!("error decoding patch: {why}")));
            }
            patched(server, call, &read.duplicates, |object| {
                merge_patch(object, &patch);
                Ok(())
            })
        }
        "application/apply-patch+yaml" => apply::answer(server, call),
        "application/strategic-merge-patch+json" if call.kind.is_builtin() => {
            let read =
                strict::read(&call.body).map_err(|error| Failure::bad_request(strict::told(&call.body, &error)))?;
            patched(server, call, &read.duplicates, |object| {
                strategic_patch(object, &read.value).map_err(failed)?;
                // The URL determines kind and version, even if the patch removes them.
                object["kind"] = call.kind.kind.clone().into();
                object["apiVersion"] = call.kind.api_version().into();
                Ok(())
            })
        }
        _ if call.kind.is_builtin() => {
            let message = "415: Unsupported Media Type";
            Err(Failure::status(415, "UnsupportedMediaType", message).with_details(serde_json::json!({})))
        }
        _ => Err(Failure::unsupported_media(CUSTOM_MEDIA)),
    }
}

fn parsed(call: &Call) -> Result<Value, Failure> {
    serde_json::from_slice(&call.body).map_err(|error| unparsed(call, &error))
}

fn unparsed(call: &Call, error: &serde_json::Error) -> Failure {
    Failure::bad_request(format!("error decoding patch: {}", strict::told(&call.body, error)))
}

pub(super) fn failed(error: PatchError) -> Failure {
    match error {
        PatchError::Malformed(why) => Failure::bad_request(why),
        PatchError::Broken(why) => Failure::internal(why),
        PatchError::Failed(_) => {
            Failure::status(422, "Invalid", "the server rejected our request due to an error in our request")
                .with_details(serde_json::json!({}))
        }
    }
}

fn patched(
    server: &Server,
    call: &Call,
    duplicates: &[String],
    patch: impl Fn(&mut Value) -> Result<(), Failure>,
) -> Result<Reply, Failure> {
    if call.query.force {
        let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
        return Err(Failure::invalid_options("PatchOptions", &[cause]));
    }
    // These warnings are returned even if the write is rejected; the finalizer warnings are not.
    let warnings = std::cell::RefCell::new(Vec::new());
    let finalizers = std::cell::RefCell::new(Vec::new());
    let written = replace(server, call, Track::Update, |live| {
        let mut object = live.clone();
        patch(&mut object)?;
        let decoded = decoded(call, &typed_as_before(call, object)?).map_err(unfit)?;
        let object = decoded.object;
        *warnings.borrow_mut() = settle(call, [twice(duplicates), decoded.complaints].concat())?;
        same_name(call, &object)?;
        same_namespace(call, &object)?;
        unchanged_version(call, live, &object)?;
        *finalizers.borrow_mut() = strategy::finalizer_warnings(&object);
        Ok(object)
    });
    let warnings = warnings.into_inner();
    let written = written.map_err(|failure| failure.warning(warnings.clone()))?;
    crd_write::settle(server, call);
    Ok(Reply::object(200, &call.lens, &written.object, call.shape)?
        .warning(warnings)
        .warning(finalizers.into_inner())
        .warning(written.warnings))
}

/// The error for a patch whose result does not decode as the kind.
fn unfit(failure: Failure) -> Failure {
    let about = About { group: "", kind: "", name: "" };
    Failure::invalid(about, &[Cause::invalid("patch", quoted(""), failure.message)])
}

/// Rejects a patch that changes kind or apiVersion.
fn typed_as_before(call: &Call, object: Value) -> Result<Value, Failure> {
    if !object.is_object() {
        return Err(Failure::bad_request("the patch leaves no object"));
    }
    let expected = [("kind", call.kind.kind.clone()), ("apiVersion", call.kind.api_version())];
    for (field, expected) in expected {
        let sent = object[field].as_str().unwrap_or_default();
        if sent != expected {
            let named = if field == "kind" { sent } else { &call.kind.kind };
            let about = About { group: &call.kind.group, kind: named, name: call.name() };
            let cause = Cause::invalid(field, quoted(sent), format!("must be {expected}"));
            let warnings = if field == "apiVersion" { undeclared(call, &object) } else { Vec::new() };
            return Err(Failure::invalid(about, &[cause]).warning(warnings));
        }
    }
    Ok(object)
}
