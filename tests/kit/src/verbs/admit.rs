//! Admission of a write: the objects that webhooks review, and the effect of their patches.

use serde_json::{Value, json};

use super::checks::namespace_open;
use super::decode::{decoded, typed_as_before};
use super::precondition::same_namespace;
use super::record::{Track, before_webhooks};
use super::scale_form;
use crate::admission::{self, Operation, Request};
use crate::api_error::Failure;
use crate::registry::Scale;
use crate::request_context::Call;
use crate::schema;
use crate::state::Server;
use crate::strategy;

/// An object on its way into the store.
pub(super) struct Draft {
    pub(super) object: Value,
    pub(super) track: Track,
    pub(super) warnings: Vec<String>,
}

/// Lets the mutating webhooks change a new object.
pub(super) async fn created(server: &Server, call: &Call, sent: Value, track: Track) -> Result<Draft, Failure> {
    let draft = Draft { object: sent, track, warnings: Vec::new() };
    if !admission::has_mutating(server) {
        return Ok(draft);
    }
    let name = strategy::meta(&draft.object, "name").to_owned();
    namespace_open(server, call, &name)?;
    mutated(server, call, &Request::of(call, Operation::Create).named(&name), draft, None).await
}

/// Lets the mutating webhooks change the new state of an object.
pub(super) async fn updated(
    server: &Server,
    call: &Call,
    sent: Value,
    shown: &Value,
    track: Track,
) -> Result<Draft, Failure> {
    let draft = Draft { object: sent, track, warnings: Vec::new() };
    if !admission::has_mutating(server) {
        return Ok(draft);
    }
    let request = Request::of(call, Operation::Update);
    match scale_of(call) {
        Some(scale) => scaled(server, call, &request, draft, shown, scale).await,
        None => mutated(server, call, &request, draft, Some(shown)).await,
    }
}

/// Asks the validating webhooks about an object that is about to be stored, and returns their warnings.
pub(super) async fn validated(
    server: &Server,
    call: &Call,
    new: &Value,
    old: Option<&Value>,
) -> Result<Vec<String>, Failure> {
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let request = Request::of(call, operation).named(strategy::meta(new, "name"));
    match scale_of(call).zip(old) {
        None => admission::validate(server, &request, Some(new), old).await,
        Some((scale, old)) => {
            let (new, old) = (scale_form::shown(new, scale)?, scale_form::shown(old, scale)?);
            admission::validate(server, &request, Some(&new), Some(&old)).await
        }
    }
}

/// The fields of the scale subresource, if the request writes it.
fn scale_of(call: &Call) -> Option<&Scale> {
    call.kind.scale.as_ref().filter(|_| call.target.subresource.as_deref() == Some("scale"))
}

async fn mutated(
    server: &Server,
    call: &Call,
    request: &Request<'_>,
    mut draft: Draft,
    live: Option<&Value>,
) -> Result<Draft, Failure> {
    if let (true, Some(namespace)) = (call.kind.namespaced, &call.target.namespace) {
        strategy::metadata(&mut draft.object).insert("namespace".to_owned(), json!(namespace));
    }
    if draft.track == Track::Update {
        before_webhooks(server, call, &mut draft.object, live).await?;
    }
    let complete = |object: Value| completed(call, object);
    let mutated = admission::mutate(server, request, draft.object, live, &complete).await?;
    let object = if mutated.is_changed { read_again(call, mutated.object) } else { Ok(mutated.object) };
    let object = object.map_err(|failure| failure.warning(mutated.warnings.clone()))?;
    Ok(Draft { object, track: Track::Done, warnings: mutated.warnings })
}

/// The webhooks of a scale see a Scale; the number of replicas in it is what they can change.
async fn scaled(
    server: &Server,
    call: &Call,
    request: &Request<'_>,
    mut draft: Draft,
    shown: &Value,
    scale: &Scale,
) -> Result<Draft, Failure> {
    let (new, old) = (scale_form::shown(&draft.object, scale)?, scale_form::shown(shown, scale)?);
    let mutated = admission::mutate(server, request, new, Some(&old), &Ok).await?;
    if mutated.is_changed {
        let wanted = scale_form::wanted(call, scale, &mutated.object);
        let wanted = wanted.map_err(|failure| failure.warning(mutated.warnings.clone()))?;
        scale_form::place(&mut draft.object, &scale.spec_replicas, wanted);
    }
    Ok(Draft { warnings: mutated.warnings, ..draft })
}

/// Sets defaults in an object that a webhook has changed. Unknown fields of a custom kind remain until the last webhook.
fn completed(call: &Call, mut object: Value) -> Result<Value, Failure> {
    if let Some(schema) = &call.lens.schema {
        schema::default(&mut object, schema);
        return Ok(object);
    }
    let api_version = call.kind.api_version();
    if object["apiVersion"] == api_version.as_str() {
        decoded(call, &object).map(|decoded| decoded.object)
    } else {
        Ok(object)
    }
}

/// Reads an object again after webhooks have changed it, without complaints about unknown fields.
fn read_again(call: &Call, object: Value) -> Result<Value, Failure> {
    let object = typed_as_before(call, object)?;
    same_namespace(call, &object)?;
    decoded(call, &object).map(|decoded| decoded.object)
}
