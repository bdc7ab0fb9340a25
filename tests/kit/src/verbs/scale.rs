//! The scale subresource: the number of replicas in the same form for all scalable kinds.

use http::Method;
use serde_json::{Map, Value, json};

use super::patch::failed;
use super::update::unchanged_version;
use super::write::{Track, replace};
use crate::api_error::{Failure, resource, typed};
use crate::patch::{json_patch, merge_patch};
use crate::registry::{Scale, Selector};
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::selector::printed;
use crate::state::Server;

pub(super) fn answer(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    match call.method {
        Method::GET => get(server, call, scale),
        Method::PUT => put(server, call, scale),
        Method::PATCH => patch(server, call, scale),
        _ => Err(unsupported(call)),
    }
}

fn get(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let live = server.store.get(&call.kind.storage, &call.key(call.name()));
    let live = live.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    Ok(Reply::value(200, &shown(&live, scale)?))
}

fn put(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let sent: Value = serde_json::from_slice(&call.body).map_err(undecoded)?;
    write(server, call, scale, |form| {
        *form = sent.clone();
        Ok(())
    })
}

fn patch(server: &Server, call: &Call, scale: &Scale) -> Result<Reply, Failure> {
    let sent: Value = serde_json::from_slice(&call.body).map_err(undecoded)?;
    match call.content_type.as_str() {
        "application/json-patch+json" => write(server, call, scale, |form| json_patch(form, &sent).map_err(failed)),
        // A Scale has no lists, so a strategic merge patch has the same effect as a merge patch.
        "application/merge-patch+json" | "application/strategic-merge-patch+json" => {
            write(server, call, scale, |form| {
                merge_patch(form, &sent);
                Ok(())
            })
        }
        "application/apply-patch+yaml" => Err(inapplicable(call)),
        _ => Err(Failure::unsupported_media("application/json-patch+json, application/merge-patch+json")),
    }
}

/// Changes the Scale of an object, and writes the desired number of replicas back to the object.
fn write(
    server: &Server,
    call: &Call,
    scale: &Scale,
    change: impl Fn(&mut Value) -> Result<(), Failure>,
) -> Result<Reply, Failure> {
    let written = replace(server, call, Track::Update, |live| {
        let mut form = shown(live, scale)?;
        change(&mut form)?;
        unchanged_version(call, live, &form)?;
        let mut object = live.clone();
        object["apiVersion"] = json!(call.kind.api_version());
        place(&mut object, &scale.spec_replicas, wanted(call, scale, &form)?);
        Ok(object)
    })?;
    Ok(Reply::value(200, &shown(&written.object, scale)?).warning(written.warnings))
}

/// The Scale of an object.
fn shown(object: &Value, scale: &Scale) -> Result<Value, Failure> {
    let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64);
    let wanted = number(&scale.spec_replicas).ok_or_else(|| {
        Failure::internal(format!("the spec replicas field {:?} does not exist", dotted(&scale.spec_replicas)))
    })?;
    let kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let kept = kept.iter().filter_map(|field| Some(((*field).to_owned(), object["metadata"].get(field)?.clone())));
    let mut form = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": kept.collect::<Map<_, _>>(),
        "spec": {},
        "status": {"replicas": number(&scale.status_replicas).unwrap_or_default()},
    });
    if wanted != 0 {
        form["spec"]["replicas"] = json!(wanted);
    }
    let selector = scale.selector.as_ref().map(|selector| text(object, selector)).unwrap_or_default();
    if !selector.is_empty() {
        form["status"]["selector"] = json!(selector);
    }
    Ok(form)
}

fn text(object: &Value, selector: &Selector) -> String {
    match selector {
        Selector::Text(pointer) => object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned(),
        Selector::Object(pointer) => object.pointer(pointer).map(printed).unwrap_or_default(),
    }
}

/// The number of replicas in a changed Scale; zero if absent.
fn wanted(call: &Call, scale: &Scale, form: &Value) -> Result<i64, Failure> {
    let asked = match &form["spec"]["replicas"] {
        Value::Null => 0,
        number => number.as_i64().ok_or_else(|| Failure::bad_request("spec.replicas of a Scale must be an integer"))?,
    };
    if asked >= 0 {
        return Ok(asked);
    }
    let cause = Cause::invalid(&dotted(&scale.spec_replicas), asked, "should be a non-negative integer");
    Err(Failure::invalid(typed(&call.kind, call.name()), &[cause]))
}

/// Sets the number at the pointer and creates missing parent objects.
fn place(object: &mut Value, pointer: &str, number: i64) {
    let mut at = object;
    for name in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = json!(number);
}

fn dotted(pointer: &str) -> String {
    pointer.replace('/', ".")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_spec_replicas_has_no_scale() {
        let scale = Scale {
            spec_replicas: "/spec/replicas".to_owned(),
            status_replicas: "/status/replicas".to_owned(),
            selector: None,
        };
        let refused = shown(&json!({"spec": {}}), &scale).unwrap_err();
        assert_eq!(refused.message, r#"the spec replicas field ".spec.replicas" does not exist"#);
    }
}
