//! The scale subresource: the number of replicas in the same form for all scalable kinds.

use http::Method;
use serde_json::{Value, json};

use super::patch::failed;
use super::precondition::unchanged_version;
use super::record::Track;
use super::scale_form::{place, shown, wanted};
use super::write::{Sent, replace};
use crate::api_error::{Failure, resource};
use crate::apply::Lists;
use crate::conversion;
use crate::patch::{json_patch, merge_patch};
use crate::registry::Scale;
use crate::request_context::Call;
use crate::response::Reply;
use crate::state::Server;

pub(super) async fn answer(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    match call.method {
        Method::GET => get(server, call, scale).await,
        Method::PUT => put(server, call, scale).await,
        Method::PATCH => patch(server, call, scale).await,
        _ => Err(unsupported(call)),
    }
}

async fn get(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let live = server.store.get(&call.kind.storage, &call.key(call.name()));
    let live = live.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    let live = conversion::object(server, &call.lens, live).await?;
    Ok(Reply::value(200, &shown(&live, scale)?))
}

async fn put(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let sent: Value = serde_json::from_slice(&call.body).map_err(undecoded)?;
    write(server, call, scale, |form| {
        *form = sent.clone();
        Ok(())
    })
    .await
}

async fn patch(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let sent: Value = serde_json::from_slice(&call.body).map_err(undecoded)?;
    match call.content_type.as_str() {
        "application/json-patch+json" => {
            write(server, call, scale, |form| json_patch(form, &sent).map_err(failed)).await
        }
        // A Scale has no lists, so a strategic merge patch has the same effect as a merge patch.
        "application/merge-patch+json" | "application/strategic-merge-patch+json" => {
            write(server, call, scale, |form| {
                merge_patch(form, &sent);
                Ok(())
            })
            .await
        }
        "application/apply-patch+yaml" => Err(inapplicable(call)),
        _ => Err(Failure::unsupported_media("application/json-patch+json, application/merge-patch+json")),
    }
}

/// Changes the Scale of an object, and writes the desired number of replicas back to the object.
async fn write(
    server: &Server,
    call: &Call,
    scale: &Scale,
    change: impl Fn(&mut Value) -> Result<(), Failure> + Send + Sync,
) -> Result<Reply, Failure> {
    let compute = |live: &Value, _: Lists<'_>| {
        let mut form = shown(live, scale)?;
        change(&mut form)?;
        unchanged_version(call, live, &form)?;
        let mut object = live.clone();
        object["apiVersion"] = json!(call.kind.api_version());
        place(&mut object, &scale.spec_replicas, wanted(call, scale, &form)?);
        Ok(Sent::from(object))
    };
    let check = |live: &Value, object: &Value| unchanged_version(call, live, object);
    let written = replace(server, call, Track::Update, compute, check).await?;
    Ok(Reply::value(200, &shown(&written.object, scale)?).warning(written.warnings))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err takes")]
fn undecoded(error: serde_json::Error) -> Failure {
    Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
}

fn inapplicable(call: &Call) -> Failure {
    Failure::internal(format!(
        "failed to convert new object (/{}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an \
         invalid group/version: autoscaling/v1",
        call.name()
    ))
}

fn unsupported(call: &Call) -> Failure {
    let verb = call.method.as_str().to_lowercase();
    let message = format!("{verb} is not supported on resources of kind {:?}", call.kind.qualified());
    let details = json!({"group": call.kind.group, "kind": call.kind.plural});
    Failure::status(405, "MethodNotAllowed", message).with_details(details)
}
