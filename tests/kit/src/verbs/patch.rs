//! PATCH by JSON patch, merge patch and strategic merge patch.

use serde_json::Value;

use super::apply;
use super::decode::{decoded, settle, twice, typed_as_before};
use super::precondition::{same_name, same_namespace, unchanged_version};
use super::record::Track;
use super::write::{Sent, replace};
use crate::api_error::{About, Failure, quoted};
use crate::apply::Lists;
use crate::patch::{PatchError, json_patch, merge_patch};
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::Server;
use crate::strategic_merge::strategic_patch;
use crate::{crd_write, strategy, strict};

const CUSTOM_MEDIA: &str = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    match call.content_type.as_str() {
        "application/json-patch+json" => {
            let patch = parsed(call)?;
            patched(server, call, &[], |object| json_patch(object, &patch).map_err(failed)).await
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
            .await
        }
        "application/apply-patch+yaml" => apply::answer(server, call).await,
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
            .await
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

async fn patched(
    server: &Server,
    call: &Call,
    duplicates: &[String],
    patch: impl Fn(&mut Value) -> Result<(), Failure> + Send + Sync,
) -> Result<Reply, Failure> {
    if call.query.force {
        let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
        return Err(Failure::invalid_options("PatchOptions", &[cause]));
    }
    let compute = |live: &Value, _: Lists<'_>| {
        let mut object = live.clone();
        patch(&mut object)?;
        let decoded = decoded(call, &typed_as_before(call, object)?).map_err(unfit)?;
        let object = decoded.object;
        let complaints = settle(call, [twice(duplicates), decoded.complaints].concat())?;
        let fits = same_name(call, &object).and_then(|()| same_namespace(call, &object));
        fits.map_err(|failure| failure.warning(complaints.clone()))?;
        let notes = strategy::finalizer_warnings(&object);
        Ok(Sent { object, complaints, notes })
    };
    let check = |live: &Value, object: &Value| unchanged_version(call, live, object);
    let written = replace(server, call, Track::Update, compute, check).await?;
    crd_write::settle(server, call);
    Ok(Reply::object(200, &call.lens, &written.object, call.shape)?.warning(written.warnings))
}

/// The error for a patch whose result does not decode as the kind.
fn unfit(failure: Failure) -> Failure {
    let about = About { group: "", kind: "", name: "" };
    Failure::invalid(about, &[Cause::invalid("patch", quoted(""), failure.message)])
}
